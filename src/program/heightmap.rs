//! A heightmap as an argument: how to read it, how far sight goes over it and over what earth, and how large its view
//! cells are.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::plan::{CellChoice, Grade, free_memory};
use viewcell_bake::visibility::Curvature;
use viewcell_bake::{Quality, check_sight};
use viewcell_ingest as ingest;
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, Ingested, read_terrain};

use super::exit::Failure;
use super::flags::noted;
use super::values;

/// A heightmap, with the options of reading that `viewcell bake terrain` has.
#[derive(clap::Args)]
pub struct Heightmap {
    /// Heightmap: GeoTIFF, PNG, RAW16, SRTM .hgt, ESRI ASCII grid, ENVI, .bil or .flt with its header; detected from its
    /// content
    #[arg(value_name = "TERRAIN")]
    pub input: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

impl Heightmap {
    /// Reads it.
    pub fn read(&self) -> Result<Ingested, Failure> {
        self.reading.read(&self.input)
    }
}

/// How to read a heightmap.
#[derive(Clone, clap::Args, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Reading {
    /// Metres between columns and between rows; overrides the file
    #[arg(long, value_name = "DX[,DY]", value_parser = spacing)]
    #[schemars(with = "Option<OneOrTwo>")]
    pub spacing: Option<[f64; 2]>,

    /// Metres of height per unit of the file's values, and metres to add to every height after that [default: 1,0]
    #[arg(
        long,
        value_name = "S[,METRES]",
        default_value = "1",
        hide_default_value = true,
        value_parser = heights
    )]
    #[schemars(with = "OneOrTwo", default = "as_stored")]
    pub vertical_scale: [f64; 2],

    /// Columns and rows of a RAW16 or RAW32 file, which have no header
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,

    /// Byte order of a RAW16 or RAW32 file, or of one whose ESRI header does not say; overrides that header
    #[arg(long, hide_short_help = true, value_enum)]
    pub byte_order: Option<ByteOrder>,

    /// Stored value for no data; overrides the file
    #[arg(long, value_name = "VALUE", value_parser = nodata)]
    pub nodata: Option<f64>,

    /// Bake only a part: first column, first row, columns, rows
    #[arg(long, value_name = "C,R,W,H", value_parser = crop)]
    pub crop: Option<[u32; 4]>,
}

fn as_stored() -> [f64; 2] {
    [1.0, 0.0]
}

/// A number of a job file, or two.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a schema")]
enum OneOrTwo {
    One(f64),
    Two([f64; 2]),
}

/// Whether a job file asks for something, or with which number or word.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a schema")]
enum Asked {
    OrNot(bool),
    With(f64),
    As(String),
}

fn spacing(text: &str) -> Result<[f64; 2], String> {
    let (dx, dy) = values::one_or_two(text).ok_or("expected DX or DX,DY in metres")?;
    Ok([dx, dy.unwrap_or(dx)])
}

fn heights(text: &str) -> Result<[f64; 2], String> {
    let (scale, offset) = values::one_or_two(text).ok_or("expected S or S,METRES: numbers")?;
    Ok([scale, offset.unwrap_or(0.0)])
}

fn nodata(text: &str) -> Result<f64, String> {
    ingest::parse_number(text).ok_or_else(|| "expected a number, or nan".into())
}

/// Bytes of memory for a sample while a heightmap is read: its height twice, and what it is decoded from.
const BYTES: u64 = 16;

/// More samples than a bundle can have: a header that names more is wrong.
const MOST_SAMPLES: u64 = 1 << 30;

/// The samples that the memory has room for, and at least as many as usual.
fn max_samples() -> u64 {
    let usual = IngestOptions::default().max_samples;
    free_memory().map_or(usual, |free| (free / BYTES).clamp(usual, MOST_SAMPLES))
}

impl Reading {
    /// Reads a heightmap so.
    pub fn read(&self, input: &Path) -> Result<Ingested, Failure> {
        let mut read = read_terrain(input, &self.options())?;
        noted(&mut read.notes);
        Ok(read)
    }

    /// For ingest.
    pub fn options(&self) -> IngestOptions {
        IngestOptions {
            spacing: self.spacing,
            vertical_scale: self.vertical_scale[0],
            vertical_offset: self.vertical_scale[1],
            size: self.size,
            byte_order: self.byte_order.map(|order| match order {
                ByteOrder::Little => ingest::ByteOrder::Little,
                ByteOrder::Big => ingest::ByteOrder::Big,
            }),
            crop: self.crop,
            nodata: self.nodata,
            max_samples: max_samples(),
        }
    }
}

/// Byte order of 16-bit samples.
#[derive(Clone, Copy, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ByteOrder {
    /// Low byte first (Unity, Windows)
    Little,
    /// High byte first (Mac)
    Big,
}

/// Columns and rows.
fn size(text: &str) -> Result<[u32; 2], String> {
    let size = values::list(&text.replace('x', ","), ',').and_then(|list| list.try_into().ok());
    size.ok_or_else(|| "expected WxH, as in 513x513".into())
}

/// First column, first row, columns, rows.
fn crop(text: &str) -> Result<[u32; 4], String> {
    let crop = values::list(text, ',').and_then(|list| list.try_into().ok());
    crop.ok_or_else(|| "expected C,R,W,H: first column, first row, columns, rows".into())
}

