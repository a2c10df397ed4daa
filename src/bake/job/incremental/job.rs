//! What an incremental re-bake is asked and what it tells, whatever the tree code of the bundle.

use std::path::{Path, PathBuf};

use cpu_time::ProcessTime;

use crate::bundle::{Provenance, StageTime};
use crate::job::report::{BakeReport, stage_time};
use crate::job::source::{Source, TOOL};
use crate::visibility::Simd;

/// Where an incremental re-bake goes on, and where to.
#[derive(Clone, Debug)]
pub struct RebakeJob<'a> {
    /// The bundle. It stays as it is.
    pub bundle: &'a Path,
    /// Patches that lie over it already, in their order.
    pub over: &'a [PathBuf],
    /// A bundle to write.
    pub output: Option<&'a Path>,
    /// A patch to write.
    pub patch: Option<&'a Path>,
}

/// Options of an incremental re-bake.
#[derive(Clone, Debug, Default)]
pub struct RebakeOptions {
    /// Threads that compute; 0 for as many as there are processors. Changes no byte.
    pub threads: usize,
    /// Instructions to use. Changes no byte.
    pub simd: Simd,
    /// Whether to replace outputs that exist.
    pub overwrite: bool,
    /// Whether who is covered by the surface is asked for ([`BakeOptions::inside`](crate::BakeOptions::inside)), in a
    /// bundle of ground below one.
    pub inside: bool,
}

/// What an incremental re-bake asked, made and took.
#[derive(Clone, Debug, PartialEq)]
pub struct RebakeReport {
    /// Pairs of blocks of 8 × 8 samples that were asked again.
    pub asked_pairs: u64,
    /// Pairs of blocks that a bake of the new terrain asks.
    pub all_pairs: u64,
    /// Pairs of blocks that see each other otherwise now.
    pub changed_pairs: u64,
    /// Samples whose ground has changed.
    pub changed_samples: u64,
    /// Bytes of the patch, whether it was written or not.
    pub patch_bytes: u64,
    /// Processor time by stage.
    pub stages: Vec<StageTime>,
    /// The bundle, if one was written.
    pub bundle: Option<BakeReport>,
}

/// How what is made was made; without statistics.
pub(super) fn provenance(source: &Source) -> Provenance {
    Provenance {
        tool: TOOL.to_owned(),
        input: source.input.clone(),
        options: source.options.clone(),
        ..Provenance::default()
    }
}

/// The samples that differ, and their new heights.
pub(super) fn changed_heights(old: &[f64], new: &[f64]) -> Vec<(u32, f64)> {
    let pairs = old.iter().zip(new);
    let differ =
        |(before, after): (&f64, &f64)| before != after && !(before.is_nan() && after.is_nan());
    (0..)
        .zip(pairs)
        .filter(|&(_, pair)| differ(pair))
        .map(|(sample, (_, after))| (sample, *after))
        .collect()
}

/// Processor time, stage by stage.
pub(super) struct Clock {
    begun: ProcessTime,
    pub(super) stages: Vec<StageTime>,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self {
            begun: ProcessTime::now(),
            stages: Vec::new(),
        }
    }

    pub(super) fn restart(&mut self) {
        self.begun = ProcessTime::now();
    }

    pub(super) fn stage(&mut self, name: &str) {
        self.stages
            .push(stage_time(name, self.begun.elapsed().as_secs_f64()));
        self.restart();
    }
}
