//! `viewcell ground`: layered ground that changes.

mod apply;
mod build;
mod compact;
mod export;
mod info;
mod open;
mod render;
mod stamp;

use super::exit::Outcome;

#[cfg(test)]
pub use build::Document as BuildDocument;
#[cfg(test)]
pub use compact::Document as CompactDocument;
#[cfg(test)]
pub use export::Document as ExportDocument;
#[cfg(test)]
pub use info::Document as InfoDocument;
#[cfg(test)]
pub use render::Document as RenderDocument;
#[cfg(test)]
pub use stamp::Document as StampDocument;

/// Build layered ground, dig in it, and take its surface to a bake
///
/// A ground file (.vcg) holds cubes of materials in patches, slices and quadtrees; schemas/GROUND.md says
/// what its bytes are. It grows where it lies as stamps change it, and compact makes it small again.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum Which {
    Build(Box<build::Args>),
    Info(info::Args),
    Stamp(stamp::Args),
    Apply(apply::Args),
    Export(export::Args),
    Render(render::Args),
    Compact(compact::Args),
}

pub fn run(args: &Args) -> Outcome {
    match &args.which {
        Which::Build(args) => build::run(args),
        Which::Info(args) => info::run(args),
        Which::Stamp(args) => stamp::run(args),
        Which::Apply(args) => apply::run(args),
        Which::Export(args) => export::run(args),
        Which::Render(args) => render::run(args),
        Which::Compact(args) => compact::run(args),
    }
}
