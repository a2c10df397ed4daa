//! `viewcell query within`: may two players come to see each other?

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::runtime::World;

use super::pair::Pair;
use super::place::Position;
use crate::cli::exit::Outcome;

/// May a player who comes up to so far from A and one who comes so far from B see each other?
/// Prints visible or hidden
///
/// What a server asks with reaches that follow from speed and ping: at 5 m/s and 300 ms, 1.5 m. The
/// answer errs towards visible. With --pairs, answers a whole file: 1 or 0 for each line, in order.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pair: Pair,
    /// How far both come, or the first and the second: metres, or units of a level of cells
    #[arg(long, value_name = "R[,S]", allow_hyphen_values = true)]
    reach: Reaches,
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
    let Reaches(reach) = args.reach;
    let document = |[a, b]: [Vec<u32>; 2], visible| Document {
        a,
        b,
        reach,
        visible,
    };
    let pair = &args.pair;
    pair.ask(|map, world| match world {
        World::Terrain(terrain) => {
            let visible =
                |[a, b]: [Position; 2]| terrain.samples_visible_within(a.sample, b.sample, reach);
            let document = |pair: [Position; 2], visible| {
                document(pair.map(|place| place.numbers().to_vec()), visible)
            };
            pair.answer_on_terrain(map, &terrain, visible, document)
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
