//! Whether a box is hidden from another: cutting until one occluder hides each part.
//!
//! Did not pay: cuts 0.2 of half a side before the shadow's edge, or never in the first quarter (0.5 and 1.8 % more
//! visible); the occluder that says where a pair is cut tried first on its part; a pair open where the one before was open
//! in two more cuts (0.1 to 0.2 % more bytes); at most 64 or 128 looks a pair; 8 cuts in place of 14 (1.6 % more visible);
//! corners at half or three quarters of a side; deeper segments; one proof for 16 pairs of cells together (5 to 20 % more
//! time).

use super::Point;
use super::candidates::{Candidates, List, Segment};
use super::estimate::{Boxes, Estimate, EstimateRoom};
use super::groups::Groups;
use super::occluder::{Cut, Occluder, Scale, Shadow, ShadowScratch, Span};
use super::shaft::{LANES, Shaft};
use super::slabs::Slabs;
use super::witness::Segments;

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
const FEW: usize = 16;

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
    pub(super) scale: Scale,
    candidates: Candidates,
    /// The occluder that did most for the pair before, which is asked first of long lists, and alone of empty ones.
    pub guess: u32,
    /// What may be taken away, and whether it hid anything.
    pub movable: Movable,
    /// What was done so far, in estimates of an occluder: a measure of time that is the same on every processor.
    pub work: u64,
    pub(super) room: ShadowScratch,
    estimates: EstimateRoom,
}

/// Occluders that may be taken away, by marks: bits of a word, of which several may have one in common.
#[derive(Clone, Debug, Default)]
pub struct Movable {
    /// The first of them; all behind it are movable.
    pub first: u32,
    /// The mark of each.
    pub marks: Vec<u64>,
    /// Marks of those that hid a part of a pair since this was nothing.
    pub used: u64,
}

impl Movable {
    /// An occluder hid a part of a pair.
    pub(super) fn note(&mut self, number: u32) {
        let at = number.wrapping_sub(self.first) as usize;
        self.used |= self.marks.get(at).copied().unwrap_or(0);
    }
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
    #[inline(never)]
    pub fn new(scale: Scale, run: R) -> Self {
        Self {
            run,
            scale,
            candidates: Candidates::default(),
            guess: 0,
            movable: Movable::default(),
            work: 0,
            room: ShadowScratch::new(),
            estimates: EstimateRoom::new(),
        }
    }

    /// The list of all occluders, for pairs that have nothing to do with those before. Forgets other lists.
    pub fn all(&mut self, occluders: &[Occluder]) -> List {
        self.guess = 0;
        self.candidates
            .fill(occluders.iter().map(|occluder| &occluder.bounds))
    }

    /// The list of those that may hide a part of a pair; above `list`, for [`Decider::leave`].
    #[inline(never)] // Large, as are `look` and `clear_of`: kernels in each set of instructions.
    pub fn narrow(&mut self, a: &Span, b: &Span, list: List) -> List {
        if list.len() <= FEW {
            return list;
        }
        self.work += chunks(list);
        let (shaft, candidates) = (Shaft::new(a, b), &mut self.candidates);
        self.run.vectorize(
            #[inline(always)]
            || candidates.narrow(list, &shaft),
        )
    }

    /// The list of those that may hide a part of a pair that has nothing to do with those before. Forgets other lists.
    #[inline(never)]
    pub fn narrow_groups(&mut self, a: &Span, b: &Span, groups: &[Groups]) -> List {
        let (shaft, candidates) = (Shaft::new(a, b), &mut self.candidates);
        self.run.vectorize(
            #[inline(always)]
            || {
                candidates.gather(|call| {
                    for groups in groups {
                        groups.inside(&shaft, call);
                    }
                })
            },
        )
    }

    /// Forgets the lists above one.
    pub fn leave(&mut self, list: List) {
        self.candidates.leave(list);
    }

    /// What the occluders of a list do to a pair.
    #[inline(never)]
    pub fn look(&mut self, occluders: &[Occluder], a: &Span, b: &Span, list: List) -> Look {
        let Self {
            run,
            scale,
            candidates,
            guess,
            movable,
            work,
            room,
            estimates,
        } = self;
        let (scale, candidates) = (*scale, &*candidates);
        let found = run.vectorize(
            #[inline(always)]
            || {
                let rooms = (work, room, estimates);
                look(occluders, candidates, scale, [a, b], list, guess, rooms)
            },
        );
        if let Look::Hidden = found {
            movable.note(*guess);
        }
        found
    }

