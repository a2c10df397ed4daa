//! Whether a box is hidden from another: cutting until one occluder hides each part.

use super::candidates::{Candidates, List, Segment};
use super::groups::Groups;
use super::occluder::{Cut, Occluder, Room, Scale, Shadow, Span};
use super::shaft::{LANES, Shaft};

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

/// How decisions are run: with which instructions, and for how long.
pub trait Run {
    /// Calls a kernel with the instructions that it is to use.
    fn vectorize<T>(&self, kernel: impl FnOnce() -> T) -> T;

    /// Whether there is time for another look. Where there is none, pairs stay open.
    fn goes_on(&mut self) -> bool;
}

/// Decides on pairs of boxes, for one thread.
#[derive(Debug)]
pub struct Decider<R> {
    /// The instructions, and the time that is left.
    pub run: R,
    scale: Scale,
    candidates: Candidates,
    /// The occluder that did most for the pair before, which is asked first.
    pub guess: u32,
    room: Room,
}

/// What a list of occluders does to a pair.
pub enum Look {
    /// One of them hides the pair.
    Hidden,
    /// The middle segment is clear.
    Clear,
    /// None does: how to divide the pair.
    Part(Cut),
}

impl<R: Run> Decider<R> {
    /// For levels of this scale.
    pub fn new(scale: Scale, run: R) -> Self {
        Self {
            run,
            scale,
            candidates: Candidates::default(),
            guess: 0,
            room: Room::new(),
        }
    }

    /// The list of all occluders, for pairs that have nothing to do with those before. Forgets other lists.
    pub fn all(&mut self, occluders: &[Occluder]) -> List {
        self.guess = 0;
        self.candidates
            .fill(occluders.iter().map(|occluder| &occluder.bounds))
    }

    /// The list of those that may hide a part of a pair; above `list`, for [`Decider::leave`].
    pub fn narrow(&mut self, a: &Span, b: &Span, list: List) -> List {
        if list.len() <= FEW {
            return list;
        }
        let (shaft, candidates) = (Shaft::new(a, b), &mut self.candidates);
        self.run.vectorize(
            #[inline(always)]
            || candidates.narrow(list, &shaft),
        )
    }

    /// The list of those that may hide a part of a pair that has nothing to do with those before. Forgets other lists.
    pub fn narrow_groups(&mut self, a: &Span, b: &Span, groups: &Groups) -> List {
        let (shaft, candidates) = (Shaft::new(a, b), &mut self.candidates);
        self.run.vectorize(
            #[inline(always)]
            || candidates.gather(|call| groups.inside(&shaft, call)),
        )
    }

    /// Forgets the lists above one.
    pub fn leave(&mut self, list: List) {
        self.candidates.leave(list);
    }

    /// What the occluders of a list do to a pair.
    pub fn look(&mut self, occluders: &[Occluder], a: &Span, b: &Span, list: List) -> Look {
        let Self {
            run,
            scale,
            candidates,
            guess,
            room,
        } = self;
        let (scale, candidates) = (*scale, &*candidates);
        run.vectorize(
            #[inline(always)]
            || look(occluders, candidates, scale, [a, b], list, guess, room),
        )
    }

    /// Decides on a pair by a list of candidates.
    pub fn decide(
        &mut self,
        occluders: &[Occluder],
        a: &Span,
        b: &Span,
        list: List,
        depth: u32,
    ) -> Found {
        let cut = match self.look(occluders, a, b, list) {
            Look::Hidden => return Found::Hidden,
            Look::Clear => return Found::Clear,
            Look::Part(cut) => cut,
        };
        if depth == 0 || !self.run.goes_on() {
            return Found::Open;
        }
        let mine = self.narrow(a, b, list);
        let axis = cut.axis as usize;
        let mut parts = if axis < 3 {
            a.cut(axis, cut.at).map(|part| (part, *b))
        } else {
            b.cut(axis - 3, cut.at).map(|part| (*a, part))
        };
        if cut.upper {
            parts.swap(0, 1);
        }
        let mut found = Found::Hidden;
        for (a, b) in parts {
            found = self.decide(occluders, &a, &b, mine, depth - 1);
            if found != Found::Hidden {
                break;
            }
        }
        self.candidates.leave(list);
        found
    }
}

#[inline(always)]
fn look(
    occluders: &[Occluder],
    candidates: &Candidates,
    scale: Scale,
    [a, b]: [&Span; 2],
    list: List,
    last: &mut u32,
    room: &mut Room,
) -> Look {
    let mut best: Option<Cut> = None;
    let mut limit = f64::INFINITY;
    let guess = *last;
    let segment = Segment::new(a.centre, b.centre);
    let (mut at, mut met) = (0, 0);
    let mut number = guess;
    // The guess, then what the segment meets: the test in one place, for it is large.
    loop {
        if let Some(occluder) = occluders.get(number as usize) {
            match occluder.shadow(a, b, scale, limit, room) {
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
        number = loop {
            while met == 0 {
                if at >= list.len() {
                    return best.map_or(Look::Clear, Look::Part);
                }
                met = candidates.met(list, at, &segment);
                at += LANES;
            }
            let lane = met.trailing_zeros() as usize;
            met &= met - 1;
            let number = candidates.number(list, at - LANES + lane);
            if number != guess {
                break number;
            }
        };
    }
}
