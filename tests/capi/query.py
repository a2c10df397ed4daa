"""Asks a bundle from Python, with nothing but ctypes: query.py LIBRARY BUNDLE.

Prints who sees whom, a line of 0 and 1 for each sample, and the halves of a frontier set.
"""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_double, c_size_t, c_uint32, c_uint64, c_void_p

VERSION = 4


class World(Structure):
    # And more behind these, of other kinds of worlds.
    _fields_ = (
        [(name, c_uint32) for name in ("kind", "mutual")]
        + [(name, c_uint64) for name in ("places", "words")]
        + [(name, c_uint32) for name in ("width", "height", "levels", "block_columns")]
        + [("rest", c_double * 21)]
    )


viewcell = ctypes.CDLL(sys.argv[1])
viewcell.viewcell_status_text.restype = ctypes.c_char_p
viewcell.viewcell_info.argtypes = [c_void_p, POINTER(World)]
viewcell.viewcell_visible.argtypes = [c_void_p, c_uint32, c_uint32]
viewcell.viewcell_visible_from.argtypes = [c_void_p, c_uint32, c_size_t, c_void_p, c_void_p]
viewcell.viewcell_frontier_new.argtypes = [c_void_p, POINTER(c_void_p)]
viewcell.viewcell_frontier_begin.argtypes = [c_void_p, c_uint32, c_uint32, c_uint32]
viewcell.viewcell_frontier_step.argtypes = [c_void_p, c_uint32]
viewcell.viewcell_frontier_contains.argtypes = [c_void_p, c_uint32, c_uint32]
viewcell.viewcell_frontier_close.argtypes = [c_void_p]
viewcell.viewcell_close.argtypes = [c_void_p]


def check(status):
    if status < 0:
        raise RuntimeError(viewcell.viewcell_status_text(status).decode())
    return status


bundle = c_void_p()
why = ctypes.create_string_buffer(256)
status = viewcell.viewcell_open(VERSION, sys.argv[2].encode(), 0, byref(bundle), why, c_size_t(256))
if status < 0:
    sys.exit(why.value.decode())
terrain = World()
check(viewcell.viewcell_info(bundle, byref(terrain)))
places = (c_uint32 * terrain.places)(*range(terrain.places))
answers = (ctypes.c_uint8 * len(places))()
for place in places:
    check(viewcell.viewcell_visible_from(bundle, place, len(places), places, answers))
    print("".join(map(str, answers)))
try:
    check(viewcell.viewcell_visible(bundle, 0, terrain.places))
except RuntimeError as error:
    print(error)

frontier = c_void_p()
check(viewcell.viewcell_frontier_new(bundle, byref(frontier)))
a, b = (2 * terrain.width + column for column in (0, 8))
check(viewcell.viewcell_frontier_begin(frontier, a, b, 64))
while check(viewcell.viewcell_frontier_step(frontier, 8)) == 0:
    pass
for side in (0, 1):
    print("".join(str(check(viewcell.viewcell_frontier_contains(frontier, side, p))) for p in places))
check(viewcell.viewcell_frontier_close(frontier))
check(viewcell.viewcell_close(bundle))
