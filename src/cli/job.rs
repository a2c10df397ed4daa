//! What to bake: the options of `viewcell bake terrain`, on the command line or in a job file.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use viewcell::bake::Mode;
use viewcell::ingest::{self, IngestOptions};
use viewcell::visibility::{Curvature, MAX_SECTORS};
use viewcell::world::Terrain;

use super::compression::{ByteSize, CompressionArgs, Method, Ties, WeightOf};
use super::exit::{Exit, Failure};
use super::threads;

/// A job file: what to bake, in TOML. Paths are relative to the file's own folder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "viewcell job file")]
pub struct JobFile {
    /// A terrain to bake, with the options of `viewcell bake terrain`.
    terrain: TerrainJob,
}

/// A terrain to bake.
#[derive(Clone, clap::Args, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TerrainJob {
    /// Heightmap: GeoTIFF, PNG, RAW16, SRTM .hgt, ESRI ASCII grid, ENVI; told by its content
    pub input: PathBuf,

    /// Bundle to write; if not given, the input's name with .vcb, in the current folder
    #[arg(short, long, value_name = "OUT.vcb")]
    pub output: Option<PathBuf>,

    /// Overwrite the bundle if it is there
    #[arg(long)]
    #[serde(default)]
    pub force: bool,

    /// Check the finished bundle with every rule of viewcell verify
    #[arg(long)]
    #[serde(default)]
    pub verify: bool,

    /// Height of a player in metres: hidden is who cannot be seen up to the top of the head
    #[arg(long, value_name = "METRES", default_value_t = player_height(), help_heading = "Players")]
    #[serde(default = "player_height")]
    pub player_height: f64,

    /// Height of the eye in metres; if not given, the player height
    #[arg(long, value_name = "METRES", help_heading = "Players")]
    pub eye_height: Option<f64>,

    /// Nobody sees further than this over the ground, in metres; if not given, sight has no limit
    #[arg(long, value_name = "METRES", help_heading = "Players")]
    pub max_distance: Option<f64>,

    /// Let the earth be round, and air bend sight. Needs a file with a ground unit, or --spacing
    #[arg(long, help_heading = "Players")]
    #[serde(default)]
    pub earth_curvature: bool,

    /// How much air bends sight, as a share of the earth's curvature: 0 to less than 1; 1/7 if not
    /// given
    #[arg(
        long,
        value_name = "K",
        requires = "earth_curvature",
        help_heading = "Players"
    )]
    pub refraction: Option<f64>,

    /// What one place is: a sample, the square around it, or a sample by sectors
    #[arg(long, value_enum, default_value_t, help_heading = "Players")]
    #[serde(default)]
    pub visibility: Visibility,

    /// Radial sectors around a sample, with --visibility sectors; 1000 if not given
    ///
    /// Samples that no sector's midline touches count as visible. It takes eight times as many
    /// sectors as the longer side has samples to touch all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SECTORS)), help_heading = "Players")]
    pub sectors: Option<u32>,

    /// Metres between columns and between rows; overrides the file
    #[arg(long, value_name = "DX[,DY]", help_heading = "Reading the heightmap")]
    pub spacing: Option<Spacing>,

    /// Metres of height in one step of the file's values
    #[arg(long, value_name = "S", default_value_t = one(), allow_negative_numbers = true, help_heading = "Reading the heightmap")]
    #[serde(default = "one")]
    pub vertical_scale: f64,

    /// Metres to add to every height, after the scale
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Reading the heightmap"
    )]
    #[serde(default)]
    pub vertical_offset: f64,

    /// Columns and rows of a RAW16 file, which has no header
    #[arg(long, value_name = "WxH", help_heading = "Reading the heightmap")]
    pub size: Option<Size>,

    /// Byte order of a RAW16 file
    #[arg(long, value_enum, help_heading = "Reading the heightmap")]
    pub byte_order: Option<ByteOrder>,

    /// Stored value that means no data; overrides the file
    #[arg(
        long,
        value_name = "VALUE",
        allow_negative_numbers = true,
        help_heading = "Reading the heightmap"
    )]
    pub nodata: Option<f64>,

    /// Bake a part: first column, first row, columns, rows
    #[arg(long, value_name = "C,R,W,H", help_heading = "Reading the heightmap")]
    pub crop: Option<Crop>,

    /// Refuse larger terrains than this
    #[arg(long, value_name = "N", default_value_t = max_samples(), help_heading = "Reading the heightmap")]
    #[serde(default = "max_samples")]
    pub max_samples: u64,

    /// Greatest size of the bundle: bytes, or with KB, MB, GB, KiB, MiB, GiB. What is hidden is
    /// given out as visible where that saves most bytes; never the other way round
    #[arg(long, value_name = "SIZE", help_heading = "Size")]
    pub budget: Option<ByteSize>,

    /// What it is worth that something is hidden: area, level, or a raster of where players are
    ///
    /// area: hidden area, from a quad as many times as its side has samples. level: as much from all
    /// quads of one level together as from those of any other, so that large ones, on which
    /// frontiers grow, lose least. A raster of the terrain's size
    /// (after --crop) holds a weight of at least 0 for each sample.
    #[arg(long, value_name = "area|level|RASTER", help_heading = "Size")]
    pub weight: Option<WeightOf>,

    /// How to come to a budget: by least loss, or as Avni's thesis does, for comparison
    #[arg(long, value_enum, help_heading = "Size")]
    pub compression: Option<Method>,

    /// With --compression deepest-first: nodes that each PVS may have. If not given, as many as the
    /// budget affords at three bytes each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Size")]
    pub nodes_per_quad: Option<u64>,

    /// With --compression deepest-first: which of equally deep nodes go first
    #[arg(long, value_enum, help_heading = "Size")]
    pub ties: Option<Ties>,

    /// Threads to work with; 0 for one a processor. The bundle does not depend on it
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = threads::parse,
        help_heading = "The work"
    )]
    #[serde(default, deserialize_with = "threads::deserialize")]
    pub threads: usize,

    /// Vector instructions to work with. The bundle does not depend on it
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_short_help = true,
        help_heading = "The work"
    )]
    #[serde(default)]
    pub simd: Simd,
}