/// How far sight goes, and over what earth.
#[derive(Clone, clap::Args, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SightArgs {
    /// Range of sight in metres, measured horizontally [default: unlimited]
    #[arg(long, value_name = "METRES")]
    pub max_distance: Option<f64>,

    /// Take the earth's curvature and atmospheric refraction into account. The file must give the length of a unit
    /// of its coordinates, or --spacing must
    ///
    /// K is the refraction coefficient: how much air bends sight, as a share of the earth's curvature, 0 to less than 1
    /// [default: 1/7].
    #[arg(
        long,
        value_name = "K",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1/7",
        value_parser = refraction
    )]
    #[schemars(with = "Option<Asked>")]
    pub earth_curvature: Option<f64>,
}

fn refraction(text: &str) -> Result<f64, String> {
    match text {
        "1/7" => Ok(Curvature::REFRACTION),
        text => values::finite(text),
    }
}

/// The same, as results tell it.
#[derive(Serialize, JsonSchema)]
pub struct SightDocument {
    /// Distance in metres beyond which nothing is seen; absent for no limit.
    pub max_distance: Option<f64>,
    /// Radius of the earth in metres for curvature; absent for a flat one.
    earth_radius: Option<f64>,
    /// Refraction coefficient; 0 for none.
    refraction: f64,
    #[serde(skip)]
    pub curvature: Option<Curvature>,
}

impl SightArgs {
    /// What they come to over `terrain`, which was read from `input`.
    pub fn over(
        &self,
        terrain: &Terrain,
        input: &Path,
        reading: &Reading,
    ) -> Result<SightDocument, Failure> {
        let placed = terrain.georeference().is_some_and(|place| place.has_crs());
        if self.earth_curvature.is_some() && !placed && reading.spacing.is_none() {
            return Err(Failure::bad_input(format!(
                "{}: --earth-curvature needs the distance between samples in metres, and the file \
                 names no coordinate reference system; give --spacing DX[,DY]",
                input.display()
            )));
        }
        let curvature = self.earth_curvature.map(Curvature::earth);
        check_sight(terrain, self.max_distance, curvature)?;
        Ok(SightDocument {
            max_distance: self.max_distance,
            earth_radius: curvature.map(|earth| earth.radius),
            refraction: curvature.map_or(0.0, |earth| earth.refraction),
            curvature,
        })
    }
}

/// How many quads of a size lie between two that answer as one, if a person does not say: who is
/// 16 cells away is asked for by cells, who is 32 away by 2 × 2.
const GRADE: &str = "16";

/// How much of what could be hidden is hidden, for how much work.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QualityName {
    /// Larger cells that grow soon: a small part of the work of good, to look at
    Draft,
    /// Cells that grow with distance, small near players; small terrains and levels as samples
    #[default]
    Good,
    /// As good, with finer cells; up to four times the work; small terrains and levels as samples
    Best,
    /// Each sample of a terrain, or cell of the usual size, with each; the work grows with the square of their number
    Samples,
}

impl QualityName {
    /// The same of the library, which has them in the same order.
    pub fn quality(self) -> Quality {
        Quality::ALL[self as usize]
    }
}

/// Cells of a terrain, and how they grow.
#[derive(Clone, clap::Args, JsonSchema)]
pub struct CellSizeArgs {
    /// How much of what could be hidden is hidden, for how much work: chooses --finest, --grade and --detail by the
    /// size of the terrain, unless one of them is given
    ///
    /// --dry-run tells what each of them takes here.
    #[arg(long, value_enum, default_value_t, value_name = "QUALITY")]
    #[serde(default)]
    pub quality: QualityName,

    /// Level of the quads that are the view cells, for large terrains: 3 for squares of 8 samples a side, up to 6;
    /// with --grade also 1 and 2; 0 for samples
    ///
    /// A cell sees another if anybody anywhere in it sees anybody anywhere in the other. Places are still given as
    /// samples: the cell that contains a sample answers for it.
    #[arg(long, hide_short_help = true, value_name = "L")]
    pub finest: Option<u32>,

    /// Let cells grow with distance: far away, quads of 2 × 2 cells answer as one, further away 4 × 4, and so on
    ///
    /// Two quads answer as one if the distance between them, in columns or rows, is at least RATIO of their sizes
    /// [default: 16]. One sees the other if anybody in it does. No visible player is hidden; more counts as
    /// visible, in less time and fewer bytes. With auto, cells are as --quality chooses them for terrains of more than
    /// 300,000 samples, at any size.
    #[arg(
        hide_short_help = true,
        long,
        value_name = "RATIO",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = GRADE
    )]
    #[schemars(with = "Option<Asked>")]
    pub grade: Option<Grade>,

    /// With --finest: level of the smallest quads that are distinguished within cells: 0 for samples, which hides
    /// the most; 1, 2 ... up to L, for whole cells, which takes the least time
    ///
    /// For terrains of thousands of samples a side. No visible player is hidden; more counts as visible.
    /// Conservative visibility only.
    #[arg(long, hide_short_help = true, value_name = "LEVEL")]
    pub detail: Option<u32>,
}

impl CellSizeArgs {
    /// For the library.
    pub fn choice(&self) -> CellChoice {
        CellChoice {
            quality: self.quality.quality(),
            finest: self.finest,
            grade: self.grade,
            detail: self.detail,
            cell: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_are_read_whole_or_not_at_all() {
        assert_eq!(spacing("90"), Ok([90.0; 2]));
        assert_eq!(spacing("74.5, 92"), Ok([74.5, 92.0]));
        assert_eq!(size("513x257"), Ok([513, 257]));
        assert_eq!(crop("1,2,3,4"), Ok([1, 2, 3, 4]));
        assert!(spacing("1,2,3").is_err());
        assert!(size("513").is_err());
        assert!(crop("1,2,3,-4").is_err());
        assert!(crop("1,2,3,4,5").is_err());
    }
}
