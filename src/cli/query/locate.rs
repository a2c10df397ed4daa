//! `viewcell query locate`: which cell holds a point?

use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::runtime::{MappedBundle, TerrainBundle, World};

use super::open::{Over, ask, cells};
use super::place::{By, Place, Standing, quad_at};
use super::solid;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::Json;

/// Which cell holds a point, or which sample? Prints its number, or COL,ROW and the height of the
/// ground
///
/// In a level of cells the point is X,Y,Z in the units and axes of the level; it is looked for in the
/// level's BSP, or where it has none in the boxes of its cells. Where there is no cell, the answer is
/// nowhere. In a terrain the place is EAST,SOUTH with --at, LON,LAT with --lonlat, X,Y with --xy,
/// and COL,ROW without.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// The point, with commas or blanks between its numbers
    #[arg(allow_hyphen_values = true)]
    point: String,
    // Numbers by themselves, so that options are options still where they end.
    #[arg(allow_hyphen_values = true, hide = true)]
    second: Option<String>,
    #[arg(allow_hyphen_values = true, hide = true)]
    third: Option<String>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query locate --json` prints for terrains.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query locate, terrains")]
pub struct TerrainDocument {
    /// Column and row of the sample.
    sample: [u32; 2],
    /// Column and row of the view cell that holds it, of a bundle of --finest; absent where view cells
    /// are samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<[u32; 2]>,
    /// How far east and south of sample (0, 0) it lies, in metres.
    at: [f64; 2],
    /// Height of its ground in metres; null at a void.
    height: Option<f32>,
    /// Whether somebody can be there. Where nobody can, there is nothing to see and to be seen.
    place: Standing,
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
            .ok_or_else(|| format!("{text}: expected X,Y,Z: three finite numbers"))
    }
}

pub fn run(args: &Args) -> Outcome {
    let numbers = [Some(&args.point), args.second.as_ref(), args.third.as_ref()];
    let point = numbers.map(|n| n.map(String::as_str));
    let point = point.into_iter().flatten().collect::<Vec<_>>().join(",");
    let in_space = || point.parse().map_err(Failure::usage);
    ask(
        &args.bundle,
        &args.by,
        &args.over,
        |map, world| match world {
            World::Terrain(terrain) => {
                if point.split(',').count() == 3 {
                    // A point of a level: says that there is none.
                    cells(&args.bundle, map)?;
                }
                on_terrain(args, map, &terrain, &point)
            }
            World::Solid(level) => {
                let Point(point) = in_space()?;
                solid::locate(&level, point, &args.json)
            }
            World::Cells(level) => {
                if level.parameters().nodes == 0 && level.bounds(0).is_none() {
                    return Err(Failure::bad_input(format!(
                        "{}: expected a BSP or boxes of cells, found neither; bake the level's BSP",
                        args.bundle.display()
                    )));
                }
                let Point(point) = in_space()?;
                let cell = level.locate(point);
                let words = cell.map_or("nowhere".into(), |cell| cell.to_string());
                args.json.tell(|| Document { point, cell }, words)
            }
        },
    )
}

fn on_terrain(
    args: &Args,
    map: &MappedBundle,
    terrain: &TerrainBundle<'_>,
    point: &str,
) -> Outcome {
    let place: Place = point
        .parse()
        .map_err(|fault| Failure::usage(format!("{point}: {fault}")))?;
    let place = args.by.position(&args.bundle, map, terrain, place)?;
    let [column, row] = place.numbers();
    let height = terrain.height(place.cell);
    let standing = Standing::within(terrain, quad_at(terrain, place.sample, 0));
    let parameters = terrain.parameters();
    let metres =
        |at: u32, cell: f64| f64::from(at) * cell / f64::from(1_u32 << parameters.finest());
    let [dx, dy] = parameters.spacing;
    let document = || TerrainDocument {
        sample: [column, row],
        cell: (parameters.finest() > 0).then_some([place.cell.column, place.cell.row]),
        at: [metres(column, dx), metres(row, dy)],
        height,
        place: standing,
    };
    let height = match (height, standing) {
        (None, _) => "void".to_owned(),
        (Some(height), Standing::NotWalkable) => format!("{height} m, not walkable"),
        (Some(height), _) => format!("{height} m"),
    };
    args.json
        .tell(document, format_args!("{column},{row}  {height}"))
}
