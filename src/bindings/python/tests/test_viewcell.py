"""The wheel as its users have it: installed, and asked with NumPy, rasterio and xarray."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from importlib import metadata

import numpy as np
import pytest

import viewcell

ROOT = pathlib.Path(os.environ["VIEWCELL_ROOT"])
GOLDEN = ROOT / "tests/golden/v1"
TERRAINS = ["13x9-voids-pairs.vcb", "13x9-voids.vcb", "40x9-pairs.vcb", "1x1.vcb"]


def opened(name):
    return viewcell.open(GOLDEN / name)


def reader(*arguments, lines=None):
    """What the independent reader prints."""
    command = [sys.executable, str(ROOT / "scripts/read-bundle"), *map(str, arguments)]
    return subprocess.run(command, input=lines, check=True, capture_output=True, text=True).stdout


def places(bundle):
    if bundle.kind == "cells":
        return np.arange(bundle.cells)
    rows, columns = np.mgrid[: bundle.height, : bundle.width]
    return np.stack([columns.ravel(), rows.ravel()], axis=1)


def wall():
    """A wall from north to south on flat ground of 16 rows of 24, with a void in a corner."""
    heights = np.zeros((16, 24))
    heights[:, 12] = 20
    heights[15, 23] = np.nan
    return heights


def naive(heights, a, b):
    """Line of sight of the R3 model, eyes and heads at 1.8 m, written once more and slowly."""
    (c0, r0), (c1, r1) = a, b
    if np.isnan(heights[r0, c0]) or np.isnan(heights[r1, c1]):
        return False
    eye, head = heights[r0, c0] + 1.8, heights[r1, c1] + 1.8
    for axis in (0, 1):
        start, end = ((c0, c1), (r0, r1))[axis]
        for line in range(min(start, end) + 1, max(start, end)):
            t = (line - start) / (end - start)
            x, y = c0 + t * (c1 - c0), r0 + t * (r1 - r0)
            other = y if axis == 0 else x
            low = min(int(np.floor(other)), heights.shape[axis] - 2) if heights.shape[axis] > 1 else 0
            part = other - low
            near = heights[low, line] if axis == 0 else heights[line, low]
            far = heights[min(low + 1, heights.shape[0] - 1), line] if axis == 0 else heights[line, min(low + 1, heights.shape[1] - 1)]
            ground = near if part == 0 else far if part == 1 else near * (1 - part) + far * part
            if ground > eye + t * (head - eye) + 1e-9:
                return False
    return True


@pytest.mark.parametrize("name", [*TERRAINS, "level.vcb"])
def test_every_pair_as_the_independent_reader_has_it(name):
    with opened(name) as bundle:
        every = places(bundle)
        a, b = np.repeat(every, len(every), axis=0), np.concatenate([every] * len(every))
        lines = "\n".join(" ".join(map(str, np.ravel(pair))) for pair in zip(a, b)) + "\n"
        expected = np.array(reader("visible", GOLDEN / name, "--pairs", "-", lines=lines).split()) == "1"
        found = bundle.visible(a, b)
        assert found.dtype == bool and found.shape == (len(a),)
        np.testing.assert_array_equal(found, expected)
        matrix = expected.reshape(len(every), len(every))
        np.testing.assert_array_equal(bundle.pvs(every).reshape(len(every), -1), matrix)
        for i in range(0, len(every), 7):
            assert bundle.visible(every[i], every[-1]) is bool(matrix[i, -1])
            np.testing.assert_array_equal(bundle.visible(every[i], every), matrix[i])
        np.testing.assert_array_equal(bundle.exposure().ravel(), matrix.sum(axis=1 if bundle.kind == "terrain" else 0))


def test_baking_in_the_process():
    heights = wall()
    calls = []
    bundle = viewcell.bake(heights, spacing=10.0, visibility="exact", progress=lambda *told: calls.append((threading.get_ident(), *told)))
    rng = np.random.default_rng(7)
    a, b = (np.stack([rng.integers(0, 24, 3000), rng.integers(0, 16, 3000)], axis=1) for _ in range(2))
    np.testing.assert_array_equal(bundle.visible(a, b), [naive(heights, p, q) for p, q in zip(a, b)])
    assert {told[0] for told in calls} == {threading.get_ident()}
    assert "visibility" in {told[1] for told in calls} and all(done <= total for _, _, done, total in calls)
    np.testing.assert_array_equal(bundle.heights(), heights.astype(np.float32))
    folder = pathlib.Path(bundle._folder.name)
    assert folder.exists()
    bundle.close()
    assert not folder.exists()


def test_what_kinds_of_arrays_are_taken(tmp_path):
    heights = np.nan_to_num(wall(), nan=-9999)
    as_void = viewcell.bake(heights, spacing=10.0, nodata=-9999, visibility="exact")
    for other in [wall(), wall().astype(np.float32), np.asfortranarray(wall()), np.ma.masked_invalid(wall()), wall()[::-1][::-1]]:
        # Windows replaces no file that is open.
        with viewcell.bake(other, spacing=(10.0, 10.0), visibility="exact", output=tmp_path / "a.vcb", overwrite=True) as bundle:
            np.testing.assert_array_equal(bundle.exposure(), as_void.exposure())
    with pytest.raises(FileExistsError, match="a.vcb"):
        viewcell.bake(wall(), spacing=10.0, output=tmp_path / "a.vcb")
    whole = viewcell.bake(np.zeros((40, 40)) + np.arange(40) ** 2 % 7, spacing=1.0)
    assert whole.visibility == "conservative"


def test_frontier_sets():
    for bundle in [viewcell.bake(wall(), spacing=10.0, visibility="exact"), opened("40x9-pairs.vcb"), opened("level.vcb")]:
        every = places(bundle)
        sets = 0
        for a in every[:: 1 + len(every) // 20]:
            for b in every[:: 1 + len(every) // 18]:
                try:
                    halves = bundle.frontier(a, b)
                except viewcell.VoidError:
                    continue
                if halves is None:
                    assert bundle.visible(a, b) or bundle.visible(b, a)
                    continue
                sets += 1
                ours, theirs = every[halves.a.ravel()], every[halves.b.ravel()]
                assert (ours == a).reshape(len(ours), -1).all(axis=1).any()
                for p in ours:
                    assert not bundle.visible(p, theirs).any() and not bundle.visible(theirs, p).any()
        assert sets > 0


def test_look_ahead_distance_and_places():
    bundle = opened("13x9-voids-pairs.vcb")
    # Nobody can be at a void, so that it is nowhere: as C, JavaScript, C# and the engines have it.
    voids = np.isnan(bundle.heights()).ravel()
    assert voids.sum() == 39
    for place, is_void in zip(places(bundle), voids):
        assert bundle.locate(*(place * bundle.spacing)) == (None if is_void else tuple(place))
        assert bundle.visible(place, place) is not bool(is_void)
    for place in places(bundle):
        assert bundle.visible_within(place, (0, 0), 1e6, 1e6) or not bundle.visible(place, (0, 0))
    assert bundle.locate(3 * bundle.spacing[0], 2 * bundle.spacing[1]) == (3, 2)
    assert bundle.locate(-1e9, 0) is None
    level = opened("level.vcb")
    every = places(level)
    for cell in every:
        expected = [reader("distance", GOLDEN / "level.vcb", cell, other).strip() for other in every[:3]]
        assert [str(d) if d >= 0 else "unreachable" for d in level.distance(cell, every[:3])] == expected
    assert level.locate(1e9, 1e9, 1e9) is None or isinstance(level.locate(1e9, 1e9, 1e9), int)


def test_solid_levels():
    bundle = viewcell.open(GOLDEN / "solid.vcb")
    assert bundle.kind == "solid" and bundle.shape == (bundle.cells,)
    assert bundle.solids == 7 and bundle.hull == ((-16, -16, -24), (16, 16, 32)) and bundle.eye == (22, 22)
    assert bundle.objects == 0
    with pytest.raises(viewcell.KindError, match="a scene"):
        bundle.objects_seen((0, 0, 0))
    cells = np.arange(bundle.cells)
    matrix = np.array([bundle.visible(np.full(bundle.cells, cell), cells) for cell in cells])
    assert matrix.any() and not matrix.all() and matrix.diagonal().all()
    assert (bundle.pvs(cells) == matrix).all()
    assert (bundle.exposure() == matrix.sum(axis=0)).all()
    corners = np.array([bundle.bounds(cell) for cell in cells])
    assert corners.shape == (bundle.cells, 2, 3)
    middles = corners.mean(axis=1)
    assert [bundle.locate(*middle) for middle in middles] == cells.tolist()
    a, b = np.divmod(np.arange(bundle.cells**2), bundle.cells)
    assert (bundle.visible_points(middles[a], middles[b]).reshape(matrix.shape) == matrix).all()
    west, east, door = (48.0, 48.0, 32.0), (480.0, 48.0, 32.0), (264.0, 224.0, 32.0)
    assert bundle.visible_points(west, east) is False and bundle.visible_points(west, door) is True
    assert bundle.visible_points(west, [east, door]).tolist() == [False, True]
    assert not bundle.visible_within(west, east, 8, 8) and bundle.visible_within(west, east, 300, 300)
    # Above the ceiling is nobody expected: whoever is there sees all.
    assert bundle.locate(48, 48, 999) is None and bundle.locate(float("nan"), 0, 0) is None
    assert bundle.visible_points((48, 48, 999), east) and bundle.visible_within(west, (48, 48, 999), 0, 0)
    assert bundle.visible_points(np.empty((0, 3)), np.empty((0, 3))).shape == (0,)
    for ask in [lambda: bundle.heights(), lambda: bundle.distance(0, 1), lambda: bundle.frontier(0, 1)]:
        with pytest.raises(viewcell.KindError, match="of a solid level"):
            ask()
    for places in [((1, 2), (3, 4)), ("abc", west), (west, [[1, 2]])]:
        with pytest.raises((TypeError, ValueError)):
            bundle.visible_points(*places)
    with pytest.raises(viewcell.OutsideError):
        bundle.bounds(bundle.cells)
    with pytest.raises(viewcell.KindError):
        viewcell.open(GOLDEN / "level.vcb").visible_points(west, east)


@pytest.mark.parametrize("name", ["40x9-pairs.vcb", "level.vcb", "solid.vcb"])
def test_a_session_tells_what_may_be_seen_and_keeps_silent_no_longer_than_it_may(name):
    bundle = opened(name)
    session = bundle.session(4, patience=0)
    dice = np.random.default_rng(5)

    def anywhere():
        if bundle.kind == "solid":
            return tuple(dice.uniform([20, 20, 28], [508, 236, 999 if dice.random() < 0.1 else 92]))
        if bundle.kind == "cells":
            return int(dice.integers(bundle.cells))
        return int(dice.integers(bundle.width)), int(dice.integers(bundle.height))

    sees = bundle.visible_points if bundle.kind == "solid" else bundle.visible
    at, silent, told = [None] * 4, 0, 0
    for turn in range(800):
        player = turn % 4
        if player == 0:
            session.tick()
        at[player] = anywhere() if dice.random() > 0.05 else None
        notices = session.move(player, at[player])
        told += len(notices)
        heard = {(notice.to, notice.about) for notice in notices if notice.what == "position"}
        for other in range(4):
            if other == player:
                continue
            there = at[player] is not None and at[other] is not None
            for a, b in [(player, other), (other, player)]:
                assert ((a, b) in heard) == (there and bool(sees(at[a], at[b])))
            if session.age(player, other) is None:
                assert session.half(player, other) is None
                continue
            silent += 1
            assert session.contains(player, other, at[player]) and not session.contains(other, player, at[player])
            assert session.half(player, other).shape == bundle.shape
    assert told > 100 and silent > 50 and session.sets > 5
    bundle.close()
    assert session.move(0, None) == [] and session.age(0, 1) is None
    for wrong in (lambda: session.move(4, at[0]), lambda: session.age(1, 1), lambda: bundle.session(-1)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="speed"):
        bundle.session(2, speed=3)


def test_a_watch_sends_whoever_may_be_seen_until_the_next_frame():
    with viewcell.open(ROOT / "tests/golden/v1/solid.vcb") as bundle:
        left, right, door = (48.0, 48.0, 32.0), (480.0, 48.0, 32.0), (256.0, 224.0, 32.0)
        assert not bundle.visible_points(left, right)
        watch = bundle.watch(4)
        with pytest.raises(viewcell.KindError):
            opened("level.vcb").watch(2)
    limits = {"speed": (300, 300), "acceleration": (3000, 800), "impulse": (0, 270), "step": 18}

    def frame(*positions):
        for player, position in enumerate(positions):
            watch.set(player, position, (0, 0, 0), **limits)
        watch.begin()
        # Nobody is hidden before something is proven.
        before = watch.matrix()
        assert watch.look(100_000)
        return before

    before = frame(left, right, None, None)
    assert before[0, 1] and before[1, 0] and before.sum() == 2
    assert not watch.sends(0, 1) and not watch.sends(1, 0)
    counts = watch.counts
    assert (counts.pairs, counts.hidden) == (2, 2) and counts.work > 0
    # What was proven holds on, without another look.
    assert not frame(left, right, None, None).any() and watch.counts.kept == 2
    frame(left, right, (1e6, 0.0, 0.0), door)
    sends = watch.matrix()
    assert sends[:, 2].sum() == 3 and sends[2].sum() == 3 and sends[0, 3] and not sends.diagonal().any()
    watch.doors([[[0, 0, 0], [1, 1, 1]]])
    watch.smokes([[264, 224, 40, 120, 9]])
    watch.smokes([])
    for wrong in (lambda: watch.sends(0, 4), lambda: watch.set(-1, left), lambda: watch.set(0, left, eye=(1, 2, 3))):
        with pytest.raises(ValueError):
            wrong()


def test_georeferenced_arrays_through_rasterio_and_xarray(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    rioxarray = pytest.importorskip("rioxarray")
    transform = rasterio.Affine(10, 0, 500000, 0, -10, 4200000)
    bundle = viewcell.bake(wall(), transform=transform, crs=rasterio.crs.CRS.from_epsg(32614), visibility="exact")
    assert bundle.transform == [500000, 10, 0, 4200000, 0, -10] and bundle.spacing == (10.0, 10.0)
    assert bundle.locate_georeferenced(500000 + 35, 4200000 - 25) == (3, 2)
    dataset = bundle.to_xarray((2, 8))
    np.testing.assert_array_equal(dataset.viewshed, bundle.pvs((2, 8)))
    dataset["viewshed"].rio.to_raster(tmp_path / "seen.tif")
    with rasterio.open(tmp_path / "seen.tif") as file:
        assert file.crs.to_epsg() == 32614 and file.transform == transform
        np.testing.assert_array_equal(file.read(1), bundle.pvs((2, 8)))
    ground = rioxarray.open_rasterio(tmp_path / "seen.tif")
    assert float(ground.x[3]) == float(dataset.x[3]) == 500035
    with pytest.raises(ValueError, match="degrees"):
        viewcell.bake(wall(), transform=transform, crs="EPSG:4326")
    plain = viewcell.bake(wall(), spacing=10.0, visibility="exact").to_xarray()
    assert float(plain.x[3]) == 30.0 and plain.height.shape == (16, 24)


@pytest.mark.parametrize(
    "ask, kind, words",
    [
        (lambda b: b.visible((13, 0), (0, 0)), viewcell.OutsideError, r"a: place 0, \[13, 0\], lies outside the grid of 13 x 9"),
        (lambda b: b.visible([[0, 0], [0, 9]], [[0, 0], [0, 0]]), viewcell.OutsideError, "place 1"),
        (lambda b: b.visible((-1, 0), (0, 0)), viewcell.OutsideError, "outside"),
        (lambda b: b.visible((0.5, 0), (0, 0)), TypeError, "whole numbers, found float64"),
        (lambda b: b.visible("ab", (0, 0)), TypeError, "whole numbers"),
        (lambda b: b.visible(None, (0, 0)), TypeError, "whole numbers"),
        (lambda b: b.visible([[0, 0, 0]], [[0, 0, 0]]), ValueError, r"\(n, 2\), found shape \(1, 3\)"),
        (lambda b: b.visible([[0, 0], [0, 1]], [[0, 0]] * 3), ValueError, "as many"),
        (lambda b: b.visible(3, 4), ValueError, "shape"),
        (lambda b: b.pvs((0, 0), 99), ValueError, "level: expected 0 to"),
        (lambda b: b.pvs((0, 0), 0.5), TypeError, "level"),
        (lambda b: b.distance(0, 1), viewcell.KindError, "level of cells"),
        (lambda b: b.frontier((0, 0), (1, 1), groww=1), TypeError, "groww"),
        (lambda b: b.frontier((0, 0), (1, 1), budget=-1), (OverflowError, TypeError, ValueError), "budget|negative"),
        (lambda b: b.locate(1), TypeError, "2 numbers"),
        (lambda b: b.locate("far", 1), (TypeError, ValueError), "float|number"),
        (lambda b: b.visible_within((0, 0), (1, 1), "far", 1), (TypeError, ValueError), "float|number"),
        (lambda b: b.visible(np.array([[True, False]]), (0, 0)), TypeError, "whole numbers, found bool"),
        (lambda b: b.visible([[0, 2**70]], (0, 0)), TypeError, "whole numbers, found object"),
        (lambda b: b.visible(np.zeros((2, 2, 2), int), (0, 0)), ValueError, r"shape \(2, 2, 2\)"),
        (lambda b: b.pvs([[0, 0], [99, 0]]), viewcell.OutsideError, "place 1"),
        (lambda b: b.frontier((0, 0), (99, 0)), viewcell.OutsideError, r"b: place 0, \[99, 0\]"),
        (lambda b: viewcell.open(None), TypeError, "PathLike"),
        (lambda b: viewcell.open(3), TypeError, "PathLike"),
        (lambda b: viewcell.open("a\0b.vcb"), (OSError, ValueError), "(?i)nul"),
        (lambda b: b.nothing, AttributeError, "nothing"),
        (lambda b: viewcell.Bundle(3), TypeError, "open"),
    ],
)
def test_bad_arguments(ask, kind, words):
    with pytest.raises(kind, match=words):
        ask(opened("13x9-voids-pairs.vcb"))


@pytest.mark.parametrize(
    "arguments, kind, words",
    [
        ({"heights": [["a"]]}, TypeError, "numbers"),
        ({"heights": "none", "spacing": None}, OSError, "none"),
        ({"heights": np.zeros(5)}, ValueError, r"\(rows, columns\), found \(5,\)"),
        ({"heights": np.zeros((0, 4))}, ValueError, "0 samples|4 x 0"),
        ({"heights": np.full((3, 3), np.nan)}, ValueError, "void"),
        ({"heights": np.full((3, 3), np.inf)}, ValueError, "finite height"),
        ({"heights": np.zeros((3, 3)), "spacing": None}, ValueError, "spacing"),
        ({"heights": np.zeros((3, 3)), "spacing": 0.0}, ValueError, "spacing"),
        ({"heights": np.zeros((3, 3)), "visibility": "good"}, ValueError, "exact or conservative"),
        ({"heights": np.zeros((3, 3)), "player_height": -1.0}, ValueError, "player_height"),
        ({"heights": np.zeros((3, 3)), "progress": 3}, TypeError, "progress"),
        ({"heights": np.zeros((3, 3)), "crs": "EPSG:32614"}, ValueError, "transform"),
        ({"heights": np.zeros((3, 3)), "output": "/no/such/folder/a.vcb"}, (OSError, viewcell.BakeError), "no/such/folder"),
        ({"heights": np.zeros((300, 300)), "memory": 1000}, MemoryError, "memory"),
    ],
)
def test_bad_bakes(arguments, kind, words):
    with pytest.raises(kind, match=words):
        viewcell.bake(**{"spacing": 1.0, **arguments})


def test_files_that_are_no_bundles(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        viewcell.open(tmp_path / "none.vcb")
    assert "none.vcb" in str(caught.value)
    with pytest.raises(OSError):
        viewcell.open(tmp_path)
    whole = (GOLDEN / "13x9-voids-pairs.vcb").read_bytes()
    file = tmp_path / "damaged.vcb"
    for part in [b"", b"no bundle", whole[:-1], whole[:100], whole + b"x"]:
        file.write_bytes(part)
        with pytest.raises(viewcell.FormatError, match="damaged.vcb"):
            viewcell.open(file)
    refused = 0
    for i in range(0, len(whole), 5):
        damaged = tmp_path / f"{i}.vcb"
        damaged.write_bytes(whole[:i] + bytes([whole[i] ^ 1 << i % 8]) + whole[i + 1 :])
        try:
            with viewcell.open(damaged) as bundle:
                if bundle.kind == "terrain":
                    bundle.visible((0, 0), places(bundle))
                    bundle.exposure()
        except (viewcell.ViewcellError, OSError):
            refused += 1
    assert refused > 5


def test_a_closed_bundle():
    bundle = opened("13x9-voids-pairs.vcb")
    bundle.close()
    bundle.close()
    assert bundle.closed and "closed" in repr(bundle)
    for ask in [
        lambda: bundle.visible((0, 0), (1, 1)),
        lambda: bundle.visible([[0, 0]], [[1, 1]]),
        lambda: bundle.visible_within((0, 0), (1, 1), 1, 1),
        lambda: bundle.pvs((0, 0)),
        lambda: bundle.frontier((0, 0), (1, 1)),
        lambda: bundle.locate(0, 0),
        lambda: bundle.locate_georeferenced(0, 0),
        bundle.exposure,
        bundle.heights,
        bundle.to_xarray,
    ]:
        with pytest.raises(viewcell.ClosedError):
            ask()


def test_many_threads_ask_and_one_closes():
    bundle = opened("40x9-pairs.vcb")
    every = places(bundle)
    expected = bundle.visible(every[5], every)
    faults, rounds = [], [0] * 8

    def ask(i):
        while True:
            try:
                if not np.array_equal(bundle.visible(every[5], every), expected):
                    faults.append(i)
                rounds[i] += 1
            except viewcell.ClosedError:
                return

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    while min(rounds) < 20:
        time.sleep(0.01)
    bundle.close()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert not faults


def large():
    rows, columns = np.mgrid[:700, :700]
    return np.sin(rows / 9.0) * np.cos(columns / 7.0) * 30


def test_what_a_progress_callback_raises_ends_the_bake(tmp_path):
    class Enough(Exception):
        pass

    def progress(stage, done, total):
        raise Enough(stage)

    begun = time.monotonic()
    with pytest.raises(Enough):
        viewcell.bake(large(), spacing=10.0, output=tmp_path / "a.vcb", progress=progress)
    assert time.monotonic() - begun < 60
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("side", [2, 4, 8, 16, 32])
def test_what_is_raised_after_a_bake_has_come_to_its_end(tmp_path, side):
    def progress(stage, done, total):
        raise KeyError(stage)

    for _ in range(5):
        with pytest.raises(KeyError):
            viewcell.bake(np.zeros((side, side)), spacing=10.0, output=tmp_path / "a.vcb", progress=progress)
        assert list(tmp_path.iterdir()) == []
    viewcell.bake(wall(), spacing=10.0, output=tmp_path / "a.vcb")
    with pytest.raises(KeyError):
        viewcell.bake(np.zeros((side, side)), spacing=10.0, output=tmp_path / "a.vcb", overwrite=True, progress=progress)
    with viewcell.open(tmp_path / "a.vcb") as bundle:
        assert bundle.width in (side, 24)


def test_many_threads_bake_and_one_raises(tmp_path):
    expected = viewcell.bake(wall(), spacing=10.0, visibility="exact").exposure()
    told, raised = [], []

    def bake(i):
        def progress(stage, done, total):
            told.append(i)
            if i == 3:
                raise RuntimeError("enough")

        try:
            bundle = viewcell.bake(wall(), spacing=10.0, visibility="exact", output=tmp_path / f"{i}.vcb", progress=progress)
            np.testing.assert_array_equal(bundle.exposure(), expected)
        except RuntimeError:
            raised.append(i)

    threads = [threading.Thread(target=bake, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert raised == [3] and set(told) == set(range(6))
    assert {path.name for path in tmp_path.glob("*.vcb")} == {f"{i}.vcb" for i in range(6) if i != 3}


def without_places(folder):
    """A heightmap as a file, the same as an array, and what the program makes of the file."""
    rows, columns = np.mgrid[:20, :26]
    heights = np.round(np.sin(rows / 3.0) * 6 + columns * 5 % 7, 2)
    header = f"ncols 26\nnrows 20\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
    lines = "\n".join(" ".join(map(str, row)) for row in heights)
    (folder / "hills.asc").write_text(header + lines + "\n")
    return heights, folder / "hills.asc"


def program(*arguments):
    """Runs the program, where it was built."""
    name = "viewcell.exe" if sys.platform == "win32" else "viewcell"
    built = [ROOT / "target" / profile / name for profile in ("release", "debug")]
    built = [path for path in built if path.exists()]
    if not built:
        pytest.skip("the program was not built")
    newest = max(built, key=lambda path: path.stat().st_mtime)
    subprocess.run([newest, *map(str, arguments)], check=True, capture_output=True)


#: Options of Python, and those of the command line that say the same.
SAME = [
    ({}, []),
    ({"visibility": "exact", "grade": 4}, ["--visibility", "exact", "--grade=4"]),
    ({"finest": 3, "detail": 3}, ["--finest", "3", "--detail", "3"]),
    ({"quality": "draft", "crop": (2, 1, 20, 16)}, ["--quality", "draft", "--crop", "2,1,20,16"]),
    ({"spacing": (9.0, 11.0), "vertical_scale": 2.0}, ["--spacing", "9,11", "--vertical-scale", "2"]),
    ({"spacing": 9.0, "curvature": True}, ["--spacing", "9", "--earth-curvature"]),
    ({"max_slope": 35.0, "water_level": -4.0}, ["--max-slope", "35", "--water-level", "-4"]),
    ({"walkable": "hills.asc", "max_distance": 90.0}, ["--walkable", "hills.asc", "--max-distance", "90"]),
    ({"ground": "hills.asc", "inside": True, "player_height": 2.0}, ["--ground", "hills.asc", "--inside", "--player-height", "2"]),
    ({"budget": 9000, "weight": "level"}, ["--budget", "9000,level"]),
]


@pytest.mark.parametrize("options, flags", SAME, ids=[" ".join(flags) or "none" for _, flags in SAME])
def test_a_heightmap_is_baked_to_the_bytes_of_the_command_line(tmp_path, monkeypatch, options, flags):
    _, file = without_places(tmp_path)
    monkeypatch.chdir(tmp_path)
    program("bake", "terrain", file.name, "-o", "line.vcb", "--quiet", *flags)
    viewcell.bake(file.name, output="python.vcb", verify=True, **options).close()
    assert (tmp_path / "python.vcb").read_bytes() == (tmp_path / "line.vcb").read_bytes()


ROOMS = ROOT / "tests/fuzz/seeds/json/portals"
MAP = ROOT / "tests/fuzz/seeds/solid/standard.map"
MESH = ROOT / "tests/fuzz/seeds/solid/boxes.obj"


@pytest.mark.parametrize(
    "level, options, flags",
    [
        (ROOMS, {"kind": "cells"}, ["cells"]),
        (ROOMS, {"kind": "cells", "fast": True, "symmetry": "none"}, ["cells", "--fast", "--symmetry", "none"]),
        (MAP, {"cell": 64, "within": (-999, -999, -999, 999, 999, 40)}, ["solid", "--cell", "64", "--within", "-999,-999,-999,999,999,40"]),
        (MAP, {"kind": "solid", "cell": (64, 32), "eye": (12, 26), "grade": 2}, ["solid", "--cell", "64,32", "--eye", "12,26", "--grade=2"]),
        (
            MESH,
            {"up": "z", "opaque_without_material": True, "reach": [[5.0, 2.0, 0.5]], "hull": (-0.3, -0.3, 0, 0.3, 0.3, 1.5)},
            ["solid", "--from", "z-up", "--opaque-without-material", "--reach", "reach.csv", "--hull=-0.3,-0.3,0,0.3,0.3,1.5"],
        ),
    ],
)
def test_a_level_is_baked_to_the_bytes_of_the_command_line(tmp_path, monkeypatch, level, options, flags):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reach.csv").write_text("x,y,z\n5,2,0.5\n")
    program("bake", flags[0], level, "-o", "line.vcb", "--quiet", *flags[1:])
    with viewcell.bake(level, output="python.vcb", **options) as bundle:
        assert bundle.kind == flags[0]
    assert (tmp_path / "python.vcb").read_bytes() == (tmp_path / "line.vcb").read_bytes()


def test_layers_are_arrays_where_heights_are(tmp_path):
    heights, file = without_places(tmp_path)
    mask = np.arange(26)[None, :] + 0 * heights > 12
    there = viewcell.bake(heights, spacing=10.0, walkable=mask)
    np.testing.assert_array_equal(there.exposure() > 0, mask)
    np.savetxt(tmp_path / "mask.asc", mask, fmt="%d", header=file.read_text()[: file.read_text().index("NODATA")].strip(), comments="")
    of_files = viewcell.bake(file, walkable=tmp_path / "mask.asc")
    np.testing.assert_array_equal(there.exposure(), of_files.exposure())
    # A roof over the ground hides from those who stand on it, beside the house.
    roof = np.zeros((12, 20))
    roof[:, 8:11] = 9.0
    covered = viewcell.bake(roof, spacing=5.0, ground=np.zeros((12, 20)), visibility="exact")
    assert not covered.visible((2, 6), (15, 6)) and not covered.visible((2, 6), (9, 6))
    inside = viewcell.bake(roof, spacing=5.0, ground=np.zeros((12, 20)), visibility="exact", inside=True)
    assert (inside.exposure()[:, 8:11] > 0).all() and not (covered.exposure()[:, 8:11] > 0).any()
    weights = np.where(mask, 1.0, 0.0)
    lossy = viewcell.bake(heights, spacing=10.0, budget=9000, weight=weights)
    assert lossy.lossy and not viewcell.bake(heights, spacing=10.0).lossy


def test_notes_go_to_the_logger(tmp_path, caplog):
    heights, _ = without_places(tmp_path)
    with caplog.at_level("INFO", logger="viewcell"):
        viewcell.bake(heights, spacing=10.0, water_level=0.0)
    assert any("players can be at" in record.message for record in caplog.records)


@pytest.mark.parametrize(
    "world, options, kind, words",
    [
        ("hills.asc", {"cell": 3.0}, TypeError, "cell is not for a terrain"),
        ("hills.asc", {"transform": (0, 1, 0, 0, 0, -1)}, TypeError, "a file has its own"),
        ("hills.asc", {"kind": "voxels"}, ValueError, "terrain, cells or solid"),
        ("hills.asc", {"quality": "perfect"}, ValueError, "draft, good, best, samples"),
        ("hills.asc", {"inside": True}, ValueError, "`ground`"),
        ("hills.asc", {"placement": (0, 0, 0)}, ValueError, "`solids`"),
        ("hills.asc", {"max_slope": 91.0}, ValueError, "0 to 90"),
        ("hills.asc", {"water_level": 1e5}, viewcell.BakeError, "nobody"),
        ("hills.asc", {"walkable": "none.asc"}, OSError, "none.asc"),
        ("hills.asc", {"finest": 9}, ValueError, "finest"),
        ("hills.asc", {"byte_order": "middle"}, ValueError, "little, big"),
        ("hills.asc", {"resume": True}, ValueError, "resume"),
        ("hills.asc", {"weight": "level"}, ValueError, "budget"),
        ("none.tif", {}, OSError, "none.tif"),
        (MAP, {"walkable": np.ones((3, 3))}, TypeError, "walkable is not for a solid level"),
        (MAP, {"cell": 1e-300}, MemoryError, "`cell`"),
        (MAP, {"hull": (1, 1, 1, 0, 0, 0)}, ValueError, "hull"),
        (MAP, {"sky": "blue"}, ValueError, "opaque, clear"),
        (MAP, {"up": "z"}, ValueError, "`exporter`"),
        (MESH, {"up": "z"}, viewcell.BakeError, "`reach`"),
        (ROOMS, {"symmetry": "both"}, ValueError, "or, and, none"),
        (ROOT / "tests/fuzz/seeds/json/pvs", {"fast": True}, ValueError, "recompute"),
        (np.zeros((3, 3)), {"spacing": 1.0, "crop": (0, 0, 1, 1)}, TypeError, "crop is for files"),
        (np.zeros((3, 3)), {"spacing": 1.0, "kind": "solid"}, TypeError, "path of a file"),
        (np.zeros((3, 3)), {"spacing": 1.0, "ground": np.zeros((3, 4))}, ValueError, "shape"),
        (np.zeros((3, 3)), {"spacing": 1.0, "walkable": "a.asc"}, TypeError, "an array"),
    ],
)
def test_what_a_bake_is_not_given(tmp_path, monkeypatch, world, options, kind, words):
    without_places(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    output = {} if "resume" in options else {"output": "x.vcb"}
    with pytest.raises(kind, match=words):
        viewcell.bake(world, **output, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_bake_that_keeps_its_work_goes_on(tmp_path):
    class Enough(Exception):
        pass

    def progress(stage, done, total):
        if stage == "visibility" and done > total / 4:
            raise Enough

    rows, columns = np.mgrid[:160, :160]
    heights = np.sin(rows / 9.0) * np.cos(columns / 7.0) * 30
    with pytest.raises(Enough):
        viewcell.bake(heights, spacing=10.0, output=tmp_path / "a.vcb", resume=True, threads=1, progress=progress)
    assert [path.name for path in tmp_path.iterdir()] == ["a.vcb.checkpoint"]
    with viewcell.bake(heights, spacing=10.0, output=tmp_path / "a.vcb", resume=True) as bundle:
        with viewcell.bake(heights, spacing=10.0, output=tmp_path / "b.vcb") as other:
            np.testing.assert_array_equal(bundle.exposure(), other.exposure())
    assert (tmp_path / "a.vcb").read_bytes() == (tmp_path / "b.vcb").read_bytes()
    assert not list(tmp_path.glob("*.checkpoint"))


def test_ctrl_c_ends_the_reading_of_a_file(tmp_path):
    """Before anything is written nothing is waited for: not for a level whose places take seconds to find."""
    sides = "\n".join(f"( {side.replace(',', ' ) (')} ) wall 0 0 0 1 1" for side in SLAB)
    spawn = '{\n"classname" "info_player_start"\n"origin" "0 0 64"\n}\n'
    (tmp_path / "slab.map").write_text('{\n"classname" "worldspawn"\n{\n' + sides + "\n}\n}\n" + spawn)
    script = (
        "import viewcell, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def tell(stage, done, total):\n"
        "    print(stage, flush=True)\n"
        f"viewcell.bake({str(tmp_path / 'slab.map')!r}, cell=4, output={str(tmp_path / 'a.vcb')!r}, progress=tell)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while process.stdout.readline() not in ("places\n", ""):
            pass
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in words and time.monotonic() - begun < 5
    assert [path.name for path in tmp_path.iterdir()] == ["slab.map"]


#: Sides of a floor of 12,000 units, each of three corners.
SLAB = ["0 0 0, 0 1 0, 1 0 0", "0 0 -16, 1 0 -16, 0 1 -16", "-6000 0 0, -6000 1 0, -6000 0 1"]
SLAB += ["6000 0 0, 6000 0 1, 6000 1 0", "0 -6000 0, 0 -6000 1, 1 -6000 0", "0 6000 0, 1 6000 0, 0 6000 1"]


def test_a_progress_callback_may_ask_and_bake():
    calls = []

    def progress(stage, done, total):
        with opened("40x9-pairs.vcb") as bundle:
            calls.append(bundle.visible((0, 0), (0, 0)))
        calls.append(viewcell.bake(np.zeros((3, 3)), spacing=1.0).exposure().sum() == 81)

    viewcell.bake(wall(), spacing=10.0, progress=progress)
    assert calls and all(calls)


def test_the_interpreter_runs_while_a_bake_does():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    viewcell.bake(large()[:130, :130], spacing=10.0)
    taken = time.monotonic() - begun
    stop.set()
    thread.join()
    assert len(ticks) > taken / 0.1, f"{len(ticks)} ticks in {taken} s"


def test_ctrl_c_ends_a_bake(tmp_path):
    script = (
        "import numpy as np, viewcell, signal\n"
        # Where the tests run in the background, Ctrl-C is ignored from the beginning.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "rows, columns = np.mgrid[:700, :700]\n"
        "print('begun', flush=True)\n"
        f"viewcell.bake(np.sin(rows / 9.0) * columns, spacing=10.0, output={str(tmp_path / 'a.vcb')!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in words and process.returncode != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", ["", "bundle.close()", "del bundle"])
def test_a_bundle_without_output_leaves_no_folder(tmp_path, end):
    script = f"""