    /// Which of some segments no occluder of a list meets: bit n for the one that was added after n others.
    #[inline(never)]
    pub fn clear_of(&mut self, occluders: &[Occluder], segments: &Segments, list: List) -> u32 {
        self.work += SEGMENTS * chunks(list);
        let (candidates, tolerance) = (&self.candidates, tolerance_of(self.scale));
        self.run.vectorize(
            #[inline(always)]
            || segments.clear_of(occluders, candidates, list, tolerance),
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
        self.search(occluders, [a, b], list, depth, &mut ())
    }

    /// The same, and the segment that no occluder meets, if one was found.
    pub fn witness(
        &mut self,
        occluders: &[Occluder],
        [a, b]: [&Span; 2],
        list: List,
        depth: u32,
    ) -> (Found, Option<[Point; 2]>) {
        let mut witness = None;
        let found = self.search(occluders, [a, b], list, depth, &mut witness);
        (found, witness)
    }

    /// The same, and says how.
    pub(crate) fn search(
        &mut self,
        occluders: &[Occluder],
        [a, b]: [&Span; 2],
        list: List,
        depth: u32,
        steps: &mut impl Steps,
    ) -> Found {
        let cut = match self.look(occluders, a, b, list) {
            Look::Hidden => {
                steps.hidden_by(self.guess);
                return Found::Hidden;
            }
            Look::Clear => {
                steps.clear(a.centre, b.centre);
                return Found::Clear;
            }
            Look::Part(cut) => cut,
        };
        if depth == 0 || !self.run.goes_on() {
            return Found::Open;
        }
        let step = steps.cut(self.guess, [a, b], &cut);
        let mine = self.narrow(a, b, list);
        let mut found = Found::Hidden;
        let parts = parts([a, b], cut.axis.into(), cut.at, cut.upper);
        for (which, [a, b]) in parts.into_iter().enumerate() {
            if which == 1 {
                steps.second(step);
            }
            found = self.search(occluders, [&a, &b], mine, depth - 1, steps);
            if found != Found::Hidden {
                break;
            }
        }
        self.candidates.leave(list);
        found
    }
}

/// Is told the steps of a search in preorder. What hides a pair is a proof if the search ends with [`Found::Hidden`].
pub(crate) trait Steps {
    /// An occluder hides all of a part.
    fn hidden_by(&mut self, _occluder: u32) {}

    /// The segment between two points is clear, which ends the search.
    fn clear(&mut self, _from: Point, _to: Point) {}

    /// A part is cut in two where the shadow of an occluder ends. Returns the number of this step.
    fn cut(&mut self, _occluder: u32, _part: [&Span; 2], _cut: &Cut) -> usize {
        0
    }

