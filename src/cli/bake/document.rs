//! What a bake checks before it begins, and tells at its end.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bake::Forecast;
use viewcell::internals::bundle::{self, BundleError, Info};

use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::{Json, check_not_input, check_not_stream, is_stream};
use crate::cli::progress::{Progress, Voice};
use crate::cli::written;

/// What would fail at the end of the bake fails before its beginning.
pub fn check_output(input: &Path, force: bool, resume: bool, output: &Path) -> Result<(), Failure> {
    check_not_stream(output)?;
    if is_stream(input) {
        return Err(Failure::usage(
            "-: expected the name of a file to bake, since what is read twice (for its digest) and \
             resumed cannot come from stdin; write it to a file first"
                .into(),
        ));
    }
    check_not_input(input, output)?;
    match bundle::check_output(output, force) {
        // It may be what this very job made: the bake tells.
        Err(BundleError::Exists { .. }) if resume => Ok(()),
        checked => Ok(checked?),
    }
}

/// Tells of a bundle written, and verifies it if that is wanted.
pub fn finish(
    output: PathBuf,
    notes: Vec<String>,
    verify: bool,
    voice: &Voice,
    json: &Json,
    progress: &Progress,
) -> Outcome {
    written::tell(output, verify, voice, json, progress, |output, info| {
        Document {
            output,
            notes,
            bundle: Some(info),
            shard: None,
        }
    })
}

/// What `viewcell bake --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake")]
pub struct Document {
    /// The bundle written, or with --shard the shard.
    pub output: PathBuf,
    /// What a person should know about the input: assumptions, conversions, voids; and what was
    /// taken over from a bake that was stopped.
    pub notes: Vec<String>,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it; absent with
    /// --shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Info>,
    /// What the shard holds; absent without --shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A shard written.
#[derive(Serialize, JsonSchema)]
pub struct Shard {
    /// Its number, from 1.
    pub index: u32,
    /// Shards that there are to be.
    pub of: u32,
    /// Its first tile of 32 x 32 viewpoints, in bake order.
    pub first_tile: u32,
    /// Its tiles.
    pub tiles: u32,
    /// Tiles of the whole bake.
    pub total_tiles: u32,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What `viewcell bake terrain --dry-run --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake terrain --dry-run")]
pub struct ForecastDocument {
    /// Processor time of all threads together, in seconds.
    cpu_seconds: f64,
    /// Bytes of the bundle.
    bytes: u64,
    /// Bytes of memory, at most.
    memory: u64,
    /// Quads of viewpoints that were looked from to know it.
    sampled_quads: usize,
    /// Quads of viewpoints that the bake looks from.
    quads: usize,
}

impl ForecastDocument {
    pub fn new(forecast: &Forecast) -> Self {
        Self {
            cpu_seconds: forecast.cpu_seconds,
            bytes: forecast.bytes,
            memory: forecast.memory,
            sampled_quads: forecast.sampled,
            quads: forecast.quads,
        }
    }
}
