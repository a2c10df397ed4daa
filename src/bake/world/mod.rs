//! What the stages share: the terrain, and the level of cells.

mod bit_matrix;
mod bsp_tree;
mod cells;
mod places;
pub mod solid;
mod terrain;

pub use bit_matrix::{BitMatrix, Symmetry, ones};
pub use bsp_tree::{BspChild, BspLeaf, BspNode, BspTree, BspTreeError};
pub use cells::{CellGraph, Portal};
pub use terrain::{Georeference, GroundAbove, Short, Terrain, TerrainError};