import tempfile
import numpy, viewcell
tempfile.tempdir = {str(tmp_path)!r}
bundle = viewcell.bake(numpy.zeros((9, 9)), spacing=1.0)
{end}
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_the_package_is_typed():
    assert (pathlib.Path(viewcell.__file__).parent / "py.typed").exists()


def test_the_wheel_runs_on_what_its_name_says():
    """No symbol of glibc is newer than the platform in the wheel's name: manylinux_2_35, or manylinux2014 by zig."""
    tags = re.findall(r"^Tag: (.*)$", metadata.distribution("viewcell").read_text("WHEEL"), re.M)
    assert all(tag.startswith("cp310-abi3-") for tag in tags)
    promised = [int(minor) for tag in tags for minor in re.findall(r"manylinux_2_(\d+)_", tag)]
    if not promised:
        pytest.skip(f"no platform with a version in {tags}")
    library = next(pathlib.Path(viewcell.__file__).parent.glob("_viewcell*.so")).read_bytes()
    asked = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)]
    assert asked and max(asked) <= min(promised), f"{max(asked)} of {tags}"


def test_the_notebook_runs(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    page = json.loads((ROOT / "src/bindings/python/examples/viewshed.ipynb").read_text())
    names = {}
    for cell in page["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert 0 < names["seen"].sum() < names["seen"].size
    assert not names["bundle"].visible((30, 20), names["hidden"])
