//! `viewcell query visible`: can one place be seen from another?

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::runtime::WorldKind;

use super::pairs::no_places;
use super::{By, Place, cells, check_by_number, pairs};
use crate::cli::exit::{Exit, Outcome};
use crate::cli::output::{self, Json};

/// Can a player at B be seen from A? Prints visible or hidden
///
/// With --pairs, answers a whole file: 1 or 0 for each line, in order.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// From where: COL,ROW, or a cell's number
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<Place>,
    /// To where: COL,ROW, or a cell's number
    #[arg(allow_hyphen_values = true)]
    b: Option<Place>,
    #[command(flatten)]
    by: By,
    /// Answer each line "c0 r0 c1 r1" (cells: "a b") of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query visible --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible")]
pub struct VisibleDocument {
    /// From where: column and row.
    a: [u32; 2],
    /// To where: column and row.
    b: [u32; 2],
    /// Whether a player at b may be seen from a.
    visible: bool,
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    if map.kind() == Some(WorldKind::Cells) {
        check_by_number(&args.bundle, &args.by)?;
        let level = super::cells(&args.bundle, &map)?;
        return match (&args.pairs, args.a, args.b) {
            (None, Some(a), Some(b)) => cells::visible(&args.bundle, &level, [a, b], &args.json),
            (Some(file), _, _) => cells::visible_pairs(&level, file, &args.json),
            _ => Err(no_places()),
        };
    }
    let terrain = super::terrain(&args.bundle, &map)?;
    match (&args.pairs, args.a, args.b) {
        (Some(file), _, _) => pairs::answer_visible(file, &args.json, |line| {
            let [a, b] = pairs::parse(line, terrain.grid())?;
            Ok(terrain.visible(a, b))
        }),
        (None, Some(a), Some(b)) => {
            let sample = |place| args.by.sample(&args.bundle, &map, &terrain, place);
            let (a, b) = (sample(a)?, sample(b)?);
            let visible = terrain.visible(a, b);
            if args.json.json {
                output::print_json(&VisibleDocument {
                    a: [a.column, a.row],
                    b: [b.column, b.row],
                    visible,
                })?;
            } else {
                output::print(if visible { "visible" } else { "hidden" })?;
            }
            Ok(Exit::Done)
        }
        _ => Err(no_places()),
    }
}
