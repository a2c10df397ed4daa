//! What is counted in bundles: who sees how much, and in what two bundles differ.
//!
//! Pictures and reports show it; nothing here draws.

mod difference;
mod exposure;
mod sight;

pub use difference::{Difference, LevelDifference, cell_difference, difference, spread};
pub use exposure::{DamagedPvs, Ring, Survey, by_cell, seen_by, survey};
pub use sight::GroupSight;
