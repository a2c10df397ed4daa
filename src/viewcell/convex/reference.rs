//! The slow twin of segments: one occluder, and one segment against each of its planes, in double precision.

use super::{Occluder, OccluderSides, Point};

/// Whether an occluder, as small as it was made, meets the segment from `a` to `b`.
pub fn meets(occluder: &Occluder, a: Point, b: Point) -> bool {
    let planes = &occluder.planes;
    if occluder.kind == OccluderSides::Solid {
        let (mut first, mut last) = (0.0, 1.0);
        for plane in planes {
            let (f, g) = (plane.height(a), plane.height(b));
            if f > 0.0 && g > 0.0 {
                return false;
            }
            if f > 0.0 {
                first = f64::max(first, f / (f - g));
            } else if g > 0.0 {
                last = f64::min(last, f / (f - g));
            }
        }
        return first <= last;
    }
    let (f, g) = (planes[0].height(a), planes[0].height(b));
    let from_behind = occluder.kind == OccluderSides::Flat && f < 0.0 && g > 0.0;
    if !(f > 0.0 && g < 0.0 || from_behind) {
        return false;
    }
    let t = f / (f - g);
    let at: Point = std::array::from_fn(|k| a[k] + t * (b[k] - a[k]));
    planes[1..].iter().all(|edge| edge.height(at) <= 0.0)
}
