//! `viewcell import`: other tools' visibility, as a bundle.

use std::path::PathBuf;

use viewcell::internals::ingest::{IngestCellsOptions, IngestedCells, read_cells, read_matrix};
use viewcell::internals::world::CellGraph;

use super::bake::CellArgs;
use super::exit::{Failure, Outcome};
use super::output::check_not_input;

/// Make a bundle of visibility that another tool made or a person edited
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Matrix(MatrixArgs),
}

/// A bundle of cells from a matrix: PNG, .npy or .csv as export matrix writes them
///
/// Row A, column B is what A sees of B: half as bright as can be, or more, in a picture, other than
/// 0 in numbers. --level names a level whose boxes, portals and BSP go into the bundle.
#[derive(clap::Args)]
pub struct MatrixArgs {
    #[command(flatten)]
    bake: CellArgs,
    /// The level that the matrix is of
    #[arg(long, value_name = "LEVEL")]
    level: Option<PathBuf>,
}

pub fn run(args: &Args) -> Outcome {
    let What::Matrix(args) = &args.what;
    super::bake::bake_cells(&args.bake, |bake| {
        if let Some(level) = &args.level {
            check_not_input(level, &bake.bundle()?)?;
        }
        let pvs = read_matrix(bake.input())?;
        let (mut graph, mut notes) = match &args.level {
            None => (CellGraph::new(pvs.n()), Vec::new()),
            Some(path) => {
                let options = IngestCellsOptions {
                    map: bake.map().map(str::to_owned),
                };
                let level = read_cells(path, &options)?;
                (level.graph, level.notes)
            }
        };
        if graph.cells != pvs.n() {
            return Err(Failure::bad_input(format!(
                "{}: expected {} rows, as the level has cells, found {}",
                bake.input().display(),
                graph.cells,
                pvs.n()
            )));
        }
        notes.push("visibility is that of the matrix".into());
        graph.pvs = Some(pvs);
        Ok(IngestedCells {
            graph,
            format: "matrix",
            notes,
        })
    })
}
