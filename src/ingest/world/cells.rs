//! A level of cells and portals.

use super::{BitMatrix, BspTree};

/// A portal: a convex polygon through which two cells look into each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Portal {
    /// The cells on its two sides.
    pub cells: [u32; 2],
    /// Its corners in order, all in one plane, at least three; the plane's normal by the right
    /// hand points from the first cell into the second.
    pub winding: Vec<[f64; 3]>,
}

/// A world of cells: what may be known about a Quake-style level.
///
/// Cells are numbered from 0. What a file does not tell is `None`, and not the same as empty: a
/// level whose visibility was never computed has no PVS, one in which nobody sees anybody has a
/// PVS of zeros.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CellGraph {
    /// The number of cells.
    pub cells: usize,
    /// Who sees whom, as the file has it: neither made symmetric nor given a diagonal.
    pub pvs: Option<BitMatrix>,
    /// Who hears whom (Quake II), as the file has it.
    pub phs: Option<BitMatrix>,
    /// Portals between cells; empty where the file has none.
    pub portals: Vec<Portal>,
    /// Pairs of cells that touch, each once, the smaller first, in rising order: who may walk
    /// from one to the other. Where there are portals, these are the pairs they join.
    pub adjacency: Vec<[u32; 2]>,
    /// For each cell, the corners with its smallest and its greatest coordinates.
    pub bounds: Option<Vec<[[f32; 3]; 2]>>,
    /// For each cell, a point that stands for it.
    pub positions: Option<Vec<[f64; 3]>>,
    /// For each cell, what people call it.
    pub names: Option<Vec<String>>,
    /// From a point to its cell.
    pub tree: Option<BspTree>,
}

impl CellGraph {
    /// A world of `cells` cells of which nothing else is known.
    pub fn new(cells: usize) -> Self {
        Self {
            cells,
            ..Self::default()
        }
    }

    /// The pairs of cells that the portals join, as [`CellGraph::adjacency`] has them.
    pub fn adjacency_of(portals: &[Portal]) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = portals
            .iter()
            .map(|portal| {
                let [a, b] = portal.cells;
                [a.min(b), a.max(b)]
            })
            .filter(|[a, b]| a != b)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The cell that holds a point: by the tree where there is one, else the first cell within
    /// whose bounds it lies.
    pub fn locate(&self, point: [f64; 3]) -> Option<u32> {
        if let Some(tree) = &self.tree {
            return tree.locate(point);
        }
        let inside = |[low, high]: &[[f32; 3]; 2]| {
            (0..3).all(|k| (f64::from(low[k])..=f64::from(high[k])).contains(&point[k]))
        };
        let bounds = self.bounds.as_ref()?;
        Some(bounds.iter().position(inside)? as u32)
    }
}
