"""Asks a bundle of a level from Python, with nothing but ctypes: cells.py LIBRARY BUNDLE.

Prints who sees whom, how far apart they are, and the regions of frontier sets.
"""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

VERSION, CELLS, CONSTRUCTIONS = 2, 2, (0, 1, 2, 3)


class Cells(Structure):
    _fields_ = [
        (name, c_uint32)
        for name in ("cells", "words", "greatest_distance", "mutual", "has_bsp", "has_neighbours")
    ]


viewcell = ctypes.CDLL(sys.argv[1])
viewcell.viewcell_status_text.restype = c_char_p
viewcell.viewcell_kind.argtypes = [c_void_p]
viewcell.viewcell_cells_info.argtypes = [c_void_p, POINTER(Cells)]
viewcell.viewcell_cells_visible_from.argtypes = [c_void_p, c_uint32, c_size_t, c_void_p, c_void_p]
viewcell.viewcell_cells_distance.argtypes = [c_void_p, c_uint32, c_uint32]
viewcell.viewcell_cells_frontier_words.argtypes = [c_void_p, c_uint32, POINTER(c_size_t)]
viewcell.viewcell_cells_frontier.argtypes = [
    c_void_p, c_uint32, c_uint32, c_uint32, c_void_p, c_size_t,
]
viewcell.viewcell_close.argtypes = [c_void_p]


def check(status):
    if status < 0:
        raise RuntimeError(viewcell.viewcell_status_text(status).decode())
    return status


bundle = c_void_p()
why = ctypes.create_string_buffer(256)
if viewcell.viewcell_open(VERSION, sys.argv[2].encode(), byref(bundle), why, c_size_t(256)) < 0:
    sys.exit(why.value.decode())
if check(viewcell.viewcell_kind(bundle)) != CELLS:
    sys.exit("not a level of cells")
level = Cells()
check(viewcell.viewcell_cells_info(bundle, byref(level)))

n = level.cells
every = (c_uint32 * n)(*range(n))
seen = (c_uint8 * n)()
for a in range(n):
    check(viewcell.viewcell_cells_visible_from(bundle, a, n, every, seen))
    steps = (viewcell.viewcell_cells_distance(bundle, a, b) for b in range(n))
    print("".join(map(str, seen)), *steps)


def region(memory, first):
    return "".join(str(memory[first + cell // 64] >> cell % 64 & 1) for cell in range(n))


for construction in CONSTRUCTIONS:
    count = c_size_t()
    check(viewcell.viewcell_cells_frontier_words(bundle, construction, byref(count)))
    memory = (c_uint64 * count.value)()
    for a in range(0, n, 7):
        for b in range(n):
            made = check(viewcell.viewcell_cells_frontier(bundle, a, b, construction, memory, count))
            print(construction, a, b, made, region(memory, 0), region(memory, level.words))
check(viewcell.viewcell_close(bundle))
