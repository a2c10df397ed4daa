//! Convex occluders: the proof that one of them, or several by parts, hide a box from another. For the bake of a solid
//! level, and for servers that ask about a pair at run time. Without an allocation but where lists grow.
//!
//! - `occluder` is the proof for one convex set: 8 + 8 corners, and not 64 segments.
//! - `decide` halves boxes until each part is hidden by one occluder, or a segment is clear. Where an occluder fails
//!   tells which box to halve, and across which axis.
//! - `candidates` are the occluders that may hide a pair: what lies beside a `shaft` hides none of its parts.

mod candidates;
mod decide;
mod occluder;
mod shaft;

pub(crate) use candidates::List;
pub use decide::Found;
pub(crate) use decide::{Decider, Look, Run};
pub(crate) use occluder::{Kind, Occluder, Scale, Span};
#[cfg(test)]
pub(crate) use occluder::{Room, Shadow};

/// A point, in the units of the level.
pub type Point = [f64; 3];

/// The points p with normal · p = dist; in front of it are those with more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Of length 1.
    pub normal: Point,
    /// Distance from the origin along the normal.
    pub dist: f64,
}

/// The scalar product.
#[inline]
pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
