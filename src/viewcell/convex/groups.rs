//! Bounding boxes over occluders in two levels, for pairs that have nothing to do with those before.
//!
//! Occluders of about the same size that lie near each other are a group of [`LANES`], with a box around all of them. A
//! shaft is tested against 16 groups at a time, and then against the occluders of those that it meets. A list for a pair
//! takes a tenth of what it takes to look at all occluders one by one.

use super::candidates::lanes;
use super::occluder::{Occluder, Span};
use super::shaft::{LANES, Shaft};

/// Boxes in lanes: centres and half the sides, in single precision.
#[derive(Clone, Debug, Default)]
struct Boxes {
    centres: [Vec<f32>; 3],
    halves: [Vec<f32>; 3],
}

impl Boxes {
    #[inline(never)]
    fn of(boxes: &[Span]) -> Self {
        let mut of = Self::default();
        for span in boxes {
            for k in 0..3 {
                of.centres[k].push(span.centre[k] as f32);
                of.halves[k].push(span.half[k] as f32);
            }
        }
        // Up to whole lanes, with what no shaft meets.
        let length = of.centres[0].len().next_multiple_of(LANES);
        for k in 0..3 {
            of.centres[k].resize(length, 0.0);
            of.halves[k].resize(length, f32::NEG_INFINITY);
        }
        of
    }

    #[inline(always)]
    fn inside(&self, at: usize, shaft: &Shaft) -> u16 {
        let [x, y, z] = &self.centres;
        let [a, b, c] = &self.halves;
        shaft.inside(
            [lanes(x, at), lanes(y, at), lanes(z, at)],
            [lanes(a, at), lanes(b, at), lanes(c, at)],
        )
    }
}

/// Occluders of a level, by groups.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Number of the first.
    first: u32,
    numbers: Vec<u32>,
    each: Boxes,
    around: Boxes,
}

impl Groups {
    /// Of these occluders, which are numbered from `first` on.
    #[inline(never)]
    pub fn new(first: u32, occluders: &[Occluder]) -> Self {
        let all = occluders.iter().map(|of| of.bounds);
        let all = all.reduce(|all, of| all.around(&of));
        let all = all.unwrap_or(Span::between([0.0; 3], [0.0; 3]));
        let key = |of: &Span| {
            let size = of.half.into_iter().fold(1.0, f64::max).log2() / 2.0;
            let at: [u32; 3] = std::array::from_fn(|k| {
                let part = (of.centre[k] - all.centre[k]) / all.half[k].max(f64::MIN_POSITIVE);
                (511.0 * (part + 1.0)) as u32
            });
            // Morton order of 10 bits an axis.
            let bits = (0..30).map(|bit| (at[bit % 3] >> (bit / 3) & 1) << bit);
            (size as u64) << 30 | u64::from(bits.sum::<u32>())
        };
        let keys = occluders.iter().map(|of| key(&of.bounds));
        let mut keys: Vec<(u64, u32)> = keys.zip(0..).collect();
        keys.sort_unstable();
        let numbers: Vec<u32> = keys.into_iter().map(|(_, number)| number).collect();
        let bounds = |number: &u32| occluders[*number as usize].bounds;
        let each: Vec<Span> = numbers.iter().map(bounds).collect();
        let around: Vec<Span> = each
            .chunks(LANES)
            .filter_map(|group| group.iter().copied().reduce(|a, b| a.around(&b)))
            .collect();
        Self {
            each: Boxes::of(&each),
            around: Boxes::of(&around),
            first,
            numbers,
        }
    }

    /// Number of the first.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Calls for the occluders that may lie in a shaft: with the number, the centre and half the sides of each.
    #[inline(always)]
    pub(super) fn inside(&self, shaft: &Shaft, call: &mut dyn FnMut(u32, [f32; 3], [f32; 3])) {
        for first in (0..self.numbers.len().div_ceil(LANES)).step_by(LANES) {
            let mut groups = self.around.inside(first, shaft);
            while groups != 0 {
                let at = (first + groups.trailing_zeros() as usize) * LANES;
                groups &= groups - 1;
                let mut inside = self.each.inside(at, shaft);
                while inside != 0 {
                    let at = at + inside.trailing_zeros() as usize;
                    inside &= inside - 1;
                    let number = self.numbers.get(at).map_or(u32::MAX, |of| self.first + of);
                    let of = |of: &[Vec<f32>; 3]| of.each_ref().map(|of| of[at]);
                    call(number, of(&self.each.centres), of(&self.each.halves));
                }
            }
        }
    }
}
