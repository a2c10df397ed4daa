//! Pairs of runs of cells: hidden as a whole, seen as a whole, or divided.
//!
//! Did not pay: no looks at pairs of nodes of up to 4 pairs of cells, or the last proof tried on nodes; a grade of 24 or 16
//! on ps9ctf (0.75 and 0.5 of the time, 1.04 and 1.13 of what is visible); 8 of 8 clear segments in place of 5 (a tenth of
//! the time), 7 or none (no change).

use super::super::simd::at_level;
use super::boxes::{CellRun, ViewBox};
use super::field::DEPTH;
use fearless_simd::{Level, Simd};
use viewcell::convex::{Decider, Found, List, Look, Occluder, Proofs, Run, Segments, Span};

/// The instructions of a SIMD level; decisions take as long as they take.
pub(super) struct AtLevel(pub Level);

impl Run for AtLevel {
    #[inline(always)]
    fn vectorize<T>(&self, kernel: impl FnOnce() -> T) -> T {
        at_level!(self.0, simd => simd.vectorize(kernel))
    }

    #[inline(always)]
    fn goes_on(&mut self) -> bool {
        true
    }
}

/// From so much of the grade on, a pair of which most sample segments are clear is seen as a whole.
const SAMPLED: f64 = 0.5;
/// So many of those of [`Segments::spread`] between opposite corners.
const ENOUGH: u32 = 5;
const OPPOSITE: u32 = 0xff;

/// A search through two trees of cells: who of the one sees whom of the other.
pub(super) struct Descent<'d> {
    pub decider: &'d mut Decider<AtLevel>,
    /// Of pairs that are decided one after another.
    pub proofs: Proofs,
    pub occluders: &'d [Occluder],
    pub cells: &'d [ViewBox],
    pub trees: [&'d [CellRun]; 2],
    /// Boxes between which at least so many of their sizes lie are not divided; 0 for none.
    pub grade: u32,
    /// Is called for pairs of runs of which all of the one see all of the other.
    pub mark: &'d mut dyn FnMut(&CellRun, &CellRun),
}

impl Descent<'_> {
    /// Whether so many of the sizes of two nodes lie between them, by the longest side of either's eyes.
    fn are_apart(&self, a: &CellRun, b: &CellRun, times: f64) -> bool {
        let between = |k: usize| {
            let apart = (a.eye.centre[k] - b.body.centre[k]).abs();
            (apart - a.eye.half[k] - b.body.half[k]).max(0.0)
        };
        let apart = (0..3).fold(0.0, |sum, k| sum + between(k) * between(k));
        let size = times * 2.0 * longest(&a.eye).max(longest(&b.eye));
        apart >= size * size
    }

    /// Finds who sees whom in a pair of nodes, of which a list of occluders may hide parts; in a batch, what has no
    /// witness.
    pub(super) fn descend(&mut self, at: [u32; 2], list: List, batch: Option<Batch>) {
        let [a, b] = [0, 1].map(|k| &self.trees[k][at[k] as usize]);
        let grade = f64::from(self.grade);
        let are_cells = a.is_cell() && b.is_cell();
        let are_wholes = are_cells || grade > 0.0 && self.are_apart(a, b, grade);
        let witnessed = batch.map_or(Witnessed::None, |batch| batch.witnessed(a, b));
        if witnessed == Witnessed::All || are_wholes && witnessed == Witnessed::Some {
            (self.mark)(a, b);
            return;
        }
        let are_sampled = grade > 0.0 && !are_wholes && self.are_apart(a, b, SAMPLED * grade);
        let (decider, occluders) = (&mut *self.decider, self.occluders);
        if are_wholes {
            if self.is_seen(&a.eye, &b.body, list) {
                (self.mark)(a, b);
            }
            return;
        }
        let mut cut = None;
        if witnessed == Witnessed::None {
            match decider.look(occluders, &a.eye, &b.body, list) {
                Look::Hidden => return,
                Look::Clear => (),
                Look::Part(part) => cut = Some(part),
            }
        }
        if are_sampled {
            let segments = Segments::spread(&a.eye, &b.body);
            let clear = decider.clear_of(occluders, &segments, list) & OPPOSITE;
            if clear.count_ones() >= ENOUGH {
                (self.mark)(a, b);
                return;
            }
        }
        let mine = decider.narrow(&a.eye, &b.body, list);
        if mine.is_empty() {
            (self.mark)(a, b);
            return;
        }
        let batch = batch.or_else(|| self.batch(a, b, mine));
        let of_a = match (a.is_cell(), b.is_cell(), cut) {
            (true, _, _) => false,
            (_, true, _) => true,
            (_, _, Some(cut)) => cut.axis < 3,
            _ => longest(&a.eye) > longest(&b.body),
        };
        let halves = if of_a {
            a.halves.map(|a| [a, at[1]])
        } else {
            b.halves.map(|b| [at[0], b])
        };
        for at in halves {
            self.descend(at, mine, batch);
        }
        self.decider.leave(list);
    }

    /// Whether it is not proven that a box is hidden from another.
    fn is_seen(&mut self, a: &Span, b: &Span, list: List) -> bool {
        let (decider, occluders) = (&mut *self.decider, self.occluders);
        if (self.proofs).replay(decider, occluders, [a, b], DEPTH) {
            return false;
        }
        decider.clear_of(occluders, &Segments::spread(a, b), list) != 0
            || self.proofs.decide_rest(decider, occluders, list) != Found::Hidden
    }

    /// The pairs of cells of two small nodes, with what segments between their middles find.
    fn batch(&mut self, a: &CellRun, b: &CellRun, list: List) -> Option<Batch> {
        let columns = b.end - b.first;
        if ((a.end - a.first) * columns) as usize > Segments::MOST {
            return None;
        }
        let mut segments = Segments::default();
        for eye in &self.cells[a.first as usize..a.end as usize] {
            for body in &self.cells[b.first as usize..b.end as usize] {
                segments.push(eye.eye.centre, body.body.centre);
            }
        }
        Some(Batch {
            first: [a.first, b.first],
            columns,
            clear: self.decider.clear_of(self.occluders, &segments, list),
        })
    }
}

/// Pairs of cells of two small nodes: which have a segment between them that nothing meets.
#[derive(Clone, Copy)]
pub(super) struct Batch {
    first: [u32; 2],
    columns: u32,
    clear: u32,
}

/// Of how many pairs of cells there is a witness.
#[derive(Clone, Copy, PartialEq)]
enum Witnessed {
    None,
    Some,
    All,
}

impl Batch {
    /// Of two nodes in it.
    fn witnessed(&self, a: &CellRun, b: &CellRun) -> Witnessed {
        let row = ((1 << (b.end - b.first)) - 1) << (b.first - self.first[1]);
        let rows = a.first - self.first[0]..a.end - self.first[0];
        let pairs = rows.fold(0_u32, |all, at| all | row << (at * self.columns));
        match self.clear & pairs {
            0 => Witnessed::None,
            clear if clear == pairs => Witnessed::All,
            _ => Witnessed::Some,
        }
    }
}

/// Half the longest side.
fn longest(span: &Span) -> f64 {
    span.half.into_iter().fold(0.0, f64::max)
}
