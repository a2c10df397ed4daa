//! `viewcell frontier`: two regions that cannot see each other.

mod args;
mod cells;
mod options;
mod terrain;

use viewcell::runtime::WorldKind;

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
            terrain::run(args, &map, query::terrain(&args.bundle, &map)?)
        }
        Some(WorldKind::Cells) => {
            query::check_by_number(&args.bundle, &args.by)?;
            cells::run(args, &query::cells(&args.bundle, &map)?)
        }
    }
}
