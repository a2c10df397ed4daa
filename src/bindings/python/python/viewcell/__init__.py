"""Who can see whom: bakes view cell bundles and asks them.

    import viewcell
    bundle = viewcell.bake(heights, spacing=10.0, visibility="exact")
    bundle = viewcell.bake("level.tif", quality="draft")   # or a level, or a mesh
    bundle.visible((3, 4), (120, 80))              # one pair
    bundle.visible([[3, 4], [5, 6]], [[120, 80], [7, 8]])  # many: an array of booleans
    bundle.pvs((3, 4))                             # the viewshed, an array of booleans

A place on a terrain is ``(column, row)``: the column counts from 0 in the west, the row from 0 in the
north. Arrays are indexed ``[row, column]``, as rasters are. In a level, of cells or solid, a place is the
number of a cell; in a solid level players are where they are, too: ``visible_points``, ``visible_within``.
"""

from __future__ import annotations

import logging
import os
import pathlib
import tempfile
import weakref
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from . import _viewcell
from ._viewcell import (
    BakeError,
    ClosedError,
    FormatError,
    KindError,
    OutsideError,
    ViewcellError,
    VoidError,
)

__all__ = [
    "BakeError",
    "Bundle",
    "ClosedError",
    "FormatError",
    "FrontierSet",
    "KindError",
    "Notice",
    "OutsideError",
    "Session",
    "ViewcellError",
    "VoidError",
    "Watch",
    "WatchCounts",
    "bake",
    "open",
]
__version__ = "0.2.0"


class FrontierSet(NamedTuple):
    """Two regions, arrays of booleans: no place of ``a`` is visible from any place of ``b``."""

    a: np.ndarray
    b: np.ndarray


class Notice(NamedTuple):
    """Something to tell a player: ``what`` is "position", or among peers "frontier"."""

    to: int
    about: int
    what: str


def open(path: "os.PathLike[str] | str") -> "Bundle":
    """Opens a bundle by memory map, in a time that does not depend on its size.

    The file must not be cut short nor written to while it is open: replace it by renaming another.
    Raises OSError (FileNotFoundError and its kin), or FormatError for what is no bundle.
    """
    return Bundle(_viewcell.Bundle(os.fspath(path)))


#: What a bundle is of, in words.
_KINDS = {"terrain": "a terrain", "cells": "a level of cells", "solid": "a solid level"}


