//! What the programs share: a wall on flat ground, baked into a folder that is given to them.

use std::error::Error;
use std::path::PathBuf;

use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;

/// What a program comes to.
pub type Outcome = Result<(), Box<dyn Error>>;

/// The folder of the first argument.
pub fn folder() -> Result<PathBuf, Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    folder.ok_or_else(|| "expected a folder to write into".into())
}

/// Bakes flat ground of 24 × 16 samples, 10 m apart, with a wall from north to south, 20 m high.
pub fn wall(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
    let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
    let path = folder()?.join(name);
    let mut options = BakeOptions::default();
    options.mode = VisibilityMode::Exact;
    options.overwrite = true;
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, &options, &path, &Silent)?;
    Ok(path)
}
