//! Exact bundles of small terrains.

use std::path::Path;

use viewcell_bake::bundle::InputFile;
use viewcell_bake::visibility::Bodies;
use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;

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
        mode: VisibilityMode::Exact,
        threads: 1,
        ..BakeOptions::default()
    };
    bake_terrain(terrain, &source(), &options, path, &Silent).unwrap();
}