class Bundle:
    """An open bundle, of a terrain, of a level of cells or of a solid level. Made by ``open`` and ``bake``.

    Any number of threads may ask it at a time. ``with`` closes it at the end.
    """

    #: "terrain", "cells" or "solid".
    kind: str
    #: Of terrains.
    width: int
    height: int
    levels: int
    mutual: bool
    lossy: bool
    #: Metres between places, as ``width`` and ``height`` count them: where view cells are coarse, between cells.
    spacing: tuple[float, float]
    #: Metres between samples of the heightmap that was baked, and its columns and rows.
    sample_spacing: tuple[float, float]
    heightmap: tuple[int, int]
    eye_height: float
    player_height: float
    max_distance: float
    visibility: str
    #: In GDAL's order, or None.
    transform: Optional[list[float]]
    crs: Optional[str]
    #: Of levels, of cells and solid.
    cells: int
    #: Of levels of cells.
    greatest_distance: int
    has_bsp: bool
    has_neighbours: bool
    #: Of scenes: how many objects they draw; 0 of levels.
    objects: int
    #: Of solid levels: what hides, and whether sight is the same both ways (mutual, as of terrains); the size of
    #: the smallest cells, least and greatest corner of the body, and lowest and highest eye, all from the origin.
    solids: int
    faces: int
    cell: tuple[float, float, float]
    hull: tuple[tuple[float, float, float], tuple[float, float, float]]
    eye: tuple[float, float]

    def __init__(self, core: Any, folder: Optional[tempfile.TemporaryDirectory] = None):
        if not isinstance(core, _viewcell.Bundle):
            raise TypeError(f"use viewcell.open(path) to open a bundle; found {core!r}")
        self._core = core
        self._folder = folder
        if folder is not None:
            # Windows removes no file that is mapped. When Python ends, what came last is done first: this, before the folder.
            weakref.finalize(self, core.close)
        self._info = core.info()

    def __repr__(self) -> str:
        if self.closed:
            return "<viewcell.Bundle, closed>"
        if self.kind == "terrain":
            return f"<viewcell.Bundle of a terrain, {self.width} x {self.height} samples>"
        level = "a solid level" if self.kind == "solid" else "a level"
        return f"<viewcell.Bundle of {level} of {self.cells} cells>"

    def __enter__(self) -> "Bundle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes it. May be called more than once, by any thread."""
        self._core.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def closed(self) -> bool:
        return self._core.closed

    def __getattr__(self, name: str) -> Any:
        # What the bundle is of: width, height, spacing and so on, or cells and so on.
        info = self.__dict__.get("_info", {})
        if name in info:
            return info[name]
        raise AttributeError(f"a bundle of {_KINDS.get(info.get('kind'), 'nothing')} has no {name!r}")

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns of a terrain, or the number of cells."""
        return (self.height, self.width) if self.kind == "terrain" else (self.cells,)

    # -- places

    def _place(self, place: Any, name: str, level: int = 0) -> Any:
        """One place as the core takes it."""
        array = self._places(place, name, level)
        if array.ndim != (1 if self.kind == "terrain" else 0):
            raise TypeError(f"{name}: expected one place, found an array of shape {array.shape}")
        return tuple(array.tolist()) if self.kind == "terrain" else int(array)

    def _places(self, places: Any, name: str, level: int = 0) -> np.ndarray:
        """Places as an array of 32 bits each, looked at."""
        array = np.asarray(places)
        terrain = self.kind == "terrain"
        if array.size == 0 and array.dtype == np.float64:
            array = array.astype(np.uint32)  # an empty list
        if array.dtype.kind not in "iu":
            raise TypeError(f"{name}: expected whole numbers, found {array.dtype} in {places!r:.60}")
        if terrain and (array.ndim not in (1, 2) or array.shape[-1] != 2):
            if array.size == 0 and array.ndim == 1:
                return np.empty((0, 2), np.uint32)
            raise ValueError(f"{name}: expected (column, row) or an array of shape (n, 2), found shape {array.shape}")
        if not terrain and array.ndim > 1:
            raise ValueError(f"{name}: expected a cell or an array of shape (n,), found shape {array.shape}")
        if terrain:
            shift = (1 << level) - 1
            limits = np.array([(self.width + shift) >> level, (self.height + shift) >> level])
        else:
            limits = np.array(self.cells)
        outside = (array < 0) | (array >= limits)
        if outside.any():
            rows = outside.any(axis=-1) if terrain else outside
            first = int(np.flatnonzero(np.atleast_1d(rows))[0])
            found = array.reshape(-1, 2)[first].tolist() if terrain else np.atleast_1d(array)[first]
            what = f"the grid of {limits[0]} x {limits[1]} {'quads' if level else 'samples'}" if terrain else f"the level of {limits} cells"
            raise OutsideError(f"{name}: place {first}, {found}, lies outside {what}")
        # (ascontiguousarray would make an array of one place of a single cell.)
        return np.asarray(array, np.uint32, order="C")

    # -- who sees whom

    def visible(self, a: Any, b: Any) -> Any:
        """Whether a player at b may be seen from a.

        Two places give a bool. Arrays of shape (n, 2), column and row (of cells: (n,)), give n booleans;
        one place goes with an array of many. 0 where either is a void.
        """
        terrain = self._info["kind"] == "terrain"
        plain = tuple if terrain else int
        if type(a) is plain and type(b) is plain:
            # Without an array, for loops; what is wrong with the places is said below.
            try:
                return self._core.visible_sample(a, b) if terrain else self._core.visible_cell(a, b)
            except (OutsideError, OverflowError, TypeError, ValueError):
                pass
        places, others = self._places(a, "a"), self._places(b, "b")
        single = 1 if terrain else 0
        if places.ndim == single and others.ndim == single:
            if terrain:
                return self._core.visible_sample(tuple(places.tolist()), tuple(others.tolist()))
            return self._core.visible_cell(int(places), int(others))
        if places.ndim != single and others.ndim != single and len(places) != len(others):
            raise ValueError(f"expected as many places in b as in a, found {len(others)} and {len(places)}")
        places, others = (np.ascontiguousarray(x) for x in np.broadcast_arrays(places, others))
        ask = self._core.visible_samples if terrain else self._core.visible_cells
        return ask(places, others)

    def visible_within(self, a: Any, b: Any, reach_a: float, reach_b: float) -> bool:
        """Whether two players may see each other on their paths, up to so many metres each. Errs towards True.

        Of terrains; and of solid levels, where a and b are positions, x, y and z, and reaches are in the
        level's units.
        """
        if self.kind == "solid":
            points = [self._points(a, "a"), self._points(b, "b")]
            for name, point in zip("ab", points):
                if point.shape != (3,):
                    raise TypeError(f"{name}: expected one position, found an array of shape {point.shape}")
            return self._core.visible_within_points(*(point.tolist() for point in points), [float(reach_a), float(reach_b)])
        self._of("visible_within", "terrain", "a terrain or a solid level")
        return self._core.visible_within(self._place(a, "a"), self._place(b, "b"), [float(reach_a), float(reach_b)])

    def visible_points(self, a: Any, b: Any) -> Any:
        """Whether players whose origins are at a may see any part of those whose origins are at b. Of solid levels.

        Two positions, x, y and z, give a bool; arrays of shape (n, 3) give n booleans; one position goes with an
        array of many. True where either is in no cell. Not the same the other way round.
        """
        self._of("visible_points", "solid")
        points, others = self._points(a, "a"), self._points(b, "b")
        single = points.ndim == 1 and others.ndim == 1
        if points.ndim == 2 and others.ndim == 2 and len(points) != len(others):
            raise ValueError(f"expected as many positions in b as in a, found {len(others)} and {len(points)}")
        points, others = (np.ascontiguousarray(np.atleast_2d(x)) for x in np.broadcast_arrays(points, others))
        seen = self._core.visible_points(points, others)
        return bool(seen[0]) if single else seen

    def _points(self, points: Any, name: str) -> np.ndarray:
        """Positions as numbers of 64 bits."""
        array = np.asarray(points)
        if array.dtype.kind not in "iuf":
            raise TypeError(f"{name}: expected numbers, found {array.dtype} in {points!r:.60}")
        if array.size == 0 and array.ndim == 1:
            array = np.empty((0, 3))
        if array.ndim not in (1, 2) or array.shape[-1] != 3:
            raise ValueError(f"{name}: expected (x, y, z) or an array of shape (n, 3), found shape {array.shape}")
        return np.asarray(array, np.float64, order="C")

    def bounds(self, cell: Any) -> Optional[np.ndarray]:
        """Least and greatest corner of a cell, an array of shape (2, 3); None where the bundle does not know.

        Of levels; of a solid one, the positions of a player's origin that the cell stands for.
        """
        self._of("bounds", "cells solid", "a level")
        return self._core.bounds(self._place(cell, "cell"))

    def objects_seen(self, position: Any) -> np.ndarray:
        """The objects of a scene that a camera at (x, y, z) may see, by number: all others need not be drawn."""
        self._of("objects_seen", "solid", "a scene")
        x, y, z = map(float, position)
        return self._core.objects_seen((x, y, z))

    def object_paths(self) -> list[str]:
        """Where each object is in its scene: names from the root to it, with / between them."""
        self._of("object_paths", "solid", "a scene")
        return self._core.object_paths()

    def pvs(self, place: Any, level: int = 0) -> np.ndarray:
        """All that may be seen from a place: booleans of the bundle's shape.

        For n places, booleans of shape (n, rows, columns) or (n, cells). level asks for the quads of that
        level, whose places are their columns and rows among their like.
        """
        if not isinstance(level, (int, np.integer)) or isinstance(level, bool):
            raise TypeError(f"level: expected a whole number, found {level!r}")
        if self.kind != "terrain":
            if level != 0:
                raise ValueError("level: a bundle of a level has no quads")
            cells = self._places(place, "place")
            if cells.ndim == 0:
                return self._core.pvs_cell(int(cells))
            return np.array([self._core.pvs_cell(int(cell)) for cell in cells]).reshape(-1, *self.shape)
        if not 0 <= level < self.levels:
            raise ValueError(f"level: expected 0 to {self.levels - 1}, found {level}")
        places = self._places(place, "place", int(level))
        if places.ndim == 1:
            return self._core.pvs(level, tuple(places.tolist()))
        seen = np.empty((len(places), *self.shape), bool)
        for into, one in zip(seen, places):
            into[:] = self._core.pvs(level, tuple(one.tolist()))
        return seen

    def exposure(self) -> np.ndarray:
        """How many samples may be seen from each sample, rows by columns; how many cells see each cell."""
        return self._core.exposure() if self.kind == "terrain" else self._core.exposure_cells()

    def heights(self) -> np.ndarray:
        """Ground heights in metres, NaN at voids. Of terrains."""
        self._of("heights", "terrain")
        return self._core.heights()

    def distance(self, a: Any, b: Any) -> Any:
        """How many visible steps lead from cell a to cell b, -1 where none do. Of levels of cells."""
        self._of("distance", "cells")
        places, others = np.broadcast_arrays(self._places(a, "a"), self._places(b, "b"))
        single = places.ndim == 0
        places, others = (np.ascontiguousarray(np.atleast_1d(x)) for x in (places, others))
        steps = self._core.distances(places, others)
        return int(steps[0]) if single else steps

    # -- where

    def locate(self, *point: float) -> Any:
        """The place at metres east and south of sample (0, 0), or at x, y, z of a level.

        None where nobody can be: off the map, at a void, at what is not walkable, in solid.
        """
        wanted = 2 if self.kind == "terrain" else 3
        if len(point) != wanted:
            raise TypeError(f"locate: expected {wanted} numbers, found {len(point)}")
        if self.kind == "terrain":
            return self._core.locate(*map(float, point))
        return self._core.locate_cell([float(x) for x in point])

    def locate_georeferenced(self, x: float, y: float) -> Optional[tuple[int, int]]:
        """The sample at a position in the bundle's CRS; None where nobody can be. Of terrains."""
        self._of("locate_georeferenced", "terrain")
        return self._core.locate_georeferenced(float(x), float(y))

    # -- frontier sets

    def frontier(self, a: Any, b: Any, *, budget: Optional[int] = None) -> Optional[FrontierSet]:
        """The frontier set of two players: two regions, no place of one visible from any of the other.

        While both stay inside, they need not exchange a packet. None if they see each other. budget: on a terrain, a
        set grows until so many quads have been tried, 64 by default, 0 for no limit.
        """
        if self.kind == "solid":
            self._of("frontier", "terrain cells", "a terrain or a level of cells")
        places = self._place(a, "a"), self._place(b, "b")
        if self.kind == "terrain":
            halves = self._core.frontier(*places, budget)
        else:
            halves = self._core.frontier_cells(*places)
        return None if halves is None else FrontierSet(*halves)

    def session(
        self,
        players: int,
        *,
        margin: int = 0,
        patience: Optional[int] = None,
        peers: bool = False,
        budget: Optional[int] = None,
    ) -> "Session":
        """A session of so many players, none of whom is anywhere yet.

        margin: on a terrain, how many steps before the edge of a half a new set is made. patience: a set that
        lasted for fewer ticks was not worth its while, and the pair waits for as long. peers: players who know of
        each other what they are told and nothing else; else a server, which tells only what may be seen.
        budget: as of ``frontier``.
        """
        if not isinstance(players, int) or not 0 <= players <= 4096:
            raise ValueError(f"session: expected 0 to 4096 players, found {players!r}")
        core = self._core.session(
            players,
            {
                "budget": budget,
                "margin": margin,
                "patience": patience,
                "peers": peers,
            },
        )
        return Session(core, self, players)

    def watch(self, players: int, *, max_ahead: float = 0.2) -> "Watch":
        """Whom a server must send to whom, frame by frame, among so many players, of whom none is there yet.

        Of solid levels. max_ahead: whoever sees further ahead than so many seconds is sent everybody.
        """
        self._of("watch", "solid")
        if not isinstance(players, (int, np.integer)) or not 0 <= players <= 256:
            raise ValueError(f"watch: expected 0 to 256 players, found {players!r}")
        if not (np.isfinite(max_ahead) and max_ahead >= 0):
            raise ValueError(f"max_ahead: expected seconds from 0 up, found {max_ahead!r}")
        return Watch(self._core.watch(int(players), float(max_ahead)), self, int(players))

    # -- others' arrays

    def to_xarray(self, place: Any = None) -> Any:
        """Heights and exposure, and the viewshed of a place if one is given, as an xarray.Dataset.

        With the coordinates of the samples' centres and, where the bundle has them, the affine map and the
        CRS in a variable `spatial_ref`, as rasterio and rioxarray read and write them. Of terrains; needs
        xarray.
        """
        self._of("to_xarray", "terrain")
        heights = self.heights()
        import xarray

        variables = {
            "height": (("y", "x"), heights, {"units": "m"}),
            "exposure": (("y", "x"), self.exposure(), {"long_name": "samples that may be seen from here"}),
        }
        if place is not None:
            variables["viewshed"] = (("y", "x"), self.pvs(place).astype(np.uint8))
        columns, rows = np.arange(self.width) + 0.5, np.arange(self.height) + 0.5
        attributes = {}
        if self.transform is not None:
            t0, t1, t2, t3, t4, t5 = self.transform
            attributes["GeoTransform"] = " ".join(repr(float(t)) for t in self.transform)
            if t2 == 0 and t4 == 0:
                columns, rows = t0 + columns * t1, t3 + rows * t5
        else:
            columns, rows = (columns - 0.5) * self.spacing[0], (rows - 0.5) * self.spacing[1]
        dataset = xarray.Dataset(variables, {"x": columns, "y": rows})
        dataset = dataset.assign_coords(spatial_ref=xarray.DataArray(0, attrs=attributes))
        if self.crs is not None and self.crs != "unknown":
            try:
                import rioxarray  # noqa: F401  (gives datasets their .rio)
            except ImportError:
                dataset.spatial_ref.attrs["crs_wkt"] = self.crs
            else:
                dataset = dataset.rio.write_crs(self.crs)
                dataset.spatial_ref.attrs.update(attributes)
        return dataset

    def _of(self, name: str, kinds: str, words: Optional[str] = None) -> None:
        """Raises where the bundle is of another kind than these."""
        if self.kind not in kinds.split():
            raise KindError(f"{name} is for a bundle of {words or _KINDS[kinds]}, and the bundle is of {_KINDS[self.kind]}")


