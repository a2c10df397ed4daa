//! A plan becomes a bundle or a shard.

use std::path::Path;

use super::decide::{Plan, ViewCells};
use crate::bundle::Statistics;
use crate::job::{
    BakeError, BakeOptions, BakeReport, CellOptions, CellReport, Keep, Observer, ShardOf,
    ShardReport, StoreError, bake_cells, bake_shard, bake_solid, bake_solid_shard, bake_terrain,
    checkpoint_beside,
};
use viewcell_ingest::world::Symmetry;

/// What was made.
#[derive(Clone, Debug, PartialEq)]
pub enum Baked {
    /// A bundle of a terrain or a solid level.
    Grid(Box<BakeReport>),
    /// A bundle of a level with view cells of its own.
    Cells(Box<CellReport>),
    /// A shard.
    Shard(ShardReport),
}

/// Bakes a bundle at `output`; or a shard, for [`merge`](crate::merge). The observer is told notes of what was done before and
/// of what came out.
///
/// Where the bundle may be overwritten and an earlier bake of the same job was stopped, it goes on with what that has kept:
/// the bundle is the same.
///
/// # Errors
///
/// Files that cannot be read or written, and a checkpoint or shard of another job.
pub fn run(
    plan: &Plan<'_>,
    output: &Path,
    shard: Option<ShardOf>,
    observer: &dyn Observer,
) -> Result<Baked, BakeError> {
    let options = &plan.options;
    let baked = match bake(plan, options, output, shard, observer) {
        Err(BakeError::Store(StoreError::Unfinished { path, done, total }))
            if options.overwrite && options.keep == Keep::New =>
        {
            observer.note(&format!(
                "{}: an earlier bake of the same job was stopped after {done} of {total} tiles; continuing it (`restart` \
                 starts again)",
                path.display()
            ));
            let resumed = BakeOptions {
                keep: Keep::Resume,
                ..options.clone()
            };
            bake(plan, &resumed, output, shard, observer)
        }
        baked => baked,
    }?;
    let notes = match &baked {
        Baked::Grid(report) => [
            resumed(options.keep, report.kept_tiles, report.tiles),
            hides_little(plan, &report.statistics),
        ],
        Baked::Cells(report) => {
            let one_way = report.statistics.one_way_pairs;
            [one_way_note(one_way, plan.graph.symmetry), None]
        }
        Baked::Shard(report) => {
            let tiles = report.share.end - report.share.first;
            [resumed(options.keep, report.kept_tiles, tiles), None]
        }
    };
    let notes = notes.iter().flatten();
    notes.for_each(|note| observer.note(note));
    Ok(baked)
}

fn bake(
    plan: &Plan<'_>,
    options: &BakeOptions,
    output: &Path,
    shard: Option<ShardOf>,
    observer: &dyn Observer,
) -> Result<Baked, BakeError> {
    let source = &plan.source;
    let grid = |report| Baked::Grid(Box::new(report));
    Ok(match (&plan.cells, shard) {
        (ViewCells::Squares(terrain, _), None) => {
            grid(bake_terrain(terrain, source, options, output, observer)?)
        }
        (ViewCells::Squares(terrain, _), Some(shard)) => Baked::Shard(bake_shard(
            terrain, source, options, shard, output, observer,
        )?),
        (ViewCells::Boxes(solid, boxes), None) => {
            let world = boxes.of(&solid.level);
            grid(bake_solid(world, source, options, output, observer)?)
        }
        (ViewCells::Boxes(solid, boxes), Some(shard)) => {
            let world = boxes.of(&solid.level);
            Baked::Shard(bake_solid_shard(
                world, source, options, shard, output, observer,
            )?)
        }
        (ViewCells::Own(graph), None) => {
            let options = CellOptions {
                threads: options.threads,
                overwrite: options.overwrite,
                checkpoint: (options.keep == Keep::Resume).then(|| checkpoint_beside(output)),
                ..plan.graph.clone()
            };
            let report = bake_cells(graph, source, &options, output, observer)?;
            Baked::Cells(Box::new(report))
        }
        (ViewCells::Own(_), Some(_)) => {
            let found = "a level with view cells of its own";
            return Err(BakeError::option(
                "shard",
                "a terrain or a solid level",
                found,
            ));
        }
    })
}

/// What a resumed bake has taken over.
fn resumed(keep: Keep, kept: u32, total: u32) -> Option<String> {
    (keep == Keep::Resume).then(|| match kept {
        0 => "nothing to resume; baked from the beginning".to_owned(),
        _ => format!("{kept} of {total} tiles were done already"),
    })
}

/// What becomes of pairs of cells of which one sees the other alone.
fn one_way_note(pairs: u64, symmetry: Symmetry) -> Option<String> {
    (pairs > 0).then(|| {
        format!(
            "{pairs} pairs of cells see each other one way only: {}",
            match symmetry {
                Symmetry::Or => "both ways count as visible",
                Symmetry::And => "both ways count as hidden, which is not conservative",
                Symmetry::None => "they stay so, and players in a frontier set may see each other",
            }
        )
    })
}

/// Levels that hide less of their pairs of cells are mostly looked at from outside.
const LITTLE: f64 = 0.02;
/// Smaller levels may be one room. [Unit: view cells]
const ROOM: u64 = 256;

/// The warning of a bundle that hides next to nothing.
fn hides_little(plan: &Plan<'_>, statistics: &Statistics) -> Option<String> {
    let hidden = statistics.levels.first()?.hidden_share;
    let is_solid = matches!(plan.cells, ViewCells::Boxes(..));
    (is_solid && hidden < LITTLE && statistics.samples >= ROOM).then(|| {
        format!(
            "warning: {:.1} % of the pairs of view cells are hidden. Is this one open space, or are players outside of \
             the walls? The cells are those that can be reached from spawn points and `reach`; a mesh may be in other \
             axes or units (`from`). Of a town bake the ground with its houses: a terrain with `solids`",
            100.0 * hidden
        )
    })
}
