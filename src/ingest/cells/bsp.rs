//! What the BSP formats share: planes and nodes, and rows of visibility whose zero bytes are run-length coded.

use super::lump::{Lump, Record, Records};
use crate::error::IngestError;
use crate::world::{BspChild, BspLeaf, BspNode, BspTree, BspTreeError};

/// How the corners of boxes are stored.
#[derive(Clone, Copy)]
pub(crate) enum Numbers {
    I16,
    I32,
    F32,
}

impl Numbers {
    /// The six numbers at byte `at`.
    pub(crate) fn corners(self, record: Record, at: usize) -> [[f32; 3]; 2] {
        let number = |i: usize| match self {
            Self::I16 => f32::from(record.i16(at + 2 * i)),
            Self::I32 => record.i32(at + 4 * i) as f32,
            Self::F32 => record.f32(at + 4 * i),
        };
        [
            [number(0), number(1), number(2)],
            [number(3), number(4), number(5)],
        ]
    }
}

/// The lumps that a tree is made of, and the sizes of their records.
pub(crate) struct Parts<'a> {
    /// Normal (3 `f32`) and distance (`f32`) first.
    pub planes: Records<'a>,
    /// Plane (`i32`) and two children first.
    pub nodes: Records<'a>,
    /// Children are `i16`, not `i32`.
    pub short_children: bool,
    /// The lump that the leaves came from.
    pub leaves: Records<'a>,
    /// Number of cells.
    pub cells: usize,
}

impl Parts<'_> {
    /// The tree of these leaves under `root`, a child as stored in nodes.
    pub(crate) fn tree(&self, leaves: Vec<BspLeaf>, root: i32) -> Result<BspTree, IngestError> {
        let planes: Vec<Record> = self.planes.iter().collect();
        let nodes: Result<Vec<BspNode>, IngestError> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                let plane = usize::try_from(node.i32(0)).ok();
                let plane = plane.and_then(|plane| planes.get(plane)).ok_or_else(|| {
                    self.nodes.lump.bad(
                        self.nodes.at(index),
                        format!("a plane below {}", planes.len()),
                        node.i32(0).to_string(),
                    )
                })?;
                Ok(BspNode {
                    normal: [plane.f32(0), plane.f32(4), plane.f32(8)],
                    dist: f64::from(plane.f32(12)),
                    children: if self.short_children {
                        [4, 6].map(|at| self.short_child(node.u16(at)))
                    } else {
                        [4, 8].map(|at| child(node.i32(at)))
                    },
                })
            })
            .collect();
        BspTree::new(nodes?, leaves, child(root), self.cells).map_err(|error| self.explain(error))
    }

    /// Compilers put up to 65,535 nodes and leaves into 16 bits: nodes count up, leaves down.
    fn short_child(&self, stored: u16) -> BspChild {
        if usize::from(stored) < self.nodes.len() {
            BspChild::Node(stored.into())
        } else {
            BspChild::Leaf((u16::MAX - stored).into())
        }
    }

    fn explain(&self, error: BspTreeError) -> IngestError {
        let (records, index) = match error {
            BspTreeError::Child { node, .. }
            | BspTreeError::Shared { node }
            | BspTreeError::Plane { node, .. } => (&self.nodes, node),
            BspTreeError::Cell { leaf, .. } => (&self.leaves, leaf),
            BspTreeError::Root { .. } => (&self.nodes, 0),
        };
        let words = error.to_string();
        let words = words.strip_prefix("expected ").unwrap_or(&words);
        let (expected, found) = words.split_once(", found ").unwrap_or((words, "another"));
        records.lump.bad(records.at(index), expected, found)
    }
}

/// A child as stored: nodes from 0 up, leaves from -1 down.
fn child(stored: i32) -> BspChild {
    match u32::try_from(stored) {
        Ok(node) => BspChild::Node(node),
        Err(_) => BspChild::Leaf(!stored as u32),
    }
}

/// For each cell, the box around its leaves' boxes; of a cell without leaves, an empty box at
/// the origin.
pub(crate) fn bounds_of(leaves: &[BspLeaf], cells: usize) -> Vec<[[f32; 3]; 2]> {
    let nothing = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let mut bounds = vec![nothing; cells];
    for leaf in leaves {
        let Some(around) = leaf.cell.and_then(|cell| bounds.get_mut(cell as usize)) else {
            continue;
        };
        // Of both corners, lest a damaged box turn its cell's inside out.
        for corner in leaf.bounds {
            around[0] = std::array::from_fn(|k| around[0][k].min(corner[k]));
            around[1] = std::array::from_fn(|k| around[1][k].max(corner[k]));
        }
    }
    for around in &mut bounds {
        if around.as_flattened().iter().any(|x| !x.is_finite()) {
            *around = [[0.0; 3]; 2];
        }
    }
    bounds
}

/// The root of model 0, and how many models there are records of. The models' lump must not be
/// empty.
pub(crate) fn world_model<'a>(models: &Records<'a>) -> Result<Record<'a>, IngestError> {
    models.get(0).ok_or_else(|| {
        let lump: &Lump = &models.lump;
        lump.bad(0, "at least one model, the world", "none")
    })
}

/// Unpacks the row at byte `at` of the lump into `row`. Says whether a run of zeros went on
/// past the row's end: what lies there is no cell, so nothing is lost with it, and engines
/// cut it off likewise.
pub(crate) fn unpack(lump: &Lump, at: usize, row: &mut [u8]) -> Result<bool, IngestError> {
    let mut from = at;
    let mut to = 0;
    while to < row.len() {
        let [byte] = lump.array(from)?;
        if byte != 0 {
            row[to] = byte;
            (from, to) = (from + 1, to + 1);
            continue;
        }
        let [run] = lump.array(from + 1)?;
        if run == 0 {
            return Err(lump.bad(from + 1, "a run of 1 to 255 zero bytes", "a run of none"));
        }
        let end = to + usize::from(run);
        let inside = end.min(row.len());
        row[to..inside].fill(0);
        (from, to) = (from + 2, end);
    }
    Ok(to > row.len())
}

/// The note about runs past the row's end.
pub(crate) fn note_overruns(rows: usize, notes: &mut Vec<String>) {
    if rows > 0 {
        notes.push(format!(
            "{rows} rows of visibility have runs of zeros past their end, which were cut off"
        ));
    }
}

/// Whether bit `i` of a row of bytes is set, lowest bit first.
pub(crate) fn bit(row: &[u8], i: usize) -> bool {
    row[i / 8] >> (i % 8) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(bytes: &[u8], length: usize) -> Result<(Vec<u8>, bool), String> {
        let mut row = vec![0xaa; length];
        unpack(&Lump::file(bytes), 1, &mut row)
            .map(|over| (row, over))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn zeros_are_counted_and_other_bytes_stand_for_themselves() {
        let row = [9, 1, 0, 2, 7, 0, 1];
        assert_eq!(unpacked(&row, 5), Ok((vec![1, 0, 0, 7, 0], false)));
        assert_eq!(unpacked(&row, 0), Ok((vec![], false)));
    }

    #[test]
    fn a_run_past_the_row_is_cut_off_and_told() {
        assert_eq!(unpacked(&[9, 1, 0, 5], 3), Ok((vec![1, 0, 0], true)));
    }

    #[test]
    fn a_row_that_ends_too_early_and_a_run_of_nothing_are_refused() {
        for bytes in [&[9, 1, 2][..], &[9, 1, 0], &[9, 1, 0, 1], &[9, 0, 0, 1, 1]] {
            let error = unpacked(bytes, 3).unwrap_err();
            assert!(error.contains("byte "), "{error}");
        }
    }
}
