//! Statistics of bundles: who sees how much, where two bundles differ; and what single observers see of a heightmap without
//! a bundle.
//!
//! Pictures and reports show them; nothing here draws.

mod block_counter;
mod difference;
mod exposure;
mod sight;
mod tally;
mod total;
mod viewshed;

pub use difference::{
    Difference, LevelDifference, cell_difference, common_cells, difference, solid_difference,
    spread,
};
pub use exposure::{DamagedPvs, Ring, Survey, by_cell, seen_by, survey};
pub use sight::GroupSight;
pub use tally::{Counts, Tally, places};
pub use total::total_viewshed;
pub use viewshed::{Lookout, Observer, sample_at};
