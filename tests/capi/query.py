"""Asks a bundle from Python, with nothing but ctypes: query.py LIBRARY BUNDLE.

Prints who sees whom, a line of 0 and 1 for each sample, and the halves of a frontier set.
"""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_double, c_size_t, c_uint32, c_uint64, c_void_p

VERSION = 2


class Sample(Structure):
    _fields_ = [("column", c_uint32), ("row", c_uint32)]


class Terrain(Structure):
    _fields_ = (
        [(name, c_uint32) for name in ("width", "height", "levels", "mutual")]
        + [(name, c_double) for name in ("dx", "dy", "eye_height", "player_height")]
        + [(name, c_uint64) for name in ("blocks", "block_columns")]
    )


viewcell = ctypes.CDLL(sys.argv[1])
viewcell.viewcell_status_text.restype = ctypes.c_char_p
viewcell.viewcell_info.argtypes = [c_void_p, POINTER(Terrain)]
viewcell.viewcell_visible.argtypes = [c_void_p, Sample, Sample]
viewcell.viewcell_visible_from.argtypes = [c_void_p, Sample, c_size_t, c_void_p, c_void_p]
viewcell.viewcell_frontier_new.argtypes = [c_void_p, POINTER(c_void_p)]
viewcell.viewcell_frontier_begin.argtypes = [c_void_p, Sample, Sample, c_void_p]
viewcell.viewcell_frontier_step.argtypes = [c_void_p, c_uint32]
viewcell.viewcell_frontier_contains.argtypes = [c_void_p, c_uint32, Sample]
viewcell.viewcell_frontier_close.argtypes = [c_void_p]
viewcell.viewcell_close.argtypes = [c_void_p]


def check(status):
    if status < 0:
        raise RuntimeError(viewcell.viewcell_status_text(status).decode())
    return status


bundle = c_void_p()
why = ctypes.create_string_buffer(256)
status = viewcell.viewcell_open(VERSION, sys.argv[2].encode(), byref(bundle), why, c_size_t(256))
if status < 0:
    sys.exit(why.value.decode())
terrain = Terrain()
check(viewcell.viewcell_info(bundle, byref(terrain)))
places = [(c, r) for r in range(terrain.height) for c in range(terrain.width)]
samples = (Sample * len(places))(*places)
answers = (ctypes.c_uint8 * len(places))()
for place in samples:
    check(viewcell.viewcell_visible_from(bundle, place, len(places), samples, answers))
    print("".join(map(str, answers)))
try:
    check(viewcell.viewcell_visible(bundle, Sample(0, 0), Sample(terrain.width, 0)))
except RuntimeError as error:
    print(error)

frontier = c_void_p()
check(viewcell.viewcell_frontier_new(bundle, byref(frontier)))
check(viewcell.viewcell_frontier_begin(frontier, Sample(0, 2), Sample(8, 2), None))
while check(viewcell.viewcell_frontier_step(frontier, 8)) == 0:
    pass
for side in (0, 1):
    print("".join(str(check(viewcell.viewcell_frontier_contains(frontier, side, s))) for s in samples))
check(viewcell.viewcell_frontier_close(frontier))
check(viewcell.viewcell_close(bundle))
