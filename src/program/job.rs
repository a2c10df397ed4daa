//! What to bake: the options of `viewcell bake terrain`, on the command line or in a job file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use viewcell_bake::plan::{Layer, WeightChoice};

use super::bake::bundle_of;
use super::compression::CompressionArgs;
use super::exit::{Exit, Failure};
use super::heightmap::{CellSizeArgs, Reading, SightArgs};
use super::places::PlaceArgs;
use super::values::ByteSize;
use super::{input, moved, values};

/// A job file: what to bake, in TOML. Paths are relative to the file's own folder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "viewcell job file")]
pub struct JobFile<T = TerrainJob> {
    /// A terrain to bake, with the options of `viewcell bake terrain`.
    terrain: T,
}

/// A terrain to bake.
#[derive(Clone, clap::Args, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct TerrainJob {
    /// Heightmap: GeoTIFF, PNG, RAW16, SRTM .hgt, ESRI ASCII grid, ENVI, .bil or .flt with its header; detected from its
    /// content
    pub input: PathBuf,

    /// Bundle to write; if not given, the input's name with .vcb, in the current folder
    #[arg(short, long, value_name = "OUT.vcb")]
    pub output: Option<PathBuf>,

    /// Overwrite the bundle if it exists
    #[arg(long)]
    #[serde(default)]
    pub force: bool,

    /// Height of a player in metres; a hidden player is hidden up to the top of the head
    #[arg(long, value_name = "METRES", default_value_t = player_height(), value_parser = values::finite, help_heading = "Players")]
    #[serde(default = "player_height")]
    pub player_height: f64,

    /// Height of the eye in metres; if not given, the player height
    #[arg(long, value_name = "METRES", value_parser = values::finite, help_heading = "Players")]
    pub eye_height: Option<f64>,

    #[command(flatten)]
    #[serde(flatten)]
    pub sight: SightArgs,

    /// Whether players stand anywhere in the square around a sample, or at the sample itself
    #[arg(long, value_enum, default_value_t, help_heading = "Players")]
    #[serde(default)]
    pub visibility: Visibility,

    #[command(flatten)]
    #[serde(flatten)]
    pub cells: CellSizeArgs,

    #[command(flatten)]
    #[serde(flatten)]
    pub places: PlaceArgs,

    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    #[serde(flatten)]
    pub compression: CompressionArgs,

    /// Number of threads; 0 for one per processor. The bundle does not depend on it
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = values::threads,
        help_heading = "The work"
    )]
    #[serde(default, deserialize_with = "values::deserialize_threads")]
    pub threads: usize,

    /// Memory that the bake may use, such as 4GB; a bake that would need more does not start
    ///
    /// Default: what the system has free, or what its limits leave.
    #[arg(
        long,
        hide_short_help = true,
        value_name = "SIZE",
        help_heading = "The work"
    )]
    pub memory: Option<ByteSize>,
}

fn player_height() -> f64 {
    1.8
}

/// What the PVS of one place means.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Viewer and target anywhere in the unit squares around their samples: for players who move
    #[default]
    Conservative,
    /// At the samples themselves: to study the ground; four to six times faster
    Exact,
}

impl TerrainJob {
    /// Reads a job file; its paths come out relative to where the process is.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = input::read_text_or_stdin(path, input::SMALL)?;
        let bad = |fault: String| {
            Failure::new(
                Exit::Usage,
                anyhow::anyhow!("{}: {}", path.display(), fault.trim_end()),
            )
        };
        let mut job = Self::parse(&text).map_err(|error| bad(error.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let output = bundle_of(job.output.as_ref(), &job.input)?;
        job.output = Some(folder.join(output));
        job.input = folder.join(job.input);
        job.places.within(folder);
        if let Some(WeightChoice::Raster(Layer::File(raster))) = &mut job.compression.weight {
            *raster = folder.join(&*raster);
        }
        Ok(job)
    }

    /// Reads the text of a job file.
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        // Serde knows neither the lines of flattened groups nor what belongs to none of them: so
        // names are looked at first, and each group by itself.
        toml::from_str::<JobFile<BTreeMap<OptionName, IgnoredAny>>>(text)?;
        toml::from_str::<JobFile<Reading>>(text)?;
        toml::from_str::<JobFile<SightArgs>>(text)?;
        toml::from_str::<JobFile<CellSizeArgs>>(text)?;
        toml::from_str::<JobFile<PlaceArgs>>(text)?;
        toml::from_str::<JobFile<CompressionArgs>>(text)?;
        Ok(toml::from_str::<JobFile>(text)?.terrain)
    }
}

/// Options of a job file that the command line has as a value of another.
const OF_ANOTHER: [&str; 4] = ["refraction", "up", "vertical-offset", "weight"];