fn player_height() -> f64 {
    1.8
}

/// As many sectors as the thesis says are enough (section 3.1).
const ENOUGH_SECTORS: u32 = 1000;

fn one() -> f64 {
    1.0
}

fn max_samples() -> u64 {
    IngestOptions::default().max_samples
}

/// What the PVS of one place means.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// From any position in the unit square around the sample to any position in another
    #[default]
    Conservative,
    /// From the sample, to the last pair
    Exact,
    /// From the sample, by radial sectors: the thesis's approximation, for comparison
    Sectors,
}

/// Vector instructions.
#[derive(Clone, Copy, Default, ValueEnum, Serialize, Deserialize, JsonSchema)]
pub enum Simd {
    /// The best that the processor has
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// AVX-512
    #[serde(rename = "avx512")]
    Avx512,
    /// AVX2
    #[serde(rename = "avx2")]
    Avx2,
    /// What every processor of the kind has
    #[serde(rename = "baseline")]
    Baseline,
}

/// Byte order of 16-bit samples.
#[derive(Clone, Copy, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ByteOrder {
    /// Low byte first (Unity, Windows)
    Little,
    /// High byte first (Mac)
    Big,
}

impl From<ByteOrder> for ingest::ByteOrder {
    fn from(order: ByteOrder) -> Self {
        match order {
            ByteOrder::Little => Self::Little,
            ByteOrder::Big => Self::Big,
        }
    }
}

/// Metres between columns and between rows: one number for both, or two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number of metres, or two: [DX, DY]")]
pub enum Spacing {
    Both(f64),
    Each([f64; 2]),
}

impl Spacing {
    /// `[dx, dy]` in metres.
    pub fn metres(self) -> [f64; 2] {
        match self {
            Self::Both(both) => [both; 2],
            Self::Each(each) => each,
        }
    }
}

impl FromStr for Spacing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match list(text, ',').as_deref() {
            Some([both]) => Ok(Self::Both(*both)),
            Some([dx, dy]) => Ok(Self::Each([*dx, *dy])),
            _ => Err("expected DX or DX,DY in metres".into()),
        }
    }
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size(pub [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match list(text, 'x').as_deref() {
            Some([width, height]) => Ok(Self([*width, *height])),
            _ => Err("expected WxH, as in 513x513".into()),
        }
    }
}

/// First column, first row, columns, rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crop(pub [u32; 4]);

impl FromStr for Crop {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match list(text, ',').as_deref() {
            Some([column, row, width, height]) => Ok(Self([*column, *row, *width, *height])),
            _ => Err("expected C,R,W,H: first column, first row, columns, rows".into()),
        }
    }
}

