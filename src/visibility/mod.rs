//! World to who-sees-whom: the kernels, each beside a slow exact twin.
//!
//! `sightline` is the definition in `f64`, one pair at a time. `rays` answers for sixteen
//! viewpoints of a row and all targets at once and falls back on the definition wherever its
//! own arithmetic cannot tell, so that both agree on every pair.

mod field;
mod rays;
mod sightline;

pub use field::Field;
pub use rays::{LANES, Rays};
pub use sightline::{Bodies, TOLERANCE, sees};
