//! `viewcell experiment visibility`: the modes side by side.

use std::path::PathBuf;

use clap::ValueEnum;
use cpu_time::ProcessTime;
use schemars::JsonSchema;
use serde::Serialize;

use crate::sectors::{MAX_SECTORS, write_by_sectors};
use crate::{Compared, ModeShares, MotionOptions, MotionSample, compare_modes, middle};
use viewcell_bake::bundle;
use viewcell_bake::visibility::Bodies;
use viewcell_bake::visibility::Simd;
use viewcell_bake::{
    BakeOptions, VisibilityMode, as_seen, bake_terrain, check_height, pool, thread_count,
};
use viewcell_ingest::world::Terrain;
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::heightmap::{Heightmap, SightArgs, SightDocument};
use viewcell_program::input;
use viewcell_program::output::{self, Json, say};
use viewcell_program::progress::{Progress, Voice};
use viewcell_program::signals::Stop;
use viewcell_program::{query, values};
use viewcell_view::picture::{Bars, Chart, Series};

/// Bake in all modes of visibility, and compare
///
/// Bakes the terrain in each mode. Compares all pairs of samples with exact visibility, and random pairs of cells
/// with what players between the samples see. Large terrains take long in the conservative mode: --crop takes a
/// part.
///
/// Example: viewcell experiment visibility level.tif --crop 0,0,100,100 --pairs 1000
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    heightmap: Heightmap,
    #[command(flatten)]
    sight: SightArgs,
    /// Metres from the ground to the eye
    #[arg(long, value_name = "METRES", default_value_t = 1.8, value_parser = values::finite)]
    eye_height: f64,
    /// Metres from the ground to the top of the head
    #[arg(long, value_name = "METRES", default_value_t = 1.8, value_parser = values::finite)]
    player_height: f64,
    /// Number of radial sectors, for the mode sectors
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SECTORS)))]
    sectors: u32,
    /// Number of pairs of cells to search for a line of sight between any two positions
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Number of random lines of sight for each pair
    #[arg(long, value_name = "N", default_value_t = 1000)]
    positions: u32,
    /// Number of threads; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,
    /// Vector instructions to use. The bundles do not depend on them
    #[arg(long, value_enum, default_value_t)]
    simd: Instructions,
    /// Draw a chart of the shares
    #[arg(long, value_name = "OUT.svg")]
    chart: Option<PathBuf>,
    /// Draw a chart of the cost of a pair of samples as terrains grow; also bakes the middle of the terrain at a
    /// quarter, half and three quarters of its sides
    #[arg(long, value_name = "OUT.svg")]
    cost_chart: Option<PathBuf>,
    /// Overwrite charts that exist
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// Vector instructions.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Instructions {
    /// The best of the processor
    #[default]
    Auto,
    /// AVX-512
    Avx512,
    /// AVX2
    Avx2,
    /// Those that every processor of this architecture has
    Baseline,
}

impl From<Instructions> for Simd {
    fn from(given: Instructions) -> Self {
        match given {
            Instructions::Auto => Self::Auto,
            Instructions::Avx512 => Self::Avx512,
            Instructions::Avx2 => Self::Avx2,
            Instructions::Baseline => Self::Baseline,
        }
    }
}

/// What `viewcell experiment visibility --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment visibility")]
pub(super) struct Document {
    /// The heightmap.
    #[serde(serialize_with = "viewcell_program::output::names")]
    input: PathBuf,
    /// Columns and rows.
    size: [u32; 2],
    /// Samples with terrain.
    samples: u64,
    #[serde(flatten)]
    sight: SightDocument,
    /// The tests between the samples.
    motion: MotionSample,
    /// The modes.
    modes: Vec<Row>,
    /// What a pair costs as terrains grow; with `--cost-chart` only.
    costs: Vec<Cost>,
}

/// What a pair costs on a part of the terrain.
#[derive(Serialize, JsonSchema)]
struct Cost {
    /// Columns and rows of the part.
    size: [u32; 2],
    /// CPU time of the whole bake in nanoseconds per ordered pair of samples, for each mode in their order.
    nanoseconds_a_pair: Vec<f64>,
}