fn list<T: FromStr>(text: &str, separator: char) -> Option<Vec<T>> {
    text.split(separator)
        .map(|word| word.trim().parse().ok())
        .collect()
}

impl TerrainJob {
    /// Reads a job file; its paths come out relative to where the process is.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read(path)
            .map_err(|error| Failure::io(format!("{}: cannot be read", path.display()), error))?;
        let bad = |fault: String| {
            Failure::new(
                Exit::Usage,
                anyhow::anyhow!("{}: {}", path.display(), fault.trim_end()),
            )
        };
        let text = String::from_utf8(text).map_err(|error| bad(error.to_string()))?;
        let file: JobFile = toml::from_str(&text).map_err(|error| bad(error.to_string()))?;
        let mut job = file.terrain;
        let folder = path.parent().unwrap_or(Path::new(""));
        job.output = Some(folder.join(job.output()?));
        job.input = folder.join(job.input);
        if let Some(WeightOf::Raster(raster)) = &mut job.weight {
            *raster = folder.join(&*raster);
        }
        Ok(job)
    }

    /// The bundle to write.
    pub fn output(&self) -> Result<PathBuf, Failure> {
        if let Some(output) = &self.output {
            return Ok(output.clone());
        }
        match self.input.file_stem() {
            Some(stem) => Ok(PathBuf::from(stem).with_added_extension("vcb")),
            None => Err(Failure::usage(format!(
                "{}: expected the name of a file",
                self.input.display()
            ))),
        }
    }

    /// What of the bake is kept.
    pub fn compression(&self) -> CompressionArgs {
        CompressionArgs {
            budget: self.budget,
            weight: self.weight.clone(),
            compression: self.compression,
            nodes_per_quad: self.nodes_per_quad,
            ties: self.ties,
        }
    }

    /// The visibility mode.
    pub fn mode(&self) -> Result<Mode, Failure> {
        match (self.visibility, self.sectors) {
            (Visibility::Sectors, sectors) => Ok(Mode::Sectors(sectors.unwrap_or(ENOUGH_SECTORS))),
            (_, Some(sectors)) => Err(Failure::usage(format!(
                "--sectors {sectors}: expected only with --visibility sectors; add it, or leave out --sectors"
            ))),
            (Visibility::Conservative, None) => Ok(Mode::Conservative),
            (Visibility::Exact, None) => Ok(Mode::Exact),
        }
    }

    fn refraction(&self) -> f64 {
        self.refraction.unwrap_or(Curvature::REFRACTION)
    }

    /// The shape of the earth under the terrain that was read.
    pub fn curvature(&self, terrain: &Terrain) -> Result<Option<Curvature>, Failure> {
        if !self.earth_curvature {
            return match self.refraction {
                None => Ok(None),
                // A job file knows of no options that need others.
                Some(k) => Err(Failure::usage(format!(
                    "--refraction {k}: expected only with --earth-curvature; add it, or leave out --refraction"
                ))),
            };
        }
        let placed = terrain.georeference().is_some_and(|place| place.has_crs());
        if !placed && self.spacing.is_none() {
            return Err(Failure::new(
                Exit::BadInput,
                anyhow::anyhow!(
                    "{}: --earth-curvature expects to know how many metres apart samples are, and the file names no coordinate reference system; give --spacing DX[,DY]",
                    self.input.display()
                ),
            ));
        }
        Ok(Some(Curvature::earth(self.refraction())))
    }

    /// The options that the bundle depends on, by their names on the command line; but for the
    /// budget, of which the bundle says what was lost.
    pub fn options(&self) -> Map<String, Value> {
        let options = json!({
            "player-height": self.player_height,
            "eye-height": self.eye_height.unwrap_or(self.player_height),
            "max-distance": self.max_distance,
            "earth-curvature": self.earth_curvature.then_some(true),
            "refraction": self.earth_curvature.then(|| self.refraction()),
            "visibility": self.visibility,
            "sectors": match self.visibility {
                Visibility::Sectors => Some(self.sectors.unwrap_or(ENOUGH_SECTORS)),
                _ => None,
            },
            "spacing": self.spacing,
            "vertical-scale": self.vertical_scale,
            "vertical-offset": self.vertical_offset,
            "size": self.size,
            "byte-order": self.byte_order,
            "nodata": self.nodata,
            "crop": self.crop,
        });
        match options {
            Value::Object(options) => options.into_iter().filter(|(_, v)| !v.is_null()).collect(),
            _ => Map::new(),
        }
    }

    /// How to read the heightmap.
    pub fn ingest_options(&self) -> IngestOptions {
        IngestOptions {
            spacing: self.spacing.map(Spacing::metres),
            vertical_scale: self.vertical_scale,
            vertical_offset: self.vertical_offset,
            size: self.size.map(|Size(size)| size),
            byte_order: self.byte_order.map(ByteOrder::into),
            crop: self.crop.map(|Crop(crop)| crop),
            nodata: self.nodata,
            max_samples: self.max_samples,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_are_read_whole_or_not_at_all() {
        assert_eq!("90".parse(), Ok(Spacing::Both(90.0)));
        assert_eq!("74.5, 92".parse(), Ok(Spacing::Each([74.5, 92.0])));
        assert_eq!("513x257".parse(), Ok(Size([513, 257])));
        assert_eq!("1,2,3,4".parse(), Ok(Crop([1, 2, 3, 4])));
        assert!("1,2,3".parse::<Spacing>().is_err());
        assert!("513".parse::<Size>().is_err());
        assert!("1,2,3,-4".parse::<Crop>().is_err());
        assert!("1,2,3,4,5".parse::<Crop>().is_err());
    }

    #[test]
    fn a_job_file_has_the_defaults_of_the_command_line() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            job: TerrainJob,
        }
        let line = <Line as clap::Parser>::parse_from(["bake", "a.tif"]).job;
        let file: JobFile = toml::from_str("[terrain]\ninput = \"a.tif\"").unwrap();
        let file = file.terrain;
        assert_eq!(line.output().unwrap(), file.output().unwrap());
        assert_eq!(line.ingest_options(), file.ingest_options());
        assert_eq!(line.player_height, file.player_height);
        assert_eq!(line.eye_height, file.eye_height);
        assert!(line.visibility == file.visibility);
        assert_eq!(
            (line.force, line.verify, line.threads),
            (file.force, file.verify, file.threads)
        );
    }

    #[test]
    fn every_option_of_a_job_file_is_read() {
        let file: JobFile = toml::from_str(
            r#"
            [terrain]
            input = "a.raw"
            output = "b.vcb"
            force = true
            verify = true
            player-height = 2
            eye-height = 1.7
            visibility = "exact"
            spacing = [74, 92.5]
            vertical-scale = 0.1
            vertical-offset = -5
            size = [513, 257]
            byte-order = "big"
            nodata = -9999
            crop = [1, 2, 3, 4]
            max-samples = 1000
            threads = 2
            simd = "baseline"
            "#,
        )
        .unwrap_or_else(|error| panic!("{error}"));
        let job = file.terrain;
        let options = job.ingest_options();
        assert_eq!(options.spacing, Some([74.0, 92.5]));
        assert_eq!(
            (options.vertical_scale, options.vertical_offset),
            (0.1, -5.0)
        );
        assert_eq!(options.size, Some([513, 257]));
        assert_eq!(options.byte_order, Some(ingest::ByteOrder::Big));
        assert_eq!(
            (options.nodata, options.crop),
            (Some(-9999.0), Some([1, 2, 3, 4]))
        );
        assert_eq!(options.max_samples, 1000);
        assert_eq!((job.player_height, job.eye_height), (2.0, Some(1.7)));
        assert_eq!((job.force, job.verify, job.threads), (true, true, 2));
    }

    #[test]
    fn a_fault_in_a_job_file_names_its_line() {
        for (text, line, words) in [
            (
                "[terrain]\ninput = \"a\"\nplayer-hight = 2\n",
                "line 3",
                "player-hight",
            ),
            (
                "[terrain]\ninput = \"a\"\n\nspacing = \"wide\"\n",
                "line 4",
                "a number of metres",
            ),
            ("[terrain]\ninput = \"a\"\nsize = [1]\n", "line 3", "2"),
            ("[terrain]\nthreads = 1\n", "line 1", "input"),
            (
                "[terrain]\ninput = \"a\"\nthreads = 9999\n",
                "line 3",
                "1024",
            ),
            ("[cells]\n", "line 1", "cells"),
            ("[terrain\n", "line 1", "]"),
        ] {
            let Err(error) = toml::from_str::<JobFile>(text) else {
                panic!("accepted {text:?}");
            };
            let error = error.to_string();
            assert!(
                error.contains(line) && error.contains(words),
                "{text:?}: {error}"
            );
        }
    }
}
