//! Small worlds, and bakes that stop.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use viewcell_bake::bundle::InputFile;
use viewcell_bake::{
    BakeError, BakeOptions, BakeReport, Compression, Keep, Observer, ShardOf, ShardReport, Source,
    Stage, VisibilityMode, bake_shard, bake_terrain,
};
use viewcell_ingest::world::Terrain;

/// A terrain, and where it is from.
pub struct World {
    pub terrain: Terrain,
    pub source: Source,
    pub options: BakeOptions,
}

/// Stops a bake once so many pairs of this run are done.
pub struct StopAfter {
    limit: u64,
    done: AtomicU64,
}

impl StopAfter {
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            done: AtomicU64::new(0),
        }
    }

    pub fn never() -> Self {
        Self::new(u64::MAX)
    }
}

impl Observer for StopAfter {
    fn stage(&self, _: Stage, _: u64) {}

    fn advance(&self, stage: Stage, done: u64) {
        if stage == Stage::Visibility {
            self.done.fetch_max(done, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.limit
    }
}

impl World {
    /// The pairs that a bake decides for so many first viewpoints, less what is lost by rounding.
    pub fn pairs(&self, viewpoints: u64) -> u64 {
        let samples = u64::from(self.terrain.width()) * u64::from(self.terrain.height());
        (viewpoints * samples - viewpoints * (viewpoints - 1) / 2).saturating_sub(64)
    }

    /// Rough ground with some voids.
    pub fn new(width: u32, height: u32) -> Self {
        let mut seed = 7_u32;
        let heights = (0..width * height).map(|i| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let hill = ((i % width) as f64 * 0.3).sin() * ((i / width) as f64 * 0.2).cos();
            match seed >> 24 {
                0..4 => f64::NAN,
                rough => hill * 20.0 + rough as f64 * 0.03,
            }
        });
        let options = serde_json::json!({"player-height": 1.8, "visibility": "exact"});
        Self {
            terrain: Terrain::new(width, height, heights.collect(), [10.0, 12.5]).unwrap(),
            source: Source {
                input: InputFile {
                    name: "rough.r16".to_owned(),
                    format: "RAW16".to_owned(),
                    bytes: 123,
                    digest: "crc32:01234567".to_owned(),
                },
                options: options.as_object().unwrap().clone(),
            },
            options: BakeOptions {
                mode: VisibilityMode::Exact,
                threads: 1,
                keep: Keep::New,
                ..BakeOptions::default()
            },
        }
    }

    pub fn with(&self, keep: Keep, threads: usize) -> BakeOptions {
        BakeOptions {
            keep,
            compression: Compression::Lossless,
            threads,
            ..self.options.clone()
        }
    }

    /// Bakes to the end.
    pub fn bake(&self, output: &Path, keep: Keep) -> Result<BakeReport, BakeError> {
        self.bake_until(output, keep, &StopAfter::never())
    }

    pub fn bake_until(
        &self,
        output: &Path,
        keep: Keep,
        stop: &StopAfter,
    ) -> Result<BakeReport, BakeError> {
        let options = self.with(keep, 1);
        bake_terrain(&self.terrain, &self.source, &options, output, stop)
    }

    /// Bakes a share.
    pub fn shard(&self, part: &str, output: &Path, keep: Keep) -> Result<ShardReport, BakeError> {
        self.shard_until(part, output, keep, &StopAfter::never())
    }

    pub fn shard_until(
        &self,
        part: &str,
        output: &Path,
        keep: Keep,
        stop: &StopAfter,
    ) -> Result<ShardReport, BakeError> {
        let options = self.with(keep, 1);
        let part: ShardOf = part.parse().unwrap();
        bake_shard(&self.terrain, &self.source, &options, part, output, stop)
    }

    /// The bundle of a bake that nothing happens to.
    pub fn bundle(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vcb");
        self.bake(&path, Keep::Nothing).unwrap();
        std::fs::read(path).unwrap()
    }
}

/// The names of all in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The words of an error; all `expected` are to be among them.
pub fn says(error: &dyn std::error::Error, expected: &[&str]) {
    let words = error.to_string();
    for expected in expected {
        assert!(words.contains(expected), "no {expected:?} in: {words}");
    }
}
