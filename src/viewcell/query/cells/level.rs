//! A cell bundle: who sees whom among the cells of a level, and how far apart they are.

use crate::format::bytes::{f32_at, f64_at, u32_at};
use crate::format::cells::{
    CellParameters, Child, DistanceRow, Neighbours, POINT_LEN, PlaneNode, PvsRow,
};
use crate::format::{FormatError, Sizes, Tag, WorldKind};
use crate::query::bundle::Bundle;
use crate::query::error::OpenError;

/// A cell bundle, ready for queries. Copy it freely: it is a handful of slices.
///
/// Cells are numbered from 0. Nothing here allocates. Damaged bytes give wrong answers, visible
/// rather than hidden, never a crash.
#[derive(Clone, Copy, Debug)]
pub struct CellBundle<'a> {
    pub(in crate::query) parameters: CellParameters,
    /// The row of each cell; `None` where cell i has row i.
    rows: Option<&'a [u8]>,
    pvs: &'a [u8],
    distances: &'a [u8],
    adjacency: &'a [u8],
    pub(in crate::query) nodes: &'a [u8],
    bounds: Option<&'a [u8]>,
    positions: Option<&'a [u8]>,
}

impl<'a> Bundle<'a> {
    /// The bundle as one of a level of cells. O(1).
    ///
    /// # Errors
    ///
    /// Where it is of another kind, or a section that queries need is missing or has the wrong length.
    pub fn cells(&self) -> Result<CellBundle<'a>, OpenError> {
        Ok(CellBundle::new(self)?)
    }
}

impl<'a> CellBundle<'a> {
    fn new(bundle: &Bundle<'a>) -> Result<Self, FormatError> {
        bundle.check_kind(WorldKind::Cells)?;
        // Levels are small: all of one is checked now.
        for section in bundle.sections() {
            bundle.check_section(section.tag)?;
        }
        let parameters = CellParameters::parse(bundle.need(Tag::CELL, &Sizes::default())?)?;
        let sizes = Sizes::from(&parameters);
        Ok(Self {
            parameters,
            rows: bundle.plain(Tag::CROW, &sizes)?,
            pvs: bundle.need(Tag::CPVS, &sizes)?,
            distances: bundle.need(Tag::CDST, &sizes)?,
            adjacency: bundle.need(Tag::CADJ, &sizes)?,
            nodes: bundle.need(Tag::CBSP, &sizes)?,
            bounds: bundle.plain(Tag::CBOX, &sizes)?,
            positions: bundle.plain(Tag::CPOS, &sizes)?,
        })
    }

    /// What was baked, and how.
    pub fn parameters(&self) -> &CellParameters {
        &self.parameters
    }

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        self.parameters.cells
    }

    /// The cell that holds a point, in the units and axes of the level: by the level's BSP, or
    /// where it has none the first cell within whose bounds the point lies. `None` in solid and
    /// outside of the level. A point on a plane of the BSP is in front of it.
    ///
    /// O(depth of the BSP), or O(N) by bounds.
    pub fn locate(&self, point: [f64; 3]) -> Option<u32> {
        let cells = self.cells();
        let mut at = self.parameters.root;
        if at == Child::Nothing {
            return (0..cells).find(|&cell| {
                self.bounds(cell).is_some_and(|[low, high]| {
                    let inside = |((x, low), high)| (f64::from(low)..=f64::from(high)).contains(&x);
                    point.into_iter().zip(low).zip(high).all(inside)
                })
            });
        }
        loop {
            match at {
                Child::Cell(cell) => return Some(cell).filter(|cell| *cell < cells),
                Child::Nothing => return None,
                Child::Node(index) => {
                    at = PlaneNode::at(self.nodes, index)?.side_of(point);
                    // Children come after their parents, or a damaged tree had no end.
                    if matches!(at, Child::Node(child) if child <= index) {
                        return None;
                    }
                }
            }
        }
    }

    /// Whether cell `b` may be seen from cell `a`. A cell sees itself. Cells that are not there
    /// see and are seen.
    #[inline]
    pub fn visible(&self, a: u32, b: u32) -> bool {
        a == b || self.pvs(a).contains(b)
    }

    /// How many visible steps lead from cell `a` to cell `b`: 0 for a cell and itself, 1 if b is
    /// visible; `None` if no chain does (Steed & Angus: the EPVS of a at that distance is the
    /// first to hold b). Cells that are not there are visible.
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> Option<u32> {
        if a == b {
            return Some(0);
        }
        self.distances(a).get(b)
    }

    /// The cells seen from cell `a`, itself among them.
    #[inline]
    pub fn pvs(&self, a: u32) -> PvsRow<'a> {
        let length = self.parameters.pvs_row_len();
        PvsRow::new(self.row(self.pvs, length, a), self.cells())
    }

    /// How far each cell is from cell `a`; its entry for `a` itself is 1
    /// ([`DistanceRow`]).
    #[inline]
    pub fn distances(&self, a: u32) -> DistanceRow<'a> {
        let bits = self.parameters.distance_bits;
        let length = bits.row_len(self.cells());
        DistanceRow::new(self.row(self.distances, length, a), bits, self.cells())
    }

    /// The row of a cell in a section of rows; nothing if it is not there.
    #[inline]
    fn row(&self, section: &'a [u8], length: usize, cell: u32) -> &'a [u8] {
        let row = match self.rows {
            None => Some(cell),
            Some(rows) => u32_at(rows, cell as usize * 4),
        };
        let start = row.and_then(|row| (row as usize).checked_mul(length));
        start
            .and_then(|start| section.get(start..start.checked_add(length)?))
            .unwrap_or(&[])
    }

    /// Whether the bundle knows which cells touch.
    pub fn has_neighbours(&self) -> bool {
        !self.adjacency.is_empty()
    }

    /// The cells that touch cell `a`, in rising order; nothing where the bundle does not know.
    pub fn neighbours(&self, a: u32) -> impl ExactSizeIterator<Item = u32> + Clone + use<'a> {
        Neighbours::new(self.adjacency, self.cells()).of(a)
    }

    /// Whether the height of a place has to do with the cell that holds it: not where there is a BSP
    /// and all its planes are upright, as in levels of Doom. O(nodes) there, else the first few.
    pub(in crate::query) fn has_heights(&self) -> bool {
        let nodes = self.parameters.nodes;
        let is_upright =
            |index| PlaneNode::at(self.nodes, index).is_none_or(|node| node.normal[2] == 0.0);
        nodes == 0 || !(0..nodes).all(is_upright)
    }

    /// The corners of a cell with its smallest and its greatest coordinates, where the bundle
    /// knows.
    pub fn bounds(&self, cell: u32) -> Option<[[f32; 3]; 2]> {
        let bytes = self.bounds?;
        let at = cell as usize * POINT_LEN;
        let number = |i: usize| f32_at(bytes, at + 4 * i);
        Some([
            [number(0)?, number(1)?, number(2)?],
            [number(3)?, number(4)?, number(5)?],
        ])
    }

    /// The point that stands for a cell, where the bundle knows.
    pub fn position(&self, cell: u32) -> Option<[f64; 3]> {
        let bytes = self.positions?;
        let at = cell as usize * POINT_LEN;
        let number = |i: usize| f64_at(bytes, at + 8 * i);
        Some([number(0)?, number(1)?, number(2)?])
    }
}
