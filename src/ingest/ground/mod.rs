//! Layered ground from files: heightmaps with layers, stacks of images, voxels; and stamps.

mod gltf;
mod layers;
mod mesh;
mod obj;
mod sources;
mod stamps;

/// What a parser says of JSON that it cannot read. It quotes names of fields as errors here quote names of
/// options.
fn unread(error: &serde_json::Error) -> String {
    format!("JSON that does not fit: {error}").replace('`', "\"")
}

pub use layers::{DepthOf, LayerOf, LayersFile, read_layers};
pub use mesh::read_mesh;
pub use sources::{GroundOptions, GroundSource, Grounded, read_ground};
pub use stamps::{
    EffectName, MaterialOf, ShapeName, StampLine, TopStamp, read_stamps, read_top_stamps,
};