/// A bundle that was made.
struct Baked {
    size: [u32; 2],
    bytes: u64,
    cpu_seconds: f64,
}

/// One mode.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// Its name on the command line.
    mode: &'static str,
    #[serde(flatten)]
    shares: ModeShares,
    /// CPU time of the whole bake, in seconds.
    cpu_seconds: f64,
    /// Length of the bundle in bytes.
    bytes: u64,
}

const MODES: [&str; 3] = ["exact", "conservative", "sectors"];

pub(super) fn run(args: &Args) -> Outcome {
    check_height("eye_height", args.eye_height)?;
    check_height("player_height", args.player_height)?;
    let charts = args.chart.iter().chain(&args.cost_chart);
    output::check_outputs(&[&args.heightmap.input], charts, args.force)?;
    let ingested = args.heightmap.read()?;
    let terrain = &ingested.terrain;
    let input = &args.heightmap.input;
    let sight = args.sight.over(terrain, input, &args.heightmap.reading)?;
    let source = input::source(input, ingested.format, Default::default())?;
    let stop = Stop::listen()?;
    let progress = Progress::new(&args.voice, stop.clone());
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::io("no folder for temporary bundles".into(), error))?;
    let path = |mode: &str| folder.path().join(mode).with_extension("vcb");

    let pool = pool(thread_count(args.threads))?;
    let bake = |terrain: &Terrain, mode: &str| -> Result<Baked, Failure> {
        let options = BakeOptions {
            eye_height: args.eye_height,
            player_height: args.player_height,
            mode: match mode {
                "conservative" => VisibilityMode::Conservative,
                _ => VisibilityMode::Exact,
            },
            max_distance: sight.max_distance,
            curvature: sight.curvature,
            threads: args.threads,
            simd: args.simd.into(),
            overwrite: true,
            ..BakeOptions::default()
        };
        let size = [terrain.width(), terrain.height()];
        if mode == "sectors" {
            // Of what the exact bundle is of, which came before.
            let seen = as_seen(terrain, sight.curvature)?;
            let begun = ProcessTime::now();
            let (like, to) = (path("exact"), path(mode));
            let write = || write_by_sectors(&seen, &like, args.sectors, &to);
            return Ok(Baked {
                bytes: pool.install(write)?,
                size,
                cpu_seconds: begun.elapsed().as_secs_f64(),
            });
        }
        let bake = bake_terrain(terrain, &source, &options, &path(mode), &progress);
        let report = stop.unless_asked(bake)?;
        Ok(Baked {
            bytes: report.bytes,
            size,
            cpu_seconds: report.timings.cpu_seconds,
        })
    };
    let mut costs = Vec::new();
    for quarters in 1..4 {
        if args.cost_chart.is_none() {
            break;
        }
        let Some(part) = middle(terrain, quarters) else {
            continue;
        };
        say(format_args!("baking: {} x {}", part.width(), part.height()));
        let mut cost = Vec::new();
        for mode in MODES {
            cost.push(bake(&part, mode)?);
        }
        costs.push(Cost::of(&cost));
    }
    let mut reports = Vec::new();
    for mode in MODES {
        say(format_args!("baking: {mode}"));
        reports.push(bake(terrain, mode)?);
    }
    if args.cost_chart.is_some() {
        costs.push(Cost::of(&reports));
    }
    progress.finish();

    let paths = MODES.map(path);
    let [exact, conservative, sectors] = &paths;
    let opened = [
        query::open(exact)?,
        query::open(conservative)?,
        query::open(sectors)?,
    ];
    let bundles = [
        opened[0].terrain()?,
        opened[1].terrain()?,
        opened[2].terrain()?,
    ];
    say("comparing");
    let seen = as_seen(terrain, sight.curvature)?;
    let options = MotionOptions {
        bodies: Bodies {
            eye: args.eye_height,
            head: args.player_height,
        },
        max_distance: sight.max_distance.unwrap_or(f64::INFINITY),
        pairs: args.pairs,
        positions: args.positions,
    };
    let Compared {
        samples,
        motion,
        modes,
    } = compare_modes(&seen, bundles, &options);
    let rows = MODES.into_iter().zip(modes).zip(&reports);
    let document = Document {
        input: input.clone(),
        size: [terrain.width(), terrain.height()],
        samples,
        sight,
        motion,
        modes: rows
            .map(|((mode, shares), report)| Row {
                mode,
                shares,
                cpu_seconds: report.cpu_seconds,
                bytes: report.bytes,
            })
            .collect(),
        costs,
    };
    if let Some(path) = &args.chart {
        bundle::save(path, shares_chart(&document).as_bytes(), args.force)?;
    }
    if let Some(path) = &args.cost_chart {
        bundle::save(path, cost_chart(&document.costs).as_bytes(), args.force)?;
    }
    args.json.tell(|| &document, table(&document))
}

