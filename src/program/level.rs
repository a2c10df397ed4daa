//! A level of solids as an argument: what its file leaves open, for `bake solid` and all that draws lines of sight
//! through the same level.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use viewcell_bake::bundle;
use viewcell_bake::plan::free_memory;
use viewcell_ingest::solid;
use viewcell_ingest::solid::{IngestedSolid, SolidOptions, read_solid};

use viewcell::format::Frame;
use viewcell::query::SolidBundle;
use viewcell_bake::visibility::solid::BodyTracer;
use viewcell_ingest::world::solid::{Aabb, Player, Point, SolidLevel};
use viewcell_simulate::field::Lines;

use super::exit::Failure;
use super::flags::noted;

/// How to read a level.
#[derive(Clone, Debug, Default, PartialEq, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct LevelArgs {
    /// Whether brushes of sky hide, in levels of brushes or leaves
    #[arg(long, value_enum, default_value_t)]
    pub sky: Sky,

    /// The game's folder: the level is its maps/NAME.bsp, loose or in a pack (.pk3, .pak), as the game would load
    /// it, with its shaders
    #[arg(long, value_name = "DIR")]
    #[serde(serialize_with = "crate::output::names")]
    pub pack: Option<PathBuf>,

    #[command(flatten)]
    #[serde(flatten)]
    pub mesh: MeshArgs,
}

/// What meshes leave open, of levels and of solids on a terrain.
#[derive(Clone, Debug, Default, PartialEq, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct MeshArgs {
    /// The axis of an OBJ or glTF file that points up.
    #[arg(skip)]
    pub up: Option<Up>,

    /// The program that exported an OBJ or glTF file: sets axes and units, and positions in queries are in that
    /// engine's coordinates; or the axis that points up, if it was another [default: y in glTF; in OBJ the more
    /// likely one, reported in a note]
    #[arg(long, value_enum, value_name = "NAME")]
    pub from: Option<From>,

    /// Treat materials of an OBJ file as opaque if no library (.mtl) defines them
    #[arg(long, hide_short_help = true)]
    pub opaque_without_material: bool,

    /// Take what has NAME as drawn and opaque, whatever its name, its extensions or its material say; may be repeated
    ///
    /// NAME is that of an object, group, node, mesh or material of an OBJ or glTF file, or of an object of CityJSON. * stands for
    /// anything, and case does not count. A node is kept with its mesh, and a material by its own name.
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub keep: Vec<String>,

    /// Leave out what has NAME, with all below it, such as doors: it neither hides nor stops players; may be repeated
    ///
    /// NAME is as for --keep, over which this wins.
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub drop: Vec<String>,
}

/// The axis of a mesh that points up.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// The second: a place at x,y,z in the file is queried as x,-z,y
    Y,
    /// The third
    Z,
}

/// What a mesh was exported from.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum From {
    /// Left-handed, y up, metres; exporters mirror x
    Unity,
    /// Left-handed, z up, centimetres; exporters exchange y and z
    Unreal,
    /// Right-handed, y up, metres, as glTF has them
    Godot,
    /// Right-handed, z up, metres; exporters write x,z,-y
    Blender,
    /// Another whose y axis points up: a place at x,y,z in the file is queried as x,-z,y
    #[serde(rename = "y-up")]
    YUp,
    /// Another whose z axis points up
    #[serde(rename = "z-up")]
    ZUp,
}

/// What brushes of sky do.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sky {
    /// Structural sky brushes hide, as for the level's compiler
    #[default]
    Opaque,
    /// Sky brushes hide nothing
    Clear,
}

impl LevelArgs {
    /// How the level of a bundle was read, with the same folder of a game.
    pub fn of_bundle(&self, bundle: &Path) -> Result<Self, Failure> {
        let options = bundle::info(bundle)?.provenance.map(|made| made.options);
        let read = Self::deserialize(Value::Object(options.unwrap_or_default()));
        let read = read.map_err(|error| {
            Failure::bad_input(format!(
                "{}: expected the options of a bake of a level, found others: {error}; bake it again",
                bundle.display()
            ))
        })?;
        Ok(Self {
            pack: self.pack.clone(),
            ..read
        })
    }

    /// What the library is told.
    pub fn options(&self) -> SolidOptions {
        SolidOptions {
            sky: match self.sky {
                Sky::Opaque => solid::Sky::Opaque,
                Sky::Clear => solid::Sky::Clear,
            },
            pack: self.pack.clone(),
            memory: free_memory(),
            ..self.mesh.options()
        }
    }

    /// Reads a level.
    pub fn read(&self, path: &Path) -> Result<IngestedSolid, Failure> {
        let mut read = read_solid(path, &self.options())?;
        noted(&mut read.notes);
        Ok(read)
    }
}

impl MeshArgs {
    /// What the library is told.
    pub fn options(&self) -> SolidOptions {
        let up = match (self.up, self.from) {
            (Some(Up::Y), _) | (None, Some(From::YUp)) => Some(solid::UpAxis::Y),
            (Some(Up::Z), _) | (None, Some(From::ZUp)) => Some(solid::UpAxis::Z),
            _ => None,
        };
        let from = match self.from {
            Some(From::Unity) => Some(solid::Exporter::Unity),
            Some(From::Unreal) => Some(solid::Exporter::Unreal),
            Some(From::Godot) => Some(solid::Exporter::Godot),
            Some(From::Blender) => Some(solid::Exporter::Blender),
            None | Some(From::YUp | From::ZUp) => None,
        };
        SolidOptions {
            up,
            from,
            opaque_without_material: self.opaque_without_material,
            keep: self.keep.clone(),
            drop: self.drop.clone(),
            ..SolidOptions::default()
        }
    }
}

/// The player that a bundle of a solid level is for.
pub fn player_of(bundle: &SolidBundle) -> Player {
    let parameters = bundle.parameters();
    let [min, max] = parameters.hull;
    Player {
        eye: parameters.eye,
        ..Player::standing(Aabb { min, max }, 0.0)
    }
}

/// Lines of sight through a level, for a simulation, whose positions have the unit that the level is asked with.
#[derive(Debug)]
pub struct Traced<'l>(BodyTracer<'l>, Frame);

impl<'l> Traced<'l> {
    /// Of players in a level.
    pub fn new(level: &'l SolidLevel, player: Player) -> Self {
        Self(BodyTracer::new(level, player), level.frame.upright())
    }
}

impl Lines for Traced<'_> {
    fn in_sight(&self, viewer: Point, other: Point) -> bool {
        let [viewer, other] = [viewer, other].map(|at| self.1.to_level(at));
        self.0.sees(viewer, other, &mut 0).is_some()
    }
}
