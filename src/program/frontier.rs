//! `viewcell frontier`: two regions that cannot see each other, of a terrain, of a level of cells, and of a solid level by
//! quads of the numbers of its cells.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use viewcell::format::{SolidParameters, TerrainParameters};
use viewcell::frontier::{Frontier, FrontierBuilder, FrontierError, FrontierOptions, Side, cells};
use viewcell::query::{CellBundle, Sample, SolidBundle, TerrainBundle, World};
use viewcell_bake::bundle;
use viewcell_ingest::world::ones;
use viewcell_view::picture::{self, Ground, Part, Viewpoint};

use super::exit::{Failure, Outcome};
use super::output::{self, Json, say};
use super::query::lines::{answer_documents, parse_cells, parse_samples};
use super::query::{PairArgs, Position, count_samples, samples_of};
use super::render::{check_drawable, check_png};

/// What is said of two who see each other.
const NO_SET: &str = "they can see each other: there is no frontier set";

/// How far may two players walk before they can see each other?
///
/// Prints the sizes of a frontier set: two regions, one around each player, such that no place in one can be seen
/// from any place in the other. Both are empty if the players can see each other.
///
/// Example: viewcell frontier level.vcb 10,20 90,40
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub pair: PairArgs,
    /// Draw both regions over a hillshade: a name that ends in .png
    #[arg(short, long, value_name = "PNG", conflicts_with = "pairs")]
    pub output: Option<PathBuf>,
    /// Write a line "a COL ROW" or "b COL ROW" for each sample of the regions; in levels "a CELL" or "b CELL"
    #[arg(long, value_name = "FILE", conflicts_with = "pairs")]
    pub members: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// On a terrain: stop growing after this many quads have been tried; 0 for no limit [default: 64]
    #[arg(long, value_name = "QUADS")]
    pub budget: Option<u32>,
    /// On a terrain: leave out what lies within this many steps of a region's edge: a player who leaves the rest
    /// still has that many steps in which to agree on a new set
    #[arg(long, value_name = "CELLS", default_value_t = 0)]
    pub margin: u32,
}

/// The sizes of two regions, and what share of `all` they are.
fn sizes([a, b]: [u64; 2], all: u64) -> String {
    let share = |size: u64| 100.0 * size as f64 / all.max(1) as f64;
    format!(
        "a    {a:>12}  {:5.1} %\nb    {b:>12}  {:5.1} %",
        share(a),
        share(b)
    )
}

pub fn run(args: &Args) -> Outcome {
    let mut options = FrontierOptions::default();
    if let Some(limit) = args.budget {
        options.limit = (limit > 0).then_some(limit);
    }
    let outputs = args.output.iter().chain(&args.members);
    output::check_outputs(&[&args.pair.bundle], outputs, args.force)?;
    args.pair.ask(|world| match world {
        World::Terrain(terrain) => on_terrain(args, &options, terrain),
        World::Cells(level) => in_level(args, &level),
        World::Solid(level) => in_solid(args, &options, &level),
    })
}

/// What `viewcell frontier --json` prints, and `--pairs` a line each.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell frontier")]
pub struct Document {
    #[serde(flatten)]
    set: SetDocument,
    /// How the regions were grown.
    options: OptionsDocument,
    /// The drawing, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    output: Option<PathBuf>,
    /// The file of members, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    members: Option<PathBuf>,
}

/// A frontier set of a terrain, however it was grown.
#[derive(Serialize, JsonSchema)]
pub struct SetDocument {
    /// One player: column and row.
    a: [u32; 2],
    /// The other player: column and row.
    b: [u32; 2],
    /// Whether one can see the other, so that both regions are empty.
    visible: bool,
    /// Number of samples in the region of a.
    size_a: u64,
    /// Number of samples in the region of b.
    size_b: u64,
    /// How long the computation took, in microseconds, without opening the bundle.
    micros: f64,
    /// Number of quads tried.
    tried: u64,
    /// Number of PVSs merged.
    merged: u64,
}

impl SetDocument {
    /// Of two players; sizes in samples, the time in microseconds, and the quads tried and PVSs merged.
    pub fn new(
        terrain: &TerrainBundle<'_>,
        [a, b]: [Position; 2],
        [size_a, size_b]: [u64; 2],
        micros: f64,
        (tried, merged): (u64, u64),
    ) -> Self {
        Self {
            a: a.numbers(),
            b: b.numbers(),
            visible: terrain.visible(a.cell, b.cell) || terrain.visible(b.cell, a.cell),
            size_a,
            size_b,
            micros: (micros * 10.0).round() / 10.0,
            tried,
            merged,
        }
    }

    /// The sizes as text, after a word if the players see each other.
    pub fn text(&self, terrain: &TerrainBundle<'_>) -> String {
        if self.visible {
            say(NO_SET);
        }
        let valid = |cell: &Sample| terrain.valid().has_sample(*cell);
        let all = terrain.grid().row_by_row().filter(valid);
        let all = count_samples(terrain.parameters(), all);
        sizes([self.size_a, self.size_b], all)
    }
}

