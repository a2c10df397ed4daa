//! Groups to a bundle, compressed as is asked for: without loss, within a budget, or deepest first.

use std::path::PathBuf;

use super::budget::deepest_first::prune;
use super::budget::options::Compression;
use super::budget::shrink;
use super::encode::{Assembly, Destination, pack};
use super::error::BakeError;
use super::store::file::beside;
use crate::bundle::{Provenance, Written};

/// Writes the bundle. The provenance is given the statistics, and what was lost.
pub(crate) fn compress(
    assembly: &Assembly,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    match compression {
        Compression::Lossless => pack(assembly, provenance),
        Compression::Optimal(budget) => shrink(assembly, budget, provenance),
        Compression::DeepestFirst(to) => {
            // Trees are pruned one by one, each of a whole PVS: they are read from a bundle.
            let lossless = Aside(beside(assembly.place.path, ".lossless.part"));
            let place = Destination {
                path: &lossless.0,
                overwrite: true,
                ..*assembly.place
            };
            let aside = Assembly {
                place: &place,
                ..*assembly
            };
            pack(&aside, provenance)?;
            prune(
                &lossless.0,
                assembly.place,
                assembly.workers,
                *to,
                provenance,
            )
        }
    }
}

/// A file that goes when it is dropped; one that a killed process has left is written over.
struct Aside(PathBuf);

impl Drop for Aside {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}
