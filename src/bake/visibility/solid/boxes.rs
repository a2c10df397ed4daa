//! View cells as a tree of boxes: runs of cells, halved where that makes the smallest boxes.

use viewcell::convex::Span;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::morton;

/// A run of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellRun {
    pub first: u32,
    pub end: u32,
    /// Around all places of an eye in them, and around all parts of bodies.
    pub eye: Span,
    pub body: Span,
    /// The numbers of its halves; of a single cell 0.
    pub halves: [u32; 2],
}

impl CellRun {
    pub(super) fn is_cell(&self) -> bool {
        self.end - self.first == 1
    }
}

/// The eyes and bodies of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewBox {
    pub eye: Span,
    pub body: Span,
}

/// A tree of the cells from `first` to `end`, the root first; none of no cells.
pub(super) fn tree(cells: &[ViewBox], first: u32, end: u32) -> Vec<CellRun> {
    let mut nodes = Vec::with_capacity(2 * (end - first) as usize);
    if first < end {
        grow(cells, first, end, &mut nodes);
    }
    nodes
}

fn grow(cells: &[ViewBox], first: u32, end: u32, nodes: &mut Vec<CellRun>) -> u32 {
    let run = &cells[first as usize..end as usize];
    let (eye, body) = around(run);
    let number = nodes.len() as u32;
    nodes.push(CellRun {
        first,
        end,
        eye,
        body,
        halves: [0; 2],
    });
    if run.len() > 1 {
        let middle = first + best_cut(run);
        let halves = [(first, middle), (middle, end)].map(|(f, e)| grow(cells, f, e, nodes));
        nodes[number as usize].halves = halves;
    }
    number
}

fn around(run: &[ViewBox]) -> (Span, Span) {
    let rest = run[1..].iter();
    rest.fold((run[0].eye, run[0].body), |(eye, body), cell| {
        (eye.around(&cell.eye), body.around(&cell.body))
    })
}

/// After how many cells a run is best cut: where surfaces of the two boxes, each times its cells, are least.
fn best_cut(run: &[ViewBox]) -> u32 {
    let surface = |span: &Span| {
        let [x, y, z] = span.half;
        x * y + y * z + z * x
    };
    let mut before = Vec::with_capacity(run.len());
    let mut span = run[0].eye;
    for cell in run {
        span = span.around(&cell.eye);
        before.push(surface(&span));
    }
    let mut best = (f64::INFINITY, 1);
    span = run[run.len() - 1].eye;
    for cut in (1..run.len()).rev() {
        span = span.around(&run[cut].eye);
        let cost = before[cut - 1] * cut as f64 + surface(&span) * (run.len() - cut) as f64;
        if cost < best.0 {
            best = (cost, cut as u32);
        }
    }
    best.1
}

/// Cells in a block.
pub(super) const BLOCK: u32 = 1 << (2 * BLOCK_LEVEL);

/// The cells of a block from number `from` to number `to` in Morton order, row by row.
pub(super) fn lanes(from: u32, to: u32) -> u64 {
    /// Row by row, the first n in Morton order.
    const FIRST: [u64; BLOCK as usize + 1] = {
        let mut first = [0; BLOCK as usize + 1];
        let mut n = 0;
        while n < BLOCK as usize {
            let (column, row) = morton::place(n as u64);
            first[n + 1] = first[n] | 1 << (row * 8 + column);
            n += 1;
        }
        first
    };
    FIRST[to as usize] & !FIRST[from as usize]
}
