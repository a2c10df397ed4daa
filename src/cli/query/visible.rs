//! `viewcell query visible`: can one place be seen from another?

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::runtime::{MappedBundle, Quad, Sample, TerrainBundle, Visibility, WorldKind};

use super::pairs::no_places;
use super::standing::Standing;
use super::{By, Over, Place, cells, check_by_number, check_level, pairs};
use crate::cli::exit::{Exit, Failure, Outcome};
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
    /// Answer for the quads of level L that hold the places: visible if anything in one may be seen
    /// from anywhere in the other
    #[arg(long, value_name = "L")]
    quad: Option<u32>,
    #[command(flatten)]
    over: Over,
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
    /// Level of the quads that hold a and b and are answered for: 0 for the samples themselves.
    level: u32,
    /// Whether a player at b may be seen from a.
    visible: bool,
    /// Why nobody at a sees anybody, where nobody can be there; absent where somebody can.
    #[serde(skip_serializing_if = "Option::is_none")]
    nobody_at_a: Option<Standing>,
    /// The same of b, whom nobody sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    nobody_at_b: Option<Standing>,
}

/// Why nobody can be in the quad of a level of the heightmap that holds a place.
fn nobody(terrain: &TerrainBundle, level: u32, place: Sample) -> Option<Standing> {
    let level = level.saturating_sub(terrain.parameters().finest());
    let quad = Quad::new(level, place.column >> level, place.row >> level);
    Some(Standing::within(terrain, quad)).filter(|&standing| standing != Standing::Walkable)
}

/// Whether the quads of a level of the heightmap that hold two places see each other.
fn ask(terrain: &TerrainBundle, level: u32, [a, b]: [Sample; 2]) -> bool {
    let level = level.saturating_sub(terrain.parameters().finest());
    if level == 0 {
        return terrain.visible(a, b);
    }
    let [a, b] = [a, b].map(|s| Quad::new(level, s.column >> level, s.row >> level));
    let pvs = terrain.pvs(a);
    pvs.is_some_and(|pvs| pvs.state(b) != Visibility::Hidden)
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    if map.kind() == Some(WorldKind::Cells) {
        args.over.check_none()?;
        if args.quad.is_some() {
            return Err(Failure::usage(format!(
                "--quad: expected a bundle of a terrain, found {}, which is of cells; leave it out",
                args.bundle.display()
            )));
        }
        check_by_number(&args.bundle, &args.by)?;
        let level = super::cells(&args.bundle, &map)?;
        return match (&args.pairs, args.a, args.b) {
            (None, Some(a), Some(b)) => cells::visible(&args.bundle, &level, [a, b], &args.json),
            (Some(file), _, _) => cells::visible_pairs(&level, file, &args.json),
            _ => Err(no_places()),
        };
    }
    let on_terrain = |terrain: TerrainBundle<'_>| on_terrain(args, &map, &terrain);
    args.over.ask(&args.bundle, &map, on_terrain)
}

fn on_terrain(args: &Args, map: &MappedBundle, terrain: &TerrainBundle<'_>) -> Outcome {
    let finest = terrain.parameters().finest();
    let level = args.quad.unwrap_or(0).max(finest);
    check_level(&args.bundle, terrain, level)?;
    match (&args.pairs, args.a, args.b) {
        (Some(file), _, _) => pairs::answer_visible(file, &args.json, |line| {
            let pair = pairs::parse(line, terrain.parameters())?;
            Ok(ask(terrain, level, pair))
        }),
        (None, Some(a), Some(b)) => {
            let sample = |place| args.by.sample(&args.bundle, map, terrain, place);
            let (a, b) = (sample(a)?, sample(b)?);
            let visible = ask(terrain, level, [a, b]);
            if args.json.json {
                output::print_json(&VisibleDocument {
                    a: [a.column, a.row],
                    b: [b.column, b.row],
                    level,
                    visible,
                    nobody_at_a: nobody(terrain, level, a),
                    nobody_at_b: nobody(terrain, level, b),
                })?;
            } else {
                output::print(if visible { "visible" } else { "hidden" })?;
            }
            Ok(Exit::Done)
        }
        _ => Err(no_places()),
    }
}
