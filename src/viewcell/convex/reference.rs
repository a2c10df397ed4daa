//! The slow twin of segments: one occluder, and one segment against each of its planes, in double precision.

use super::{Occluder, OccluderSides, Point};

/// Whether an occluder, as small as it was made, meets the segment from `a` to `b`.
pub fn meets(occluder: &Occluder, a: Point, b: Point) -> bool {
    first_met(occluder, a, b).is_some()
}

/// How far along the segment from `a` to `b` an occluder is met first, and the plane through which: none where `a` is in it.
pub fn first_met(occluder: &Occluder, a: Point, b: Point) -> Option<(f64, Option<usize>)> {
    let planes = &occluder.planes;
    if occluder.kind == OccluderSides::Solid {
        let (mut first, mut last, mut through) = (0.0, 1.0, None);
        for (number, plane) in planes.iter().enumerate() {
            let (f, g) = (plane.height(a), plane.height(b));
            if f > 0.0 && g > 0.0 {
                return None;
            }
            if f > 0.0 && f / (f - g) > first {
                (first, through) = (f / (f - g), Some(number));
            } else if f <= 0.0 && g > 0.0 {
                last = f64::min(last, f / (f - g));
            }
        }
        return (first <= last).then_some((first, through));
    }
    let (f, g) = (planes[0].height(a), planes[0].height(b));
    let from_behind = occluder.kind == OccluderSides::Flat && f < 0.0 && g > 0.0;
    if !(f > 0.0 && g < 0.0 || from_behind) {
        return None;
    }
    let t = f / (f - g);
    let at: Point = std::array::from_fn(|k| a[k] + t * (b[k] - a[k]));
    let is_within = planes[1..].iter().all(|edge| edge.height(at) <= 0.0);
    is_within.then_some((t, Some(0)))
}