/// The result for people.
fn table(document: &Document) -> String {
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let mut table = format!(
        "{} samples; in motion at least {} of the pairs see each other ({} pairs searched)\n\n\
         {:<13}{:>10}{:>24}{:>24}{:>10}{:>10}\n{:<13}{:>10}{:>12}{:>12}{:>12}{:>12}{:>10}{:>10}\n",
        document.samples,
        percent(document.motion.visible),
        document.motion.pairs,
        "mode",
        "visible",
        "against exact",
        "against motion",
        "CPU s",
        "MB",
        "",
        "",
        "missed",
        "false",
        "missed",
        "false",
        "",
        "",
    );
    for row in &document.modes {
        let ModeShares {
            visible,
            against_exact,
            against_motion,
        } = row.shares;
        table += &format!(
            "{:<13}{:>10}{:>12}{:>12}{:>12}{:>12}{:>10.1}{:>10.1}\n",
            row.mode,
            percent(visible),
            percent(against_exact.missed),
            percent(against_exact.falsely_visible),
            percent(against_motion.missed),
            percent(against_motion.falsely_visible),
            row.cpu_seconds,
            row.bytes as f64 / 1e6,
        );
    }
    for Cost {
        size: [width, height],
        nanoseconds_a_pair: costs,
    } in &document.costs
    {
        let costs = costs.iter().zip(MODES);
        let costs: Vec<String> = costs
            .map(|(cost, mode)| format!("{mode} {cost:.3}"))
            .collect();
        table += &format!("ns a pair of {width} x {height}: {}\n", costs.join(", "));
    }
    table
        + "\nmissed: of the pairs that see each other, those called hidden; false: of the pairs called visible,\nthose that do not"
}

impl Cost {
    /// What the bakes of one terrain in all modes say.
    fn of(reports: &[Baked]) -> Self {
        let costs = reports.iter().map(|report| {
            let [width, height] = report.size.map(f64::from);
            1e9 * report.cpu_seconds / (width * height * width * height)
        });
        Self {
            size: reports[0].size,
            nanoseconds_a_pair: costs.collect(),
        }
    }
}

/// What a pair costs, as bars.
fn cost_chart(costs: &[Cost]) -> String {
    let names = costs.iter().map(|cost| cost.size);
    let names: Vec<String> = names.map(|[w, h]| format!("{w} x {h}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let bars = MODES.iter().enumerate().map(|(k, mode)| Bars {
        name: (*mode).to_owned(),
        values: costs.iter().map(|c| c.nanoseconds_a_pair[k]).collect(),
    });
    let bars: Vec<Bars> = bars.collect();
    let chart = Chart::new(
        "What a pair costs as terrains grow",
        ["", "ns of CPU time a pair"],
        Series::Bars(&names, &bars),
    );
    chart.svg()
}

/// The shares as bars.
fn shares_chart(document: &Document) -> String {
    let series = |name: &str, share: fn(&ModeShares) -> f64| Bars {
        name: name.to_owned(),
        values: document
            .modes
            .iter()
            .map(|row| 100.0 * share(&row.shares))
            .collect(),
    };
    let bars = [
        series("visible", |s| s.visible),
        series("missed, against exact", |s| s.against_exact.missed),
        series("falsely visible, against exact", |s| {
            s.against_exact.falsely_visible
        }),
        series("missed, against motion", |s| s.against_motion.missed),
        series("falsely visible, against motion", |s| {
            s.against_motion.falsely_visible
        }),
    ];
    let series = Series::Bars(&MODES, &bars);
    Chart::new("Who sees whom, by mode", ["", "% of pairs"], series).svg()
}
