//! `viewcell experiment solid`: how much of what solid levels show is in sight, and whether what they hide is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::solid::{
    Boxes, Decided, Frames, Hiding, HuntOptions, Hunted, InSight, decided_by_bundle,
    decided_by_cells, hunt, in_sight, in_threads,
};
use viewcell::query::SolidBundle;
use viewcell_bake::PlanError;
use viewcell_bake::bundle::grid_of_cells;
use viewcell_bake::visibility::solid::{BodyTracer, DEPTH, SolidField};
use viewcell_ingest::world::Short;
use viewcell_ingest::world::solid::{PlaceCells, PlaceOptions, Player, SolidLevel, find_places};
use viewcell_program::bake::reached;
use viewcell_program::exit::{Exit, Failure, Outcome};
use viewcell_program::level::{LevelArgs, player_of};
use viewcell_program::output::Json;
use viewcell_program::simulate::csv;
use viewcell_program::{query, values};

/// Solid levels tested with an independent ray caster: what view cells of several sizes call visible in a trace,
/// and a search for clear segments between hidden cells
///
/// Counts ordered pairs of living players of a trace: how many are truly in sight, from the eye to 24 points of
/// the body; how many are visible by view cells; and how many are in no cell. The search traces segments between
/// positions in cells that are hidden from each other, moved to where they are nearly clear. Exit code 1 if
/// anything in sight is hidden.
///
/// Example: viewcell experiment solid dm2.bsp --trace dm2.csv --cell 64,32,16 --segments 1000000
#[derive(clap::Args)]
pub(super) struct Args {
    /// The level, as for bake solid
    level: PathBuf,
    #[command(flatten)]
    reading: LevelArgs,
    /// Movements of players: CSV with the columns t_ms,player,x,y,z,pitch_deg,yaw_deg,dead
    #[arg(long, value_name = "FILE.csv", required_unless_present = "segments")]
    trace: Option<PathBuf>,
    /// Sizes of view cells; the search uses the last [default: twice the size that bake solid takes, that size,
    /// and half of it]
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', value_parser = values::positive)]
    cell: Vec<f64>,
    /// Positions that players can reach besides the level's spawn points, as for bake solid
    #[arg(long, value_name = "FILE.csv")]
    reach: Option<PathBuf>,
    /// How often a pair of cells is halved to prove that it is hidden
    #[arg(long, value_name = "N", default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(..=64))]
    depth: u32,
    /// A bundle of the level, to be compared with the trace; the search uses its cells
    #[arg(long, value_name = "FILE.vcb")]
    bundle: Option<PathBuf>,
    /// Search with this many segments
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    segments: Option<u64>,
    /// Seed of the search's random positions
    #[arg(long, value_name = "N", default_value_t = 1, requires = "segments")]
    seed: u64,
    /// Number of threads; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment solid --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment solid")]
pub(super) struct Document {
    /// The level.
    #[serde(serialize_with = "viewcell_program::output::names")]
    level: PathBuf,
    /// Opaque solids of the level, and opaque faces that belong to no solid.
    solids: [usize; 2],
    /// Number of halvings.
    depth: u32,
    /// Results of the trace; null without one.
    trace: Option<TraceDocument>,
    /// Results of the search; null without one.
    hunt: Option<HuntDocument>,
}

/// Ordered pairs of living players, at all times of a trace.
#[derive(Serialize, JsonSchema)]
struct TraceDocument {
    /// The trace.
    #[serde(serialize_with = "viewcell_program::output::names")]
    trace: PathBuf,
    /// All pairs.
    pairs: u64,
    /// Of these, in sight.
    in_sight: u64,
    /// Results by view cells.
    rows: Vec<Row>,
}

/// Results by one set of view cells.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// Size of the cells.
    cell: f64,
    /// Number of cells.
    cells: u64,
    /// `together`: faces of one plane hide jointly; `alone`: each solid and face separately; `bundle`.
    faces: &'static str,
    /// Pairs that are visible, including those with a player in no cell.
    visible: u64,
    /// Pairs with a player in no cell.
    nowhere: u64,
    /// Pairs that are in sight and hidden: faults.
    missed: u64,
    /// Eye and point of the body of one of these.
    example: Option<[[f64; 3]; 2]>,
}

