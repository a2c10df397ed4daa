//! Which of the lines between two quads rise highest over the sight between them.

use super::ends::End;
use super::slopes::Frame;
use super::step::PARTS;
use fearless_simd::{f32x16, i32x16, prelude::*};
use fearless_simd_macros::simd;

/// So many lines of those between two quads are tried: those that rise highest.
pub(crate) const LINES: usize = 64;

/// How far the ground along each of the `lines` rises above the sight from one place to another: major and minor
/// coordinate and height. Lines that are not strictly within `between` do not rise at all.
#[inline(always)]
fn rises<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    lines: &[u32],
    [from, to]: [[f32; 3]; 2],
    between: [f32; 2],
    rises: &mut [f32],
) {
    let per = 1.0 / (to[0] - from[0]);
    let (across, up) = ((to[1] - from[1]) * per, (to[2] - from[2]) * per);
    let zero: f32x16<S> = f32x16::splat(simd, 0.0);
    let last = f32x16::splat(simd, frame.samples.saturating_sub(2) as f32);
    let next = usize::from(frame.samples > 1);
    for (lines, rises) in lines.chunks(PARTS).zip(rises.chunks_mut(PARTS)) {
        let mut at = [f32::MIN; PARTS];
        for (at, &x) in at.iter_mut().zip(lines) {
            *at = frame.along(x);
        }
        let at = f32x16::from_slice(simd, &at);
        let is_between = at.simd_gt(between[0]) & at.simd_lt(between[1]);
        let way = at - from[0];
        let row = (way * across + from[1]).max(zero).min(last);
        let whole = row.floor();
        let mut rows = [0; PARTS];
        whole.to_int::<i32x16<S>>().store_slice(&mut rows);
        let (mut near, mut far) = ([0.0; PARTS], [0.0; PARTS]);
        for (k, &x) in lines.iter().enumerate() {
            let line = frame.lines.least.line(x as usize).values();
            let row = rows[k] as usize;
            (near[k], far[k]) = (line[row], line[row + next]);
        }
        let near = f32x16::from_slice(simd, &near);
        let far = f32x16::from_slice(simd, &far);
        let above = near + (far - near) * (row - whole) - (way * up + from[2]);
        let above = is_between.select(above, f32x16::splat(simd, f32::MIN));
        let mut sixteen = [0.0; PARTS];
        above.store_slice(&mut sixteen);
        rises.copy_from_slice(&sixteen[..rises.len()]);
    }
}

/// Leaves of the lines between two quads those that rise highest over the sight between their middles, the highest
/// first.
#[simd]
pub(crate) fn leave_highest<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    ends: [&End; 2],
    lines: &mut Vec<u32>,
    above: &mut Vec<f32>,
    ranked: &mut Vec<u64>,
) {
    above.clear();
    above.resize(lines.len(), 0.0);
    let places = [ends[0].centre(), ends[1].centre()];
    let between = [places[0][0], places[1][0]];
    rises(simd, frame, lines, places, between, above);
    ranked.clear();
    ranked.extend(
        above
            .iter()
            .zip(lines.iter())
            .map(|(&rise, &x)| rank(rise, x)),
    );
    if ranked.len() > LINES {
        ranked.select_nth_unstable(LINES - 1);
        ranked.truncate(LINES);
    }
    ranked.sort_unstable();
    lines.clear();
    lines.extend(ranked.iter().map(|&rank| rank as u32));
}

/// The higher a line rises, the less. Of lines that rise equally high the first has the least.
#[inline(always)]
fn rank(rise: f32, x: u32) -> u64 {
    let bits = rise.to_bits();
    let falling = match rise.is_sign_negative() {
        true => bits,
        false => !bits ^ (1 << 31),
    };
    u64::from(falling) << 32 | u64::from(x)
}
