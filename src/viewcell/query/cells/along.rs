//! Walks along straight lines through the BSP of a level of cells.

use super::CellBundle;
use crate::format::cells::{Child, PlaneNode};

/// What a straight line leads through: see [`CellBundle::along`].
#[derive(Clone, Debug)]
pub struct Along<'a> {
    level: CellBundle<'a>,
    from: [f64; 3],
    way: [f64; 3],
    /// Where the next part begins.
    at: f64,
    /// How far behind a plane the next part is looked for.
    nudge: f64,
}

/// A part of a straight line that lies in one convex piece of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The cell that it lies in; none in solid and outside of the level.
    pub cell: Option<u32>,
    /// Where it begins and ends: 0 at the start of the line, 1 at its end.
    pub part: [f64; 2],
}

/// Pieces of a line that are shorter than this may be left out. [Unit: of the level]
const SHORTEST: f64 = 1.0 / 64.0;

impl<'a> CellBundle<'a> {
    /// What a straight line leads through, from its start to its end, by the level's BSP;
    /// stretches that follow each other may be of one cell. One stretch without a cell where
    /// there is no BSP. Pieces shorter than 1/64 of a unit may be left out.
    ///
    /// O(depth of the BSP) a stretch.
    pub fn along(&self, from: [f64; 3], to: [f64; 3]) -> Along<'a> {
        let [[x, y, z], [u, v, w]] = [from, to];
        let way = [u - x, v - y, w - z];
        let length = way.iter().map(|d| d * d).sum::<f64>().sqrt();
        Along {
            level: *self,
            from,
            way,
            at: 0.0,
            nudge: SHORTEST / length.max(SHORTEST),
        }
    }
}

impl Iterator for Along<'_> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        // A line that is not finite leads nowhere.
        if !(self.at < 1.0 && self.nudge > 0.0) {
            return None;
        }
        let begin = self.at;
        let look = (begin + self.nudge).min(1.0);
        let [[x, y, z], [u, v, w]] = [self.from, self.way];
        let point = [x + look * u, y + look * v, z + look * w];
        let mut end = 1.0_f64;
        let mut child = self.level.parameters.root;
        while let Child::Node(index) = child {
            let Some(node) = PlaneNode::at(self.level.nodes, index) else {
                child = Child::Nothing;
                break;
            };
            let [a, b, c] = node.normal.map(f64::from);
            let [px, py, pz] = point;
            let height = a * px + b * py + c * pz - node.distance;
            let crossed = look - height / (a * u + b * v + c * w);
            if crossed > look && crossed < end {
                end = crossed;
            }
            child = node.side_of(point);
            // Children come after their parents, or a damaged tree had no end.
            if matches!(child, Child::Node(next) if next <= index) {
                child = Child::Nothing;
            }
        }
        self.at = end;
        let cell = match child {
            Child::Cell(cell) => Some(cell).filter(|cell| *cell < self.level.cells()),
            _ => None,
        };
        let part = [begin, end];
        Some(Stretch { cell, part })
    }
}
