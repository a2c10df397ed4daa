//! What a bundle is, how it was made, and how many bytes each section takes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::BundleError;
use super::file::BundleFile;
use super::provenance::Provenance;
use super::timings::Timings;
use crate::format::header::VERSION;
use crate::format::terrain::TERRAIN_LEN;
use crate::format::{Tag, TerrainParameters, TreeCode, VisibilityMode, WorldKind};

/// Greatest length in bytes of the texts in a bundle that are read into memory.
pub(super) const TEXT_LIMIT: u64 = 16 << 20;

/// What a bundle is and how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Info {
    /// `terrain` or `cells`.
    pub kind: String,
    /// Version of the format.
    pub format_version: u32,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Checksum in the header, eight hexadecimal digits; stands for the whole file.
    pub checksum: String,
    /// What a terrain bundle is of; absent for cells.
    pub terrain: Option<TerrainInfo>,
    /// Sections in the order of the file.
    pub sections: Vec<SectionInfo>,
    /// How it was made; absent where the bundle does not say.
    pub provenance: Option<Provenance>,
    /// What the making took, where that is known from the file beside the bundle.
    pub timings: Option<Timings>,
}

/// What a terrain bundle is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct TerrainInfo {
    /// Columns of samples.
    pub width: u32,
    /// Rows of samples.
    pub height: u32,
    /// Samples, voids included.
    pub samples: u64,
    /// Levels of the quadtree.
    pub levels: u32,
    /// Quads of all levels, each with a PVS.
    pub quads: u64,
    /// Distance between samples in metres, east and south.
    pub spacing: [f64; 2],
    /// Height of the eye above ground in metres.
    pub eye_height: f64,
    /// Height of the top of the head above ground in metres.
    pub player_height: f64,
    /// Distance in metres beyond which nobody is seen; absent for none.
    pub max_distance: Option<f64>,
    /// `exact`, `conservative` or `sectors`.
    pub visibility: String,
    /// Number of radial sectors, in mode `sectors`.
    pub sectors: Option<u32>,
    /// Whether A sees B exactly when B sees A.
    pub mutual: bool,
    /// Radius of the earth in metres for curvature; absent for a flat one.
    pub earth_radius: Option<f64>,
    /// Refraction coefficient; 0 for none.
    pub refraction: f64,
    /// How PVSs are coded: `lossless`.
    pub tree_code: String,
    /// Whether some samples are void.
    pub has_voids: bool,
    /// Coordinate reference system.
    pub crs: Option<String>,
    /// Affine map of GDAL's order from pixel corners to the CRS.
    pub transform: Option<[f64; 6]>,
}

/// A section of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SectionInfo {
    /// Its four letters.
    pub tag: String,
    /// What it holds.
    pub holds: String,
    /// Where it begins.
    pub offset: u64,
    /// Bytes in the file.
    pub bytes: u64,
    /// Bytes when decompressed.
    pub uncompressed_bytes: u64,
}

/// Says what a bundle is and how it was made. Reads the header, the table and the small
/// sections.
pub fn info(path: &Path) -> Result<Info, BundleError> {
    let file = BundleFile::open(path)?;
    let header = file.header();
    let terrain = match header.kind {
        WorldKind::Terrain => Some(terrain_info(&file)?),
        WorldKind::Cells => None,
    };
    let provenance = match file.read(Tag::PROV, TEXT_LIMIT)? {
        None => None,
        Some(text) => {
            Some(
                serde_json::from_slice(&text).map_err(|error| BundleError::Section {
                    path: path.to_owned(),
                    section: Tag::PROV.to_string(),
                    problem: format!("expected provenance in JSON: {error}"),
                })?,
            )
        }
    };
    let sections = file.sections().iter().map(|section| SectionInfo {
        tag: section.tag.to_string(),
        holds: holds(section.tag).to_owned(),
        offset: section.offset,
        bytes: section.stored_length,
        uncompressed_bytes: section.length,
    });
    Ok(Info {
        kind: header.kind.to_string(),
        format_version: VERSION,
        bytes: header.file_length,
        checksum: format!("{:08x}", file.checksum()),
        terrain,
        sections: sections.collect(),
        provenance,
        timings: Timings::read_beside(path, header.file_length, file.checksum()),
    })
}

fn terrain_info(file: &BundleFile) -> Result<TerrainInfo, BundleError> {
    let format = |error| BundleError::Format {
        path: file.path().to_owned(),
        error,
    };
    let missing = format(crate::format::FormatError::MissingSection { tag: Tag::GRID });
    let record = file.read(Tag::GRID, TERRAIN_LEN as u64)?.ok_or(missing)?;
    let parameters = TerrainParameters::parse(&record).map_err(format)?;
    let crs = file.read(Tag::CRS, TEXT_LIMIT)?;
    let grid = parameters.grid;
    let (visibility, sectors) = match parameters.visibility {
        VisibilityMode::Exact => ("exact", None),
        VisibilityMode::Conservative => ("conservative", None),
        VisibilityMode::Sectors(sectors) => ("sectors", Some(sectors)),
    };
    let tree_code = match parameters.tree_code {
        TreeCode::Lossless => "lossless",
    };
    Ok(TerrainInfo {
        width: grid.width(),
        height: grid.height(),
        samples: grid.samples(),
        levels: grid.levels(),
        quads: grid.quad_count(),
        spacing: parameters.spacing,
        eye_height: parameters.eye_height,
        player_height: parameters.player_height,
        max_distance: Some(parameters.max_distance).filter(|d| d.is_finite()),
        visibility: visibility.to_owned(),
        sectors,
        mutual: parameters.mutual,
        earth_radius: Some(parameters.earth_radius).filter(|&radius| radius > 0.0),
        refraction: parameters.refraction,
        tree_code: tree_code.to_owned(),
        has_voids: file.section(Tag::VALD).is_some(),
        crs: crs.map(|text| String::from_utf8_lossy(&text).into_owned()),
        transform: parameters.transform,
    })
}

/// What a section holds, in words.
pub fn holds(tag: Tag) -> &'static str {
    match tag {
        Tag::GRID => "grid and options",
        Tag::CRS => "coordinate reference system",
        Tag::VALD => "where there is terrain",
        Tag::HGTS => "ground heights",
        Tag::SRCH => "ground heights as read",
        Tag::TREE => "PVS of every quad",
        Tag::TIDX => "index of the PVSs",
        Tag::PROV => "provenance",
        _ => "unknown to this version",
    }
}
