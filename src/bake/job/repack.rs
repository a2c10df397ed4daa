//! Repacking: a bundle to another bundle of the same PVSs, lossless or within a budget.
//!
//! The groups of a bundle are first put into a store; what follows is that of a bake.

use super::budget::options::Compression;
use super::destination::Destination;
use super::error::{BakeError, unreadable};
use super::levels;
use super::observer::Observer;
use super::parallel::{Workers, thread_count};
use super::report::{BakeReport, Finish};
use crate::bundle::{TerrainParts, check_output};
use std::path::Path;
use viewcell::query::{MappedBundle, World};

/// How to repack.
#[derive(Clone, Debug, Default)]
pub struct RepackOptions {
    /// What is kept.
    pub compression: Compression,
    /// Threads that compute; 0 for as many as there are processors. Changes no byte.
    pub threads: usize,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
}

/// Writes the PVSs of the bundle `input`, of either tree code, into a bundle at `output`, compressed
/// anew. The bytes are those of a bake with that compression.
///
/// # Errors
///
/// Where the input has lost something before; where it is damaged, or a file cannot be read or written.
pub fn repack(
    input: &Path,
    output: &Path,
    options: &RepackOptions,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(thread_count(options.threads), "none");
    check_output(output, options.overwrite)?;
    let TerrainParts {
        header,
        heights,
        valid,
        mut provenance,
    } = TerrainParts::read(input)?;
    if header.parameters.lossy {
        return Err(BakeError::Lossy {
            path: input.to_owned(),
        });
    }
    let place = Destination {
        path: output,
        overwrite: options.overwrite,
        header: &header,
        heights: &heights,
        valid: &valid,
    };
    let workers = &Workers::new(finish.threads(), observer)?;
    finish.restart_clock();
    let map = MappedBundle::open(input).map_err(|error| unreadable(input, error))?;
    let world = map.bundle().and_then(|bundle| bundle.world());
    let sights = match world.map_err(|error| unreadable(input, error))? {
        World::Solid(level) => *level.sights(),
        _ => map.terrain().map_err(|error| unreadable(input, error))?,
    };
    let source = levels::Unpacking {
        path: input,
        terrain: sights,
        parameters: &header.parameters,
        valid: &valid,
    };
    let store = levels::unpack(&source, output, &|| map.let_go(), workers)?;
    let compression = &options.compression;
    let written = levels::write(&[store], &place, workers, compression, &mut provenance)?;
    finish.stage("compress");
    Ok(finish.report(written, provenance, &place))
}
