"""Asks a bundle of a level from Python, with nothing but ctypes: cells.py LIBRARY BUNDLE.

Prints who sees whom, how far apart they are, and the regions of frontier sets.
"""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

VERSION, CELLS, BUDGET = 4, 2, 64


class World(Structure):
    _fields_ = (
        [(name, c_uint32) for name in ("kind", "mutual")]
        + [(name, c_uint64) for name in ("places", "words")]
        + [(name, c_uint32) for name in ("width", "height", "levels", "block_columns")]
        + [(name, c_double) for name in ("dx", "dy", "player_height", "eye_low", "eye_high")]
        + [(name, c_uint32) for name in ("greatest_distance", "has_bsp", "has_neighbours")]
        + [(name, c_uint32) for name in ("solids", "faces", "input_crc32")]
        + [("input_bytes", c_uint64), ("cell", c_double * 3), ("hull", c_double * 6), ("axes", c_double * 3)]
    )


viewcell = ctypes.CDLL(sys.argv[1])
viewcell.viewcell_status_text.restype = c_char_p
viewcell.viewcell_info.argtypes = [c_void_p, POINTER(World)]
viewcell.viewcell_visible_from.argtypes = [c_void_p, c_uint32, c_size_t, c_void_p, c_void_p]
viewcell.viewcell_distance.argtypes = [c_void_p, c_uint32, c_uint32]
viewcell.viewcell_frontier_new.argtypes = [c_void_p, POINTER(c_void_p)]
viewcell.viewcell_frontier_begin.argtypes = [c_void_p, c_uint32, c_uint32, c_uint32]
viewcell.viewcell_frontier_contains.argtypes = [c_void_p, c_uint32, c_uint32]
viewcell.viewcell_frontier_close.argtypes = [c_void_p]
viewcell.viewcell_close.argtypes = [c_void_p]


def check(status):
    if status < 0:
        raise RuntimeError(viewcell.viewcell_status_text(status).decode())
    return status


bundle = c_void_p()
why = ctypes.create_string_buffer(256)
if viewcell.viewcell_open(VERSION, sys.argv[2].encode(), 0, byref(bundle), why, c_size_t(256)) < 0:
    sys.exit(why.value.decode())
level = World()
check(viewcell.viewcell_info(bundle, byref(level)))
if level.kind != CELLS:
    sys.exit("not a level of cells")

n = level.places
every = (c_uint32 * n)(*range(n))
seen = (c_uint8 * n)()
for a in range(n):
    check(viewcell.viewcell_visible_from(bundle, a, n, every, seen))
    steps = (viewcell.viewcell_distance(bundle, a, b) for b in range(n))
    print("".join(map(str, seen)), *steps)

frontier = c_void_p()
check(viewcell.viewcell_frontier_new(bundle, byref(frontier)))


def region(side):
    return "".join(str(check(viewcell.viewcell_frontier_contains(frontier, side, c))) for c in range(n))


for a in range(0, n, 7):
    for b in range(n):
        check(viewcell.viewcell_frontier_begin(frontier, a, b, BUDGET))
        halves = [region(side) for side in (0, 1)]
        print(a, b, int("1" in halves[0]), *halves)
check(viewcell.viewcell_frontier_close(frontier))
check(viewcell.viewcell_close(bundle))
