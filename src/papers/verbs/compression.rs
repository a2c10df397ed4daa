//! `viewcell experiment compression`: what budgets cost, by the thesis's method and by ours; of a level, van de Panne and
//! Stewart's merging of rows and columns, beside the bundle's rows.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::pruning::{DeepestFirst, Ties, nodes_for};
use crate::{Kept, MergingRow, compare_merging};
use viewcell::query::{MappedBundle, WorldKind};
use viewcell_bake::Weight;
use viewcell_bake::bundle;
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::heightmap::Heightmap;
use viewcell_program::output::{self, Json, say};
use viewcell_program::progress::{Progress, Voice};
use viewcell_program::query;
use viewcell_program::signals::Stop;
use viewcell_program::values::{self, ByteSize};
use viewcell_view::picture::{Chart, Curve, Series};

use super::frontier;

/// How much of the hidden area is kept within budgets, by Avni's method (thesis section 3.4) and by the default
/// one
///
/// TERRAIN is a lossless terrain bundle, or a heightmap, which is then baked (exact). Avni's method, deepest
/// first, gives each PVS as many nodes as the budget allows at three bytes a node; only these bytes are counted.
/// For the default method the whole file is counted.
///
/// For a bundle of a level: the merging of rows and columns by van de Panne and Stewart, lossless and lossy,
/// compared with the bundle's own rows.
///
/// Example: viewcell experiment compression level.vcb --budgets 10MB,30MB --chart kept.png
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    heightmap: Heightmap,
    /// Budgets
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_values = ["100MB", "30MB", "10MB"])]
    budgets: Vec<ByteSize>,
    /// More numbers of nodes per PVS to try with deepest first, besides those of the budgets
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [267, 107])]
    nodes: Vec<u64>,
    /// Number of threads; 0 for one per processor. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,
    /// Draw a chart: the share kept of what is hidden from samples, over bytes. Black: deepest first; orange: the
    /// default
    #[arg(long, value_name = "FILE.png")]
    chart: Option<PathBuf>,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment compression --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment compression")]
pub(super) struct Document {
    /// The terrain.
    #[serde(serialize_with = "viewcell_program::output::names")]
    terrain: PathBuf,
    /// Quads of the quadtree.
    quads: u64,
    /// Bytes of the lossless bundle.
    lossless_bytes: u64,
    /// The figures of each method.
    rows: Vec<Row>,
}

/// The thesis's method.
const DEEPEST_FIRST: &str = "deepest-first";

/// The figures of a method.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// `deepest-first`, row by row; `deepest-first, fewest hidden`: among equally deep nodes first those that hide
    /// the fewest quads; `optimal`.
    method: &'static str,
    /// Bytes: of all nodes at three bytes each, or of the whole file.
    bytes: u64,
    /// Nodes that each PVS may have, deepest first.
    nodes_per_quad: Option<u64>,
    /// By level of the viewpoint quad: average share of the hidden area that is still hidden, over at most 1,000
    /// quads a level; absent if nothing was hidden.
    kept: Vec<Option<f64>>,
}

impl Row {
    fn new(method: &'static str, kept: Kept) -> Self {
        Self {
            method,
            bytes: kept.bytes,
            nodes_per_quad: kept.nodes_per_quad,
            kept: kept.levels,
        }
    }
}

pub(super) fn run(args: &Args) -> Outcome {
    output::check_outputs(&[&args.heightmap.input], &args.chart, true)?;
    if is_level(&args.heightmap.input) {
        return merging(&args.heightmap.input, &args.json);
    }
    let cannot_make = |error| Failure::io("cannot make a folder for the experiment".into(), error);
    let folder = tempfile::tempdir().map_err(cannot_make)?;
    let mut source = args.heightmap.input.clone();
    if !frontier::is_bundle(&source) {
        source = folder.path().join("exact.vcb");
        frontier::bake(&args.heightmap, &args.voice, &source)?;
    }
    let opened = query::open(&source)?;
    let grid = opened.terrain()?.grid();
    let progress = Progress::new(&args.voice, Stop::default());
    let threads = args.threads;
    let mut rows = Vec::new();
    let budgets = args.budgets.iter().map(|budget| nodes_for(grid, budget.0));
    for nodes in budgets.chain(args.nodes.iter().copied()) {
        for (method, ties) in [
            (DEEPEST_FIRST, Ties::RowByRow),
            ("deepest-first, fewest hidden", Ties::FewestHidden),
        ] {
            let to = DeepestFirst { nodes, ties };
            let kept = crate::deepest_first(&source, to, threads, &progress)?;
            rows.push(Row::new(method, kept));
        }
    }
    for budget in &args.budgets {
        let kept = crate::optimal(&source, budget.0, Weight::Area, threads, &progress)?;
        rows.push(Row::new("optimal", kept));
    }
    progress.finish();
    rows.sort_by_key(|row| (row.method, std::cmp::Reverse(row.bytes)));
    let document = Document {
        terrain: args.heightmap.input.clone(),
        quads: grid.quad_count(),
        lossless_bytes: bundle::info(&source)?.bytes,
        rows,
    };
    if let Some(path) = &args.chart {
        draw(&document, path)?;
    }
    args.json.tell(|| &document, Table(&document).to_string())
}

