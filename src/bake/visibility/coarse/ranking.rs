//! Which of the lines between two quads rise highest over the sight between them.

use super::ends::End;
use super::pair::PARTS;
use super::slopes::{Frame, LINES};
use crate::visibility::lanes::VOID;
use fearless_simd::{f32x16, i32x16, prelude::*};
use fearless_simd_macros::simd;

/// So many of them are put in order, and get the full test for the pair that they are ranked for.
pub(crate) const FIRST: usize = 16;

/// A line of sight from one place to another.
#[derive(Clone, Copy)]
struct Ray {
    /// Major and minor coordinate and height where it begins.
    from: [f32; 3],
    /// How far it goes across and up for each sample along the way.
    across: f32,
    up: f32,
}

impl Ray {
    fn new([from, to]: [[f32; 3]; 2]) -> Self {
        let per = 1.0 / (to[0] - from[0]);
        let (across, up) = ((to[1] - from[1]) * per, (to[2] - from[2]) * per);
        Self { from, across, up }
    }
}

/// How far the ground along each of the `lines` rises above either sight: the greater of the two.
#[inline(always)]
fn rises_over<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    lines: &[u32],
    sights: [Ray; 2],
    rises: &mut [f32],
) {
    for (lines, rises) in lines.chunks(PARTS).zip(rises.chunks_mut(PARTS)) {
        let (mut at, mut all) = ([f32::MIN; PARTS], [0; PARTS]);
        for (k, &x) in lines.iter().enumerate() {
            (at[k], all[k]) = (frame.along(x), x);
        }
        let at = f32x16::from_slice(simd, &at);
        let mut most = f32x16::splat(simd, f32::MIN);
        for sight in sights {
            let way = at - sight.from[0];
            let ground = ground_at(simd, frame, &all, way * sight.across + sight.from[1]);
            most = most.max(ground - (way * sight.up + sight.from[2]));
        }
        let mut sixteen = [0.0; PARTS];
        most.store_slice(&mut sixteen);
        rises.copy_from_slice(&sixteen[..rises.len()]);
    }
}

/// The ground along each of sixteen lines at a minor coordinate, or where the line ends.
#[inline(always)]
pub(super) fn ground_at<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    lines: &[u32; PARTS],
    row: f32x16<S>,
) -> f32x16<S> {
    let last = f32x16::splat(simd, frame.samples.saturating_sub(2) as f32);
    let (values, stride) = frame.lines.least.all();
    let row = row.max(f32x16::splat(simd, 0.0)).min(last + 1.0);
    let whole = row.floor().min(last);
    let mut rows = [0; PARTS];
    whole.to_int::<i32x16<S>>().store_slice(&mut rows);
    let (mut near, mut far) = ([VOID; PARTS], [VOID; PARTS]);
    for k in 0..PARTS {
        let begin = lines[k] as usize * stride + rows[k] as usize;
        if let Some(&[here, next]) = values.get(begin..begin + 2) {
            (near[k], far[k]) = (here, next);
        }
    }
    let near = f32x16::from_slice(simd, &near);
    let far = f32x16::from_slice(simd, &far);
    near + (far - near) * (row - whole)
}

/// Leaves, of the lines between the middles of two quads, those that rise highest over two sights, one on either side of the
/// line through both middles; the highest first. (Roofs often rise on one side alone.)
#[simd]
pub(crate) fn rank_lines<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    ends: [&End; 2],
    lines: &mut Vec<u32>,
    rises: &mut Vec<f32>,
    ranks: &mut Vec<u64>,
) {
    lines.retain(|&x| {
        let at = frame.along(x);
        ends[0].middle[0] < at && at < ends[1].middle[0]
    });
    rises.clear();
    rises.resize(lines.len(), 0.0);
    let sights =
        [false, true].map(|side| Ray::new([ends[0].side_center(side), ends[1].side_center(side)]));
    rises_over(simd, frame, lines, sights, rises);
    ranks.clear();
    let both = rises.iter().zip(lines.iter());
    ranks.extend(both.map(|(&rise, &x)| rank(rise, x)));
    if ranks.len() > LINES {
        ranks.select_nth_unstable(LINES - 1);
        ranks.truncate(LINES);
    }
    if ranks.len() > FIRST {
        ranks.select_nth_unstable(FIRST - 1);
    }
    let first = ranks.len().min(FIRST);
    ranks[..first].sort_unstable();
    lines.clear();
    lines.extend(ranks.iter().map(|&rank| rank as u32));
}

/// The higher a line rises, the less. Of lines that rise equally high the first has the least.
#[inline(always)]
fn rank(rise: f32, x: u32) -> u64 {
    let bits = rise.to_bits();
    let falling = if rise.is_sign_negative() {
        bits
    } else {
        !bits ^ (1 << 31)
    };
    u64::from(falling) << 32 | u64::from(x)
}