/// How regions were grown.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "growth of a terrain frontier")]
struct OptionsDocument {
    /// Most quads tried; null for no limit.
    budget: Option<u32>,
    /// Steps from the edge of a region within which samples are left out.
    margin: u32,
}

/// Both regions.
struct Set {
    halves: [Frontier; 2],
    micros: f64,
    work: (u64, u64),
}

fn on_terrain(args: &Args, options: &FrontierOptions, terrain: TerrainBundle<'_>) -> Outcome {
    let mut builder = FrontierBuilder::new(&terrain);
    if let Some(file) = &args.pair.pairs {
        return answer_documents(file, |line| {
            let pair = parse_samples(line, terrain.parameters())?;
            let set = build(args, options, &mut builder, pair);
            let set = set.map_err(|error| error.to_string())?;
            Ok(document(args, options, &terrain, &set, pair))
        });
    }
    let pair = args.pair.positions(&terrain)?;
    if let Some(path) = &args.output {
        check_png(path)?;
        check_drawable(&args.pair.bundle, &terrain)?;
    }
    let set = build(args, options, &mut builder, pair)
        .map_err(|error| Failure::usage(format!("{}: {error}", args.pair.bundle.display())))?;
    if let Some(path) = &args.members {
        let parameters = terrain.parameters();
        bundle::save_with(path, args.force, |file| {
            write_members(file, parameters, &set)
        })?;
    }
    if let Some(path) = &args.output {
        let png = draw(options, &mut builder, &set, pair.map(|place| place.cell))?;
        bundle::save(path, &png, args.force)?;
    }
    let document = document(args, options, &terrain, &set, pair);
    let text = document.set.text(&terrain);
    args.pair.json.tell(|| document, text)
}

fn build(
    args: &Args,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    [a, b]: [Position; 2],
) -> Result<Set, FrontierError> {
    let start = Instant::now();
    builder.build(a.cell, b.cell, options)?;
    let mut micros = start.elapsed().as_secs_f64() * 1e6;
    let work = builder.work();
    let start = Instant::now();
    let halves = Side::BOTH.map(|side| builder.core(side, args.margin));
    if args.margin > 0 {
        micros += start.elapsed().as_secs_f64() * 1e6;
    }
    Ok(Set {
        halves,
        micros,
        work,
    })
}

fn document(
    args: &Args,
    options: &FrontierOptions,
    terrain: &TerrainBundle<'_>,
    set: &Set,
    pair: [Position; 2],
) -> Document {
    let parameters = terrain.parameters();
    let sizes = [0, 1].map(|side| match parameters.finest() {
        0 => set.halves[side].area(),
        _ => count_samples(parameters, set.halves[side].region().samples()),
    });
    Document {
        set: SetDocument::new(terrain, pair, sizes, set.micros, set.work),
        options: OptionsDocument {
            budget: options.limit,
            margin: args.margin,
        },
        output: args.output.clone(),
        members: args.members.clone(),
    }
}

fn write_members(
    file: &mut dyn Write,
    parameters: &TerrainParameters,
    set: &Set,
) -> io::Result<()> {
    let mut out = io::BufWriter::new(file);
    for (name, half) in ["a", "b"].into_iter().zip(&set.halves) {
        let cells = half.region().samples();
        for sample in cells.flat_map(|cell| samples_of(parameters, cell)) {
            writeln!(out, "{name} {} {}", sample.column, sample.row)?;
        }
    }
    out.flush()
}

/// Grows the set once more, to see when each sample joined.
fn draw(
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    set: &Set,
    players: [Sample; 2],
) -> Result<Vec<u8>, Failure> {
    let parts = picture::growth(builder, players, options);
    let mut parts = parts.map_err(|error| Failure::usage(error.to_string()))?;
    let terrain = builder.terrain();
    for (part, sample) in parts.iter_mut().zip(terrain.grid().row_by_row()) {
        // A margin leaves out some of what was grown.
        if !set.halves.iter().any(|half| half.contains(sample)) {
            *part = Part::Neither;
        }
    }
    let drawn = picture::frontier_image(&Ground::new(terrain), &parts);
    picture::marked_png(&drawn, &players.map(Viewpoint::at)).map_err(Failure::resource)
}

/// What `viewcell frontier --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell frontier, cells")]
pub struct CellsDocument {
    /// One player's cell.
    a: u32,
    /// The other's.
    b: u32,
    /// Whether one can see the other, so that both regions are empty.
    visible: bool,
    /// Number of cells in the region of a.
    size_a: u64,
    /// Number of cells in the region of b.
    size_b: u64,
    /// `tightened` (Steed and Angus, EQ 1, and all that it does not see); for a solid level `quads`, of the numbers of its
    /// cells.
    construction: &'static str,
    /// The cells of the region of a, in rising order; absent with --pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    region_a: Option<Vec<usize>>,
    /// The cells of the region of b, in rising order; absent with --pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    region_b: Option<Vec<usize>>,
}

