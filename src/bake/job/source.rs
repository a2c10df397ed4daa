//! Provenance of a bake: its input with a digest, and the options that change the result.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::options::{BakeOptions, mutual};
use super::store::records::{Head, Job, Options, Share};
use super::tiles::tile_count;
use crate::bundle::{GridHeader, GridKind, InputFile, Provenance, Statistics};
use viewcell::format::{Coarse, Grid, TerrainParameters, TreeCode};
use viewcell_ingest::terrain_files;
use viewcell_ingest::world::Terrain;

/// The program, as it signs what it makes.
pub(super) const TOOL: &str = concat!("viewcell ", env!("CARGO_PKG_VERSION"));

/// Where the world came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The file.
    pub input: InputFile,
    /// The options of the bake that change the result, by their names on the command line.
    pub options: Options,
}

impl Source {
    /// Describes the file at `path`, which it reads once for the digest. Of a terrain the digest is that of all files that
    /// it consists of: the file's own where it is alone, else the names and the bytes of the others go on.
    ///
    /// # Errors
    ///
    /// Where a file cannot be read.
    pub fn new(path: &Path, format: &str, options: Options) -> io::Result<Self> {
        let files = terrain_files(path);
        let mut digest = crc32fast::Hasher::new();
        let mut length = 0;
        for (i, file) in files.iter().enumerate() {
            let bytes = std::fs::read(file)?;
            if i == 0 {
                length = bytes.len() as u64;
            } else {
                let name = file.file_name().unwrap_or_default();
                digest.update(name.as_encoded_bytes());
            }
            digest.update(&bytes);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self::of_bytes(
            &name,
            format,
            (length, digest.finalize()),
            options,
        ))
    }

    /// Describes a file that was read: its name and bytes.
    pub fn of_file(path: &Path, bytes: &[u8], format: &str, options: Options) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let sum = (bytes.len() as u64, crc32fast::hash(bytes));
        Self::of_bytes(&name, format, sum, options)
    }

    /// Describes a file by its name, how many bytes it has, and their CRC-32: it may lie in a pack.
    pub fn of_bytes(
        name: &str,
        format: &str,
        (bytes, crc32): (u64, u32),
        options: Options,
    ) -> Self {
        Self {
            input: InputFile {
                name: name.to_owned(),
                format: format.to_owned(),
                bytes,
                digest: format!("crc32:{crc32:08x}"),
            },
            options,
        }
    }

    /// Describes a terrain that is from no file, by its heights.
    pub fn of_terrain(terrain: &Terrain) -> Self {
        Self {
            input: InputFile {
                name: "memory".to_owned(),
                format: "heights".to_owned(),
                bytes: 8 * terrain.samples() as u64,
                digest: digest(terrain),
            },
            options: Options::new(),
        }
    }
}

/// What the bundle of a bake says of itself; `coarse`, if its samples are cells of a heightmap;
/// `covered`, if what hides is not the ground.
pub(crate) fn header(
    terrain: &Terrain,
    grid: Grid,
    coarse: Option<Coarse>,
    covered: bool,
    options: &BakeOptions,
) -> GridHeader {
    let georeference = terrain.georeference();
    GridHeader {
        parameters: TerrainParameters {
            grid,
            cell_spacing: terrain.spacing(),
            eye_height: options.eye_height,
            player_height: options.player_height,
            max_distance: options.max_distance.unwrap_or(f64::INFINITY),
            visibility: options.mode.into(),
            mutual: mutual(options),
            tree_code: TreeCode::Levels,
            grade: options.grade,
            lossy: false,
            earth_radius: options.curvature.map_or(0.0, |earth| earth.radius),
            refraction: options.curvature.map_or(0.0, |earth| earth.refraction),
            transform: georeference.map(|g| g.transform),
            coarse,
            walkable: terrain.walkable().is_some(),
            covered,
        },
        crs: georeference.map(|g| g.crs.clone()),
        kind: GridKind::Terrain,
    }
}

/// All that decides the bytes of the bundle; `heights` is the terrain's [`digest`].
pub(super) fn job(heights: String, source: &Source, header: &GridHeader) -> Job {
    Job {
        tool: TOOL.to_owned(),
        input: source.input.clone(),
        options: serde_json::Value::Object(source.options.clone()).to_string(),
        parameters: header.parameters.encode().to_vec(),
        crs: header.crs.clone(),
        solid: header.kind.solid().cloned(),
        heights,
        tiles: tile_count(&header.parameters) as u32,
    }
}

/// Digest of what decides who sees whom: of the surface, of the ground where that is another, and of
/// where somebody can be; algorithm first.
pub(super) fn digest(terrain: &Terrain) -> String {
    let of = |bytes: &mut dyn Iterator<Item = Vec<u8>>| {
        let mut digest = crc32fast::Hasher::new();
        bytes.for_each(|bytes| digest.update(&bytes));
        format!("crc32:{:08x}", digest.finalize())
    };
    let heights = |heights: &[f64]| {
        of(&mut heights.chunks(1 << 12).map(|heights| {
            let bytes = heights.iter().flat_map(|&h| canonical(h).to_le_bytes());
            bytes.collect()
        }))
    };
    let mut digest = heights(terrain.heights());
    if terrain.has_ground() {
        digest += &format!(", ground {}", heights(terrain.ground()));
    }
    if let Some([bare, tops]) = terrain.roofs() {
        digest += &format!(", below {}, tops {}", heights(bare), heights(tops));
    }
    if let Some(walkable) = terrain.walkable() {
        let mut bytes = walkable.chunks(1 << 12).map(|walkable| {
            let bytes = walkable.iter().map(|&walkable| u8::from(walkable));
            bytes.collect()
        });
        digest += &format!(", walkable {}", of(&mut bytes));
    }
    digest
}

/// Every void as the same NaN.
fn canonical(height: f64) -> f64 {
    if height.is_nan() { f64::NAN } else { height }
}

impl Job {
    /// The whole of it as one share.
    pub(super) fn whole(self) -> Head {
        let share = Share {
            index: 1,
            of: 1,
            first: 0,
            end: self.tiles,
        };
        Head { job: self, share }
    }

    /// How the bundle was made, but for what comes out.
    pub(super) fn provenance(&self) -> Provenance {
        Provenance {
            tool: self.tool.clone(),
            input: self.input.clone(),
            options: self.options(),
            statistics: Statistics::default(),
            cells: None,
            loss: None,
            sections: BTreeMap::new(),
        }
    }
}
