//! World to who-sees-whom: the kernels, each beside a slow exact twin.
//!
//! `sightline` is the definition in `f64`, one pair at a time. `rays` answers for a block of
//! viewpoints and all targets at once and falls back on the definition wherever its own
//! arithmetic cannot tell, so that both agree on every pair.
//!
//! `sectors` is another definition, the thesis's, with a kernel and a twin of its own. Behind
//! [`Viewsheds`] the hierarchy does not ask which it is. `horizon` stands beside: angles against
//! the sky, and no PVS. `curvature` makes ground of the round earth for all of them. [`portals`] is for levels of cells and portals.

mod angles;
mod axis;
mod band;
mod ceiling;
mod cells;
mod continuous;
mod curvature;
mod decide;
mod exact;
mod field;
mod horizon;
mod lanes;
mod midlines;
pub mod portals;
mod rays;
mod refine;
mod relief;
mod scatter;
mod sectors;
mod sightline;
mod sights;
mod simd;
mod span;
mod surface;
mod viewsheds;
mod walls;

pub use continuous::{Surface, find_sight, is_blocked, obstruction};
pub use curvature::Curvature;
pub use field::{Field, Stance};
pub use horizon::{Horizons, horizon};
pub use midlines::MAX_SECTORS;
pub use rays::{BLOCK, Order, Rays};
pub use sectors::{SectorField, Sectors, sees_by_sectors};
pub use sightline::{Bodies, TOLERANCE, sees};
pub use sights::{BlockSight, LOOK_BLOCKS, LOOK_LEVEL, Sights};
pub use simd::Simd;
pub use viewsheds::Viewsheds;
