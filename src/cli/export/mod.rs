//! `viewcell export`: what a terrain or a bundle knows, for other tools.

mod cells;
mod exposure;
mod horizon;
mod look;
mod skyview;
pub(super) mod work;

use super::exit::Outcome;

#[cfg(test)]
pub use cells::Document as CellsDocument;
#[cfg(test)]
pub use exposure::Document as ExposureDocument;
#[cfg(test)]
pub use horizon::Document as HorizonDocument;
#[cfg(test)]
pub use skyview::Document as SkyviewDocument;

/// Write horizons, exposure or sky view factors of terrains, or the visibility of cells, for other
/// tools
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Horizon(horizon::Args),
    Exposure(exposure::Args),
    Skyview(skyview::Args),
    Matrix(cells::MatrixArgs),
    Vis(cells::VisArgs),
    Prt(cells::PrtArgs),
    Json(cells::JsonArgs),
}

pub fn run(args: &Args) -> Outcome {
    match &args.what {
        What::Horizon(args) => horizon::run(args),
        What::Exposure(args) => exposure::run(args),
        What::Skyview(args) => skyview::run(args),
        What::Matrix(args) => cells::matrix(args),
        What::Vis(args) => cells::vis(args),
        What::Prt(args) => cells::prt(args),
        What::Json(args) => cells::json(args),
    }
}