class Session:
    """Players, and the frontier sets between them: moves go in, and out comes who must be told about whom.

    Made by ``Bundle.session``; lives on when the bundle is closed. Belongs to one thread at a time. A pair is silent
    only while neither can see the other.
    """

    def __init__(self, core: Any, bundle: Bundle, players: int):
        self._core = core
        self._bundle = bundle
        #: They are numbered from 0.
        self.players = players

    def _player(self, player: int) -> int:
        if not isinstance(player, (int, np.integer)) or not 0 <= player < self.players:
            raise ValueError(f"expected a player from 0 to {self.players - 1}, found {player!r}")
        return int(player)

    def _pair(self, player: int, other: int) -> tuple[int, int]:
        if self._player(player) == self._player(other):
            raise ValueError(f"player {player} has no frontier set with itself")
        return int(player), int(other)

    def _at(self, place: Any) -> Any:
        if self._bundle.kind == "solid" and np.ndim(place) == 1:
            point = self._bundle._points(place, "place")
            return tuple(point.tolist())
        return self._bundle._place(place, "place")

    def tick(self) -> None:
        """Lets a tick pass: the unit of ages and of patience."""
        self._core.tick()

    def move(self, player: int, place: Any) -> list[Notice]:
        """A player has come to a place, or is gone (None). What follows from it.

        In a solid level a place may be a position, x, y and z. Who is in no cell sees all and is seen by all, and all
        are told.
        """
        told = self._core.move_to(self._player(player), None if place is None else self._at(place))
        return [Notice(to, about, "frontier" if is_set else "position") for to, about, is_set in told]

    def age(self, player: int, other: int) -> Optional[int]:
        """For how many ticks the frontier set of two players has lasted; None if they have none."""
        return self._core.age(*self._pair(player, other))

    @property
    def sets(self) -> int:
        """How many frontier sets were made so far."""
        return self._core.sets()

    def contains(self, player: int, other: int, place: Any) -> bool:
        """Whether a place is in a player's own half of the set with another."""
        return self._core.contains(*self._pair(player, other), self._at(place))

    def half(self, player: int, other: int) -> Optional[np.ndarray]:
        """A player's own half of the set with another, booleans of the bundle's shape; None if they have none."""
        half = self._core.half(*self._pair(player, other))
        return None if half is None else np.array(half, bool).reshape(self._bundle.shape)


