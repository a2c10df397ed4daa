//! Levels of cells: queries, ways through them, frontiers, sessions.

mod along;
pub mod frontier;
mod level;
mod session;
mod sets;

pub use along::{Along, Stretch};
pub use level::CellBundle;
