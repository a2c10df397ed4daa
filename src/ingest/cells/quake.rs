//! Quake, Half-Life: BSP29, 2PSB, BSP2, BSP30.
//!
//! ```text
//! 0   version   4 bytes   29, 30, "2PSB" or "BSP2"
//! 4   lumps     15 × (offset, length), i32
//! ```
//!
//! Visibility belongs to leaves: each names the byte of its row in the lump `visibility`, or -1
//! for none; bit i of a row is leaf i + 1. Compilers see clusters of leaves and give the leaves
//! of one cluster one row: those leaves are a cell here.

use std::collections::HashMap;

use super::bsp::{Numbers, Parts, bounds_of, world_model};
use super::lump::{Lump, Record};
use super::{bsp, check_count};
use crate::error::IngestError;
use crate::world::{BitMatrix, BspLeaf, CellGraph};

/// Bytes before the table of lumps, and bytes an entry.
const TABLE: (usize, usize) = (4, 8);
const MODEL_LEN: usize = 64;

/// Which of the four.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BspVersion {
    Bsp29,
    Bsp2Rmq,
    Bsp2,
    Bsp30,
}

impl BspVersion {
    /// By the first four bytes.
    pub(crate) fn of(magic: &[u8; 4]) -> Option<Self> {
        match magic {
            [29, 0, 0, 0] => Some(Self::Bsp29),
            [30, 0, 0, 0] => Some(Self::Bsp30),
            b"2PSB" => Some(Self::Bsp2Rmq),
            b"BSP2" => Some(Self::Bsp2),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bsp29 => "BSP29",
            Self::Bsp2Rmq => "2PSB",
            Self::Bsp2 => "BSP2",
            Self::Bsp30 => "BSP30",
        }
    }

    /// Whether numbers of edges and faces have 32 bits.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Self::Bsp2 | Self::Bsp2Rmq)
    }

    /// Bytes a leaf.
    pub(crate) fn leaf_len(self) -> usize {
        self.layout().1
    }

    /// Bytes a node, bytes a leaf, and how both store their corners.
    fn layout(self) -> (usize, usize, Numbers) {
        match self {
            Self::Bsp29 | Self::Bsp30 => (24, 28, Numbers::I16),
            Self::Bsp2Rmq => (32, 32, Numbers::I16),
            Self::Bsp2 => (44, 44, Numbers::F32),
        }
    }
}

/// Reads a level.
pub(crate) fn read(
    file: Lump,
    kind: BspVersion,
    notes: &mut Vec<String>,
) -> Result<CellGraph, IngestError> {
    let lump = |index, name| file.entry(TABLE.0, TABLE.1, index, name);
    let (node_len, leaf_len, numbers) = kind.layout();
    let visibility = lump(4, "visibility")?;
    let leaves = lump(10, "leaves")?.records(leaf_len)?;
    let models = lump(14, "models")?.records(MODEL_LEN)?;
    let planes = lump(1, "planes")?.records(20)?;
    let nodes = lump(5, "nodes")?.records(node_len)?;

    let world = world_model(&models)?;
    let seen = world.i32(52);
    let seen = usize::try_from(seen)
        .ok()
        .filter(|&seen| seen < leaves.len())
        .ok_or_else(|| {
            models.lump.bad(
                52,
                format!(
                    "fewer leaves with visibility than the {} leaves",
                    leaves.len()
                ),
                seen.to_string(),
            )
        })?;

    // Leaf i + 1 has bit i. Leaf 0 is solid, and those after `seen` belong to other models.
    let rows: Vec<i32> = leaves
        .iter()
        .skip(1)
        .take(seen)
        .map(|leaf| leaf.i32(4))
        .collect();
    let has_visibility = rows.iter().any(|&row| row >= 0);
    let (cell_of, cells) = cells_of(&rows, has_visibility);
    check_count(cells, || leaves.lump.place(0))?;
    let pvs = has_visibility
        .then(|| {
            Rows {
                visibility,
                rows: &rows,
                cell_of: &cell_of,
                leaves,
            }
            .matrix(cells, notes)
        })
        .transpose()?;
    if !has_visibility {
        notes.push("the level has no visibility data: each leaf is a cell".into());
    }

    let bsp_leaf = |(index, leaf): (usize, Record)| BspLeaf {
        contents: leaf.i32(0),
        cell: (1..=seen)
            .contains(&index)
            .then(|| cell_of[index - 1] as u32),
        bounds: numbers.corners(leaf, 8),
    };
    let bsp_leaves: Vec<BspLeaf> = leaves.iter().enumerate().map(bsp_leaf).collect();
    let bounds = bounds_of(&bsp_leaves, cells);
    let parts = Parts {
        planes,
        nodes,
        short_children: node_len == 24,
        leaves,
        cells,
    };
    let tree = parts.tree(bsp_leaves, world.i32(36))?;
    Ok(CellGraph {
        pvs,
        bounds: Some(bounds),
        tree: Some(tree),
        ..CellGraph::new(cells)
    })
}

/// For each leaf its cell: leaves of one row are one cell, numbered as they come. A leaf without
/// a row is a cell of its own.
fn cells_of(rows: &[i32], has_visibility: bool) -> (Vec<usize>, usize) {
    let mut cells = 0;
    let mut next = || {
        cells += 1;
        cells - 1
    };
    let mut by_row = HashMap::new();
    let cell_of = rows
        .iter()
        .map(|&row| {
            if has_visibility && row >= 0 {
                *by_row.entry(row).or_insert_with(&mut next)
            } else {
                next()
            }
        })
        .collect();
    (cell_of, cells)
}

/// Rows of leaves, to be made rows of cells.
struct Rows<'a> {
    visibility: Lump<'a>,
    /// For each leaf, the byte of its row.
    rows: &'a [i32],
    /// For each leaf, its cell.
    cell_of: &'a [usize],
    leaves: super::lump::Records<'a>,
}

impl Rows<'_> {
    fn matrix(&self, cells: usize, notes: &mut Vec<String>) -> Result<BitMatrix, IngestError> {
        let leaves = self.rows.len();
        let mut matrix = BitMatrix::new(cells);
        let mut bytes = vec![0; leaves.div_ceil(8)];
        let mut done = vec![false; cells];
        let (mut overruns, mut without) = (0, 0);
        for (leaf, (&row, &cell)) in self.rows.iter().zip(self.cell_of).enumerate() {
            if std::mem::replace(&mut done[cell], true) {
                continue;
            }
            let Ok(at) = usize::try_from(row) else {
                // An engine draws everything where a leaf has no row.
                (0..cells).for_each(|b| matrix.set(cell, b));
                without += 1;
                continue;
            };
            if at >= self.visibility.bytes.len() {
                let visibility = self.visibility;
                return Err(self.leaves.lump.bad(
                    self.leaves.at(leaf + 1) + 4,
                    format!(
                        "a row within the {} bytes of lump visibility (byte {})",
                        visibility.bytes.len(),
                        visibility.offset
                    ),
                    format!("offset {row} in leaf {}", leaf + 1),
                ));
            }
            overruns += usize::from(bsp::unpack(&self.visibility, at, &mut bytes)?);
            for (i, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                for other in (8 * i)..(8 * i + 8).min(leaves) {
                    if bsp::bit(&bytes, other) {
                        matrix.set(cell, self.cell_of[other]);
                    }
                }
            }
        }
        bsp::note_overruns(overruns, notes);
        if without > 0 {
            notes.push(format!(
                "{without} leaves have no row of visibility: they are taken to see everything"
            ));
        }
        Ok(matrix)
    }
}
