//! Planes and nodes, which all BSP formats share but for the width of their fields.

use super::lump::{Lump, Record, Records};
use crate::ingest::error::IngestError;
use crate::world::{BspChild, BspLeaf, BspNode, BspTree, BspTreeError};

/// How the corners of boxes are stored.
#[derive(Clone, Copy)]
pub enum Numbers {
    I16,
    I32,
    F32,
}

impl Numbers {
    /// The six numbers at byte `at`.
    pub fn corners(self, record: Record, at: usize) -> [[f32; 3]; 2] {
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
pub struct Parts<'a> {
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
    pub fn tree(&self, leaves: Vec<BspLeaf>, root: i32) -> Result<BspTree, IngestError> {
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
pub fn bounds_of(leaves: &[BspLeaf], cells: usize) -> Vec<[[f32; 3]; 2]> {
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
pub fn world_model<'a>(models: &Records<'a>) -> Result<Record<'a>, IngestError> {
    models.get(0).ok_or_else(|| {
        let lump: &Lump = &models.lump;
        lump.bad(0, "at least one model, the world", "none")
    })
}
