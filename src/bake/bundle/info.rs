//! What a bundle is, how it was made, and how many bytes each section takes.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::BundleError;
use super::file::{BundleFile, open_regular, read_up_to};
use super::provenance::Provenance;
use super::timings::Timings;
use crate::quality::Quality;
use viewcell::format::cells::{CellParameters, SymmetryCode};
use viewcell::format::header::VERSION;
use viewcell::format::patch::{PATCH_MAGIC, PATCH_VERSION};
use viewcell::format::sections::TEXT_LIMIT;
use viewcell::format::solid::SolidParameters;
use viewcell::format::{
    FileId, Patch, Section, Sizes, SolidUnits, Tag, TerrainParameters, TreeCode, VisibilityMode,
    WorldKind,
};
use viewcell::query::MappedBundle;
use viewcell_ingest::world::solid::Units;

/// What a bundle is and how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Info {
    /// `terrain`, `cells`, `solid` or `patch`.
    pub kind: String,
    /// Version of the format.
    pub format_version: u32,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Checksum in the header, eight hexadecimal digits; stands for the whole file.
    pub checksum: String,
    /// What a terrain bundle is of; absent for cells.
    pub terrain: Option<TerrainInfo>,
    /// What a cell bundle is of; absent for a terrain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsInfo>,
    /// What a bundle of a solid level is of; absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solid: Option<SolidInfo>,
    /// What a patch changes; absent for a bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<PatchInfo>,
    /// Sections in the order of the file.
    pub sections: Vec<SectionInfo>,
    /// How it was made; absent where the bundle does not say.
    pub provenance: Option<Provenance>,
    /// What the making took, where that is known from the file beside the bundle.
    pub timings: Option<Timings>,
}

/// What a terrain bundle is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TerrainInfo {
    /// Columns of samples.
    pub width: u32,
    /// Rows of samples.
    pub height: u32,
    /// Level of the view cells, as quads of the heightmap. 0 for its samples; else what is called a
    /// sample here is a cell of 2^finest of them a side.
    pub finest: u32,
    /// If not 0, quads answer for those that are far away: the greatest between which, across or down, lie at least
    /// so many of their size.
    pub grade: u32,
    /// Level of the smallest quads of the heightmap that were distinguished within cells; 0 for its samples.
    pub detail: u32,
    /// The quality that chooses view cells of these sizes for a terrain of this size: `draft`, `good`, `best` or
    /// `samples`; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
    /// Columns and rows of the heightmap.
    pub heightmap: [u32; 2],
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
    /// How PVSs are coded: `single`, each by itself; `pairs`, by pairs of blocks; or `graded`, by pairs of blocks of
    /// cells that grow with distance.
    pub tree_code: String,
    /// Whether some of what was hidden is given out as visible, to save bytes.
    pub lossy: bool,
    /// Whether nobody can be at some samples: voids, and what is not walkable.
    pub has_voids: bool,
    /// Whether there may be terrain where nobody can be. It has heights, and was taken to hide.
    pub walkable: bool,
    /// Whether what hides is another surface than the ground, whose heights the bundle has.
    pub covered: bool,
    /// Coordinate reference system.
    pub crs: Option<String>,
    /// Affine map of GDAL's order from pixel corners to the CRS.
    pub transform: Option<[f64; 6]>,
}

/// What a cell bundle is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellsInfo {
    /// Cells.
    pub cells: u32,
    /// Different rows of the PVS: cells that see the same cells share one.
    pub rows: u32,
    /// How one-way visibility was made mutual: `or`, `and` or `none`.
    pub symmetry: String,
    /// Bits a distance: 4, 8 or 16.
    pub distance_bits: u32,
    /// Greatest distance of two cells that are not unreachable.
    pub greatest_distance: u32,
    /// Nodes of the BSP that locates points; 0 where there is none.
    pub bsp_nodes: u32,
    /// Pairs of cells that touch; 0 where the bundle does not know.
    pub touching_pairs: u32,
}

