//! What to bake: the options of `viewcell bake terrain`, on the command line or in a job file.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toml::Spanned;

use viewcell_bake::plan::{Layer, WeightChoice};

use super::bake::bundle_of;
use super::compression::CompressionArgs;
use super::exit::{Exit, Failure};
use super::heightmap::{CellSizeArgs, Reading, SightArgs};
use super::places::PlaceArgs;
use super::spelled::spelled;
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

/// What a job file says in place of the command line: all of [`TerrainJob`] but `force`.
pub const OF_JOBS: &str = "input output player_height eye_height visibility threads memory SightArgs CellSizeArgs PlaceArgs \
                           MeshArgs Reading CompressionArgs";

/// A terrain to bake.
#[derive(Clone, clap::Args, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct TerrainJob {
    /// Heightmap: GeoTIFF, PNG, RAW16, SRTM .hgt, ESRI ASCII grid, ENVI, .bil or .flt with its header; detected from its
    /// content
    #[arg(
        required_unless_present = "file",
        default_value = "-",
        hide_default_value = true
    )]
    pub input: PathBuf,

    /// Bundle to write; if not given, the input's name with .vcb, in the current folder
    #[arg(short, long, value_name = "OUT.vcb")]
    pub output: Option<PathBuf>,

    /// Overwrite the bundle if it exists
    #[arg(long)]
    #[serde(default)]
    pub force: bool,

    /// Height of a player in metres; a hidden player is hidden up to the top of the head
    #[arg(long, value_name = "METRES", default_value_t = player_height(), value_parser = values::finite)]
    #[serde(default = "player_height")]
    pub player_height: f64,

    /// Height of the eye in metres; if not given, the player height
    #[arg(long, value_name = "METRES", value_parser = values::finite)]
    pub eye_height: Option<f64>,

    #[command(flatten)]
    #[serde(flatten)]
    pub sight: SightArgs,

    /// Whether players stand anywhere in the square around a sample, or at the sample itself
    #[arg(long, value_enum, default_value_t)]
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
        value_parser = values::threads
    )]
    #[serde(default)]
    pub threads: usize,

    /// Memory that the bake may use, such as 4GB; a bake that would need more does not start
    ///
    /// Default: what the system has free, or what its limits leave.
    #[arg(long, hide_short_help = true, value_name = "SIZE")]
    pub memory: Option<ByteSize>,
}

fn player_height() -> f64 {
    1.8
}

/// What the PVS of one place means.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, JsonSchema)]
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
        let mut job = Self::parse(&text).map_err(bad)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let output = bundle_of(job.output.as_ref(), &job.input)?;
        job.output = Some(folder.join(output));
        job.input = folder.join(job.input);
        job.places.within(folder);
        if let Some((_, Some(WeightChoice::Raster(Layer::File(raster))))) =
            &mut job.compression.budget
        {
            *raster = folder.join(&*raster);
        }
        Ok(job)
    }

    /// Reads the text of a job file, whose options are those of the command line.
    fn parse(text: &str) -> Result<Self, String> {
        type Options = BTreeMap<String, Spanned<Value>>;
        let file = toml::from_str::<JobFile<Options>>(text).map_err(|error| error.to_string())?;
        let options = file.terrain.iter();
        taken(options.map(|(name, value)| (name, value.get_ref()))).map_err(|error| {
            let found = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(found)) => found.trim_start_matches("--"),
                _ => "",
            };
            let name = found.split([' ', '=', '[']).next().unwrap_or_default();
            let at = file.terrain.get(name).map_or(0, |value| value.span().start);
            let line = 1 + text[..at].matches('\n').count();
            let words = moved::option(name).unwrap_or_else(|| error.to_string());
            let words = words.trim_start_matches("error: ");
            format!(
                "line {line}: {}",
                words.split("\n\n").next().unwrap_or(words)
            )
        })
    }
}

