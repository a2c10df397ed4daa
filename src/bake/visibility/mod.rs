//! World to who-sees-whom: the kernels, each beside a slow exact twin.
//!
//! - `sightline` is the definition of exact sight in `f64`, one pair at a time: the slow twin.
//! - `samples` is the fast kernel: 64 viewpoints at once, exact sight, and sight between view cells, whose slow twin
//!   `continuous` looks for counterexamples on the drawn surfaces.
//! - `viewpoint` has the viewshed of a single viewpoint, exact and without a bake.
//! - `coarse` is the kernel for view cells of 2 × 2 samples and more.
//! - [`solid`] is for view cells that are boxes among convex solids and faces.
//! - `incremental` finds what a change of the ground may change, for re-bakes.
//! - [`Viewsheds`] is what a bake takes from any of them: how blocks see blocks ([`Sights`]).
//! - `horizon` has angles against the sky, and no PVS. `curvature` lowers the ground as the round
//!   earth does, for all of them. [`portals`] is for levels of cells and portals.
//!
//! ARCHITECTURE.md has figures.

mod angles;
mod coarse;
mod continuous;
mod curvature;
mod horizon;
mod incremental;
mod lanes;
mod padded_heights;
mod places;
pub mod portals;
mod samples;
mod sightline;
mod simd;
pub mod solid;
pub(crate) mod spread;
mod surface;
mod viewpoint;
mod viewsheds;
mod window;

pub use angles::{direction, sin_cos_of_turn};
pub use coarse::{ShaftField, Shafts};
pub use continuous::{Surface, find_sight, is_blocked, obstruction};
pub use curvature::Curvature;
pub use horizon::{Horizons, horizon};
pub use incremental::change::Change;
pub use incremental::recheck::Recheck;
pub use places::covered;
pub use samples::height_field::HeightField;
pub use samples::rays::{Order, Rays};
pub use sightline::{Bodies, Crossing, Profile, Stance, TOLERANCE, sees};
pub use simd::Simd;
pub use viewpoint::{Looker, Viewpoint, Viewshed, ViewshedField};
pub use viewsheds::{BlockSight, LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds};
pub use window::Window;
