//! Levels of cells: queries, and the ways through them.

mod along;
mod level;

pub use along::{Along, Stretch};
pub use level::CellBundle;
