//! Meshes of glTF 2.0 files, binary or JSON: the triangles of a scene, where its nodes put them.

mod accessors;
mod buffers;
mod document;
mod scene;
#[cfg(test)]
mod tests;

pub use document::is_gltf;
pub use scene::read_gltf;