/// What a bundle of a solid level is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolidInfo {
    /// View cells.
    pub cells: u32,
    /// Objects that are seen in place of players; absent but of a scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<u32>,
    /// How many of these a view cell sees, on average of at most 4,096 cells, even in their numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_objects_seen: Option<f64>,
    /// Opaque convex solids of the level.
    pub solids: u32,
    /// Opaque faces of the level that are of no solid.
    pub faces: u32,
    /// Size of the smallest cells, by axis, as all lengths and positions here in the coordinates that the program is asked with.
    pub cell: [f64; 3],
    /// The distance at which boxes of cells answer as one, in their sizes; 0 where none do.
    #[serde(default)]
    pub grade: u32,
    /// The quality that chooses such cells for this level, which may be several: `draft`, `good`, `best` or `samples`; absent
    /// where none is known to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
    /// Least and greatest corner of the body, from the player's origin.
    pub hull: [[f64; 3]; 2],
    /// Heights of the eye over the player's origin, from crouched to standing.
    pub eye: [f64; 2],
    /// What a unit of the level is: `quake`, `metres`, or `unknown` where a bundle of version 1 does not say.
    pub units: String,
    /// What a unit is called that the program is asked with: `m`, `cm`, `mm`, `ft`, or `units`.
    pub unit: String,
    /// Where the level was baked around.
    pub origin: [f64; 3],
    /// For x, y and z of the level the axis that the program is asked with, from 1; negative where it points the other way.
    pub axes: [i8; 3],
    /// Units of the level in a unit that the program is asked with.
    pub scale: f64,
    /// Columns and rows of the grid that cells are numbered into.
    pub grid: [u32; 2],
    /// Whether A sees B exactly when B sees A.
    pub mutual: bool,
    /// Whether some of what was hidden is given out as visible, to save bytes.
    pub lossy: bool,
}

/// What a patch changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchInfo {
    /// The bundle that it belongs to.
    pub bundle: FileInfo,
    /// What it is laid over: that bundle, or the patch before it.
    pub over: FileInfo,
    /// Samples whose ground it changes.
    pub samples: u64,
    /// Blocks of 8 × 8 samples of which it has the groups, of those that the bundle has.
    pub groups: u64,
    /// Blocks that the bundle has.
    pub blocks: u64,
    /// Quads of which it has the trees.
    pub trees: u64,
    /// Whether there is terrain where there was none, or none where there was some.
    pub changes_voids: bool,
}

/// A file by what its header says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileInfo {
    /// Its length.
    pub bytes: u64,
    /// Checksum in its header, eight hexadecimal digits.
    pub checksum: String,
}

impl From<FileId> for FileInfo {
    fn from(id: FileId) -> Self {
        Self {
            bytes: id.length,
            checksum: format!("{:08x}", id.checksum),
        }
    }
}

/// A section of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
/// sections; of a patch all.
pub fn info(path: &Path) -> Result<Info, BundleError> {
    if is_patch(path)? {
        return patch_info(path);
    }
    let file = BundleFile::open(path)?;
    let header = file.header();
    let provenance = match file.section(Tag::PROV) {
        None => None,
        Some(_) => Some(provenance_in(
            path,
            &file.need(Tag::PROV, &Sizes::default())?,
        )?),
    };
    let (mut terrain, mut cells, mut solid) = (None, None, None);
    match header.kind {
        WorldKind::Terrain => terrain = Some(terrain_info(&file)?),
        WorldKind::Cells => cells = Some(cells_info(&file)?),
        WorldKind::Solid => solid = Some(solid_info(&file, provenance.as_ref())?),
    }
    let sections = file.sections().iter().map(SectionInfo::of);
    Ok(Info {
        kind: header.kind.to_string(),
        format_version: VERSION,
        bytes: header.file_length,
        checksum: format!("{:08x}", file.checksum()),
        terrain,
        cells,
        solid,
        patch: None,
        sections: sections.collect(),
        provenance,
        timings: Timings::read_beside(path, header.file_length, file.checksum()),
    })
}

