//! The worlds that the stages share: terrains, levels of cells, levels of solids.

mod bit_matrix;
mod bsp_tree;
mod cells;
mod places;
pub mod solid;
mod terrain;

pub use bit_matrix::{BitMatrix, Symmetry, ones};
pub use bsp_tree::{BspChild, BspLeaf, BspNode, BspTree, BspTreeError};
pub use cells::{CellGraph, Portal};
pub use terrain::{
    Georeference, GroundAbove, Short, Terrain, TerrainError, extremes, reaches, reaches_in_metres,
};
