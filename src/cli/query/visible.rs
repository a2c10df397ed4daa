//! `viewcell query visible`: can one place be seen from another?

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::runtime::{MappedBundle, Sample, TerrainBundle, Visibility, World};

use super::pair::Pair;
use super::place::{Position, Standing, check_level, quad_at};
use crate::cli::exit::{Failure, Outcome};

/// Can a player at B be seen from A? Prints visible or hidden
///
/// With --pairs, answers a whole file: 1 or 0 for each line, in order.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pair: Pair,
    /// Answer for the quads of level L that hold the places: visible if anything in one may be seen
    /// from anywhere in the other
    #[arg(long, value_name = "L")]
    quad: Option<u32>,
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

pub fn run(args: &Args) -> Outcome {
    let pair = &args.pair;
    pair.ask(|map, world| match world {
        World::Terrain(terrain) => on_terrain(args, map, &terrain),
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

fn on_terrain(args: &Args, map: &MappedBundle, terrain: &TerrainBundle<'_>) -> Outcome {
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
    args.pair.answer_on_terrain(map, terrain, visible, document)
}

/// Whether the quads of a level of the heightmap that hold two samples see each other.
fn sees(terrain: &TerrainBundle, level: u32, pair: [Sample; 2]) -> bool {
    let [a, b] = pair.map(|sample| quad_at(terrain, sample, level));
    if a.level == 0 {
        return terrain.visible(a.origin(), b.origin());
    }
    let pvs = terrain.pvs(a);
    pvs.is_some_and(|pvs| pvs.state(b) != Visibility::Hidden)
}
