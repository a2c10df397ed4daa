//! Convex occluders: the proof that one of them, or several by parts, hide a box from another. For the bake of a solid
//! level, and for servers that test a pair at run time. Allocates only where lists grow.
//!
//! - `occluder` is the proof for one convex set: 8 + 8 corners, and not 64 segments.
//! - `decide` halves boxes until each part is hidden by one occluder, or a segment is clear. Where an occluder fails
//!   tells which box to halve, and across which axis. `replay` tries the proof of the pair before first.
//! - `slabs` are shadows of the boxes around occluders, an occluder a SIMD lane; `estimate` the shadow of one occluder, its
//!   planes as lanes. Both are in single precision, decide nothing, and spare most proofs.
//! - `witness` looks for a clear segment, sixteen at a time, before a proof is begun.
//! - `candidates` are the occluders that may hide a pair: what lies beside a `shaft` hides none of its parts. `groups` find
//!   those of a pair that has nothing to do with the one before.

mod candidates;
mod decide;
mod estimate;
mod groups;
mod occluder;
mod plane;
mod plane_runs;
#[doc(hidden)]
pub mod reference;
mod replay;
mod shaft;
mod slabs;
#[cfg(test)]
mod tests;
mod witness;

pub use candidates::List;
pub(crate) use decide::Steps;
pub use decide::{Decider, Found, Look, Movable, Run, parts};
pub use groups::Groups;
pub(crate) use occluder::Cut;
pub use occluder::{Occluder, OccluderSides, Scale, Span};
#[doc(hidden)]
pub use occluder::{Shadow, ShadowScratch};
pub use plane::{Plane, Point, centre, cross, dot, minus, plus};
pub use replay::Proofs;
pub use witness::Segments;
