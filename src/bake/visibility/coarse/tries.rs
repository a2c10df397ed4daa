//! Several lines tried on the sixteen parts of two quads, one after another: what they hide, and which of them are worth
//! trying on what is left.
//!
//! Did not pay: more lines in full (80 or 96 for 64: 0.3 % less visible, 10 % longer); lines after the first 16 handed down
//! untried (as many tries, one level lower); only the highest lines of a quad for its cells, or only lines above a part's
//! middle (a tenth to a quarter less time, 4 to 6 % more visible); the twelve highest for parts that are not samples (three
//! to five times as long).

use super::ends::End;
use super::pair::PARTS;
use super::slopes::{Frame, LINES, Sixteen};
use fearless_simd::{f32x16, prelude::*};
use fearless_simd_macros::simd;

/// What lines leave of the parts of two quads.
pub(crate) struct Remaining {
    /// The parts that no line hides, a bit each.
    pub lanes: u16,
    /// How near any line comes to hiding each of these, a number that is not positive, and the number of that line.
    pub nearest: [f32; PARTS],
    pub nearest_line: [f32; PARTS],
    /// By line: of which parts it may hide parts.
    pub matters: [u16; LINES],
}

impl Remaining {
    /// Those of the lines that were tried that may hide parts of a part, and how many: first the line that comes nearest to
    /// hiding it, for what comes nearest to hiding the whole hides most of its parts.
    #[inline(always)]
    pub(super) fn lines_for(&self, lane: usize, tried: &[u32]) -> ([u32; LINES + 1], usize) {
        let (mut lines, mut count) = ([0; LINES + 1], 0);
        let first = self.nearest_line[lane] as usize;
        if self.matters[first] >> lane & 1 == 1 {
            lines[0] = tried[first];
            count = 1;
        }
        for (number, (&x, matters)) in tried.iter().zip(self.matters).enumerate() {
            // Written in any case, and written over where it does not matter.
            lines[count] = x;
            count += usize::from(matters >> lane & 1 == 1 && number != first);
        }
        (lines, count)
    }
}

/// What up to [`LINES`] lines leave of those parts of two quads that are `asked` for. The first `in_full` lines are tried in
/// full; of the others it is found out for which parts they matter.
#[simd]
pub(crate) fn test_lines<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    ends: [&End; 2],
    lines: &[u32],
    asked: u16,
    in_full: usize,
) -> Remaining {
    let sixteen = Sixteen::new(simd, ends);
    let mut left = Remaining {
        lanes: asked,
        nearest: [0.0; PARTS],
        nearest_line: [0.0; PARTS],
        matters: [0; LINES],
    };
    let mut nearest = f32x16::splat(simd, f32::MIN);
    let mut nearest_line = f32x16::splat(simd, 0.0);
    for (number, &x) in lines.iter().enumerate() {
        let (above, matters) = sixteen.clearance(simd, frame, x, left.lanes, number < in_full);
        left.matters[number] = matters;
        if matters == 0 {
            continue;
        }
        left.lanes &= !(above.simd_gt(0.0).to_bitmask() as u16);
        if left.lanes == 0 {
            return left;
        }
        let this = f32x16::splat(simd, number as f32);
        nearest_line = above.simd_gt(nearest).select(this, nearest_line);
        nearest = nearest.max(above);
    }
    nearest.store_slice(&mut left.nearest);
    nearest_line.store_slice(&mut left.nearest_line);
    left
}
