//! Options of reading a solid level: what its file leaves open.

use std::path::PathBuf;

/// What brushes of sky do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sky {
    /// Hide, as a level's compiler has it: nothing is seen through the hull of a level.
    #[default]
    Opaque,
    /// Hide nothing.
    Clear,
}

/// The axis of a mesh that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// The second.
    Y,
    /// The third.
    Z,
}

/// What a mesh was exported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exporter {
    /// Left-handed, y up, metres.
    Unity,
    /// Left-handed, z up, centimetres.
    Unreal,
    /// Right-handed, y up, metres.
    Godot,
    /// Right-handed, z up, metres.
    Blender,
}

/// What a file of a level leaves open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidOptions {
    /// What brushes of sky do.
    pub sky: Sky,
    /// The axis of a mesh that points up; `None`: as the format has it, else the more likely one.
    pub up: Option<UpAxis>,
    /// What a mesh was exported from, in whose coordinates the bundle will be asked.
    pub from: Option<Exporter>,
    /// The folder of a game's packs, in which the level is looked for.
    pub pack: Option<PathBuf>,
    /// Most bytes that packs, scripts, libraries and templates of the level may come to; as much as any level needs if
    /// not given.
    pub memory: Option<u64>,
    /// Materials of which nothing is known hide.
    pub opaque_without_material: bool,
    /// Names of objects, nodes, meshes, groups and materials of a mesh that are drawn and opaque, whatever their names, extensions or
    /// materials say. `*` stands for anything, and case does not count.
    pub keep: Vec<String>,
    /// Names of those that are left out, with all below them.
    pub drop: Vec<String>,
    /// What a mesh draws is told by name ([`SolidLevel::objects`](crate::world::solid::SolidLevel::objects)).
    pub objects: bool,
    /// Meshes of a glTF scene are divided by cubes of this size, each part of which is an object ([`split_scene`]). [Unit: of the file]
    ///
    /// [`split_scene`]: super::split_scene
    pub split: Option<f64>,
}