/// What options of the command line a file gives by their names: true is one without a value, a list has its numbers
/// with commas between them, or its texts one by one.
fn taken<'o, A: Args>(
    options: impl IntoIterator<Item = (&'o String, &'o Value)>,
) -> Result<A, clap::Error> {
    fn plain(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(of) => of.iter().map(plain).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        }
    }
    let job = clap::Arg::new("file").long("job");
    let command = A::augment_args(clap::Command::new("bake").arg(job));
    let is_path = |name: &str| {
        let mut own = command
            .get_arguments()
            .filter(|of| of.get_id() == &name.replace('-', "_"));
        own.any(|of| of.get_value_parser().type_id() == TypeId::of::<PathBuf>())
    };
    let mut words = ["viewcell", "bake"].map(OsString::from).to_vec();
    for (name, value) in options {
        let option = |value: &Value| format!("--{name}={}", plain(value)).into();
        match value {
            value if is_path(name) && !value.is_string() => {
                let words = format!("{name}: expected the name of a file, found {value}");
                let mut error = clap::Error::raw(ErrorKind::InvalidValue, words);
                error.insert(ContextKind::InvalidArg, ContextValue::String(name.clone()));
                return Err(error);
            }
            Value::Null | Value::Bool(false) => {}
            Value::Bool(true) => words.push(format!("--{name}").into()),
            value if name == "input" => words.push(plain(value).into()),
            Value::Array(of) if of.iter().all(Value::is_string) => {
                words.extend(of.iter().map(option))
            }
            value => words.push(option(value)),
        }
    }
    let matches = command.try_get_matches_from(spelled(words).split_off(1))?;
    A::from_arg_matches(&matches)
}

impl Reading {
    /// How a bundle's heightmap was read, by the options of its bake.
    pub fn of_bundle(options: &Map<String, Value>) -> Result<Self, clap::Error> {
        let own = Self::augment_args(clap::Command::new("bake"));
        let is_own = |name: &str| own.get_arguments().any(|of| of.get_long() == Some(name));
        let own = options
            .iter()
            .filter(|(name, _)| is_own(name) || *name == "vertical-offset");
        taken(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use viewcell_bake::plan::Grade;
    use viewcell_ingest as ingest;

    #[test]
    fn a_job_file_has_the_defaults_of_the_command_line() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            job: TerrainJob,
            #[arg(long)]
            file: Option<PathBuf>,
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
        assert_eq!(job.cells.finest, Some(3));
        assert_eq!(job.cells.grade, Some(Grade::Ratio(16)));
        assert_eq!(job.memory, Some(ByteSize(4_000_000_000)));
        assert_eq!(job.sight.max_distance, Some(5000.0));
        assert_eq!(job.sight.earth_curvature, Some(0.13));
        assert_eq!(job.places.ground, Some("ground.tif".into()));
        assert_eq!(job.places.walkable, Some("mask.png".into()));
        assert!(job.places.inside);
        let numbers = (job.places.max_slope, job.places.water_level);
        assert_eq!(numbers, (Some(45.0), Some(-1.5)));
        let budget = (ByteSize(10_000_000), Some(WeightChoice::Level));
        assert_eq!(job.compression.budget, Some(budget));
    }

    #[test]
    fn a_fault_in_a_job_file_names_its_line() {
        // What follows the lines of a job, or all of it.
        let input = "[terrain]\ninput = \"a\"\n";
        for (rest, line, words) in [
            ("player-hight = 2", "line 3", "player-hight"),
            ("\nspacing = \"wide\"", "line 4", "DX,DY in metres"),
            ("size = [1]", "line 3", "expected WxH"),
            ("threads = 9999", "line 3", "1024"),
            // Each group of options.
            ("nodata = \"none\"", "line 3", "expected a number"),
            ("\n\nearth-curvature = \"round\"", "line 5", "finite number"),
            ("budget = \"10 pounds\"", "line 3", "100MB"),
            ("max-slope = \"steep\"", "line 3", "float"),
            ("\ngrade = \"far\"", "line 4", "auto, or a whole"),
            ("[terrain]\nthreads = 1\n", "line 1", "<INPUT>"),
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
            assert!(
                error.contains(line) && error.contains(words),
                "{text:?}: {error}"
            );
        }
    }
}