/// A search for a clear segment between hidden cells.
#[derive(Serialize, JsonSchema)]
struct HuntDocument {
    /// Size of the cells.
    cell: f64,
    /// Whether a bundle says what is hidden; otherwise the kernel does, pair by pair.
    by_bundle: bool,
    /// Hidden pairs of cells that were searched.
    pairs: u64,
    /// Segments that were traced.
    segments: u64,
    /// Of these, through gaps that count as closed: narrower than the precision of the arithmetic.
    seams: u64,
    /// Of these, clear: faults.
    clear: u64,
    /// The first of them.
    examples: Vec<Example>,
}

/// A clear segment.
#[derive(Serialize, JsonSchema)]
struct Example {
    /// The cell that does not see, and the one that is not seen.
    cells: [u32; 2],
    /// The eye.
    eye: [f64; 3],
    /// The point of the body.
    point: [f64; 3],
}

/// View cells of a size.
struct Cells {
    size: f64,
    places: PlaceCells,
}

pub(super) fn run(args: &Args) -> Outcome {
    let read = args.reading.read(&args.level)?;
    let map = args.bundle.as_ref().map(|path| query::open(path));
    let map = map.transpose()?;
    let bundle = map.as_ref().map(|map| map.solid_of(&args.level, &read));
    let bundle = bundle.transpose()?;
    let level = read.level;
    let player = bundle.map_or(level.player, |bundle| player_of(&bundle));
    let frames = args.trace.as_deref().map(frames).transpose()?;
    let reach = reached(args.reach.as_deref())?.into_iter();
    let reach: Vec<_> = reach.map(|at| level.frame.to_level(at)).collect();
    let needs_cells = frames.is_some() || bundle.is_none();
    let sizes = match (args.cell.as_slice(), needs_cells) {
        (_, false) => Vec::new(),
        ([], _) => [2.0, 1.0, 0.5]
            .map(|times| times * level.units.cell())
            .into(),
        (sizes, _) => sizes.to_vec(),
    };
    let cells = sizes
        .into_iter()
        .map(|size| args.cells(&level, &player, &reach, size));
    let cells = cells.collect::<Result<Vec<Cells>, Failure>>()?;
    let work = Work {
        args,
        level: &level,
        bodies: BodyTracer::new(&level, player),
        player,
        bundle,
        cells,
    };
    let document = in_threads(args.threads, || Document {
        level: args.level.clone(),
        solids: [level.solids.len(), level.faces.len()],
        depth: args.depth,
        trace: frames.as_ref().map(|frames| work.trace(frames)),
        hunt: args.segments.map(|segments| work.hunt(segments)),
    })?;
    args.json.tell(|| &document, document.text())?;
    Ok(match document.faults() {
        0 => Exit::Done,
        _ => Exit::No,
    })
}

/// Where the living are, time by time.
fn frames(path: &Path) -> Result<Frames, Failure> {
    let mut frames: BTreeMap<u64, Vec<[f64; 3]>> = BTreeMap::new();
    for spot in csv(path)?
        .players
        .iter()
        .flatten()
        .filter(|spot| !spot.dead)
    {
        frames.entry(spot.time).or_default().push(spot.at);
    }
    Ok(frames.into_values().collect())
}

impl Args {
    fn cells(
        &self,
        level: &SolidLevel,
        player: &Player,
        reach: &[[f64; 3]],
        size: f64,
    ) -> Result<Cells, Failure> {
        let options = PlaceOptions {
            size,
            height: size,
            player: *player,
            reach: reach.to_vec(),
            ..PlaceOptions::of(level)
        };
        let places = find_places(level, &options).map_err(|error| PlanError::Places {
            path: self.level.clone(),
            error,
        })?;
        Ok(Cells {
            size,
            places: places.cells,
        })
    }
}

/// What is set against each other.
struct Work<'a> {
    args: &'a Args,
    level: &'a SolidLevel,
    bodies: BodyTracer<'a>,
    player: Player,
    bundle: Option<SolidBundle<'a>>,
    cells: Vec<Cells>,
}

