//! Writing a cell bundle: whole sections in, a finished file out, or nothing.

use std::path::Path;

use super::error::BundleError;
use super::output::Written;
use super::output::{Output, check_output};
use super::provenance::Provenance;
use viewcell::format::cells::CellParameters;
use viewcell::format::{Header, Section, Tag, WorldKind};

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
    check_output(path, overwrite)?;
    let mut out = Output::create(path)?;
    let record = cells.parameters.encode();
    let hot: [(Tag, u32, Option<&[u8]>); 8] = [
        (Tag::CELL, Section::REQUIRED, Some(&record)),
        (Tag::CROW, Section::REQUIRED, cells.row_of.as_deref()),
        (Tag::CPVS, Section::REQUIRED, Some(&cells.pvs)),
        (Tag::CDST, Section::REQUIRED, Some(&cells.distances)),
        (Tag::CADJ, 0, cells.adjacency.as_deref()),
        (Tag::CBSP, 0, cells.nodes.as_deref()),
        (Tag::CBOX, 0, cells.bounds.as_deref()),
        (Tag::CPOS, 0, cells.positions.as_deref()),
    ];
    let names = cells.names.as_ref().map(serde_json::to_vec).transpose();
    let names = names.map_err(|error| out.error("writing names", error.into()))?;
    let provenance = serde_json::to_vec(provenance)
        .map_err(|error| out.error("writing provenance", error.into()))?;
    let cold: [(Tag, Option<&[u8]>); 3] = [
        (Tag::CNAM, names.as_deref()),
        (Tag::CPRT, cells.portals.as_deref()),
        (Tag::PROV, Some(&provenance)),
    ];
    let hot = hot
        .iter()
        .filter_map(|&(tag, flags, bytes)| Some((tag, flags, bytes?)));
    let cold = cold.iter().filter_map(|&(tag, bytes)| Some((tag, bytes?)));
    let count = hot.clone().count() + cold.clone().count();

    out.leave_room(count)?;
    let mut sections = Vec::with_capacity(count);
    for (tag, flags, bytes) in hot {
        sections.push(out.section(tag, flags, [bytes])?);
    }
    for (tag, bytes) in cold {
        sections.push(out.compressed_section(tag, bytes)?);
    }
    out.finish(Header::of(WorldKind::Cells), sections, u64::MAX, overwrite)
}
