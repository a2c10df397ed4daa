//! What a store is of: the job, and the share of it. Their bytes are made by `wincode`.
//!
//! Did not pay: serialization of our own in place of that crate: 150 lines for six packages less.

use serde::Serialize;
use wincode::{SchemaRead, SchemaWrite};

use super::frame::{Fault, JOB, Reader};
use super::group::limits;
use crate::bundle::{GridHeader, GridKind, InputFile, SolidSections};
use crate::job::tiles::tile_count;
use viewcell::format::TerrainParameters;

/// All that decides the bytes of a bundle. Two bakes of equal jobs write equal bundles.
#[derive(Clone, Debug, PartialEq, SchemaRead, SchemaWrite)]
pub(crate) struct Job {
    /// Program and version.
    pub tool: String,
    /// The file that the terrain came from.
    pub input: InputFile,
    /// The options of the bake, by their names on the command line: a JSON object.
    pub options: String,
    /// The bytes of the `GRID` section.
    pub parameters: Vec<u8>,
    /// The coordinate reference system.
    pub crs: Option<String>,
    /// Of a solid level: the sections that only its bundles have.
    pub solid: Option<SolidSections>,
    /// Digest of the ground heights, or of what hides in a solid level; algorithm first.
    pub heights: String,
    /// Tiles of viewpoints that it comes to.
    pub tiles: u32,
}

/// A share of a job's tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, SchemaRead, SchemaWrite)]
pub struct Share {
    /// Number of the share, from 1.
    pub index: u32,
    /// Shares that the job was split into.
    pub of: u32,
    /// Its first tile.
    pub first: u32,
    /// The tile after its last.
    pub end: u32,
}

/// What a store is of.
#[derive(Clone, Debug, PartialEq, SchemaRead, SchemaWrite)]
pub(crate) struct Head {
    /// The bake.
    pub job: Job,
    /// The share of it: of a checkpoint, the only one.
    pub share: Share,
}

/// In what two jobs differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    /// The option or property.
    pub what: String,
    /// What it is in the one.
    pub first: String,
    /// What it is in the other.
    pub second: String,
}

/// Options of a bake, by their names on the command line.
pub(crate) type Options = serde_json::Map<String, serde_json::Value>;

impl Head {
    /// The next record, which is to be one.
    pub(super) fn read(reader: &mut Reader) -> Result<Self, Fault> {
        let start = reader.position();
        let payload = reader.expect(JOB)?;
        wincode::config::deserialize_exact(&payload, limits()).map_err(|_| Fault::Damaged(start))
    }

    /// Whether a bake comes to so many tiles, and has those of the share.
    pub(super) fn is_of(&self, parameters: &TerrainParameters) -> bool {
        let Share { first, end, .. } = self.share;
        let tiles = u64::from(self.job.tiles);
        first <= end && end <= self.job.tiles && tiles == tile_count(parameters)
    }

    /// The first difference to another head that a person would name; `None` if there is none.
    pub(crate) fn difference(&self, other: &Self) -> Option<Difference> {
        let share = |head: &Self| match head.share {
            Share { of: 1, .. } => "all".to_owned(),
            Share { index, of, .. } => format!("{index}/{of}"),
        };
        self.job
            .difference(&other.job)
            .or_else(|| difference("share", share(self), share(other)))
    }
}

impl Job {
    /// What the bundle says of itself; `None` where these are no parameters of a terrain.
    pub(crate) fn header(&self) -> Option<GridHeader> {
        Some(GridHeader {
            parameters: TerrainParameters::parse(&self.parameters).ok()?,
            crs: self.crs.clone(),
            kind: GridKind::of(self.solid.clone()),
        })
    }

    /// Its options.
    pub(crate) fn options(&self) -> Options {
        serde_json::from_str(&self.options).unwrap_or_default()
    }

    /// The first difference to another job that a person would name; `None` if there is none.
    pub(crate) fn difference(&self, other: &Self) -> Option<Difference> {
        let differ = |what: &str, of: &dyn Fn(&Self) -> String| {
            let (first, second) = (of(self), of(other));
            difference(what, first, second)
        };
        let options = [self.options(), other.options()];
        let option = |name: &String| {
            let [first, second] = [0, 1].map(|i: usize| {
                let value = options[i].get(name);
                value.map_or("not given".to_owned(), |value| value.to_string())
            });
            difference(&format!("`{name}`"), first, second)
        };
        let hexadecimal = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect();
        differ("program", &|job| job.tool.clone())
            .or_else(|| {
                differ("input", &|job| {
                    let InputFile {
                        name,
                        format,
                        bytes,
                        digest,
                    } = &job.input;
                    format!("{name} ({format}, {bytes} bytes, {digest})")
                })
            })
            .or_else(|| options.iter().flat_map(|map| map.keys()).find_map(option))
            .or_else(|| differ("ground heights", &|job| job.heights.clone()))
            .or_else(|| differ("parameters", &|job| hexadecimal(&job.parameters)))
            .or_else(|| {
                differ("coordinate reference system", &|job| {
                    job.crs.clone().unwrap_or("none".to_owned())
                })
            })
            .or_else(|| {
                differ("view cells", &|job| match &job.solid {
                    Some(solid) => format!("{:08x}", crc32fast::hash(&solid.boxes)),
                    None => "none".to_owned(),
                })
            })
            .or_else(|| differ("number of tiles", &|job| job.tiles.to_string()))
    }
}

fn difference(what: &str, first: String, second: String) -> Option<Difference> {
    (first != second).then(|| Difference {
        what: what.to_owned(),
        first,
        second,
    })
}
