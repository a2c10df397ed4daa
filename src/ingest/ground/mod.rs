//! Layered ground from files: heightmaps with layers, stacks of images, voxels; and stamps.

mod sources;
mod stamps;

pub use super::mesh::read_mesh;
pub use sources::{
    DepthOf, GroundOptions, GroundSource, Grounded, LayerOf, LayersFile, read_ground, read_layers,
};
pub use stamps::{
    EffectName, MaterialOf, ShapeName, StampLine, TopStamp, read_stamps, read_top_stamps,
};

/// What a parser says of JSON that it cannot read. It quotes names of fields as errors here quote names of
/// options.
pub fn unread(error: &serde_json::Error) -> String {
    format!("JSON that does not fit: {error}").replace('`', "\"")
}
