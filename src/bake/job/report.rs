//! Report of a bake: what was written, and what it took.

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use serde::Serialize;

use super::destination::Destination;
use super::peak;
use super::store::records::Share;
use crate::bundle::{Provenance, StageTime, Statistics, Timings, Written};

/// What a bake made, and what it took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BakeReport {
    /// Columns of the terrain.
    pub width: u32,
    /// Rows of the terrain.
    pub height: u32,
    /// Length of the bundle in bytes.
    pub bytes: u64,
    /// Bytes by section, tag first.
    pub sections: Vec<(String, u64)>,
    /// Shares hidden and bytes by level.
    pub statistics: Statistics,
    /// What it took, as kept beside the bundle.
    pub timings: Timings,
    /// Tiles of viewpoints.
    pub tiles: u32,
    /// Tiles of these that an earlier bake had done.
    pub kept_tiles: u32,
}

/// What the bake of a shard made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ShardReport {
    /// Its share of the tiles.
    pub share: Share,
    /// Tiles of the whole bake.
    pub total_tiles: u32,
    /// Tiles of the share that an earlier bake had done.
    pub kept_tiles: u32,
    /// Length of the shard in bytes.
    pub bytes: u64,
}

/// What a bake took so far, and the end of a job.
pub(super) struct Finish {
    start: Instant,
    cpu_start: ProcessTime,
    stage_start: ProcessTime,
    pub stages: Vec<StageTime>,
    threads: usize,
    simd: String,
}

impl Finish {
    /// The clocks start, for so many threads with such instructions.
    pub(super) fn new(threads: usize, simd: &str) -> Self {
        Self {
            start: Instant::now(),
            cpu_start: ProcessTime::now(),
            stage_start: ProcessTime::now(),
            stages: Vec::new(),
            threads,
            simd: simd.to_owned(),
        }
    }

    /// A stage of all threads is done, that began when the last one ended, or when the clock was
    /// set anew.
    pub(super) fn stage(&mut self, name: &str) {
        let seconds = self.stage_start.elapsed().as_secs_f64();
        self.stages.push(stage_time(name, seconds));
        self.restart_clock();
    }

    /// The next stage begins.
    pub(super) fn restart_clock(&mut self) {
        self.stage_start = ProcessTime::now();
    }

    /// Threads to work with.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// What was written; writes what it took beside it.
    pub(super) fn report(
        self,
        written: Written,
        made: Provenance,
        place: &Destination,
    ) -> BakeReport {
        let grid = place.header.parameters.grid;
        let timings = self.timings(&written, place.path);
        let sections = written.sections.iter();
        BakeReport {
            width: grid.width(),
            height: grid.height(),
            bytes: written.bytes,
            sections: sections
                .map(|section| (section.tag.to_string(), section.stored_length))
                .collect(),
            statistics: made.statistics,
            timings,
            tiles: 0,
            kept_tiles: 0,
        }
    }

    /// What all took, written beside the bundle too.
    pub(super) fn timings(self, written: &Written, output: &Path) -> Timings {
        let timings = Timings {
            bundle_bytes: written.bytes,
            bundle_checksum: written.checksum,
            stages: self.stages,
            elapsed_seconds: self.start.elapsed().as_secs_f64(),
            cpu_seconds: self.cpu_start.elapsed().as_secs_f64(),
            peak_memory_bytes: peak::memory(),
            threads: self.threads,
            simd: self.simd,
            date: String::new(),
        };
        // The bundle is whole without them.
        timings.write_beside(output).ok();
        timings
    }
}

/// What a stage took.
pub(super) fn stage_time(name: &str, seconds: f64) -> StageTime {
    StageTime {
        name: name.to_owned(),
        seconds,
    }
}