impl SectionInfo {
    fn of(section: &Section) -> Self {
        let holds = section.tag.kind();
        Self {
            tag: section.tag.to_string(),
            holds: holds
                .map_or("unknown to this version", |kind| kind.holds)
                .to_owned(),
            offset: section.offset,
            bytes: section.stored_length,
            uncompressed_bytes: section.length,
        }
    }
}

pub(super) fn provenance_in(path: &Path, text: &[u8]) -> Result<Provenance, BundleError> {
    serde_json::from_slice(text).map_err(|error| {
        let problem = format!("expected provenance in JSON: {error}");
        BundleError::section(path, Tag::PROV, problem)
    })
}

fn is_patch(path: &Path) -> Result<bool, BundleError> {
    let read = BundleError::read(path);
    let (mut file, _) = open_regular(path).map_err(read)?;
    let start = read_up_to(&mut file, PATCH_MAGIC.len() as u64).map_err(read)?;
    Ok(start == PATCH_MAGIC)
}

fn patch_info(path: &Path) -> Result<Info, BundleError> {
    let bytes = std::fs::read(path).map_err(BundleError::read(path))?;
    let patch = Patch::parse(&bytes).map_err(BundleError::format(path))?;
    let header = patch.header();
    let provenance = match patch.section(Tag::PROV) {
        Some((section, stored)) if section.length <= TEXT_LIMIT => {
            let text = zstd::bulk::decompress(stored, section.length as usize);
            let text = text.map_err(|error| {
                let problem = format!("expected a frame of zstd: {error}");
                BundleError::section(path, Tag::PROV, problem)
            })?;
            Some(provenance_in(path, &text)?)
        }
        _ => None,
    };
    Ok(Info {
        kind: "patch".to_owned(),
        format_version: PATCH_VERSION,
        bytes: header.file_length,
        checksum: format!("{:08x}", patch.id().checksum),
        terrain: None,
        cells: None,
        solid: None,
        patch: Some(PatchInfo {
            bundle: header.base.into(),
            over: header.parent.into(),
            samples: patch.heights().count() as u64,
            groups: patch.groups().count() as u64,
            blocks: header.blocks.into(),
            trees: patch.trees().count() as u64,
            changes_voids: patch.valid().is_some(),
        }),
        sections: patch
            .sections()
            .map(|section| SectionInfo::of(&section))
            .collect(),
        provenance,
        timings: None,
    })
}

fn terrain_info(file: &BundleFile) -> Result<TerrainInfo, BundleError> {
    let format = BundleError::format(file.path());
    let none = Sizes::default();
    let parameters = TerrainParameters::parse(&file.need(Tag::GRID, &none)?).map_err(format)?;
    let crs = file.read(Tag::CRS, &none)?;
    let grid = parameters.grid;
    let (visibility, sectors) = match parameters.visibility {
        VisibilityMode::Exact => ("exact", None),
        VisibilityMode::Conservative => ("conservative", None),
        VisibilityMode::Sectors(sectors) => ("sectors", Some(sectors)),
    };
    let tree_code = match parameters.tree_code {
        TreeCode::Single => "single",
        TreeCode::Levels if parameters.grade > 0 => "graded",
        TreeCode::Levels => "pairs",
    };
    Ok(TerrainInfo {
        width: grid.width(),
        height: grid.height(),
        finest: parameters.finest(),
        grade: parameters.grade,
        detail: parameters.detail(),
        quality: Quality::of(&parameters).map(|quality| quality.name().to_owned()),
        heightmap: parameters.heightmap(),
        samples: grid.samples(),
        levels: grid.levels(),
        quads: grid.quad_count(),
        spacing: parameters.cell_spacing,
        eye_height: parameters.eye_height,
        player_height: parameters.player_height,
        max_distance: Some(parameters.max_distance).filter(|d| d.is_finite()),
        visibility: visibility.to_owned(),
        sectors,
        mutual: parameters.mutual,
        earth_radius: Some(parameters.earth_radius).filter(|&radius| radius > 0.0),
        refraction: parameters.refraction,
        tree_code: tree_code.to_owned(),
        lossy: parameters.lossy,
        has_voids: file.section(Tag::VALD).is_some(),
        walkable: parameters.walkable,
        covered: parameters.covered,
        crs: crs.map(|text| String::from_utf8_lossy(&text).into_owned()),
        transform: parameters.transform,
    })
}

