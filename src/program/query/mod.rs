//! `viewcell query`: queries of a bundle; here those of a pair of places: can one be seen from the other (`visible`)?
//! May two players come to see each other (`--reach`)? How many visible steps lead from one cell to another
//! (`distance`)?

mod ask;
mod bundles;
pub(super) mod lines;
mod place;
pub(super) mod pvs;
pub(super) mod solid;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use place::{Standing, quad_at};
use schemars::JsonSchema;
use serde::Serialize;

use viewcell::query::{Answer, CellBundle, Sample, TerrainBundle, World};

use super::exit::{Failure, Outcome};
use super::output::{Json, Stdout};
use super::values;

pub use ask::PairArgs;
pub use bundles::{cannot_open, cells, open, solid, solid_of, terrain, world};
pub use place::{
    By, GivenPlace, Position, check_by_number, check_cell, check_level, count_samples, in_degrees,
    quad_over, samples_of,
};
pub use pvs::samples_seen;
pub use solid::cell_at;

/// Ask a bundle who can see whom
///
/// Example: viewcell query visible level.vcb 10,20 90,40
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    Visible(VisibleArgs),
    Distance(DistanceArgs),
    Pvs(pvs::PvsArgs),
    Locate(pvs::LocateArgs),
}

pub fn run(args: Args) -> Outcome {
    match args.question {
        Question::Visible(args) => visible(&args),
        Question::Distance(args) => distance(&args),
        Question::Pvs(args) => pvs::pvs(&args),
        Question::Locate(args) => pvs::locate(&args),
    }
}

/// Can a player at B be seen from A? Prints visible or hidden
///
/// With --pairs, answers a whole file: 1 or 0 for each line, in order.
///
/// Example: viewcell query visible level.vcb 10,20 90,40
#[derive(clap::Args)]
pub struct VisibleArgs {
    #[command(flatten)]
    pair: PairArgs,
    /// Answer for the quads of level L that contain the places: visible if anything in one may be seen from
    /// anywhere in the other
    #[arg(long, value_name = "L")]
    quad: Option<u32>,
    /// May they see each other if each moves up to so far from A and B? The first and the second, or both: metres, or
    /// units of a level's positions
    ///
    /// This is what a server asks, with distances from speed and ping: at 5 m/s and 300 ms, 1.5 m. The answer errs towards
    /// visible.
    #[arg(
        long,
        value_name = "R[,S]",
        allow_hyphen_values = true,
        conflicts_with = "quad"
    )]
    reach: Option<Reaches>,
}

/// What `viewcell query visible --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible")]
pub struct VisibleDocument {
    /// From where: column and row.
    a: [u32; 2],
    /// To where: column and row.
    b: [u32; 2],
    /// Level of the quads of a and b that the answer is for: 0 for the samples themselves.
    level: u32,
    /// Whether a player at b may be seen from a.
    visible: bool,
    /// Why nobody can be at a, so that nobody there sees anybody; absent if somebody can.
    #[serde(skip_serializing_if = "Option::is_none")]
    nobody_at_a: Option<Standing>,
    /// The same for b.
    #[serde(skip_serializing_if = "Option::is_none")]
    nobody_at_b: Option<Standing>,
}

/// What `viewcell query visible --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible, cells")]
pub struct CellVisibleDocument {
    /// From which cell.
    a: u32,
    /// To which cell.
    b: u32,
    /// Whether b may be seen from a.
    visible: bool,
}

pub fn visible(args: &VisibleArgs) -> Outcome {
    let pair = &args.pair;
    if let Some(Reaches(reach)) = args.reach {
        return within(pair, reach);
    }
    pair.ask(|world| match world {
        World::Terrain(terrain) => visible_on_terrain(args, &terrain),
        World::Cells(_) if args.quad.is_some() => Err(Failure::usage(format!(
            "--quad: expected a bundle of a terrain, found {}, which is of cells; leave it out",
            pair.bundle.display()
        ))),
        World::Cells(level) => {
            let visible = |[a, b]: [u32; 2]| Ok(level.visible(a, b));
            let document = |[a, b]: [u32; 2], visible| CellVisibleDocument { a, b, visible };
            pair.answer_in_level(&level, visible, document)
        }
        World::Solid(level) => pair.answer_in_solid(&level, None),
    })
}

fn visible_on_terrain(args: &VisibleArgs, terrain: &TerrainBundle<'_>) -> Outcome {
    let level = args.quad.unwrap_or(0).max(terrain.parameters().finest());
    check_level(&args.pair.bundle, terrain, level)?;
    let nobody = |sample| {
        let standing = Standing::within(terrain, quad_at(terrain, sample, level));
        Some(standing).filter(|&standing| standing != Standing::Walkable)
    };
    let visible = |pair: [Position; 2]| sees(terrain, level, pair.map(|place| place.sample));
    let document = |[a, b]: [Position; 2], visible| VisibleDocument {
        a: a.numbers(),
        b: b.numbers(),
        level,
        visible,
        nobody_at_a: nobody(a.sample),
        nobody_at_b: nobody(b.sample),
    };
    args.pair.answer_on_terrain(terrain, visible, document)
}

