//! `viewcell query within`: may two players come to see each other?

use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::runtime::{CellBundle, MappedBundle, TerrainBundle, WorldKind};

use super::pairs::no_places;
use super::{By, Over, Place, check_by_number, check_cell, pairs};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Json};

/// May a player who comes up to so far from A and one who comes so far from B see each other?
/// Prints visible or hidden
///
/// What a server asks with reaches that follow from speed and ping: at 5 m/s and 300 ms, 1.5 m. The
/// answer errs towards visible. With --pairs, answers a whole file: 1 or 0 for each line, in order.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// Where the first player is: COL,ROW, or a cell's number
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<Place>,
    /// Where the second player is: COL,ROW, or a cell's number
    #[arg(allow_hyphen_values = true)]
    b: Option<Place>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    /// How far both come, or the first and the second: metres, or units of a level of cells
    #[arg(long, value_name = "R[,S]", allow_hyphen_values = true)]
    reach: Reaches,
    /// Answer each line "c0 r0 c1 r1" (cells: "a b") of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// R or R,S.
#[derive(Clone, Copy)]
struct Reaches([f64; 2]);

impl FromStr for Reaches {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| {
            let number = word.trim().parse::<f64>().ok();
            number.filter(|number| number.is_finite() && *number >= 0.0)
        };
        let reaches = match text.split_once(',') {
            None => number(text).map(|reach| [reach; 2]),
            Some((first, second)) => number(first).zip(number(second)).map(<[f64; 2]>::from),
        };
        reaches
            .map(Self)
            .ok_or_else(|| "expected R or R,S: finite numbers from 0 up".to_owned())
    }
}

/// What `viewcell query within --json` prints of one pair.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query within")]
pub struct Document {
    /// Where the first player is: column and row, or a cell alone.
    a: Vec<u32>,
    /// Where the second player is.
    b: Vec<u32>,
    /// How far each comes, in metres or in units of the level.
    reach: [f64; 2],
    /// Whether they may see each other on their ways.
    visible: bool,
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    if map.kind() == Some(WorldKind::Cells) {
        check_by_number(&args.bundle, &args.by)?;
        args.over.check_none()?;
        let level = super::cells(&args.bundle, &map)?;
        let mut memory = vec![0; level.reach_memory().two];
        return in_level(args, &level, &mut memory);
    }
    let on_terrain = |terrain: TerrainBundle<'_>| on_terrain(args, &map, &terrain);
    args.over.ask(&args.bundle, &map, on_terrain)
}

fn on_terrain(args: &Args, map: &MappedBundle, terrain: &TerrainBundle) -> Outcome {
    let Reaches(reach) = args.reach;
    if let Some(file) = &args.pairs {
        return pairs::answer_visible(file, &args.json, |line| {
            let [a, b] = pairs::parse(line, terrain.parameters())?;
            Ok(terrain.visible_within(a, b, reach))
        });
    }
    let [a, b] = both(args)?;
    let sample = |place| args.by.sample(&args.bundle, map, terrain, place);
    let (a, b) = (sample(a)?, sample(b)?);
    let visible = terrain.visible_within(a, b, reach);
    answer(
        args,
        [vec![a.column, a.row], vec![b.column, b.row]],
        visible,
    )
}

fn in_level(args: &Args, level: &CellBundle, memory: &mut [u64]) -> Outcome {
    let Reaches(reach) = args.reach;
    let mut ask = |a, b| {
        let seen = level.visible_within(a, b, reach, memory);
        seen.map_err(|error| error.to_string())
    };
    if let Some(file) = &args.pairs {
        return pairs::answer_visible(file, &args.json, |line| {
            let [a, b] = pairs::parse_cells(line, level.cells())?;
            ask(a, b)
        });
    }
    let [a, b] = both(args)?;
    let a = check_cell(&args.bundle, level, a)?;
    let b = check_cell(&args.bundle, level, b)?;
    let visible = ask(a, b).map_err(Failure::usage)?;
    answer(args, [vec![a], vec![b]], visible)
}

fn both(args: &Args) -> Result<[Place; 2], Failure> {
    match (args.a, args.b) {
        (Some(a), Some(b)) => Ok([a, b]),
        _ => Err(no_places()),
    }
}

fn answer(args: &Args, [a, b]: [Vec<u32>; 2], visible: bool) -> Outcome {
    if args.json.json {
        let Reaches(reach) = args.reach;
        output::print_json(&Document {
            a,
            b,
            reach,
            visible,
        })?;
    } else {
        output::print(if visible { "visible" } else { "hidden" })?;
    }
    Ok(Exit::Done)
}