    /// All that follows is of the second half of what a step cut.
    fn second(&mut self, _of: usize) {}
}

/// What is clear alone.
impl Steps for Option<[Point; 2]> {
    fn clear(&mut self, from: Point, to: Point) {
        *self = Some([from, to]);
    }
}

/// Where nobody needs to know.
impl Steps for () {}

/// The two parts of a pair of boxes of which one is cut, in the order in which they are proven: axes 0 to 2 are those of the
/// first box, and -1 is the least coordinate, 1 the greatest.
pub fn parts([a, b]: [&Span; 2], axis: usize, at: f64, upper_first: bool) -> [[Span; 2]; 2] {
    let mut parts = if axis < 3 {
        a.cut(axis, at).map(|part| [part, *b])
    } else {
        b.cut(axis - 3, at).map(|part| [*a, part])
    };
    if upper_first {
        parts.swap(0, 1);
    }
    parts
}

/// What single precision may err by.
fn tolerance_of(scale: Scale) -> f32 {
    8.0 * scale.margin as f32
}

/// The proof, which is large, in one place.
#[inline(never)]
pub(super) fn prove(
    occluder: &Occluder,
    a: &Span,
    b: &Span,
    scale: Scale,
    room: &mut ShadowScratch,
) -> Shadow {
    occluder.shadow(a, b, scale, f64::INFINITY, room)
}

/// A look without its estimates takes as long as so many, and to see which of some segments a chunk of occluders meets.
const LOOK: u64 = 4;
const SEGMENTS: u64 = 7;

/// The chunks of a list.
fn chunks(list: List) -> u64 {
    (list.len() / LANES) as u64 + 1
}

/// Lists of more are searched through by the middle segment first.
const LONG: usize = 64;

#[inline(always)]
fn look(
    occluders: &[Occluder],
    candidates: &Candidates,
    scale: Scale,
    [a, b]: [&Span; 2],
    list: List,
    last: &mut u32,
    (work, room, estimates): (&mut u64, &mut ShadowScratch, &mut EstimateRoom),
) -> Look {
    *work += LOOK;
    let is_long = list.len() > LONG;
    // Of a short list the guess is soon found; for an empty one it is all that is asked for.
    if (is_long || list.is_empty())
        && let Some(guess) = occluders.get(*last as usize)
        && prove(guess, a, b, scale, room) == Shadow::Whole
    {
        return Look::Hidden;
    }
    let tolerance = tolerance_of(scale);
    let boxes = Boxes::new(a, b);
    let segment = Segment::new(a.centre, b.centre);
    let slabs = Slabs::new(a, b, tolerance);
    let mut limit = f32::INFINITY;
    let (mut best, mut cut) = (None, None);
    let (mut at, mut left) = (0, 0);
    let mut beyond = [0.0; LANES];
    // By how much the boxes around them hide, some lanes of occluders at a time.
    loop {
        let (number, occluder) = loop {
            while left == 0 {
                if at >= list.len() {
                    return match (best, cut) {
                        (None, _) => Look::Clear,
                        (_, Some(cut)) => Look::Part(cut),
                        (Some(number), None) => {
                            let bounds = &occluders[number as usize].bounds;
                            Look::Part(slabs.cut(bounds, limit))
                        }
                    };
                }
                if !is_long || candidates.met(list, at, &segment) != 0 {
                    beyond = candidates.beyond(list, at, &slabs);
                    left = lanes_of(&beyond, |beyond| beyond < limit);
                }
                at += LANES;
            }
            let least = least_of(&beyond, left);
            if least >= limit {
                left = 0;
                continue;
            }
            let equal = left & lanes_of(&beyond, |beyond| beyond == least);
            let lane = equal.trailing_zeros() as usize % LANES;
            left &= !(1 << lane);
            let number = candidates.number(list, at - LANES + lane);
            // Where coordinates are no numbers, lanes without an occluder hide as well.
            let Some(occluder) = occluders.get(number as usize) else {
                continue;
            };
            if least == f32::NEG_INFINITY || !occluder.is_box {
                break (number, occluder);
            }
            limit = least;
            *last = number;
            (best, cut) = (Some(number), None);
        };
        *work += 1;
        let estimate = if occluder.is_box {
            Estimate::Whole
        } else {
            occluder.estimate(&boxes, tolerance, limit, estimates)
        };
        let part = match estimate {
            Estimate::None => continue,
            Estimate::Part(part) => part,
            Estimate::Whole => match prove(occluder, a, b, scale, room) {
                Shadow::Whole => {
                    *last = number;
                    return Look::Hidden;
                }
                Shadow::Part(part) => part,
                Shadow::None | Shadow::Beside => continue,
            },
        };
        if (part.beyond as f32) < limit {
            limit = part.beyond as f32;
            *last = number;
            (best, cut) = (Some(number), Some(part));
        }
    }
}

/// The least of the lanes of a mask.
#[inline(always)]
fn least_of(of: &[f32; LANES], lanes: u16) -> f32 {
    let mut least = [0.0; LANES];
    for lane in 0..LANES {
        let is_asked = lanes >> lane & 1 == 1;
        least[lane] = if is_asked { of[lane] } else { f32::INFINITY };
    }
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let eight: [f32; 8] = std::array::from_fn(|k| min(least[k], least[k + 8]));
    let four: [f32; 4] = std::array::from_fn(|k| min(eight[k], eight[k + 4]));
    min(min(four[0], four[2]), min(four[1], four[3]))
}

/// The lanes of which something holds.
#[inline(always)]
fn lanes_of(of: &[f32; LANES], holds: impl Fn(f32) -> bool) -> u16 {
    let mut bits = [0; LANES];
    for lane in 0..LANES {
        bits[lane] = u16::from(holds(of[lane])) << lane;
    }
    bits.iter().fold(0, |all, one| all | one)
}
