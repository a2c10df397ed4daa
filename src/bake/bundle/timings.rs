//! Time and memory of the stages of a bake: a file beside the bundle, `OUT.vcb.timings.json`.
//!
//! Times differ from run to run, and a bundle's bytes must not; so they are kept apart, and tied
//! to the bundle by its length and header checksum, which covers the whole file through the
//! section table.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::output::save_file;

/// What a bake took, and on what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timings {
    /// Length in bytes of the bundle that the times are of.
    pub bundle_bytes: u64,
    /// Checksum in that bundle's header.
    pub bundle_checksum: u32,
    /// Stages in order.
    pub stages: Vec<StageTime>,
    /// Elapsed time in seconds, from start to end.
    pub elapsed_seconds: f64,
    /// Processor time in seconds, all threads.
    pub cpu_seconds: f64,
    /// Peak memory in bytes; 0 where the system does not say.
    pub peak_memory_bytes: u64,
    /// Threads at work.
    pub threads: usize,
    /// SIMD level of the kernels; `none` where there are none.
    pub simd: String,
    /// When the bake ended, RFC 3339; empty if unknown.
    pub date: String,
}

/// What one stage took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageTime {
    /// The stage.
    pub name: String,
    /// Seconds of work, summed over threads where the stage runs on several.
    pub seconds: f64,
}

impl Timings {
    /// Where the times of a bundle are kept.
    pub fn path_beside(bundle: &Path) -> PathBuf {
        let mut name = bundle.as_os_str().to_owned();
        name.push(".timings.json");
        PathBuf::from(name)
    }

    /// Writes the times beside the bundle, replacing those of a bundle of that name.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn write_beside(&self, bundle: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        save_file(&Self::path_beside(bundle), true, |file| {
            file.write_all(&text)
        })
    }

    /// The times kept beside a bundle; `None` where there are none, or they are not of the bundle
    /// with this length and header checksum.
    pub fn read_beside(bundle: &Path, bytes: u64, checksum: u32) -> Option<Self> {
        let text = std::fs::read(Self::path_beside(bundle)).ok()?;
        let timings: Self = serde_json::from_slice(&text).ok()?;
        (timings.bundle_bytes == bytes && timings.bundle_checksum == checksum).then_some(timings)
    }
}
