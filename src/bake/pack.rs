//! PVSs to a bundle, compressed as its target says.
//!
//! Trees become pairs of blocks: a bundle of tree code 1 becomes one of tree code 2. A draft is
//! made ([`super::gather`]), codes of how often symbols occur in it, and the bundle of both.

use std::path::{Path, PathBuf};

use super::BakeError;
use super::budget::shrink;
use super::compression::Compression;
use super::crew::Crew;
use super::gather::gather;
use super::prune::prune;
use crate::bundle::{BundleError, Part, Provenance, TerrainHeader, Written};
use crate::compress::ValidPyramid;
use crate::format::TreeCode;

/// Where a bundle goes, and what goes in beside the PVSs.
pub(super) struct Target<'a> {
    pub path: &'a Path,
    pub overwrite: bool,
    /// Its header; the tree code is put in.
    pub header: &'a TerrainHeader,
    /// Ground heights in metres, row by row, NaN for void.
    pub heights: &'a [f64],
    /// What is kept.
    pub compression: &'a Compression,
    /// Names for it in the making and for its lossless form, if a killed bake shall leave nothing
    /// that its resumption does not take up; else they have names of their own.
    pub scratch: Option<&'a [PathBuf; 2]>,
}

impl Target<'_> {
    /// What it is called in the making.
    pub fn making(&self) -> Option<&Path> {
        self.scratch.map(|[making, _]| making.as_path())
    }
}

/// A bundle that is to be made of another.
#[derive(Clone, Copy)]
pub(super) struct Packing<'a> {
    /// The other, of either tree code and without loss.
    pub source: &'a Path,
    pub valid: &'a ValidPyramid,
    pub target: &'a Target<'a>,
    pub crew: &'a Crew<'a>,
}

impl Packing<'_> {
    /// Writes the bundle. The provenance is given the statistics, and what was lost.
    pub fn write(&self, provenance: &mut Provenance) -> Result<Written, BakeError> {
        match self.target.compression {
            Compression::Lossless => self.pack(provenance),
            Compression::Optimal(budget) => shrink(self, budget, provenance),
            Compression::DeepestFirst(to) => prune(self, *to, provenance),
        }
    }

    /// Its header, in tree code 2.
    pub fn header(&self, lossy: bool) -> TerrainHeader {
        let mut header = self.target.header.clone();
        header.parameters.tree_code = TreeCode::Pairs;
        header.parameters.lossy = lossy;
        header
    }

    /// Writes the bundle without loss, in tree code 2. The provenance is given the statistics.
    fn pack(&self, provenance: &mut Provenance) -> Result<Written, BakeError> {
        let mut draft = gather(self)?;
        provenance.statistics = draft.statistics(self.valid);
        draft.write(&self.header(false), self, provenance, u64::MAX)
    }

    /// Writes the bundle without loss into a file beside the target, to be read back.
    pub fn pack_aside(&self, provenance: &mut Provenance) -> Result<Part, BakeError> {
        let aside = match self.target.scratch {
            None => Part::beside(self.target.path),
            Some([_, lossless]) => Part::named(lossless),
        }?;
        let target = Target {
            path: aside.path(),
            overwrite: true,
            ..*self.target
        };
        let packing = Packing {
            target: &target,
            ..*self
        };
        packing.pack(provenance)?;
        Ok(aside)
    }

    /// The error of a source that cannot be read.
    pub fn unreadable(&self, error: &dyn std::fmt::Display) -> BakeError {
        reading(self.source, error)
    }
}

/// The error of a bundle that cannot be read back.
pub(super) fn reading(path: &Path, error: &dyn std::fmt::Display) -> BakeError {
    BakeError::Bundle(BundleError::Read {
        path: path.to_owned(),
        error: std::io::Error::other(error.to_string()),
    })
}
