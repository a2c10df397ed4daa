//! Lossy merging (thesis section 3.3).

use super::samples::{Ground, Samples};
use crate::format::{Answer, Quad};

/// Merges a PVS into another, both as block bitmaps: quads unknown in both are looked into;
/// hidden in both they stay hidden; any other becomes visible as a whole.
pub(super) fn merge(into: &mut Samples, ground: &Ground, pvs: &Samples) {
    merge_quad(into, ground, pvs, ground.grid().root());
}

fn merge_quad(into: &mut Samples, ground: &Ground, pvs: &Samples, quad: Quad) {
    use Answer::{Hidden, Mixed};
    let (Some(before), Some(joining)) = (into.state(ground, quad), pvs.state(ground, quad)) else {
        return; // no terrain
    };
    match (before, joining) {
        (Hidden, Hidden) => {}
        (Mixed, Mixed) => {
            for index in 0..4 {
                if let Some(child) = quad.child(index)
                    && ground.grid().has_quad(child)
                {
                    merge_quad(into, ground, pvs, child);
                }
            }
        }
        _ => {
            into.add(ground, quad);
        }
    }
}
