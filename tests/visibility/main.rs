//! The kernels against their slow twins: exactly for samples, one-sided for cells.

mod bundle;
mod curvature;
mod hunt;
mod real;
mod small;

use fearless_simd::Level;
use std::path::PathBuf;
use viewcell::bake::{BakeOptions, BakeReport, Mode, Silent, Source, bake_terrain};
use viewcell::bundle::InputFile;
use viewcell::dice::Dice;
use viewcell::ingest::{IngestOptions, read_terrain};
use viewcell::visibility::{BLOCK, Bodies, Curvature, Rays, Simd};
use viewcell::world::Terrain;

const BODIES: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// The viewsheds of one block of viewpoints.
struct Viewsheds {
    width: u32,
    words: usize,
    bitmaps: Vec<u64>,
}

impl Viewsheds {
    fn new(rays: &mut Rays<'_>, width: u32, column: u32, row: u32) -> Self {
        let words = rays.words();
        let mut bitmaps = vec![0; (BLOCK * BLOCK) as usize * words];
        rays.viewsheds(column - column % BLOCK, row - row % BLOCK, &mut bitmaps);
        Self {
            width,
            words,
            bitmaps,
        }
    }

    /// Whether the viewpoint, which is in the block, sees the target.
    fn sees(&self, from: (u32, u32), to: (u32, u32)) -> bool {
        let spread = |x: u32| x & 1 | (x & 2) << 1 | (x & 4) << 2 | (x & 8) << 3;
        let viewpoint = (spread(from.0 % BLOCK) | spread(from.1 % BLOCK) << 1) as usize;
        let word = to.1 / 8 * self.width.div_ceil(8) + to.0 / 8;
        let bits = self.bitmaps[viewpoint * self.words + word as usize];
        bits >> (to.1 % 8 * 8 + to.0 % 8) & 1 == 1
    }
}

/// A bundle, and its folder.
struct Baked {
    folder: tempfile::TempDir,
    report: BakeReport,
}

impl Baked {
    fn new(terrain: &Terrain, mode: Mode, curvature: Option<Curvature>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = BakeOptions {
            eye_height: BODIES.eye,
            player_height: BODIES.head,
            mode,
            curvature,
            ..BakeOptions::default()
        };
        let source = Source {
            input: InputFile::default(),
            options: serde_json::Map::new(),
        };
        let path = folder.path().join("a.vcb");
        let report = bake_terrain(terrain, &source, &options, &path, &Silent).unwrap();
        Self { folder, report }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.vcb")
    }
}

/// All SIMD levels of this machine, the lowest first.
fn levels() -> Vec<Level> {
    [Simd::Baseline, Simd::Avx2, Simd::Avx512]
        .into_iter()
        .filter_map(Simd::level)
        .collect()
}

/// Reads a real terrain; says so and returns `None` where it is absent.
fn real(name: &str, options: &IngestOptions) -> Option<Terrain> {
    let data = std::env::var_os("VIEWCELL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = data.join("terrain").join(name);
    if !path.exists() {
        use std::io::Write;
        // Straight to stderr: what a test that passes prints is not shown.
        writeln!(std::io::stderr(), "skipped: {} not found", path.display()).ok();
        return None;
    }
    Some(read_terrain(&path, options).unwrap().terrain)
}
