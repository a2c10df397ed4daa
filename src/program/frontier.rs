//! `viewcell frontier`: two regions that cannot see each other, of a terrain, of a level of cells, and of a solid level by
//! quads of the numbers of its cells.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Place, Sample, TerrainBundle, World};
use viewcell::session::{Half, Sets};
use viewcell_bake::bundle;
use viewcell_view::picture::{self, Ground, Part, Viewpoint};

use super::exit::{Failure, Outcome};
use super::output::{self, Json, say};
use super::query::lines::{answer_documents, parse_pair};
use super::query::place::NamedPlace;
use super::query::{Opened, PairArgs, Position, count_samples, samples_of};
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

pub fn run(args: &Args) -> Outcome {
    let mut options = FrontierOptions::default();
    if let Some(limit) = args.budget {
        options.limit = (limit > 0).then_some(limit);
    }
    let outputs = args.output.iter().chain(&args.members);
    output::check_outputs(&[&args.pair.bundle], outputs, args.force)?;
    let opened = args.pair.open()?;
    check_options(args, &opened)?;
    let mut sets = Sets::new(opened.world());
    if let Some(file) = &args.pair.pairs {
        return answer_documents(file, |line| {
            let pair = parse_pair(opened.world(), line)?;
            let set = grow(args, &options, &mut sets, pair)?;
            Ok(document(args, &options, sets.world(), &set, false))
        });
    }
    let refused = |error| Failure::usage(format!("{}: {error}", args.pair.bundle.display()));
    let pair = args.pair.positions(&opened)?;
    if let Some(path) = &args.output {
        check_png(path)?;
        check_drawable(&args.pair.bundle, &opened.terrain()?)?;
    }
    opened.there(&pair[0]).and(opened.there(&pair[1]))?;
    let set = grow(args, &options, &mut sets, pair).map_err(refused)?;
    if let Some(path) = &args.members {
        bundle::save_with(path, args.force, |file| {
            write_members(file, opened.world(), &set.halves)
        })?;
        if opened.world().terrain().is_none() {
            say(format_args!("written: {}", path.display()));
        }
    }
    if let Some(path) = &args.output {
        let players = [opened.sample(&pair[0])?, opened.sample(&pair[1])?];
        let png = draw(&options, &opened.terrain()?, &set, players)?;
        bundle::save(path, &png, args.force)?;
    }
    let document = document(args, &options, opened.world(), &set, true);
    let text = document.set.text(opened.world());
    args.pair.json.tell(|| document, text)
}

/// Fails for options that a world has not.
fn check_options(args: &Args, opened: &Opened) -> Result<(), Failure> {
    let path = opened.path().display();
    if opened.world().terrain().is_none() && args.output.is_some() {
        let found = match opened.world().cells() {
            Some(_) => format!("cells in {path}; --members writes a list"),
            None => {
                format!("the solid level {path}; viewcell render --frontier draws its floors")
            }
        };
        let message = format!("-o: expected a terrain to draw, found {found}");
        return Err(Failure::usage(message));
    }
    if opened.world().solid().is_some() && args.margin > 0 {
        return Err(Failure::usage(format!(
            "--margin: expected none, since {path} is of a solid level, whose frontier sets grow by quads of its \
             cells' numbers"
        )));
    }
    Ok(())
}

/// What `viewcell frontier --json` prints, and `--pairs` a line each.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell frontier")]
pub struct Document {
    #[serde(flatten)]
    set: SetDocument,
    /// How the regions were grown; absent in a level of cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<OptionsDocument>,
    /// The drawing, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    output: Option<PathBuf>,
    /// The file of members, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    members: Option<PathBuf>,
}

