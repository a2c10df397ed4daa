"""Asks the questions of a table and compares: table.py BUNDLE QUESTIONS ANSWERS. See run."""

import sys
import time

import numpy as np

import viewcell

bundle = viewcell.open(sys.argv[1])
expected = np.fromfile(sys.argv[3], np.uint8)
pairs = np.fromfile(sys.argv[2], np.uint32).reshape(len(expected), 2, -1)
a, b = (np.ascontiguousarray(pairs[:, i] if bundle.kind == "terrain" else pairs[:, i, 0]) for i in (0, 1))


def report(name, ask, count, rounds):
    best = float("inf")
    for _ in range(rounds):
        begun = time.perf_counter()
        found = ask()
        best = min(best, time.perf_counter() - begun)
        np.testing.assert_array_equal(found, expected[:count] == 1, name)
    print(f"{name}\t{count}\t{best * 1e9 / count:.0f}")


places = list(zip(map(tuple, a.tolist()), map(tuple, b.tolist()))) if bundle.kind == "terrain" else list(zip(a.tolist(), b.tolist()))
report("Python, one by one", lambda: [bundle.visible(p, q) for p, q in places], len(places), 1)
report("Python, at once", lambda: bundle.visible(a, b), len(a), 5)
