//! What the stages share: the terrain.

mod terrain;

pub use terrain::{Georeference, Terrain, TerrainError};
