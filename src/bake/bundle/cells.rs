//! Writing a cell bundle: whole sections in, a finished file out, or nothing.

use std::path::Path;

use super::error::BundleError;
use super::output::{Output, Written};
use super::provenance::Provenance;
use viewcell::format::cells::CellParameters;
use viewcell::format::{Tag, WorldKind};

/// The sections of a cell bundle, as bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSections {
    /// `CELL`.
    pub parameters: CellParameters,
    /// `CROW`; `None` where cell i has row i.
    pub row_of: Option<Vec<u8>>,
    /// `CPVS`.
    pub pvs: Vec<u8>,
    /// `CDST`.
    pub distances: Vec<u8>,
    /// `CADJ`; `None` where it is not known which cells touch.
    pub adjacency: Option<Vec<u8>>,
    /// `CBSP`; `None` where there are no nodes.
    pub nodes: Option<Vec<u8>>,
    /// `CBOX`.
    pub bounds: Option<Vec<u8>>,
    /// `CPOS`.
    pub positions: Option<Vec<u8>>,
    /// `CNAM`, a JSON array of texts.
    pub names: Option<Vec<String>>,
    /// `CPRT`.
    pub portals: Option<Vec<u8>>,
}

/// Writes a cell bundle.
///
/// Errors where the output exists and is not to be overwritten, its folder is not there, or
/// writing fails; then nothing is left behind.
pub fn write_cells(
    path: &Path,
    overwrite: bool,
    cells: &CellSections,
    provenance: &Provenance,
) -> Result<Written, BundleError> {
    let mut out = Output::create(path, overwrite)?;
    let record = cells.parameters.encode();
    let names = cells.names.as_ref().map(serde_json::to_vec).transpose();
    let names = names.map_err(|error| out.error("writing names", error.into()))?;
    let sections: [(Tag, Option<&[u8]>); 10] = [
        (Tag::CELL, Some(&record)),
        (Tag::CROW, cells.row_of.as_deref()),
        (Tag::CPVS, Some(&cells.pvs)),
        (Tag::CDST, Some(&cells.distances)),
        (Tag::CADJ, cells.adjacency.as_deref()),
        (Tag::CBSP, cells.nodes.as_deref()),
        (Tag::CBOX, cells.bounds.as_deref()),
        (Tag::CPOS, cells.positions.as_deref()),
        (Tag::CNAM, names.as_deref()),
        (Tag::CPRT, cells.portals.as_deref()),
    ];
    let sections = sections
        .iter()
        .filter_map(|(tag, bytes)| Some((*tag, (*bytes)?)));
    out.leave_room(sections.clone().count() + [Tag::PROV].len())?;
    for (tag, bytes) in sections {
        out.whole(tag, bytes)?;
    }
    out.finish_with(WorldKind::Cells, provenance, u64::MAX)
}
