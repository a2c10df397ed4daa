//! Lists of occluders that may hide a pair of boxes, narrowed on the way down.
//!
//! Did not pay: no occluders whose second longest side is below 8 or 16 units; lists of up to 40 that are not narrowed (no
//! change in time).

use super::occluder::Span;
use super::shaft::{LANES, Shaft};
use super::slabs::Slabs;

/// Lists of occluders one upon another, each for a part of the boxes that the one below it is for.
///
/// Boxes around occluders are in single precision, and may be a little off: what is left out by mistake hides
/// nothing, which is allowed.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    numbers: Vec<u32>,
    /// Centres, and half the sides, by axis.
    centres: [Vec<f32>; 3],
    halves: [Vec<f32>; 3],
    /// What [`Candidates::narrow`] works with.
    masks: Vec<u16>,
}

/// Copies what masks have, [`LANES`] each, from one place to another further up.
// Once, and not in each set of instructions.
#[inline(never)]
fn copy<T: Copy>(of: &mut [T], from: usize, to: usize, masks: &[u16]) {
    let (source, target) = of.split_at_mut(to);
    let mut target = target.iter_mut();
    for (source, &mask) in source[from..].chunks_exact(LANES).zip(masks) {
        let mut mask = mask;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % LANES;
            mask &= mask - 1;
            if let Some(target) = target.next() {
                *target = source[lane];
            }
        }
    }
}

/// A list.
#[derive(Clone, Copy, Debug)]
pub struct List {
    first: usize,
    end: usize,
}

impl List {
    /// The list of nothing, below all others.
    pub const EMPTY: Self = Self { first: 0, end: 0 };

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// How many occluders are in it.
    pub fn len(&self) -> usize {
        self.end - self.first
    }
}

impl Candidates {
    /// Forgets all lists, and makes one of these boxes.
    pub(super) fn fill<'a>(&mut self, boxes: impl IntoIterator<Item = &'a Span>) -> List {
        self.numbers.clear();
        for k in 0..3 {
            self.centres[k].clear();
            self.halves[k].clear();
        }
        for (number, span) in boxes.into_iter().enumerate() {
            self.numbers.push(number as u32);
            for k in 0..3 {
                self.centres[k].push(span.centre[k] as f32);
                self.halves[k].push(span.half[k] as f32);
            }
        }
        let end = self.numbers.len();
        self.pad(end);
        List { first: 0, end }
    }

    pub(super) fn number(&self, list: List, at: usize) -> u32 {
        self.numbers[list.first + at]
    }

    /// The number of one of a list, its centre, and half its sides.
    #[inline(always)]
    pub(super) fn at(&self, list: List, at: usize) -> (u32, [f32; 3], [f32; 3]) {
        let at = list.first + at;
        let of = |all: &[Vec<f32>; 3]| [all[0][at], all[1][at], all[2][at]];
        (self.numbers[at], of(&self.centres), of(&self.halves))
    }

    /// Room for so many, up to whole lanes.
    fn pad(&mut self, count: usize) {
        let length = count.next_multiple_of(LANES);
        self.numbers.resize(length, u32::MAX);
        for k in 0..3 {
            self.centres[k].resize(length, 0.0);
            self.halves[k].resize(length, f32::NEG_INFINITY);
        }
    }

    /// Forgets the lists above one.
    pub(super) fn leave(&mut self, list: List) {
        let length = list.end.next_multiple_of(LANES);
        self.numbers.truncate(length);
        for k in 0..3 {
            self.centres[k].truncate(length);
            self.halves[k].truncate(length);
        }
    }

    /// A list of those that may lie in a shaft; the same list, if those are most of it.
    #[inline(always)]
    pub(super) fn narrow(&mut self, list: List, shaft: &Shaft) -> List {
        let mut count = 0;
        self.masks.clear();
        for at in (list.first..list.end).step_by(LANES) {
            let centres = self.centres.each_ref().map(|of| lanes(of, at));
            let halves = self.halves.each_ref().map(|of| lanes(of, at));
            let inside = shaft.inside(centres, halves);
            count += inside.count_ones() as usize;
            self.masks.push(inside);
        }
        if 4 * count > 3 * list.len() {
            return list;
        }
        let first = self.numbers.len();
        let end = first + count;
        self.pad(end);
        copy(&mut self.numbers, list.first, first, &self.masks);
        for of in self.centres.iter_mut().chain(&mut self.halves) {
            copy(of, list.first, first, &self.masks);
        }
        List { first, end }
    }

    /// Forgets all lists, and makes one of what is named one by one: with the number, the centre and half the sides of each.
    #[inline(always)]
    pub(super) fn gather(
        &mut self,
        name: impl FnOnce(&mut dyn FnMut(u32, [f32; 3], [f32; 3])),
    ) -> List {
        self.leave(List::EMPTY);
        name(&mut |number, centre, half| {
            self.numbers.push(number);
            for k in 0..3 {
                self.centres[k].push(centre[k]);
                self.halves[k].push(half[k]);
            }
        });
        let end = self.numbers.len();
        self.pad(end);
        List { first: 0, end }
    }

    /// How much of a pair is beyond the shadows of the boxes around [`LANES`] occluders from number `at` of a list on.
    #[inline(always)]
    pub(super) fn beyond(&self, list: List, at: usize, slabs: &Slabs) -> [f32; LANES] {
        let at = list.first + at;
        let centres = self.centres.each_ref().map(|of| lanes(of, at));
        let halves = self.halves.each_ref().map(|of| lanes(of, at));
        slabs.beyond(centres, halves)
    }

    /// Which of [`LANES`] occluders from number `at` of a list on have a box that the segment meets.
    #[inline(always)]
    pub(super) fn met(&self, list: List, at: usize, segment: &Segment) -> u16 {
        let at = list.first + at;
        let centres = self.centres.each_ref().map(|of| lanes(of, at));
        let halves = self.halves.each_ref().map(|of| lanes(of, at));
        segment.meets(centres, halves)
    }
}

