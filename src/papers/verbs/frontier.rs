//! `viewcell experiment frontier`: chapter 4 of Avni's thesis; and `viewcell experiment epvs`: table 1 of Steed & Angus,
//! of a level of one's own.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::growth::{Grow, GrowthOptions, Merge};
use crate::pruned::write_pruned;
use crate::pruning::{DeepestFirst, Ties, nodes_for};
use crate::{CASES, Case, Measured, hidden_pairs, measure, measure_cases, measure_level, some_of};
use viewcell_bake::bundle;
use viewcell_bake::{BakeOptions, VisibilityMode, bake_terrain};
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::heightmap::Heightmap;
use viewcell_program::input;
use viewcell_program::output::{Json, say};
use viewcell_program::progress::{Progress, Voice};
use viewcell_program::query;
use viewcell_program::signals::Stop;
use viewcell_program::values::{self, ByteSize};
use viewcell_view::picture::{Chart, Curve, Series, frequencies};

/// Time and size of frontier sets: {simple, hierarchical} x {lossless, lossy} at several memory limits, and the
/// default growth of this program (chapter 4 of Avni's thesis)
///
/// TERRAIN is a terrain bundle, or a heightmap, which is then baked (exact). For each limit, every
/// PVS is pruned to as many nodes as the thesis could afford, three bytes a node. Times are
/// processor time of one thread.
///
/// Example: viewcell experiment frontier level.tif --pairs 1000 --simple-pairs 20
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    heightmap: Heightmap,
    /// Number of pairs, drawn independently among samples that cannot see each other
    #[arg(long, value_name = "N", default_value_t = 10_500)]
    pairs: usize,
    /// Seed of the random draw: the same seed gives the same pairs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Memory limits in GB (2^30 bytes) at three bytes a node
    #[arg(long, value_name = "GB,...", value_delimiter = ',', default_values_t = [0.1, 0.25, 0.5, 1.0], value_parser = values::positive)]
    limits: Vec<f64>,
    /// Simple growth with lossless merging takes long: do it for this many pairs only; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    simple_pairs: usize,
    /// So does the thesis's growth without a memory limit: do it for this many pairs only; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    unlimited_pairs: usize,
    /// Folder for the figures: time.png and size.png over the limits, and for each limit histograms of times and
    /// sizes, times-GB.png and sizes-GB.png
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment frontier --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment frontier")]
pub(super) struct Document {
    /// The terrain.
    #[serde(serialize_with = "viewcell_program::output::names")]
    terrain: PathBuf,
    /// Number of pairs of samples, none of which see each other.
    pairs: usize,
    /// Seed of the random draw.
    seed: u64,
    /// Samples with terrain.
    samples: u64,
    /// Quads of the quadtree.
    quads: u64,
    /// The thesis's cases.
    cases: Vec<Case>,
    /// The default options on the bundle as it is.
    default: Measured,
    /// Hierarchical growth with lossless merging on the bundle as it is.
    unlimited: Measured,
}

pub(super) fn run(args: &Args) -> Outcome {
    let good = |limit: &f64| limit.is_finite() && *limit > 0.0;
    if args.pairs == 0 || args.limits.is_empty() || !args.limits.iter().all(good) {
        return Err(Failure::usage(
            "expected at least one pair, and limits above 0",
        ));
    }
    if let Some(folder) = &args.figures {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::io(format!("{}: cannot be made", folder.display()), error))?;
    }
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::io("no folder for temporary files".into(), error))?;
    let input = &args.heightmap.input;
    let path = if is_bundle(input) {
        input.clone()
    } else {
        let path = folder.path().join("terrain.vcb");
        bake(&args.heightmap, &args.voice, &path)?;
        path
    };
    let opened = query::open(&path)?;
    let terrain = opened.terrain()?;
    let pairs = hidden_pairs(&terrain, args.pairs, args.seed);
    if pairs.len() < args.pairs {
        return Err(Failure::bad_input(format!(
            "{}: hardly any two samples are hidden from each other",
            input.display()
        )));
    }
    let mut by_limit = Vec::new();
    let mut limits = args.limits.clone();
    limits.sort_by(f64::total_cmp);
    // The most nodes first: to prune what has been pruned comes to the same, and is quick. No more
    // than two are kept at a time: together they may take more than a disk has.
    let mut source = path.clone();
    for (step, &gigabytes) in limits.iter().rev().enumerate() {
        let pruned = folder.path().join(format!("pruned-{}.vcb", step % 2));
        let bytes = (gigabytes * f64::from(1 << 30)) as u64;
        let nodes = nodes_for(terrain.grid(), bytes);
        tell(
            args,
            format_args!("{gigabytes} GB: at most {nodes} nodes a PVS"),
        );
        let ties = Ties::RowByRow;
        write_pruned(&source, &pruned, DeepestFirst { nodes, ties })?;
        let opened = query::open(&pruned)?;
        let terrain = opened.terrain()?;
        let limit = (gigabytes, nodes);
        by_limit.push(measure_cases(&terrain, limit, &pairs, args.simple_pairs));
        source = pruned;
    }
    tell(args, format_args!("the bundle as it is"));
    let document = Document {
        terrain: input.clone(),
        pairs: pairs.len(),
        seed: args.seed,
        samples: terrain.valid().count(terrain.grid().root()),
        quads: terrain.grid().quad_count(),
        default: measure(&terrain, &pairs, &GrowthOptions::default()),
        unlimited: measure(
            &terrain,
            &pairs[..some_of(args.unlimited_pairs, pairs.len())],
            &GrowthOptions::thesis(Grow::Hierarchical, Merge::Lossless),
        ),
        cases: by_limit.into_iter().rev().flatten().collect(),
    };
    if let Some(folder) = &args.figures {
        figures(&document, &limits, folder)?;
    }
    args.json.tell(|| &document, Tables(&document, &limits))
}

