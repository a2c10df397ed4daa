//! Levels of cells: queries, ways through them, frontiers.

mod along;
pub mod frontier;
mod level;
mod sets;
mod widened;

pub use along::{Along, Stretch};
pub use level::CellBundle;