/// A frontier set, however it was grown.
#[derive(Serialize, JsonSchema)]
pub struct SetDocument {
    /// `terrain`, `cells` or `solid`.
    kind: String,
    /// One player.
    a: Option<NamedPlace>,
    /// The other player.
    b: Option<NamedPlace>,
    /// Whether one can see the other, so that both regions are empty.
    visible: bool,
    /// Number of samples or cells in the region of a.
    size_a: u64,
    /// Number of samples or cells in the region of b.
    size_b: u64,
    /// On a terrain: how long the computation took, in microseconds, without opening the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    micros: Option<f64>,
    /// Number of quads tried; absent in a level of cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<u64>,
    /// Number of PVSs merged; absent in a level of cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<u64>,
    /// Of a level: `tightened` (Steed and Angus, EQ 1, and all that it does not see) of cells, `quads`, of the numbers of
    /// its cells, of a solid one.
    #[serde(skip_serializing_if = "Option::is_none")]
    construction: Option<&'static str>,
    /// The cells of the region of a, in rising order; absent on a terrain, and with --pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    region_a: Option<Vec<u32>>,
    /// The same of b.
    #[serde(skip_serializing_if = "Option::is_none")]
    region_b: Option<Vec<u32>>,
}

/// How it was grown: in so many microseconds, with so many quads tried and PVSs merged, and in a level by a construction.
#[derive(Default)]
pub struct Growth {
    /// [Unit: µs]
    pub micros: f64,
    /// Quads tried, PVSs merged.
    pub work: Option<(u64, u64)>,
    /// Its name.
    pub construction: Option<&'static str>,
}

impl SetDocument {
    /// Of two players, and regions of so many samples of the heightmap or cells.
    pub fn new(
        world: &World<'_>,
        pair: &[Position; 2],
        [size_a, size_b]: [u64; 2],
        growth: &Growth,
    ) -> Self {
        let [a, b] = pair;
        let sees = |(a, b)| world.visible(a, b) || world.visible(b, a);
        let (tried, merged) = growth.work.unzip();
        Self {
            kind: world.kind().to_string(),
            a: a.named(),
            b: b.named(),
            visible: a.place.zip(b.place).is_none_or(sees),
            size_a,
            size_b,
            micros: (world.terrain()).map(|_| (growth.micros * 10.0).round() / 10.0),
            tried,
            merged,
            construction: growth.construction,
            region_a: None,
            region_b: None,
        }
    }

    /// The same with the cells of both regions, in a level.
    pub fn with_regions(self, mut regions: [Vec<u32>; 2]) -> Self {
        for cells in &mut regions {
            cells.sort_unstable();
        }
        let [size_a, size_b] = regions.each_ref().map(|cells| cells.len() as u64);
        let [region_a, region_b] = regions.map(Some);
        Self {
            size_a,
            size_b,
            region_a,
            region_b,
            ..self
        }
    }

    /// Prints it.
    pub fn tell(&self, json: &Json, world: &World<'_>) -> Outcome {
        json.tell(|| self, self.text(world))
    }

