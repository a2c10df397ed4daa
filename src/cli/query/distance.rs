//! `viewcell query distance`: how many visible steps lead from one cell to another?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::runtime::CellBundle;

use super::pairs;
use super::place::{Place, check_cell};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::{Json, Stdout};

/// How many visible steps lead from cell A to cell B? Prints a number or unreachable
///
/// 0 for a cell and itself, 1 if B is visible, 2 if something that A sees, sees B, and so on (the
/// extended PVS). With --pairs, answers a whole file, a line for each line, in order.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// From which cell
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<Place>,
    /// To which cell
    #[arg(allow_hyphen_values = true)]
    b: Option<Place>,
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
    /// Visible steps; null if no chain of them leads there.
    distance: Option<u32>,
}

/// What `viewcell query distance --pairs --json` prints.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(title = "viewcell query distance --pairs")]
pub struct PairsDocument {
    /// Number of lines answered.
    pairs: u64,
    /// How many of them are unreachable.
    unreachable: u64,
    /// Visible steps, null for unreachable, one for each line.
    answers: Vec<Option<u32>>,
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    let level = super::cells(&args.bundle, &map)?;
    if let Some(file) = &args.pairs {
        return answer_all(&level, file, &args.json);
    }
    let cell = |place: Option<Place>| {
        let place = place.ok_or_else(|| Failure::usage("expected two cells A and B".into()))?;
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
    let mut document = PairsDocument::default();
    let mut stdout = Stdout::lock();
    document.pairs = pairs::answer_lines(file, &mut stdout, |line, out| {
        let [a, b] = pairs::parse_cells(line, level.cells())?;
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
    pairs::finish(stdout, &document, json)
}
