//! Quake II: IBSP of version 38; and the rows of clusters that it shares with Source.
//!
//! ```text
//! 0   magic     "IBSP"
//! 4   version   38
//! 8   lumps     19 × (offset, length), i32
//! ```
//!
//! Lump `visibility`: the number of clusters, then for each two offsets from the start of the
//! lump, of what can be seen (PVS) and what can be heard (PHS).

use super::bsp::{Numbers, Parts, bounds_of, world_model};
use super::lump::{Lump, Record, Records};
use super::{bsp, check_count};
use crate::error::IngestError;
use crate::world::{BitMatrix, BspLeaf, CellGraph};
use viewcell::format::bits;

/// Reads a level.
pub(super) fn read(file: Lump, notes: &mut Vec<String>) -> Result<CellGraph, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    ClusterLevel {
        visibility: lump(3, "visibility")?,
        planes: lump(1, "planes")?.records(20)?,
        nodes: lump(4, "nodes")?.records(28)?,
        leaves: lump(8, "leaves")?.records(28)?,
        models: lump(13, "models")?.records(48)?,
    }
    .read(notes)
}

/// The lumps of a level of clusters.
pub(super) struct ClusterLevel<'a> {
    pub visibility: Lump<'a>,
    pub planes: Records<'a>,
    pub nodes: Records<'a>,
    /// Contents (`i32`), cluster (`i16`), area (`i16`), corners (6 `i16`) first.
    pub leaves: Records<'a>,
    /// Root of its tree (`i32`) at byte 36.
    pub models: Records<'a>,
}

impl ClusterLevel<'_> {
    pub(super) fn read(&self, notes: &mut Vec<String>) -> Result<CellGraph, IngestError> {
        let leaf = |leaf: Record| BspLeaf {
            contents: leaf.i32(0),
            cell: u32::try_from(leaf.i16(4)).ok(),
            bounds: Numbers::I16.corners(leaf, 8),
        };
        let leaves: Vec<BspLeaf> = self.leaves.iter().map(leaf).collect();
        let named = leaves.iter().filter_map(|leaf| leaf.cell).max();
        let named = named.map_or(0, |greatest| greatest as usize + 1);

        let (cells, pvs, phs) = if self.visibility.bytes.is_empty() {
            check_count(named, || self.leaves.lump.place(0))?;
            notes.push("the level has no visibility data".into());
            (named, None, None)
        } else {
            let cells = self.visibility.count(0, "a number of clusters")?;
            check_count(cells, || self.visibility.place(0))?;
            let pvs = self.matrix(cells, 0, notes)?;
            // A compiler that leaves out the second table leaves its offsets zero.
            let silent = (0..cells).all(|cell| matches!(self.offset(cell, 1), Ok(0)));
            let phs = (!silent)
                .then(|| self.matrix(cells, 1, notes))
                .transpose()?;
            (cells, Some(pvs), phs)
        };
        let bounds = bounds_of(&leaves, cells);
        let root = world_model(&self.models)?.i32(36);
        let parts = Parts {
            planes: self.planes,
            nodes: self.nodes,
            short_children: false,
            leaves: self.leaves,
            cells,
        };
        let tree = parts.tree(leaves, root)?;
        Ok(CellGraph {
            pvs,
            phs,
            bounds: Some(bounds),
            tree: Some(tree),
            ..CellGraph::new(cells)
        })
    }

    /// The offset of a cluster's row in table 0 (PVS) or 1 (PHS).
    fn offset(&self, cell: usize, table: usize) -> Result<usize, IngestError> {
        self.visibility
            .count(4 + 8 * cell + 4 * table, "an offset of a row")
    }

    fn matrix(
        &self,
        cells: usize,
        table: usize,
        notes: &mut Vec<String>,
    ) -> Result<BitMatrix, IngestError> {
        let first = 4 + 8 * cells;
        // Before memory is taken for a matrix that the lump cannot hold.
        self.visibility.get(0, first)?;
        let mut matrix = BitMatrix::new(cells);
        let mut bytes = vec![0; cells.div_ceil(8)];
        let mut overruns = 0;
        for cell in 0..cells {
            let at = self.offset(cell, table)?;
            if at < first || at >= self.visibility.bytes.len() {
                return Err(self.visibility.bad(
                    4 + 8 * cell + 4 * table,
                    format!(
                        "an offset of a row from {first} to {}",
                        self.visibility.bytes.len().saturating_sub(1)
                    ),
                    format!("{at} for cluster {cell}"),
                ));
            }
            overruns += usize::from(bsp::unpack(&self.visibility, at, &mut bytes)?);
            set_row(&mut matrix, cell, &bytes);
        }
        bsp::note_overruns(overruns, notes);
        Ok(matrix)
    }
}

/// Sets row `cell` to a row of bytes; bits behind the last cell are left out.
pub(super) fn set_row(matrix: &mut BitMatrix, cell: usize, bytes: &[u8]) {
    let cells = matrix.n();
    let row = matrix.row_mut(cell);
    for (word, chunk) in row.iter_mut().zip(bytes.chunks(8)) {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
    bits::cut(row, cells as u32);
}
