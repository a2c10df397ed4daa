//! World to who-sees-whom: the kernels, each beside a slow exact twin.
//!
//! - `sightline` is the definition of exact sight in `f64`, one pair at a time: the slow twin.
//!   `continuous` is the same for conservative sight: between any positions, on drawn surfaces.
//! - `rays` is the kernel for both. It answers for blocks of viewpoints and all targets at once, and
//!   asks the definition wherever its own arithmetic cannot tell. `decide` takes squares of
//!   displacements, `exact` single ones, `cells` and `refine` single pairs of view cells.
//! - `shafts` is the kernel for quads of samples, of which any may see any.
//! - `sectors` is the thesis's method, with a twin of its own.
//! - [`Viewsheds`] is what a bake takes from any of them: how blocks see blocks ([`Sights`]).
//! - `horizon` has angles against the sky, and no PVS. `curvature` lowers the ground as the round
//!   earth does, for all of them. [`portals`] is for levels of cells and portals.
//!
//! ARCHITECTURE.md has figures and a page of terms.

mod angles;
mod axis;
mod cells;
mod change;
mod continuous;
mod covered;
mod curvature;
mod decide;
mod exact;
mod height_field;
mod horizon;
mod lanes;
mod midlines;
mod occluders;
mod onlookers;
mod over;
mod padded_heights;
mod places;
pub mod portals;
mod rays;
mod refine;
mod scatter;
mod sectors;
mod shafts;
mod sightline;
mod sights;
mod simd;
mod span;
mod spots;
mod square;
mod stance;
mod surface;
mod upper_bound;
mod view_block;
mod viewers;
mod viewpoint_rows;
mod viewsheds;
mod walk;
mod walls;

pub use change::Change;
pub use continuous::{Surface, find_sight, is_blocked, obstruction};
pub use covered::covered;
pub use curvature::Curvature;
pub use height_field::HeightField;
pub use horizon::{Horizons, horizon};
pub use midlines::MAX_SECTORS;
pub use onlookers::Onlookers;
pub use rays::{Order, Rays};
pub use sectors::{SectorField, Sectors, sees_by_sectors};
pub use shafts::{ShaftField, Shafts};
pub use sightline::{Bodies, TOLERANCE, sees};
pub use sights::{BlockSight, LOOK_BLOCKS, LOOK_LEVEL, Sights};
pub use simd::Simd;
pub use stance::Stance;
pub use viewsheds::Viewsheds;
