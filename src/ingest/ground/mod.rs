//! Layered ground from files: heightmaps with layers, stacks of images, voxels; and stamps.

mod gltf;
mod json;
mod layers;
mod mesh;
mod obj;
mod sources;
mod stamps;

pub use layers::{DepthOf, LayerOf, LayersFile, read_layers};
pub use mesh::read_mesh;
pub use sources::{GroundOptions, GroundSource, Grounded, read_ground};
pub use stamps::{
    EffectName, MaterialOf, ShapeName, StampLine, TopStamp, read_stamps, read_top_stamps,
};
