//! Levels of cells: queries, ways through them, frontiers.

mod along;
pub mod frontier;
mod level;
mod sets;

pub use along::{Along, Stretch};
pub use level::CellBundle;
