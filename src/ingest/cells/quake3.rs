//! Quake III and Return to Castle Wolfenstein: IBSP of versions 46 and 47.
//!
//! ```text
//! 0   magic     "IBSP"
//! 4   version   46 or 47
//! 8   lumps     17 × (offset, length), i32
//! ```
//!
//! Lump `visibility`: the number of clusters, the bytes a row, then the rows, not compressed.

use super::bsp::{Numbers, Parts, bounds_of};
use super::check_count;
use super::lump::{Lump, Record};
use super::quake2::set_row;
use crate::error::IngestError;
use crate::world::{BitMatrix, BspLeaf, CellGraph};

/// Reads a level.
pub(super) fn read(file: Lump, notes: &mut Vec<String>) -> Result<CellGraph, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    let visibility = lump(16, "visibility")?;
    let planes = lump(2, "planes")?.records(16)?;
    let nodes = lump(3, "nodes")?.records(36)?;
    let records = lump(4, "leaves")?.records(48)?;
    let leaf = |leaf: Record| BspLeaf {
        contents: 0,
        cell: u32::try_from(leaf.i32(0)).ok(),
        bounds: Numbers::I32.corners(leaf, 8),
    };
    let leaves: Vec<BspLeaf> = records.iter().map(leaf).collect();
    let (cells, pvs) = if visibility.bytes.is_empty() {
        let named = leaves.iter().filter_map(|leaf| leaf.cell).max();
        let named = named.map_or(0, |greatest| greatest as usize + 1);
        check_count(named, || records.lump.place(0))?;
        notes.push("the level has no visibility data".into());
        (named, None)
    } else {
        let matrix = matrix(&visibility)?;
        (matrix.n(), Some(matrix))
    };
    let bounds = bounds_of(&leaves, cells);
    let parts = Parts {
        planes,
        nodes,
        short_children: false,
        leaves: records,
        cells,
    };
    // A level whose tree is one leaf has no nodes.
    let root = if nodes.len() > 0 { 0 } else { -1 };
    let tree = parts.tree(leaves, root)?;
    Ok(CellGraph {
        pvs,
        bounds: Some(bounds),
        tree: Some(tree),
        ..CellGraph::new(cells)
    })
}

fn matrix(visibility: &Lump) -> Result<BitMatrix, IngestError> {
    let cells = visibility.count(0, "a number of clusters")?;
    let stride = visibility.count(4, "a number of bytes a row")?;
    check_count(cells, || visibility.place(0))?;
    let needed = cells.div_ceil(8);
    if stride < needed {
        return Err(visibility.bad(
            4,
            format!("at least {needed} bytes a row for {cells} clusters"),
            stride.to_string(),
        ));
    }
    let rows = visibility.get(8, cells.saturating_mul(stride))?;
    let mut matrix = BitMatrix::new(cells);
    for (cell, row) in rows.chunks_exact(stride).enumerate() {
        set_row(&mut matrix, cell, &row[..needed]);
    }
    Ok(matrix)
}