class WatchCounts(NamedTuple):
    """What a frame of a watch came to until now, in ordered pairs of players who are there."""

    pairs: int
    hidden: int
    #: Hidden by what was proven in a frame before.
    kept: int
    looked: int
    #: Looks at a pair of boxes, of about a microsecond each.
    work: int


class Watch:
    """Who must be sent to whom in a solid level: hidden only by a proof for all that both may reach.

    Made by ``Bundle.watch``; lives on when the bundle is closed. Belongs to one thread at a time. Each frame:
    ``set`` for everybody who is there, ``begin``, ``look`` until the time is up, and then ``sends`` or ``matrix``.
    """

    def __init__(self, core: Any, bundle: Bundle, players: int):
        self._core = core
        self._bundle = bundle
        #: They are numbered from 0.
        self.players = players

    def set(
        self,
        player: int,
        position: Any,
        velocity: Any = None,
        *,
        sees_until: float = 0.1,
        shown_until: float = 0.05,
        speed: tuple[float, float] = (np.inf, np.inf),
        acceleration: tuple[float, float] = (np.inf, np.inf),
        impulse: tuple[float, float] = (0.0, 0.0),
        error: tuple[float, float] = (0.0, 0.0),
        step: float = 0.0,
        eye: Optional[tuple[float, float]] = None,
        body: Any = None,
    ) -> None:
        """Where a player is in the frame that begins next, and how they may move. A position of None: they have gone.

        sees_until: seconds until what is sent now no longer counts for what they see, a round trip and the time to the
        next frame. shown_until: the time to the next frame. speed, acceleration, impulse and error: the greatest ones,
        horizontally and vertically, in the level's units. step: by how much stairs may lift them at once. eye: lowest and
        highest, and body: least and greatest corner of what is seen of them, from the origin; those of the bundle if not
        given. Whoever is in no cell sees all and is seen by all.
        """
        if position is None:
            self._core.set(self._number(player), None)
            return
        three = [None if x is None else [float(k) for k in x] for x in (position, velocity)]
        self._core.set(
            self._number(player),
            {
                "position": three[0],
                "velocity": three[1],
                "speed": _pair(speed, "speed"),
                "acceleration": _pair(acceleration, "acceleration"),
                "impulse": _pair(impulse, "impulse"),
                "error": _pair(error, "error"),
                "sees_until": float(sees_until),
                "shown_until": float(shown_until),
                "step": float(step),
                "eye": None if eye is None else _pair(eye, "eye"),
                "body": None if body is None else np.asarray(body, np.float64).reshape(2, 3).tolist(),
            },
        )

    def doors(self, boxes: Any) -> None:
        """Doors that are closed from the next frame on, in place of those before: opaque boxes, of shape (n, 2, 3)."""
        self._core.doors(np.asarray(boxes, np.float64).reshape(-1, 2, 3).tolist())

    def smokes(self, spheres: Any) -> None:
        """Smoke from the next frame on, in place of that before: rows of centre (x, y, z), radius and seconds for which it stays.

        To be called in each frame while there is any. It hides nobody who is in the box around it, and from nobody who is; it
        hides one player from another if it stays until the one sees and the other is shown.
        """
        rows = np.asarray(spheres, np.float64).reshape(-1, 5).tolist()
        self._core.smokes([(row[:3], row[3], row[4]) for row in rows])

    def begin(self) -> None:
        """Begins a frame: all are sent whom no proof of before hides, until they are looked at."""
        self._core.begin()

    def look(self, work: int = 1000) -> bool:
        """Looks at pairs, for so much work, of about a microsecond each. True if all were looked at."""
        return self._core.look(int(work))

    def sends(self, viewer: int, player: int) -> bool:
        """Whether a player must be sent to a viewer. False where either is not there, and of a player and themselves."""
        return self._core.sends(self._number(viewer), self._number(player))

    def matrix(self) -> np.ndarray:
        """The same of all: booleans, viewers in rows and players in columns."""
        return self._core.matrix()

    @property
    def counts(self) -> WatchCounts:
        """What the frame came to until now."""
        return WatchCounts(*self._core.counts())

    def _number(self, player: int) -> int:
        if not isinstance(player, (int, np.integer)) or not 0 <= player < self.players:
            raise ValueError(f"expected a player from 0 to {self.players - 1}, found {player!r}")
        return int(player)


