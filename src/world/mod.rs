//! What the stages share: the terrain, and the level of cells.

mod bit_matrix;
mod bsp_tree;
mod cells;
mod ground_above;
mod places;
pub(crate) mod plane;
mod short;
mod terrain;

pub use bit_matrix::{BitMatrix, Symmetry, ones};
pub use bsp_tree::{BspChild, BspLeaf, BspNode, BspTree, BspTreeError};
pub use cells::{CellGraph, Portal};
pub use ground_above::GroundAbove;
pub use short::Short;
pub use terrain::{Georeference, Terrain, TerrainError};
