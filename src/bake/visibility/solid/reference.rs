//! The slow twin of `convex::occluder`: one occluder, and all 64 segments between the corners of two boxes.

use viewcell::convex::reference::meets;
use viewcell::convex::{Occluder, Span};

/// Whether an occluder, as small as it was made, meets every segment between corners of two boxes.
pub(super) fn hides(occluder: &Occluder, a: &Span, b: &Span) -> bool {
    let corners = b.corners();
    a.corners()
        .into_iter()
        .all(|a| corners.iter().all(|&b| meets(occluder, a, b)))
}
