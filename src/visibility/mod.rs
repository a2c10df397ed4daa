//! World to who-sees-whom: the kernels, each beside a slow exact twin.
//!
//! `sightline` is the definition in `f64`, one pair at a time. `rays` answers for a patch of
//! sixteen viewpoints and all targets at once and falls back on the definition wherever its
//! own arithmetic cannot tell, so that both agree on every pair.

mod field;
mod rays;
mod sightline;
mod simd;

pub use field::Field;
pub use rays::{BLOCK, Rays};
pub use sightline::{Bodies, TOLERANCE, sees};
pub use simd::Simd;
