//! Where the bundle of a terrain or of a solid level is written, and what it holds beside its PVSs.

use std::path::Path;

use crate::bundle::GridHeader;
use crate::compress::ValidPyramid;
use viewcell::format::TreeCode;

/// What a bundle holds beside its PVSs, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Destination<'a> {
    pub path: &'a Path,
    pub overwrite: bool,
    /// Its header; how PVSs are coded, and whether some of it was lost, is put in.
    pub header: &'a GridHeader,
    /// Ground heights in metres, row by row, NaN for void.
    pub heights: &'a [f64],
    pub valid: &'a ValidPyramid,
}

impl Destination<'_> {
    /// The bundle's header.
    pub(in crate::job) fn header(&self, lossy: bool) -> GridHeader {
        let mut header = self.header.clone();
        header.parameters.tree_code = TreeCode::Levels;
        header.parameters.lossy = lossy;
        header
    }
}
