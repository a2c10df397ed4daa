//! `viewcell query locate`: which cell holds a point?

use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Json};

/// Which cell holds a point? Prints its number or nowhere
///
/// By the level's BSP, or where it has none by the boxes of its cells.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// The point: X,Y,Z in the units and axes of the level
    #[arg(allow_hyphen_values = true)]
    point: Point,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query locate --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query locate")]
pub struct Document {
    /// The point.
    point: [f64; 3],
    /// The cell that holds it; null in solid and outside of the level.
    cell: Option<u32>,
}

/// X,Y,Z.
#[derive(Clone, Copy)]
struct Point([f64; 3]);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> = text
            .split(',')
            .map(|word| word.trim().parse().ok().filter(|x: &f64| x.is_finite()))
            .collect();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .map(Self)
            .ok_or_else(|| "expected X,Y,Z: three finite numbers".to_owned())
    }
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    let level = super::cells(&args.bundle, &map)?;
    if level.parameters().nodes == 0 && level.bounds(0).is_none() {
        return Err(Failure::bad_input(format!(
            "{}: expected a BSP or boxes of cells, found neither; bake the level's BSP",
            args.bundle.display()
        )));
    }
    let Point(point) = args.point;
    let cell = level.locate(point);
    if args.json.json {
        output::print_json(&Document { point, cell })?;
    } else {
        output::print(cell.map_or("nowhere".into(), |cell| cell.to_string()))?;
    }
    Ok(Exit::Done)
}