fn cells_info(file: &BundleFile) -> Result<CellsInfo, BundleError> {
    let format = BundleError::format(file.path());
    let record = file.need(Tag::CELL, &Sizes::default())?;
    let parameters = CellParameters::parse(&record).map_err(format)?;
    Ok(CellsInfo {
        cells: parameters.cells,
        rows: parameters.rows,
        symmetry: match parameters.symmetry {
            SymmetryCode::Or => "or",
            SymmetryCode::And => "and",
            SymmetryCode::None => "none",
        }
        .to_owned(),
        distance_bits: parameters.distance_bits.bits(),
        greatest_distance: parameters.greatest_distance,
        bsp_nodes: parameters.nodes,
        touching_pairs: parameters.neighbours / 2,
    })
}

fn solid_info(
    file: &BundleFile,
    provenance: Option<&Provenance>,
) -> Result<SolidInfo, BundleError> {
    let format = BundleError::format(file.path());
    let none = Sizes::default();
    let solid = SolidParameters::parse(&file.need(Tag::SOLD, &none)?).map_err(format)?;
    let terrain = TerrainParameters::parse(&file.need(Tag::GRID, &none)?).map_err(format)?;
    let option = |name: &str| provenance?.options.get(name);
    let grade = option("grade").and_then(Value::as_u64).unwrap_or(0) as u32;
    let quality = match option("quality").and_then(Value::as_str) {
        Some(name) => Some(name.to_owned()),
        // Bundles that do not say: of cells of the usual size, of which each answers for itself.
        None if grade == 0 && usual_cell(solid.units) == Some(solid.cell[0]) => {
            Some(Quality::unnamed(solid.cells as usize).name().to_owned())
        }
        None => None,
    };
    let frame = solid.frame;
    let seen = solid.is_scene.then(|| objects_seen(file.path())).flatten();
    Ok(SolidInfo {
        cells: solid.cells,
        objects: seen.map(|(objects, _)| objects),
        mean_objects_seen: seen.map(|(_, mean)| mean),
        solids: solid.solids,
        faces: solid.faces,
        cell: frame.to_asked(solid.cell).map(f64::abs),
        grade,
        quality,
        hull: frame.corners_to_asked(solid.hull),
        eye: solid.eye.map(|up| frame.length_to_asked(up)),
        units: solid.units.name().to_owned(),
        unit: solid.units.asked(frame).to_owned(),
        origin: frame.to_asked(solid.middle),
        axes: frame.axes,
        scale: frame.scale,
        grid: [terrain.grid.width(), terrain.grid.height()],
        mutual: terrain.mutual,
        lossy: terrain.lossy,
    })
}

/// How many objects a scene has, and how many of them its view cells see on average, of some; `None` of one that is damaged.
fn objects_seen(path: &Path) -> Option<(u32, f64)> {
    let map = MappedBundle::open(path).ok()?;
    let bundle = map.bundle().ok()?;
    let scene = bundle.solid().ok()?;
    let objects = scene.objects()?.count();
    let step = scene.cells().div_ceil(MOST_CELLS) as usize;
    let cells = (0..scene.cells()).step_by(step);
    let seen = |cell| scene.objects_from(Some(cell)).count();
    let (count, all) = cells.fold((0, 0), |(count, all), cell| (count + 1, all + seen(cell)));
    Some((objects, all as f64 / f64::from(count)))
}

/// So many view cells say what cells see on average.
const MOST_CELLS: u32 = 4096;

/// The usual size of cells.
fn usual_cell(units: SolidUnits) -> Option<f64> {
    match units {
        SolidUnits::Quake => Some(Units::Quake.cell()),
        SolidUnits::Metres => Some(Units::Metres.cell()),
        SolidUnits::Unknown => None,
    }
}