/// Whether the quads of a level of the heightmap that hold two samples see each other.
fn sees(terrain: &TerrainBundle, level: u32, pair: [Sample; 2]) -> bool {
    let [a, b] = pair.map(|sample| quad_at(terrain, sample, level));
    if a.level == 0 {
        return terrain.visible(a.origin(), b.origin());
    }
    let pvs = terrain.pvs(a);
    pvs.is_some_and(|pvs| pvs.state(b) != Answer::Hidden)
}

/// R or R,S.
#[derive(Clone, Copy)]
struct Reaches([f64; 2]);

impl FromStr for Reaches {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = values::numbers(text).filter(|numbers| numbers.iter().all(|n| *n >= 0.0));
        let reaches = match numbers.as_deref() {
            Some(&[reach]) => Some([reach; 2]),
            Some(&[first, second]) => Some([first, second]),
            _ => None,
        };
        reaches
            .map(Self)
            .ok_or_else(|| "expected R or R,S: finite numbers from 0 up".to_owned())
    }
}

/// What `viewcell query visible --reach --json` prints of one pair.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible --reach")]
pub struct WithinDocument {
    /// Where the first player is: column and row, or a cell alone.
    a: Vec<u32>,
    /// Where the second player is.
    b: Vec<u32>,
    /// How far each may move, in metres or in units of the level's positions.
    reach: [f64; 2],
    /// Whether they may see each other on their routes.
    visible: bool,
}

fn within(pair: &PairArgs, reach: [f64; 2]) -> Outcome {
    let document = |[a, b]: [Vec<u32>; 2], visible| WithinDocument {
        a,
        b,
        reach,
        visible,
    };
    pair.ask(|world| match world {
        World::Terrain(terrain) => {
            let visible =
                |[a, b]: [Position; 2]| terrain.samples_visible_within(a.sample, b.sample, reach);
            let document = |pair: [Position; 2], visible| {
                document(pair.map(|place| place.numbers().to_vec()), visible)
            };
            pair.answer_on_terrain(&terrain, visible, document)
        }
        World::Cells(level) => {
            let mut memory = vec![0; level.reach_memory().two];
            let visible = |[a, b]: [u32; 2]| {
                let seen = level.visible_within(a, b, reach, &mut memory);
                seen.map_err(|error| error.to_string())
            };
            let document = |pair: [u32; 2], visible| document(pair.map(|cell| vec![cell]), visible);
            pair.answer_in_level(&level, visible, document)
        }
        World::Solid(level) => pair.answer_in_solid(&level, Some(reach)),
    })
}

/// How many visible steps lead from cell A to cell B? Prints a number or unreachable
///
/// 0 for a cell and itself, 1 if B is visible, 2 if a cell that A sees, sees B, and so on (the extended PVS). With
/// --pairs, answers a whole file, one line for each, in order.
///
/// Example: viewcell query distance e1m1.vcb 4 17
#[derive(clap::Args)]
pub struct DistanceArgs {
    /// The bundle
    bundle: PathBuf,
    /// From which cell
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<GivenPlace>,
    /// To which cell
    #[arg(allow_hyphen_values = true)]
    b: Option<GivenPlace>,
    /// Answer each line "a b" of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b"])]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query distance --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query distance")]
pub struct DistanceDocument {
    /// From which cell.
    a: u32,
    /// To which cell.
    b: u32,
    /// Visible steps; null if unreachable.
    distance: Option<u32>,
}

/// What `viewcell query distance --pairs --json` prints.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(title = "viewcell query distance --pairs")]
pub struct DistancePairsDocument {
    /// Number of lines answered.
    pairs: u64,
    /// How many of them are unreachable.
    unreachable: u64,
    /// Visible steps, null for unreachable, one for each line.
    answers: Vec<Option<u32>>,
}

pub fn distance(args: &DistanceArgs) -> Outcome {
    let map = open(&args.bundle)?;
    let level = cells(&args.bundle, &map)?;
    if let Some(file) = &args.pairs {
        return answer_all(&level, file, &args.json);
    }
    let cell = |place: Option<GivenPlace>| {
        let place = place.ok_or_else(|| Failure::usage("expected two cells A and B"))?;
        check_cell(&args.bundle, &level, place)
    };
    let (a, b) = (cell(args.a)?, cell(args.b)?);
    let distance = level.distance(a, b);
    let document = || DistanceDocument { a, b, distance };
    args.json.tell(document, words(distance))
}

fn words(distance: Option<u32>) -> String {
    distance.map_or("unreachable".into(), |steps| steps.to_string())
}

fn answer_all(level: &CellBundle, file: &Path, json: &Json) -> Outcome {
    let mut document = DistancePairsDocument::default();
    let mut stdout = Stdout::lock();
    document.pairs = lines::answer_lines(file, &mut stdout, |line, out| {
        let [a, b] = lines::parse_cells(line, level.cells())?;
        let distance = level.distance(a, b);
        if json.json {
            document.unreachable += u64::from(distance.is_none());
            document.answers.push(distance);
        } else {
            out.extend(words(distance).bytes());
            out.push(b'\n');
        }
        Ok(())
    })?;
    lines::finish_lines(stdout, &document, json)
}
