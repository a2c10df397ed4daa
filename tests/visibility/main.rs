//! The kernels against their slow twins: exactly for samples, one-sided for cells.

mod bundle;
mod coarse;
mod curvature;
#[path = "../common/data.rs"]
mod data;
mod graded;
mod hunt;
mod orientation;
mod places;
mod quality;
mod real;
mod roofs;
mod small;

use fearless_simd::Level;
use std::path::PathBuf;
use viewcell::dice::Dice;
use viewcell::format::Quad;
use viewcell_bake::bundle::InputFile;
use viewcell_bake::visibility::{BlockSight, LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds as _};
use viewcell_bake::visibility::{Bodies, Curvature, Rays, Simd};
use viewcell_bake::{BakeOptions, BakeReport, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// Side of the quad of viewpoints that a kernel computes in one call.
const SIDE: u32 = 1 << LOOK_LEVEL;

const BODIES: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// What the viewpoints of one quad see.
struct Viewsheds {
    width: u32,
    sights: Sights,
}

impl Viewsheds {
    /// From the quad over (`column`, `row`).
    fn new(rays: &mut Rays<'_>, width: u32, column: u32, row: u32) -> Self {
        let mut sights = Sights::new(rays.grid());
        let quad = Quad::new(LOOK_LEVEL, column >> LOOK_LEVEL, row >> LOOK_LEVEL);
        rays.look(quad, &mut sights);
        Self { width, sights }
    }

    /// Whether the viewpoint, which is in the quad, sees the target.
    fn sees(&self, from: (u32, u32), to: (u32, u32)) -> bool {
        let block = (from.1 / 8 % 2 * 2 + from.0 / 8 % 2) as usize;
        let target = to.1 / 8 * self.width.div_ceil(8) + to.0 / 8;
        let lane = |(column, row): (u32, u32)| row % 8 * 8 + column % 8;
        let rows = self.sights.rows(block, target as usize);
        rows.is_some_and(|rows| rows[lane(from) as usize] >> lane(to) & 1 == 1)
    }

    /// All of it.
    fn all(&self) -> Vec<(usize, BlockSight<'_>)> {
        let targets = 0..self.sights.targets();
        let pairs = targets.flat_map(|target| (0..LOOK_BLOCKS).map(move |block| (block, target)));
        let sight = |(block, target)| (target, self.sights.sight(block, target));
        pairs.map(sight).collect()
    }
}

/// A bundle, and its folder.
struct Baked {
    folder: tempfile::TempDir,
    report: BakeReport,
}

impl Baked {
    fn new(terrain: &Terrain, mode: VisibilityMode, curvature: Option<Curvature>) -> Self {
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
    let path = data::data(&format!("terrain/{name}"))?;
    Some(read_terrain(&path, options).unwrap().terrain)
}
