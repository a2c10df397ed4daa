//! `viewcell frontier`: two regions that cannot see each other.

mod args;
mod cells;
mod options;
mod terrain;

use viewcell::runtime::{TerrainBundle, WorldKind};

use super::exit::Outcome;
use super::output;
use super::query;

pub use args::Args;
#[cfg(test)]
pub use cells::Document as CellsDocument;
#[cfg(test)]
pub use terrain::Document;

pub fn run(args: &Args) -> Outcome {
    let outputs = args.output.iter().chain(&args.members);
    output::check_outputs(&[&args.bundle], outputs, args.force)?;
    let map = query::open(&args.bundle)?;
    match map.kind() {
        Some(WorldKind::Terrain) | None => {
            let run = |terrain: TerrainBundle<'_>| terrain::run(args, &map, terrain);
            args.over.ask(&args.bundle, &map, run)
        }
        Some(WorldKind::Cells) => {
            query::check_by_number(&args.bundle, &args.by)?;
            args.over.check_none()?;
            cells::run(args, &query::cells(&args.bundle, &map)?)
        }
    }
}