/// Whether a file is a bundle of a level.
fn is_level(path: &Path) -> bool {
    frontier::is_bundle(path)
        && MappedBundle::open(path).is_ok_and(|map| map.kind() == Some(WorldKind::Cells))
}

fn draw(document: &Document, path: &std::path::Path) -> Result<(), Failure> {
    let curve = |method: &str| {
        let rows = document
            .rows
            .iter()
            .rev()
            .filter(|row| row.method == method);
        let point = |row: &Row| Some([row.bytes as f64, 100.0 * (*row.kept.first()?)?]);
        Curve {
            name: method.to_owned(),
            points: rows.filter_map(point).collect(),
        }
    };
    let curves = [curve(DEEPEST_FIRST), curve("optimal")];
    let title = "Hidden area that is kept, from single samples";
    let chart = Chart::new(title, ["bytes", "% kept"], Series::Curves(&curves));
    let picture = chart.png().map_err(|error| {
        Failure::io(
            format!("{}: cannot be drawn", path.display()),
            std::io::Error::other(error),
        )
    })?;
    bundle::save(path, &picture, true)?;
    say(format_args!("written: {}", path.display()));
    Ok(())
}

struct Table<'a>(&'a Document);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.0;
        writeln!(f, "lossless: {} bytes", document.lossless_bytes)?;
        f.write_str(
            "method                             bytes  nodes  % of hidden area kept, by level\n",
        )?;
        for row in &document.rows {
            let nodes = row.nodes_per_quad.map_or(String::new(), |n| n.to_string());
            let mut kept = String::new();
            for share in &row.kept {
                match share {
                    Some(share) => write!(kept, " {:5.1}", 100.0 * share)?,
                    None => kept.push_str("     -"),
                }
            }
            let (method, bytes) = (row.method, row.bytes);
            writeln!(f, "{method:<28} {bytes:>11} {nodes:>6} {kept}")?;
        }
        Ok(())
    }
}

/// What `viewcell experiment compression --json` prints of a level.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment compression of a level")]
pub(super) struct MergingDocument {
    /// Cells.
    cells: u32,
    /// Bytes of all pairs, at one bit each.
    matrix_bytes: u64,
    /// The figures of each method.
    rows: Vec<MergingRow>,
}

/// Percentage of what is hidden that may become visible.
const LOSSES: [f64; 3] = [0.1, 1.0, 5.0];

/// Sections that hold who sees whom.
const STORED: [&str; 2] = ["CPVS", "CROW"];

pub(super) fn merging(path: &Path, json: &Json) -> Outcome {
    let opened = query::open(path)?;
    let level = opened.cells()?;
    let info = bundle::info(path)?;
    let sections = info.sections.iter();
    let stored = sections.filter(|section| STORED.contains(&section.tag.as_str()));
    let stored = stored.map(|section| section.uncompressed_bytes).sum();
    let cells = level.cells();
    let document = MergingDocument {
        cells,
        matrix_bytes: (u64::from(cells) * u64::from(cells)).div_ceil(8),
        rows: compare_merging(&level, stored, &LOSSES),
    };
    let mut text = format!(
        "{cells} cells, {} bytes at one bit per pair\nmethod    rows  columns      bytes  % given \
         away  ns to ask\n",
        document.matrix_bytes
    );
    for row in &document.rows {
        text.push_str(&format!(
            "{:<8} {:>5} {:>8} {:>10} {:>13.2} {:>10.1}\n",
            row.method, row.rows, row.columns, row.bytes, row.given_away, row.ask_ns
        ));
    }
    json.tell(|| &document, text.trim_end())
}
