//! World to who-sees-whom: the kernels, each beside a slow exact twin.
//!
//! `sightline` is the definition in `f64`, one pair at a time. `rays` answers for a block of
//! viewpoints and all targets at once and falls back on the definition wherever its own
//! arithmetic cannot tell, so that both agree on every pair.

mod continuous;
mod decide;
mod exact;
mod field;
mod lanes;
mod rays;
mod refine;
mod sightline;
mod simd;
mod span;
mod surface;

pub use continuous::{Surface, obstruction};
pub use field::{Field, Stance};
pub use rays::{BLOCK, Rays};
pub use sightline::{Bodies, TOLERANCE, sees};
pub use simd::Simd;
