//! A level as its bundle has it.

use std::path::Path;

use super::error::BakeError;
use crate::bundle::{BundleError, BundleFile};
use crate::format::Tag;
use crate::format::cells::Portals;
use crate::runtime::{Bundle, OpenError};
use crate::world::{BitMatrix, CellGraph, Portal};

/// Greatest length in bytes of a section that is decompressed.
const LIMIT: u64 = 1 << 30;

/// The cell graph in a bundle: its PVS as it was made symmetric, what touches, boxes, positions,
/// names and portals. The BSP is left out, which the bundle has without leaves.
///
/// # Errors
///
/// [`BakeError`] where the file cannot be read, or is no bundle of cells.
pub fn read_level(path: &Path) -> Result<CellGraph, BakeError> {
    let bytes = std::fs::read(path).map_err(|error| BundleError::Read {
        path: path.to_owned(),
        error,
    })?;
    let format = |error: OpenError| match error {
        OpenError::Format { error, .. } => BundleError::Format {
            path: path.to_owned(),
            error,
        },
        OpenError::Io { path, error } => BundleError::Read { path, error },
    };
    let bundle = Bundle::from_bytes(&bytes).map_err(format)?;
    let level = bundle.cells().map_err(format)?;
    let cells = level.cells();
    let mut graph = CellGraph::new(cells as usize);
    let words = (0..cells).flat_map(|cell| {
        let row = level.pvs(cell);
        (0..cells.div_ceil(64) as usize).map(move |i| row.word(i))
    });
    graph.pvs = Some(BitMatrix::from_words(cells as usize, words.collect()));
    let pairs = (0..cells).flat_map(|a| level.neighbours(a).map(move |b| [a, b]));
    graph.adjacency = pairs.filter(|[a, b]| a < b && *b < cells).collect();
    graph.bounds = (0..cells).map(|cell| level.bounds(cell)).collect();
    graph.positions = (0..cells).map(|cell| level.position(cell)).collect();

    let file = BundleFile::open(path)?;
    let damaged = |section: Tag, problem: String| BundleError::Section {
        path: path.to_owned(),
        section: section.to_string(),
        problem,
    };
    if let Some(text) = file.read(Tag::CNAM, LIMIT)? {
        let names: Vec<String> = serde_json::from_slice(&text)
            .map_err(|error| damaged(Tag::CNAM, format!("expected names in JSON: {error}")))?;
        if names.len() != cells as usize {
            let problem = format!("expected {cells} names, found {}", names.len());
            return Err(damaged(Tag::CNAM, problem).into());
        }
        graph.names = Some(names);
    }
    if let Some(bytes) = file.read(Tag::CPRT, LIMIT)? {
        graph.portals = portals(&bytes, cells).ok_or_else(|| {
            damaged(
                Tag::CPRT,
                format!("expected portals between cells below {cells}"),
            )
        })?;
    }
    Ok(graph)
}

/// The portals in the bytes of `CPRT`.
fn portals(bytes: &[u8], cells: u32) -> Option<Vec<Portal>> {
    let mut records = Portals::new(bytes);
    let mut portals = Vec::new();
    for record in records.by_ref() {
        if record.cells.iter().any(|cell| *cell >= cells) || !record.is_whole() {
            return None;
        }
        portals.push(Portal {
            cells: record.cells,
            winding: record.corners().collect(),
        });
    }
    (records.left() == 0 && records.at() == bytes.len()).then_some(portals)
}