fn tell(args: &Args, words: fmt::Arguments<'_>) {
    if !args.voice.quiet {
        say(words);
    }
}

pub(super) fn is_bundle(path: &Path) -> bool {
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x89VCB\r\n\x1a\n"
}

pub(super) fn bake(heightmap: &Heightmap, voice: &Voice, path: &Path) -> Result<(), Failure> {
    let ingested = heightmap.read()?;
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        ..BakeOptions::default()
    };
    let progress = Progress::new(voice, Stop::default());
    let input = &heightmap.input;
    let source = input::source(input, ingested.format, Default::default())?;
    bake_terrain(&ingested.terrain, &source, &options, path, &progress)?;
    Ok(())
}

fn figures(document: &Document, limits: &[f64], folder: &Path) -> Result<(), Failure> {
    let save = |name: String, title: &str, [x, y]: [&str; 2], curves: Vec<Curve>| {
        let chart = Chart::new(title, [x, y], Series::Curves(&curves));
        let png = chart.png();
        let png = png.map_err(Failure::resource)?;
        bundle::save(&folder.join(name), &png, true)?;
        Ok::<(), Failure>(())
    };
    let names = CASES.map(|(_, _, grow, merge)| format!("{grow}, {merge}"));
    let measures = [
        ("time", "Mean time of a set", "milliseconds"),
        ("size", "Mean size of a set", "samples"),
    ];
    for (i, (name, title, unit)) in measures.into_iter().enumerate() {
        let mean = |case: &Case| [&case.measured.milliseconds, &case.measured.size][i].mean;
        let of = |k: usize| document.cases.iter().skip(k).step_by(CASES.len());
        let curve = |(k, name): (usize, &String)| Curve {
            name: name.clone(),
            points: of(k).map(|case| [case.gigabytes, mean(case)]).collect(),
        };
        let means = names.iter().enumerate().map(curve).collect();
        save(
            format!("{name}.png"),
            title,
            ["memory limit, GB", unit],
            means,
        )?;
        for (k, limit) in limits.iter().enumerate() {
            let cases = document.cases.iter().skip(k * CASES.len());
            let of = |case: &Case| case.measured.sets.iter().map(|set| set[i]).collect();
            let cases: Vec<(&str, Vec<f64>)> = names
                .iter()
                .map(String::as_str)
                .zip(cases.map(of))
                .collect();
            let title = format!("{} at {limit} GB", if i == 0 { "Times" } else { "Sizes" });
            let axes = [unit, "% of sets"];
            save(
                format!("{name}s-{limit}.png"),
                &title,
                axes,
                frequencies(&cases),
            )?;
        }
    }
    Ok(())
}

/// Tables like 4.1 to 4.4 of the thesis.
struct Tables<'a>(&'a Document, &'a [f64]);

