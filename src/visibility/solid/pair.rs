//! Whether a box is hidden from another: halving until one occluder hides each part.

use super::super::simd::at_level;
use super::boxes::Node;
use super::candidates::{Candidates, LANES, List, Segment};
use super::occluder::{Cut, Occluder, Room, Scale, Shadow, Span};
use super::shaft::Shaft;
use fearless_simd::{Level, prelude::*};
use fearless_simd_macros::simd;

/// What is found of a pair of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// No segment from the one to the other is clear.
    Hidden,
    /// There is a segment that no occluder meets.
    Clear,
    /// Neither was proven.
    Open,
}

/// Lists of fewer are not narrowed.
const FEW: usize = 8;

/// Decides on pairs of boxes, for one thread.
pub(super) struct Decider<'o> {
    occluders: &'o [Occluder],
    scale: Scale,
    level: Level,
    candidates: Candidates,
    /// The occluder that did most for the pair before, which is asked first.
    guess: u32,
    room: Room,
}

/// What a list of occluders does to a pair.
enum Look {
    Hidden,
    /// The middle segment is clear.
    Clear,
    Part(Cut),
}

impl<'o> Decider<'o> {
    pub(super) fn new(occluders: &'o [Occluder], scale: Scale, level: Level) -> Self {
        Self {
            occluders,
            scale,
            level,
            candidates: Candidates::default(),
            guess: 0,
            room: Room::new(),
        }
    }

    /// The list of all occluders, for pairs that have nothing to do with those before.
    pub(super) fn all(&mut self) -> List {
        self.guess = 0;
        self.candidates
            .fill(self.occluders.iter().map(|occluder| &occluder.bounds))
    }

    /// The list of those that may hide a part of a pair.
    fn narrow(&mut self, a: &Span, b: &Span, list: List) -> List {
        if list.len() <= FEW {
            return list;
        }
        let (shaft, candidates) = (Shaft::new(a, b), &mut self.candidates);
        at_level!(self.level, simd => narrow(simd, candidates, list, &shaft))
    }

    /// Decides on a pair by a list of candidates.
    pub(super) fn decide(&mut self, a: &Span, b: &Span, list: List, depth: u32) -> Found {
        let cut = match at_level!(self.level, simd => look(simd, self, a, b, list)) {
            Look::Hidden => return Found::Hidden,
            Look::Clear => return Found::Clear,
            Look::Part(cut) => cut,
        };
        if depth == 0 {
            return Found::Open;
        }
        let mine = self.narrow(a, b, list);
        let axis = cut.axis as usize;
        let mut parts = if axis < 3 {
            a.halved(axis).map(|part| (part, *b))
        } else {
            b.halved(axis - 3).map(|part| (*a, part))
        };
        if cut.upper {
            parts.swap(0, 1);
        }
        let mut found = Found::Hidden;
        for (a, b) in parts {
            found = self.decide(&a, &b, mine, depth - 1);
            if found != Found::Hidden {
                break;
            }
        }
        self.candidates.leave(list);
        found
    }

    /// Finds who sees whom in a pair of nodes, and calls `mark` for pairs of runs of which all do.
    pub(super) fn descend(
        &mut self,
        trees: [&[Node]; 2],
        at: [u32; 2],
        list: List,
        depth: u32,
        mark: &mut dyn FnMut(&Node, &Node),
    ) {
        let [a, b] = [0, 1].map(|k| &trees[k][at[k] as usize]);
        if a.is_cell() && b.is_cell() {
            if self.decide(&a.eye, &b.body, list, depth) != Found::Hidden {
                mark(a, b);
            }
            return;
        }
        let cut = match at_level!(self.level, simd => look(simd, self, &a.eye, &b.body, list)) {
            Look::Hidden => return,
            Look::Clear => None,
            Look::Part(cut) => Some(cut),
        };
        let mine = self.narrow(&a.eye, &b.body, list);
        if mine.is_empty() {
            mark(a, b);
            return;
        }
        let longest = |span: &Span| span.half.into_iter().fold(0.0, f64::max);
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
            self.descend(trees, at, mine, depth, mark);
        }
        self.candidates.leave(list);
    }
}

#[simd]
fn narrow<S: Simd>(simd: S, candidates: &mut Candidates, list: List, shaft: &Shaft) -> List {
    candidates.narrow(list, shaft)
}

/// What the occluders of a list do to a pair.
#[simd]
fn look<S: Simd>(simd: S, decider: &mut Decider<'_>, a: &Span, b: &Span, list: List) -> Look {
    let Decider {
        occluders,
        scale,
        candidates,
        guess: last,
        room,
        ..
    } = decider;
    let mut best: Option<Cut> = None;
    let mut limit = f64::INFINITY;
    let guess = *last;
    if let Some(occluder) = occluders.get(guess as usize) {
        match occluder.shadow(a, b, *scale, limit, room) {
            Shadow::Whole => return Look::Hidden,
            Shadow::Part(cut) => {
                best = Some(cut);
                limit = cut.beyond;
            }
            Shadow::None | Shadow::Beside => {}
        }
    }
    let segment = Segment::new(a.centre, b.centre);
    for at in (0..list.len()).step_by(LANES) {
        let mut met = candidates.met(list, at, &segment);
        while met != 0 {
            let lane = met.trailing_zeros() as usize;
            met &= met - 1;
            let number = candidates.number(list, at + lane);
            if number == guess {
                continue;
            }
            match occluders[number as usize].shadow(a, b, *scale, limit, room) {
                Shadow::Whole => {
                    *last = number;
                    return Look::Hidden;
                }
                Shadow::Part(cut) => {
                    best = Some(cut);
                    limit = cut.beyond;
                    *last = number;
                }
                Shadow::None | Shadow::Beside => {}
            }
        }
    }
    best.map_or(Look::Clear, Look::Part)
}