def _transform(transform: Any) -> Optional[list[float]]:
    """An affine map in GDAL's order."""
    if transform is None:
        return None
    if all(hasattr(transform, name) for name in "abcdef"):  # affine.Affine, as rasterio has it
        return [float(getattr(transform, name)) for name in "cabfde"]
    numbers = [float(x) for x in transform]
    if len(numbers) != 6:
        raise ValueError(f"transform: expected an affine.Affine or six numbers in GDAL's order, found {len(numbers)} numbers")
    return numbers


def _crs(crs: Any) -> tuple[Optional[str], bool]:
    """A CRS in words, and whether its units are degrees."""
    if crs is None:
        return None, False
    words = crs if isinstance(crs, str) else crs.to_string() if hasattr(crs, "to_string") else f"EPSG:{int(crs)}"
    try:
        from rasterio.crs import CRS
    except ImportError:
        return words, words.upper() in ("EPSG:4326", "EPSG:4269", "EPSG:4258")
    return words, bool(CRS.from_user_input(words).is_geographic)


#: Arguments of `bake` that are of some kinds of worlds alone, and what they are where they are not given.
_OF_TERRAINS = {
    "transform": None,
    "crs": None,
    "spacing": None,
    "vertical_scale": 1.0,
    "vertical_offset": 0.0,
    "size": None,
    "byte_order": None,
    "crop": None,
    "nodata": None,
    "max_samples": None,
    "quality": "good",
    "finest": None,
    "detail": None,
    "visibility": "conservative",
    "eye_height": None,
    "player_height": 1.8,
    "max_distance": None,
    "curvature": False,
    "ground": None,
    "ground_tolerance": None,
    "inside": False,
    "solids": None,
    "placement": None,
    "walkable": None,
    "max_slope": None,
    "water_level": None,
}
_OF_MESHES = {"up": None, "exporter": None, "opaque_without_material": False, "keep": (), "drop": ()}
_OF_SIZE = {"budget": None, "weight": None, "grade": None}
_OF_CELLS = {"symmetry": "or", "recompute": False, "fast": False, "portals": False, "map": None, "pack": None}
_OF_SOLIDS = {"cell": None, "hull": None, "eye": None, "reach": None, "within": None, "sky": "opaque", "pack": None}
_OF_KINDS = {
    "terrain": {**_OF_TERRAINS, **_OF_MESHES, **_OF_SIZE},
    "cells": _OF_CELLS,
    "solid": {**_OF_MESHES, **_OF_SIZE, **_OF_SOLIDS},
}
#: What only a file of heights leaves open.
_OF_FILES = ("vertical_scale", "vertical_offset", "size", "byte_order", "crop", "max_samples")