impl fmt::Display for Tables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(document, limits) = self;
        let of = |measured: &Measured, time: bool| {
            let mut text = String::new();
            let (s, digits) = if time {
                (&measured.milliseconds, 3)
            } else {
                (&measured.size, 0)
            };
            let _ = write!(text, "{:.digits$} ± {:.digits$}", s.mean, s.interval);
            text
        };
        for time in [true, false] {
            writeln!(
                f,
                "Mean {} of {} sets, with 95 % confidence intervals",
                if time {
                    "processor time (milliseconds)"
                } else {
                    "size (samples)"
                },
                document.pairs
            )?;
            write!(f, "{:<22}", "")?;
            for (_, _, grow, merge) in CASES {
                write!(f, "{:>24}", format!("{grow}/{merge}"))?;
            }
            writeln!(f)?;
            for (k, limit) in limits.iter().enumerate() {
                write!(f, "{:<22}", format!("{limit} GB"))?;
                for case in document
                    .cases
                    .iter()
                    .skip(k * CASES.len())
                    .take(CASES.len())
                {
                    write!(f, "{:>24}", of(&case.measured, time))?;
                }
                writeln!(f)?;
            }
            for (name, measured) in [
                ("as it is, hierarchical/lossless", &document.unlimited),
                ("as it is, our default", &document.default),
            ] {
                writeln!(f, "{name:<34}{:>36}", of(measured, time))?;
            }
            writeln!(f)?;
        }
        writeln!(
            f,
            "{:<40}{:>10}{:>10}{:>10}{:>13}{:>10}{:>14}",
            "", "median ms", "p99 ms", "max ms", "median size", "p99 size", "smaller half"
        )?;
        let named = document.cases.iter().map(|case| {
            let name = format!("{} GB, {}/{}", case.gigabytes, case.grow, case.merge);
            (name, &case.measured)
        });
        let ours = [
            (
                "as it is, hierarchical/lossless".to_owned(),
                &document.unlimited,
            ),
            ("as it is, our default".to_owned(), &document.default),
        ];
        let lines: Vec<String> = named
            .chain(ours)
            .map(|(name, m)| {
                format!(
                    "{name:<40}{:>10.3}{:>10.3}{:>10.3}{:>13}{:>10}{:>14.0}",
                    m.milliseconds.median,
                    m.milliseconds.p99,
                    m.milliseconds.max,
                    m.size.median,
                    m.size.p99,
                    m.smaller_half.mean
                )
            })
            .collect();
        f.write_str(&lines.join("\n"))
    }
}

/// Widths of a level, and density and size of its frontiers (Steed & Angus, table 1)
///
/// The widths are over ordered pairs of different cells that a chain of visible steps connects. The density is the
/// share of random pairs of different cells that have a frontier, that is, that do not see each other. The size of
/// a frontier is the number of cells in either region, as a share of the maximum; its mean is over the drawn pairs
/// that have one.
///
/// The figures are given twice: over all pairs, counting all cells of the level as the paper does; and over pairs
/// of one component, counting its cells alone, because parts of a level that never see each other would flatter
/// the figures.
///
/// Then come the cost of precomputing the frontiers of all pairs (the method of 2004, section 2), and of computing
/// them on demand.
///
/// Example: viewcell experiment epvs e1m1.vcb --pairs 100000
#[derive(clap::Args)]
pub(super) struct EpvsArgs {
    /// The bundle
    bundle: PathBuf,
    /// Number of pairs to draw; if there are fewer, each is taken once
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pairs: u64,
    /// Memory for precomputed frontiers; if all pairs need more, as many as fit are made, and the rest is
    /// estimated
    #[arg(long, value_name = "SIZE", default_value = "1GB")]
    memory: ByteSize,
    #[command(flatten)]
    json: Json,
}

pub(super) fn epvs(args: &EpvsArgs) -> Outcome {
    let opened = query::open(&args.bundle)?;
    let level = opened.cells()?;
    let document = measure_level(&level, args.pairs, args.memory.0).map_err(Failure::resource)?;
    let mut text = format!(
        "cells          {}\ncomponents     {}, the largest of {}\nmax width      {}\n\
         average width  {:.2}\nunreachable    {:.1} % of pairs\n\n\
         construction  among            pairs  density %   size %  smaller %\n",
        document.cells,
        document.components,
        document.largest_component,
        document.max_width,
        document.average_width,
        document.unreachable
    );
    for row in &document.frontiers {
        text.push_str(&format!(
            "{:<12}  {:<13} {:>8} {:>10.1} {:>8.1} {:>10.1}\n",
            row.construction, row.among, row.pairs, row.density, row.size, row.smaller
        ));
    }
    let ahead = &document.ahead;
    text.push_str(&format!(
        "\nbeforehand     {} sets, {} bytes, {} bytes where equal regions are kept once, {:.2} s, \
         {:.0} ns to look one up\non demand      {} bytes and {:.1} us a set\n",
        ahead.sets,
        ahead.bytes,
        ahead.shared_bytes,
        ahead.seconds,
        ahead.lookup_ns,
        ahead.asked_bytes,
        ahead.asked_us
    ));
    args.json.tell(|| &document, text.trim_end())
}
