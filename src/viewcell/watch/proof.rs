//! The proof that a box of eyes is hidden from a box of bodies, kept as the occluders and cuts that did it.
//!
//! A proof is a binary tree in preorder: a leaf is an occluder that hides all of its part, and a node cuts one of the two
//! boxes at a coordinate. Occluders stay where they are while players move, so that the tree of one frame mostly proves the
//! boxes of the next: a test of one occluder a leaf. Where a leaf fails, a proof of that part alone is looked for.
//!
//! Did not pay: larger boxes tried for each proof (a quarter of all looks: now after three proofs of smaller ones); 24, 32
//! or 48 looks a proof in place of 96, or waiting up to 8 frames (up to 4 % of the pairs more for a tenth of the time);
//! cells not asked while a proof holds (2.4 times the looks); cell by cell wherever the box is not hidden (0.1 %); eyes at
//! one height (0.2 %).

use crate::convex::{Cut, Decider, Found, Groups, List, Look, Point, Run, Span, Steps, parts};
use crate::format::frame::Corners;
use crate::query::solid::cell_by_cell::{CellByCell, DEPTH};
use crate::query::solid::reached::{ReachedCell, around};
use crate::query::solid::{Budget, Solids};

/// Most nodes that are kept of a proof; a larger one is used and forgotten.
pub(super) const MOST_NODES: usize = 64;

/// A node that cuts, by its axis, 0 to 2 of eyes and 3 to 5 of bodies.
const CUT: u32 = 1 << 31;
/// The part with greater coordinates comes first.
const UPPER: u32 = 1 << 30;

/// A part of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ProofNode {
    /// An occluder, or [`CUT`] with an axis.
    what: u32,
    /// Where it is cut, counted from the level's middle.
    at: f32,
    /// Of a cut: how many nodes further its second part begins.
    second: u32,
}

/// Proves pairs of boxes, one after the other.
#[derive(Debug)]
pub(super) struct Prover {
    decider: Decider<Budget>,
    /// Of the level, of doors, and of each smoke.
    groups: Vec<Groups>,
    /// How many smokes stay for the pair.
    smokes: usize,
    /// Marks of the smokes from each on.
    marks: Vec<u64>,
    /// The occluders that may hide some of the pair, once it is known that they are needed.
    base: Option<List>,
    made: Made,
}

impl Prover {
    pub(super) fn new(solids: &Solids) -> Self {
        let made = Made {
            nodes: Vec::with_capacity(4 * MOST_NODES),
            clear: [[0.0; 3]; 2],
        };
        let level = solids.occluders.get(..solids.own).unwrap_or_default();
        Self {
            decider: Decider::new(solids.scale, Budget::new()),
            groups: vec![Groups::new(0, level), Groups::new(solids.own as u32, &[])],
            smokes: 0,
            marks: vec![0],
            base: None,
            made,
        }
    }

    /// These doors are closed, or there is this smoke, in place of those before. Returns the marks of what has opened or gone.
    pub(super) fn set_movable(
        &mut self,
        solids: &mut Solids,
        are_smoke: bool,
        now: &[Corners],
    ) -> u64 {
        let Some(gone) = solids.set_movable(are_smoke, now, &mut self.decider.movable) else {
            return 0;
        };
        let first = solids.own + solids.doors();
        let of = |from: usize, to: usize| {
            let some = solids.occluders.get(from..to).unwrap_or_default();
            Groups::new(from as u32, some)
        };
        self.groups.truncate(1);
        self.groups.push(of(solids.own, first));
        let smokes = first..solids.occluders.len();
        self.groups.extend(smokes.map(|at| of(at, at + 1)));
        let marks = self.decider.movable.marks.get(solids.doors()..);
        self.marks = vec![0];
        for mark in marks.unwrap_or_default().iter().rev() {
            self.marks.push(self.marks.last().unwrap_or(&0) | mark);
        }
        self.marks.reverse();
        gone
    }

    /// The pairs that come next are hidden by so many of the smokes.
    pub(super) fn leave_smoke(&mut self, count: usize) {
        self.smokes = count;
    }

    /// Whether any of these marks is of smoke beyond so many.
    pub(super) fn has_gone(&self, doors: u64, count: usize) -> bool {
        self.marks.get(count).is_none_or(|marks| doors & marks != 0)
    }

    /// The occluders that may hide some of a pair. The guess, of the pair before, may be smoke that has gone for this one.
    fn list(&mut self, a: &Span, b: &Span) -> List {
        if !self.stays(self.decider.guess) {
            self.decider.guess = 0;
        }
        let groups = self.groups.get(..2 + self.smokes).unwrap_or_default();
        self.decider.narrow_groups(a, b, groups)
    }

    /// Whether an occluder is no smoke that has gone for this pair.
    fn stays(&self, occluder: u32) -> bool {
        let [_, movable @ ..] = &*self.groups else {
            return false;
        };
        let gone = movable.get(1 + self.smokes);
        gone.is_none_or(|gone| occluder < gone.first())
    }

    /// Marks of the doors and smoke that the last proof needed.
    pub(super) fn doors(&self) -> u64 {
        self.decider.movable.used
    }

    /// The proof that was made last; none if it is too large to be kept.
    pub(super) fn made(&self) -> &[ProofNode] {
        match self.made.nodes.len() {
            0..=MOST_NODES => &self.made.nodes,
            _ => &[],
        }
    }

    /// The line that was found clear last.
    pub(super) fn clear(&self) -> [Point; 2] {
        self.made.clear
    }

    /// Whether the line between two points is clear. One look.
    pub(super) fn is_clear(&mut self, solids: &Solids, [a, b]: [Point; 2]) -> bool {
        let [a, b] = [a, b].map(|at| Span::between(at, at));
        let list = self.list(&a, &b);
        matches!(
            self.decider.look(&solids.occluders, &a, &b, list),
            Look::Clear
        )
    }