def bake(
    heights: Any,
    *,
    kind: Optional[str] = None,
    # Of terrains.
    transform: Any = None,
    crs: Any = None,
    spacing: "float | tuple[float, float] | None" = None,
    vertical_scale: float = 1.0,
    vertical_offset: float = 0.0,
    size: Optional[tuple[int, int]] = None,
    byte_order: Optional[str] = None,
    crop: Optional[tuple[int, int, int, int]] = None,
    nodata: Optional[float] = None,
    max_samples: Optional[int] = None,
    quality: str = "good",
    finest: Optional[int] = None,
    grade: "bool | int | None" = None,
    detail: Optional[int] = None,
    visibility: str = "conservative",
    eye_height: Optional[float] = None,
    player_height: float = 1.8,
    max_distance: Optional[float] = None,
    curvature: "bool | tuple[float, float]" = False,
    ground: Any = None,
    ground_tolerance: Optional[float] = None,
    inside: bool = False,
    solids: "os.PathLike[str] | str | None" = None,
    placement: Optional[tuple[float, ...]] = None,
    walkable: Any = None,
    max_slope: Optional[float] = None,
    water_level: Optional[float] = None,
    # Of meshes.
    up: Optional[str] = None,
    exporter: Optional[str] = None,
    opaque_without_material: bool = False,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    # Of levels of cells.
    symmetry: str = "or",
    recompute: bool = False,
    fast: bool = False,
    portals: bool = False,
    map: Optional[str] = None,
    pack: "os.PathLike[str] | str | None" = None,
    # Of solid levels.
    cell: "float | tuple[float, float] | None" = None,
    hull: Optional[tuple[float, float, float, float, float, float]] = None,
    eye: "float | tuple[float, float] | None" = None,
    reach: Any = None,
    within: Any = None,
    sky: str = "opaque",
    # Of all.
    budget: Optional[int] = None,
    weight: Any = None,
    threads: int = 0,
    memory: Optional[int] = None,
    output: "os.PathLike[str] | str | None" = None,
    overwrite: bool = False,
    resume: bool = False,
    verify: bool = False,
    progress: Optional[Callable[[str, int, int], object]] = None,
) -> Bundle:
    """Bakes heights, or a file of a heightmap, a level or a mesh, into a bundle, and opens it.

    heights: metres, of shape (rows, columns), row 0 in the north; NaN and nodata, and what a masked array
    masks, are voids. Or the path of a file, as `viewcell bake` takes it: of the same file and options the bundle is
    the same. kind: "terrain", "cells" or "solid"; by the content of the file if not given, where what a level's
    compiler wrote is "cells".

    Terrains. transform: an affine.Affine, or six numbers in GDAL's order. crs: as rasterio has it, or words. spacing:
    metres between samples; taken from the transform if it is in metres. vertical_scale, vertical_offset, size,
    byte_order ("little", "big"), crop (column, row, columns, rows) and max_samples: what a file leaves open. quality:
    "draft", "good", "best" or "samples", by which finest, grade and detail are chosen unless one of them is given;
    with a budget samples are baked. grade: True for 16. visibility: "exact" or "conservative". eye_height:
    the player's if not given. curvature: True for the earth's, or (radius, refraction).

    Places. ground: heights on which players stand, where the first ones are a surface that hides; walkable: 0, False or NaN
    where nobody can be. Both arrays of the same shape, or files. ground_tolerance, inside, max_slope (degrees) and
    water_level (metres): as for the program. solids: a level that stands on the terrain; placement: where its origin
    lies, in metres east and south of the first sample and up, and metres a unit.

    Meshes. up: "y" or "z". exporter: "unity", "unreal", "godot" or "blender". keep, drop: names of objects, groups, nodes,
    meshes and materials that are drawn, or are left out.

    Levels of cells. symmetry: "or", "and" or "none". recompute, fast, portals, map (of a WAD), pack (a game's folder).

    Solid levels. cell: the width of view cells, or width and height. hull: least and greatest corner of a body, from
    the origin. eye: its height, or lowest and highest. reach: positions that can be reached, of shape (n, 3). within:
    least and greatest corner of the box that bounds where players are. sky: "opaque" or "clear". grade, pack.

    budget: the bundle's greatest length in bytes; weight: "area", "level" or an array of what each sample is worth.
    memory: bytes that the bake may take; what is free if not given. output: where to keep the bundle; else it lives as
    long as the Bundle does. resume: keeps finished work beside the output when the bake is stopped, and goes on with
    what is there. verify: checks every rule at the end.

    progress(stage, done, total) is called in this thread, some times a second; what it raises ends the bake, and so
    does Ctrl-C: nothing is left behind, but for what resume keeps. What a person should know goes to the logger
    "viewcell", as information or, of what is probably wrong, as a warning.

    Raises ValueError and TypeError for arguments, OSError for files, MemoryError, BakeError.
    """
    given = dict(locals())
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: expected something to call, found {progress!r}")
    is_file = isinstance(heights, (str, os.PathLike))
    if kind is not None and kind not in _OF_KINDS:
        raise ValueError(f"kind: expected terrain, cells or solid, found {kind!r}")
    if not is_file and kind not in (None, "terrain"):
        raise TypeError(f"kind: heights are a terrain, and {kind} is asked for; give the path of a file")
    if kind is None:
        # What cannot be read is told of by its reader.
        kind = (_viewcell.kind_of(os.fspath(heights)) if is_file else None) or "terrain"
    for names in _OF_KINDS.values():
        for name, default in names.items():
            if name not in _OF_KINDS[kind] and _is_given(given[name], default):
                raise TypeError(f"{name} is not for {_KINDS[kind]}")
    if not is_file:
        for name in _OF_FILES:
            if _is_given(given[name], _OF_TERRAINS[name]):
                raise TypeError(f"{name} is for files of heights; change the array")
    options: dict[str, Any] = {
        "manner": {"threads": threads, "memory": memory, "overwrite": overwrite, "resume": resume, "verify": verify},
        "mesh": {
            "up": up,
            "exporter": exporter,
            "opaque_without_material": opaque_without_material,
            "keep": list(keep),
            "drop": list(drop),
        },
        "size": {"budget": budget, "weight": _numbers(weight, "weight")},
    }
    ratio = 16 if kind == "terrain" else 32
    ratio = ratio if grade is True else None if grade is None else int(grade)
    array = None
    if kind == "terrain":
        array, reading = (None, {}) if is_file else _heights(heights, nodata, transform, crs, spacing)
        if is_file and (transform is not None or crs is not None):
            raise TypeError("transform and crs are for arrays: a file has its own")
        if is_file and spacing is not None:
            reading["spacing"] = _pair(spacing, "spacing")
        if visibility not in ("exact", "conservative"):
            raise ValueError(f"visibility: expected exact or conservative, found {visibility!r}")
        if curvature is True:
            curvature = (6_371_008.8, 1.0 / 7.0)
        options.update(
            transform=reading.get("transform"),
            crs=reading.get("crs"),
            reading={
                "spacing": reading.get("spacing"),
                "vertical_scale": vertical_scale,
                "vertical_offset": vertical_offset,
                "size": size,
                "byte_order": byte_order,
                "crop": crop,
                # Of an array they are voids by now.
                "nodata": nodata if is_file else None,
                "max_samples": max_samples,
            },
            places={
                "ground": _raster(ground, "ground", array),
                "ground_tolerance": ground_tolerance,
                "inside": inside,
                "solids": None if solids is None else os.fspath(solids),
                "placement": None if placement is None else [float(x) for x in placement],
                "walkable": _raster(walkable, "walkable", array),
                "max_slope": max_slope,
                "water_level": water_level,
            },
            quality=quality,
            finest=finest,
            grade=ratio,
            detail=detail,
            visibility=visibility,
            eye_height=player_height if eye_height is None else eye_height,
            player_height=player_height,
            max_distance=max_distance,
            curvature=curvature or None,
        )
    elif kind == "cells":
        options.update(symmetry=symmetry, recompute=recompute, fast=fast, portals=portals, map=map)
        options["pack"] = None if pack is None else os.fspath(pack)
    else:
        options.update(
            cell=None if cell is None else _pair(cell, "cell"),
            grade=ratio or 0,
            hull=_box(hull, "hull"),
            eye=None if eye is None else _pair(eye, "eye"),
            reach=[] if reach is None else _positions(reach),
            within=_box(within, "within"),
            sky=sky,
            pack=None if pack is None else os.fspath(pack),
        )
    folder = None
    if output is None:
        if resume:
            raise ValueError("resume: expected an output, beside which finished work is kept")
        folder = tempfile.TemporaryDirectory(prefix="viewcell-")
        output = os.path.join(folder.name, "bundle.vcb")
    try:
        if array is None:
            _viewcell.bake_file(os.fspath(heights), kind, os.fspath(output), options, _hear, progress)
        else:
            _viewcell.bake_heights(array, os.fspath(output), options, _hear, progress)
        return Bundle(_viewcell.Bundle(os.fspath(output)), folder)
    except BaseException:
        if folder is not None:
            folder.cleanup()
        raise