    /// The sizes as text, and what share of all they are; after a word if the players see each other.
    fn text(&self, world: &World<'_>) -> String {
        if self.visible {
            say(NO_SET);
        }
        let all = match world.terrain() {
            Some(terrain) => {
                let valid = |cell: &Sample| terrain.valid().has_sample(*cell);
                let all = terrain.grid().row_by_row().filter(valid);
                count_samples(terrain.parameters(), all)
            }
            None => world.places(),
        };
        let (a, b) = (self.size_a, self.size_b);
        let share = |size: u64| 100.0 * size as f64 / all.max(1) as f64;
        format!(
            "a    {a:>12}  {:5.1} %\nb    {b:>12}  {:5.1} %",
            share(a),
            share(b)
        )
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
    pair: [Position; 2],
    halves: [Half; 2],
    growth: Growth,
}

fn grow(
    args: &Args,
    options: &FrontierOptions,
    sets: &mut Sets<'_>,
    pair: [Position; 2],
) -> Result<Set, String> {
    let place = |at: Position| at.place.ok_or_else(|| format!("{at} is in no view cell"));
    let [a, b] = [place(pair[0])?, place(pair[1])?];
    let start = Instant::now();
    let begun = sets.begin(a, b, options);
    begun.map_err(|error| error.to_string())?;
    while !sets.step(u32::MAX) {}
    let mut micros = start.elapsed().as_secs_f64() * 1e6;
    let work = sets.work();
    let start = Instant::now();
    let halves = Side::BOTH.map(|side| sets.half(side, args.margin));
    if args.margin > 0 {
        micros += start.elapsed().as_secs_f64() * 1e6;
    }
    let construction = match sets.world() {
        World::Terrain(_) => None,
        World::Cells(_) => Some("tightened"),
        World::Solid(_) => Some("quads"),
    };
    let growth = Growth {
        micros,
        work,
        construction,
    };
    Ok(Set {
        pair,
        halves,
        growth,
    })
}

/// With the regions of a level, if they are asked for.
fn document(
    args: &Args,
    options: &FrontierOptions,
    world: &World<'_>,
    set: &Set,
    with_regions: bool,
) -> Document {
    let sizes = set.halves.each_ref().map(|half| match world.terrain() {
        Some(terrain) if terrain.parameters().finest() > 0 => {
            count_samples(terrain.parameters(), half.places().filter_map(sample))
        }
        _ => half.area(),
    });
    let mut document = SetDocument::new(world, &set.pair, sizes, &set.growth);
    if with_regions && world.terrain().is_none() {
        document = document.with_regions(set.halves.each_ref().map(cells));
    }
    Document {
        set: document,
        options: set.growth.work.map(|_| OptionsDocument {
            budget: options.limit,
            margin: args.margin,
        }),
        output: args.output.clone(),
        members: args.members.clone(),
    }
}

fn sample(place: Place) -> Option<Sample> {
    match place {
        Place::Sample(sample) => Some(sample),
        Place::Cell(_) => None,
    }
}

/// The cells of a half in a level.
fn cells(half: &Half) -> Vec<u32> {
    let cells = half.places().filter_map(|place| match place {
        Place::Sample(_) => None,
        Place::Cell(cell) => Some(cell),
    });
    cells.collect()
}

fn write_members(file: &mut dyn Write, world: &World<'_>, halves: &[Half; 2]) -> io::Result<()> {
    let mut out = io::BufWriter::new(file);
    for (name, half) in ["a", "b"].into_iter().zip(halves) {
        match world.terrain() {
            Some(terrain) => {
                let view_cells = half.places().filter_map(sample);
                let samples = view_cells.flat_map(|cell| samples_of(terrain.parameters(), cell));
                for sample in samples {
                    writeln!(out, "{name} {} {}", sample.column, sample.row)?;
                }
            }
            None => {
                let mut cells = cells(half);
                cells.sort_unstable();
                for cell in cells {
                    writeln!(out, "{name} {cell}")?;
                }
            }
        }
    }
    out.flush()
}

/// Grows the set once more, to see when each sample joined.
fn draw(
    options: &FrontierOptions,
    terrain: &TerrainBundle<'_>,
    set: &Set,
    players: [Sample; 2],
) -> Result<Vec<u8>, Failure> {
    let mut builder = FrontierBuilder::new(terrain);
    let parts = picture::growth(&mut builder, players, options);
    let mut parts = parts.map_err(|error| Failure::usage(error.to_string()))?;
    for (part, sample) in parts.iter_mut().zip(terrain.grid().row_by_row()) {
        // A margin leaves out some of what was grown.
        let place = Place::Sample(sample);
        if !set.halves.iter().any(|half| half.contains(place)) {
            *part = Part::Neither;
        }
    }
    let drawn = picture::frontier_image(&Ground::new(terrain), &parts);
    picture::marked_png(&drawn, &players.map(Viewpoint::at)).map_err(Failure::resource)
}
