//! A level of solids as an argument: what its file leaves open, for `bake solid` and all that draws lines of sight
//! through the same level.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use viewcell::internals::bake::Source;
use viewcell::internals::ingest::solid::{self, IngestedSolid, SolidOptions, read_solid};

use super::exit::Failure;
use super::flags::with_flags;

/// How to read a level.
#[derive(Clone, Debug, Default, PartialEq, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
#[command(next_help_heading = "Reading the level")]
pub struct LevelArgs {
    /// What brushes of sky do, in levels of brushes or leaves
    #[arg(long, value_enum, default_value_t)]
    pub sky: Sky,

    /// The game's folder: the level is its maps/NAME.bsp, loose or in a pack (.pk3, .pak), as the game would load it,
    /// with its shaders
    #[arg(long, value_name = "DIR")]
    pub pack: Option<PathBuf>,
}

/// What brushes of sky do.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sky {
    /// Structural ones hide, as for the level's compiler
    #[default]
    Opaque,
    /// They hide nothing
    Clear,
}

impl LevelArgs {
    /// What the library is told.
    pub fn options(&self) -> SolidOptions {
        SolidOptions {
            sky: match self.sky {
                Sky::Opaque => solid::Sky::Opaque,
                Sky::Clear => solid::Sky::Clear,
            },
            pack: self.pack.clone(),
            ..SolidOptions::default()
        }
    }

    /// Reads a level.
    pub fn read(&self, path: &Path) -> Result<IngestedSolid, Failure> {
        let mut read = read_solid(path, &self.options())?;
        for note in &mut read.notes {
            *note = with_flags(note);
        }
        Ok(read)
    }

    /// Those of the options that change what a level is, as a bundle tells them.
    pub fn told(&self) -> Map<String, Value> {
        let mut told = Map::new();
        if self.sky == Sky::Clear {
            told.insert("sky".into(), "clear".into());
        }
        told
    }
}

/// What a bundle says of the file that its level is of.
pub fn source(path: &Path, read: &IngestedSolid, options: Map<String, Value>) -> Source {
    let name = path.file_name().unwrap_or_default();
    Source::of_bytes(
        &name.to_string_lossy(),
        read.level.format,
        (read.bytes, read.crc32),
        options,
    )
}