def _is_given(value: Any, default: Any) -> bool:
    """Whether an argument says something."""
    return value is not default and not (np.isscalar(value) and value == default)


def _hear(note: str) -> None:
    """What a person should know of a bake."""
    logger = logging.getLogger("viewcell")
    if note.startswith("warning: "):
        logger.warning(note[len("warning: ") :])
    else:
        logger.info(note)


def _heights(
    heights: Any, nodata: Optional[float], transform: Any, crs: Any, spacing: Any
) -> tuple[np.ndarray, dict[str, Any]]:
    """Heights in metres, NaN where there are none, and where they lie."""
    array = _masked(heights, "heights", nodata)
    affine = _transform(transform)
    words, degrees = _crs(crs)
    if words is not None and affine is None:
        raise ValueError("crs: expected a transform with it")
    if spacing is None:
        if affine is None:
            raise ValueError("spacing: expected metres between samples, or a transform")
        if degrees:
            raise ValueError(f"spacing: expected metres between samples, since the units of {words} are degrees")
        spacing = (float(np.hypot(affine[1], affine[4])), float(np.hypot(affine[2], affine[5])))
    return array, {"spacing": _pair(spacing, "spacing"), "transform": affine, "crs": words}


def _masked(values: Any, name: str, nodata: Optional[float] = None) -> np.ndarray:
    """Numbers of 64 bits, rows by columns, NaN where they are masked or the one that stands for none."""
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array = np.asarray(values)
    if array.dtype.kind not in "iufb" or name == "heights" and array.dtype.kind == "b":
        raise TypeError(f"{name}: expected numbers, found {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"{name}: expected shape (rows, columns), found {array.shape}")
    voids = array == nodata if nodata is not None else None
    array = np.array(array, np.float64, order="C")
    if voids is not None:
        array[voids] = np.nan
    return array


def _raster(raster: Any, name: str, heights: Optional[np.ndarray]) -> Any:
    """A raster of the samples of a terrain: its file, or numbers row by row."""
    if raster is None:
        return None
    if isinstance(raster, (str, os.PathLike)):
        if heights is not None:
            raise TypeError(f"{name}: expected an array, as the heights are, found a file")
        return pathlib.Path(os.fspath(raster))
    array = _masked(raster, name)
    if heights is not None and array.shape != heights.shape:
        raise ValueError(f"{name}: expected shape {heights.shape}, as the heights have it, found {array.shape}")
    return array.ravel().tolist()


def _numbers(weight: Any, name: str) -> Any:
    """A name, or numbers row by row."""
    return weight if weight is None or isinstance(weight, str) else _masked(weight, name).ravel().tolist()


def _pair(value: Any, name: str) -> list[float]:
    """One number for both, or two."""
    pair = (value, value) if np.isscalar(value) else tuple(value)
    if len(pair) != 2:
        raise ValueError(f"{name}: expected a number or two, found {value!r}")
    return [float(x) for x in pair]


def _box(corners: Any, name: str) -> list[float] | None:
    """Least and greatest corner of a box, if there is one."""
    numbers = None if corners is None else np.asarray(corners, np.float64).ravel().tolist()
    if numbers is not None and (len(numbers) != 6 or not all(a < b for a, b in zip(numbers[:3], numbers[3:]))):
        raise ValueError(f"{name}: expected least and greatest corner, six numbers, found {corners!r}")
    return numbers


def _positions(reach: Any) -> list[list[float]]:
    """Positions, x, y and z."""
    array = np.asarray(reach, np.float64)
    if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
        raise ValueError(f"reach: expected finite numbers of shape (n, 3), found shape {array.shape}")
    return array.tolist()