impl Work<'_> {
    fn field(&self, cells: &Cells) -> SolidField {
        let grid = grid_of_cells(cells.places.len() as u32).grid();
        SolidField::new(self.level, &cells.places, &self.player, grid)
    }

    fn trace(&self, frames: &Frames) -> TraceDocument {
        let pairs = in_sight(&self.bodies, frames);
        let mut rows = Vec::new();
        for cells in &self.cells {
            let row = |field: &SolidField, faces: &'static str| {
                let decided = self.decided(&pairs, cells, field);
                Row::new(cells.size, cells.places.len() as u64, faces, decided)
            };
            let field = self.field(cells);
            rows.push(row(&field, "together"));
            rows.push(row(&field.without_covers(self.level), "alone"));
        }
        if let Some(bundle) = &self.bundle {
            let decided = decided_by_bundle(&pairs, bundle, &self.player);
            let cells = u64::from(bundle.cells());
            rows.push(Row::new(
                bundle.parameters().cell[0],
                cells,
                "bundle",
                decided,
            ));
        }
        TraceDocument {
            trace: self.args.trace.clone().unwrap_or_default(),
            pairs: pairs.pairs(),
            in_sight: pairs.seen(),
            rows,
        }
    }

    fn decided(&self, pairs: &InSight, cells: &Cells, field: &SolidField) -> Decided {
        decided_by_cells(pairs, &cells.places, field, &self.player, self.args.depth)
    }

    fn hunt(&self, segments: u64) -> HuntDocument {
        let options = HuntOptions {
            segments,
            seed: self.args.seed,
        };
        let (cell, found) = match (&self.bundle, self.cells.last()) {
            (Some(bundle), _) => {
                let boxes = Boxes::of_bundle(self.level, bundle, &self.player);
                let found = hunt(
                    self.bodies.tracer(),
                    Hiding::Bundle(bundle),
                    &boxes,
                    options,
                );
                (bundle.parameters().cell[0], found)
            }
            (None, Some(cells)) => {
                let boxes = Boxes::of_cells(self.level, &cells.places, &self.player);
                let field = self.field(cells);
                let hiding = Hiding::Cells(&field, self.args.depth);
                (
                    cells.size,
                    hunt(self.bodies.tracer(), hiding, &boxes, options),
                )
            }
            (None, None) => (0.0, Hunted::default()),
        };
        let of_file = |at: [f64; 3]| std::array::from_fn(|k| at[k] + self.level.middle[k]);
        let examples = found.examples.into_iter().map(|segment| Example {
            cells: segment.cells,
            eye: of_file(segment.eye),
            point: of_file(segment.point),
        });
        HuntDocument {
            cell,
            by_bundle: self.bundle.is_some(),
            pairs: found.pairs,
            segments: found.segments,
            seams: found.seams,
            clear: found.clear,
            examples: examples.collect(),
        }
    }
}

impl Row {
    fn new(cell: f64, cells: u64, faces: &'static str, decided: Decided) -> Self {
        Self {
            cell,
            cells,
            faces,
            visible: decided.visible,
            nowhere: decided.nowhere,
            missed: decided.missed,
            example: decided.example,
        }
    }
}

impl Document {
    /// What is in sight and hidden.
    fn faults(&self) -> u64 {
        let rows = self.trace.iter().flat_map(|trace| &trace.rows);
        let missed: u64 = rows.map(|row| row.missed).sum();
        missed + self.hunt.as_ref().map_or(0, |hunt| hunt.clear)
    }

    fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} solids, {} faces, depth {}",
            self.solids[0], self.solids[1], self.depth
        )];
        if let Some(trace) = &self.trace {
            lines.push(format!(
                "{} pairs of players, {:.2} % in sight",
                trace.pairs,
                percent(trace.in_sight, trace.pairs)
            ));
            lines.push(
                "  cell    cells  faces     visible %  of what is in sight  in no cell %  in sight, hidden"
                    .into(),
            );
            for row in &trace.rows {
                lines.push(format!(
                    "{:>6} {:>8}  {:<8} {:>10.2} {:>20.2} {:>14.2} {:>17}",
                    Short(row.cell).to_string(),
                    row.cells,
                    row.faces,
                    percent(row.visible, trace.pairs),
                    row.visible as f64 / trace.in_sight as f64,
                    percent(row.nowhere, trace.pairs),
                    row.missed
                ));
                if let Some([eye, point]) = row.example {
                    lines.push(format!("       in sight: {} from {}", at(point), at(eye)));
                }
            }
        }
        if let Some(hunt) = &self.hunt {
            lines.push(format!(
                "hunt: {} segments between {} hidden pairs of cells of {}: {} clear, {} through closed seams",
                hunt.segments,
                hunt.pairs,
                Short(hunt.cell),
                hunt.clear,
                hunt.seams
            ));
            for Example { cells, eye, point } in &hunt.examples {
                let [a, b] = cells;
                lines.push(format!(
                    "       clear: cell {a} to {b}, {} to {}",
                    at(*eye),
                    at(*point)
                ));
            }
        }
        lines.join("\n")
    }
}

fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all as f64
}

fn at([x, y, z]: [f64; 3]) -> String {
    format!("{x},{y},{z}")
}