/// The name of an option that a job file may give: one of the command line's.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OptionName(String);

impl<'de> Deserialize<'de> for OptionName {
    fn deserialize<D: Deserializer<'de>>(file: D) -> Result<Self, D::Error> {
        let name = String::deserialize(file)?;
        let command = <TerrainJob as clap::Args>::augment_args(clap::Command::new("terrain"));
        let known = command.get_arguments();
        let known = known.map(|option| option.get_long().unwrap_or(option.get_id().as_str()));
        let known = known.chain(OF_ANOTHER);
        let known: Vec<&str> = known.collect();
        if known.contains(&name.as_str()) {
            Ok(Self(name))
        } else {
            let moved = moved::option(&name);
            Err(D::Error::custom(moved.unwrap_or_else(|| {
                format!(
                    "unknown option `{name}`, expected one of {}",
                    known.join(", ")
                )
            })))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use viewcell_ingest as ingest;

    #[test]
    fn a_job_file_has_the_defaults_of_the_command_line() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            job: TerrainJob,
        }
        let line = <Line as clap::Parser>::parse_from(["bake", "a.tif"]).job;
        let file = TerrainJob::parse("[terrain]\ninput = \"a.tif\"").unwrap();
        assert_eq!((line.output, line.input), (file.output, file.input));
        assert_eq!(line.reading.options(), file.reading.options());
        assert_eq!(line.player_height, file.player_height);
        assert_eq!(line.eye_height, file.eye_height);
        assert!(line.visibility == file.visibility);
        assert_eq!((line.force, line.threads), (file.force, file.threads));
    }

    #[test]
    fn every_option_of_a_job_file_is_read() {
        let job = TerrainJob::parse(
            r#"
            [terrain]
            input = "a.raw"
            output = "b.vcb"
            force = true
            player-height = 2
            eye-height = 1.7
            visibility = "exact"
            finest = 3
            grade = true
            spacing = [74, 92.5]
            vertical-scale = 0.1
            vertical-offset = -5
            size = [513, 257]
            byte-order = "big"
            nodata = -9999
            crop = [1, 2, 3, 4]
            max-distance = 5000
            earth-curvature = true
            refraction = 0.13
            ground = "ground.tif"
            inside = true
            walkable = "mask.png"
            max-slope = 45
            water-level = -1.5
            budget = "10MB"
            weight = "level"
            threads = 2
            memory = "4GB"
            "#,
        )
        .unwrap_or_else(|error| panic!("{error}"));
        let options = job.reading.options();
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
        assert_eq!((job.player_height, job.eye_height), (2.0, Some(1.7)));
        assert_eq!((job.force, job.threads), (true, 2));
        assert_eq!((job.cells.finest, job.cells.grade), (Some(3), Some(16)));
        assert_eq!(job.memory, Some(ByteSize(4_000_000_000)));
        assert_eq!(job.sight.max_distance, Some(5000.0));
        assert_eq!(job.sight.refraction_of_earth(), Some(0.13));
        assert_eq!(job.places.ground, Some("ground.tif".into()));
        assert_eq!(job.places.walkable, Some("mask.png".into()));
        assert!(job.places.inside);
        let numbers = (job.places.max_slope, job.places.water_level);
        assert_eq!(numbers, (Some(45.0), Some(-1.5)));
        assert_eq!(
            job.compression.budget.map(|(size, _)| size),
            Some(ByteSize(10_000_000))
        );
        assert_eq!(job.compression.weight, Some(WeightChoice::Level));
    }

    #[test]
    fn a_fault_in_a_job_file_names_its_line() {
        // What follows the lines of a job, or all of it.
        let input = "[terrain]\ninput = \"a\"\n";
        for (rest, line, words) in [
            ("player-hight = 2", "line 3", "player-hight"),
            ("\nspacing = \"wide\"", "line 4", "a number of metres"),
            ("size = [1]", "line 3", "2"),
            ("threads = 9999", "line 3", "1024"),
            // Each group of options.
            ("nodata = \"none\"", "line 3", "expected f64"),
            ("\n\nearth-curvature = 1", "line 5", "boolean"),
            ("budget = \"10 pounds\"", "line 3", "100MB"),
            ("max-slope = \"steep\"", "line 3", "expected f64"),
            ("\ngrade = \"far\"", "line 4", "true, false or a number"),
            ("[terrain]\nthreads = 1\n", "line 1", "input"),
            ("[cells]\n", "line 1", "cells"),
            ("[terrain\n", "line 1", "]"),
        ] {
            let text = match rest.starts_with('[') {
                true => rest.to_owned(),
                false => format!("{input}{rest}\n"),
            };
            let Err(error) = TerrainJob::parse(&text) else {
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