impl CellsDocument {
    /// Of regions, both of which are empty where one sees the other.
    pub fn new(
        [a, b]: [u32; 2],
        visible: bool,
        construction: &'static str,
        [ab, ba]: [Vec<usize>; 2],
    ) -> Self {
        Self {
            a,
            b,
            visible,
            size_a: ab.len() as u64,
            size_b: ba.len() as u64,
            construction,
            region_a: Some(ab),
            region_b: Some(ba),
        }
    }

    /// Prints it, of a level of so many cells.
    pub fn tell(&self, json: &Json, cells: u32) -> Outcome {
        if self.visible {
            say(NO_SET);
        }
        let sizes = sizes([self.size_a, self.size_b], cells.into());
        json.tell(|| self, sizes)
    }

    /// The sizes alone.
    fn without_regions(self) -> Self {
        Self {
            region_a: None,
            region_b: None,
            ..self
        }
    }
}

fn in_level(args: &Args, level: &CellBundle<'_>) -> Outcome {
    if args.output.is_some() {
        return Err(Failure::usage(format!(
            "-o: expected a terrain to draw, found cells in {}; --members writes a list",
            args.pair.bundle.display()
        )));
    }
    let mut memory = vec![0; cells::words(level.cells())];
    match &args.pair.pairs {
        Some(file) => answer_documents(file, |line| {
            let pair = parse_cells(line, level.cells())?;
            let document = set_in_level(level, pair, &mut memory);
            let document = document.map_err(|_| "no memory for a frontier set".to_owned())?;
            Ok(document.without_regions())
        }),
        None => {
            let pair = args.pair.cells(level)?;
            let document = set_in_level(level, pair, &mut memory)?;
            show_in_level(args, level.cells(), &document)
        }
    }
}

fn set_in_level(
    level: &CellBundle<'_>,
    [a, b]: [u32; 2],
    memory: &mut [u64],
) -> Result<CellsDocument, Failure> {
    let frontier = level.frontier(a, b, memory).map_err(Failure::resource)?;
    let visible = level.visible(a, b) || level.visible(b, a);
    let [ab, ba]: [Vec<usize>; 2] = match &frontier {
        Some(frontier) => [frontier.ab, frontier.ba].map(|region| ones(region).collect()),
        None => [Vec::new(), Vec::new()],
    };
    Ok(CellsDocument::new([a, b], visible, "tightened", [ab, ba]))
}

/// Prints a set, and writes its members; of a level of so many cells.
fn show_in_level(args: &Args, cells: u32, document: &CellsDocument) -> Outcome {
    let regions = [("a", &document.region_a), ("b", &document.region_b)];
    if let Some(path) = &args.members {
        let mut text = String::new();
        for (name, region) in regions {
            for cell in region.iter().flatten() {
                // Writing into a String does not fail.
                let _ = writeln!(text, "{name} {cell}");
            }
        }
        bundle::save(path, text.as_bytes(), args.force)?;
        say(format_args!("written: {}", path.display()));
    }
    document.tell(&args.pair.json, cells)
}

fn in_solid(args: &Args, options: &FrontierOptions, level: &SolidBundle<'_>) -> Outcome {
    let path = args.pair.bundle.display();
    if args.output.is_some() {
        return Err(Failure::usage(format!(
            "-o: expected a terrain to draw, found the solid level {path}; viewcell render --frontier draws its floors"
        )));
    }
    if args.margin > 0 {
        return Err(Failure::usage(format!(
            "--margin: expected none, since {path} is of a solid level, whose frontier sets grow by quads of its \
             cells' numbers"
        )));
    }
    let mut builder = FrontierBuilder::new(level.sights());
    match &args.pair.pairs {
        Some(file) => answer_documents(file, |line| {
            let pair = parse_cells(line, level.cells())?;
            Ok(set_in_solid(level, options, &mut builder, pair)?.without_regions())
        }),
        None => {
            let pair = args.pair.solid_cells(level)?;
            let document = set_in_solid(level, options, &mut builder, pair)
                .map_err(|error| Failure::usage(format!("{path}: {error}")))?;
            show_in_level(args, level.cells(), &document)
        }
    }
}

fn set_in_solid(
    level: &SolidBundle<'_>,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    [a, b]: [u32; 2],
) -> Result<CellsDocument, String> {
    let samples = [a, b].map(SolidParameters::sample);
    builder
        .build(samples[0], samples[1], options)
        .map_err(|error| error.to_string())?;
    let regions = Side::BOTH.map(|side| {
        let region = builder.region(side);
        let mut cells: Vec<usize> = region
            .samples()
            .map(|sample| SolidParameters::cell_of(sample) as usize)
            .collect();
        cells.sort_unstable();
        cells
    });
    let visible = level.visible(a, b) || level.visible(b, a);
    Ok(CellsDocument::new([a, b], visible, "quads", regions))
}
