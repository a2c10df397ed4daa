//! What the bundle of a terrain or of a solid level is made of, and where it is written.

use std::path::Path;

use crate::bundle::GridHeader;
use crate::compress::ValidPyramid;
use crate::job::parallel::Workers;
use crate::job::store::groups::StoredGroups;
use viewcell::format::TreeCode;

/// What a bundle of terrain is put together of, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Assembly<'a> {
    /// How each block sees the others.
    pub groups: StoredGroups<'a>,
    /// The place of the bundle.
    pub place: &'a Destination<'a>,
    pub workers: &'a Workers<'a>,
}

/// What a bundle holds beside its PVSs, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Destination<'a> {
    pub path: &'a Path,
    pub overwrite: bool,
    /// Its header; how PVSs are coded is put in.
    pub header: &'a GridHeader,
    /// Ground heights in metres, row by row, NaN for void.
    pub heights: &'a [f64],
    pub valid: &'a ValidPyramid,
}

impl Destination<'_> {
    /// The bundle's header.
    pub(in crate::job) fn header(&self, tree_code: TreeCode, lossy: bool) -> GridHeader {
        let mut header = self.header.clone();
        header.parameters.tree_code = tree_code;
        header.parameters.lossy = lossy;
        header
    }

    /// Whether whoever is seen sees, too.
    pub(in crate::job) fn mutual(&self) -> bool {
        self.header.parameters.mutual
    }
}