    /// Looks for a proof that no eye in `a` sees any of what is in `b`, first by one of before, with so much work; and how
    /// much it took.
    pub(super) fn prove(
        &mut self,
        solids: &Solids,
        [a, b]: [&Span; 2],
        before: &[ProofNode],
        work: u32,
    ) -> (Found, u32) {
        self.made.nodes.clear();
        self.base = None;
        self.decider.movable.used = 0;
        self.decider.run.go_on_with(work);
        let found = if before.is_empty() {
            let list = self.list(a, b);
            (self.decider).search(&solids.occluders, [a, b], list, DEPTH, &mut self.made)
        } else {
            self.again(solids, [a, b], [a, b], before, DEPTH)
        };
        (found, work - self.decider.run.looks())
    }

    /// Looks for a proof that no eye at what is reached of some cells sees any of what is at others, with so much work; and
    /// how much it took.
    pub(super) fn prove_cells(
        &mut self,
        question: CellByCell<'_>,
        [from, to]: [&mut [ReachedCell]; 2],
        work: u32,
    ) -> (bool, u32) {
        let [eyes, body] = question.offsets;
        let span = |cells: &[ReachedCell], offsets| question.solids.around(around(cells)?, offsets);
        let (Some(a), Some(b)) = (span(from, eyes), span(to, body)) else {
            return (false, 0);
        };
        self.decider.movable.used = 0;
        self.decider.run.go_on_with(work);
        let list = self.list(&a, &b);
        let hidden = question.hides(&mut self.decider, [from, to], list);
        (hidden, work - self.decider.run.looks())
    }

    /// By a proof of before, whose nodes these and those behind them are.
    fn again(
        &mut self,
        solids: &Solids,
        all: [&Span; 2],
        [a, b]: [&Span; 2],
        nodes: &[ProofNode],
        depth: u32,
    ) -> Found {
        let (Some(node), true) = (nodes.first(), depth > 0) else {
            return self.begin(solids, all, [a, b], depth);
        };
        if !self.decider.run.goes_on() {
            return Found::Open;
        }
        if node.what & CUT == 0 {
            // The occluder alone.
            let stays = self.stays(node.what);
            self.decider.guess = if stays { node.what } else { 0 };
            return match self.decider.look(&solids.occluders, a, b, List::EMPTY) {
                Look::Hidden if stays => {
                    self.made.nodes.push(*node);
                    Found::Hidden
                }
                _ => self.begin(solids, all, [a, b], depth),
            };
        }
        let axis = (node.what & 7) as usize;
        let at = f64::from(node.at);
        let (centre, half) = along([a, b], axis);
        let first = nodes.get(1..).unwrap_or_default();
        let second = nodes.get(node.second as usize..).unwrap_or_default();
        let upper_first = node.what & UPPER != 0;
        // Boxes that do not reach to the cut are of one part.
        let relative = (at - centre) / half;
        if !(relative > -1.0 && relative < 1.0) {
            let is_upper = at <= centre;
            let nodes = if is_upper == upper_first {
                first
            } else {
                second
            };
            return self.again(solids, all, [a, b], nodes, depth - 1);
        }
        let parts = parts([a, b], axis, relative, upper_first);
        let mark = self.made.nodes.len();
        self.made.nodes.push(*node);
        for (number, ([a, b], nodes)) in parts.into_iter().zip([first, second]).enumerate() {
            if number == 1 {
                self.made.second(mark);
            }
            let found = self.again(solids, all, [&a, &b], nodes, depth - 1);
            if found != Found::Hidden {
                return found;
            }
        }
        Found::Hidden
    }

    /// A part of a pair from nothing.
    fn begin(&mut self, solids: &Solids, all: [&Span; 2], part: [&Span; 2], depth: u32) -> Found {
        let base = match self.base {
            Some(base) => base,
            None => self.list(all[0], all[1]),
        };
        self.base = Some(base);
        let list = self.decider.narrow(part[0], part[1], base);
        let found = (self.decider).search(&solids.occluders, part, list, depth, &mut self.made);
        self.decider.leave(base);
        found
    }
}

/// A proof that is being made.
#[derive(Debug)]
struct Made {
    nodes: Vec<ProofNode>,
    /// The line that was found clear last.
    clear: [Point; 2],
}

impl Steps for Made {
    fn hidden_by(&mut self, occluder: u32) {
        self.nodes.push(ProofNode {
            what: occluder,
            ..ProofNode::default()
        });
    }

    fn clear(&mut self, from: Point, to: Point) {
        self.clear = [from, to];
    }

    fn cut(&mut self, _: u32, part: [&Span; 2], cut: &Cut) -> usize {
        let (centre, half) = along(part, cut.axis.into());
        let at = self.nodes.len();
        self.nodes.push(ProofNode {
            what: CUT | u32::from(cut.axis) | if cut.upper { UPPER } else { 0 },
            at: (centre + cut.at * half) as f32,
            second: 0,
        });
        at
    }

    fn second(&mut self, of: usize) {
        let second = self.nodes.len() - of;
        if let Some(node) = self.nodes.get_mut(of) {
            node.second = second as u32;
        }
    }
}

/// The centre of a pair of boxes along one of their axes, and half the side.
fn along([a, b]: [&Span; 2], axis: usize) -> (f64, f64) {
    let (span, axis) = if axis < 3 { (a, axis) } else { (b, axis - 3) };
    let [centre, half] = [span.centre, span.half].map(|of| of.get(axis).copied().unwrap_or(0.0));
    (centre, half)
}
