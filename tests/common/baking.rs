//! Exact bundles of small terrains.

use std::path::Path;

use viewcell::bake::{BakeOptions, Compression, Keep, Mode, Observer, Source, Stage, bake_terrain};
use viewcell::bundle::InputFile;
use viewcell::visibility::{Bodies, Simd};
use viewcell::world::Terrain;

/// Nobody watches.
pub struct Silent;

impl Observer for Silent {
    fn stage(&self, _: Stage, _: u64) {}
    fn advance(&self, _: Stage, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// From nowhere.
pub fn source() -> Source {
    Source {
        input: InputFile::default(),
        options: serde_json::Map::new(),
    }
}

/// Bakes a terrain, exactly and losslessly, on one thread.
pub fn bake_exactly(terrain: &Terrain, bodies: Bodies, path: &Path) {
    let options = BakeOptions {
        eye_height: bodies.eye,
        player_height: bodies.head,
        mode: Mode::Exact,
        max_distance: None,
        curvature: None,
        threads: 1,
        simd: Simd::Auto,
        overwrite: false,
        keep: Keep::Nothing,
        compression: Compression::Lossless,
    };
    bake_terrain(terrain, &source(), &options, path, &Silent).unwrap();
}
