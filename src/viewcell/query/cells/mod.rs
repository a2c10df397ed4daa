//! Levels of cells: queries, and straight lines through them.

mod along;
mod level;

pub use along::{Along, Stretch};
pub use level::CellBundle;