/// As many of a list from number `at` on.
#[inline(always)]
pub(super) fn lanes(of: &[f32], at: usize) -> &[f32; LANES] {
    of[at..at + LANES].try_into().expect("as many")
}

/// A segment, by its middle and half of what leads from end to end.
pub(super) struct Segment {
    middle: [f32; 3],
    way: [f32; 3],
}

impl Segment {
    pub(super) fn new(a: [f64; 3], b: [f64; 3]) -> Self {
        Self {
            middle: std::array::from_fn(|k| (0.5 * (a[k] + b[k])) as f32),
            way: std::array::from_fn(|k| (0.5 * (b[k] - a[k])) as f32),
        }
    }

    /// Which boxes it meets, by separating axes.
    #[inline(always)]
    fn meets(&self, centres: [&[f32; LANES]; 3], halves: [&[f32; LANES]; 3]) -> u16 {
        let way = self.way;
        let long = way.map(f32::abs);
        let mut met = [0u16; LANES];
        for lane in 0..LANES {
            let off: [f32; 3] = [
                self.middle[0] - centres[0][lane],
                self.middle[1] - centres[1][lane],
                self.middle[2] - centres[2][lane],
            ];
            let half = [halves[0][lane], halves[1][lane], halves[2][lane]];
            let along = |k: usize| off[k].abs() <= half[k] + long[k];
            let across = |i: usize, j: usize| {
                (way[i] * off[j] - way[j] * off[i]).abs() <= half[i] * long[j] + half[j] * long[i]
            };
            let all = along(0) & along(1) & along(2) & across(0, 1) & across(0, 2) & across(1, 2);
            met[lane] = u16::from(all) << lane;
        }
        met.iter().fold(0, |all, one| all | one)
    }
}
