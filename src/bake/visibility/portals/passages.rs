//! Portals as flow walks them: each in two directions, grouped by the cell that it leads out of.

use super::winding::Face;
use super::winding::{Plane, Point, centre, dot, minus};
use viewcell_ingest::world::CellGraph;

/// Directed portals of a graph: a portal leads out of one cell into another, its plane's normal
/// in that direction.
pub(super) struct Passages {
    /// The cell that each leads into.
    pub to: Vec<u32>,
    /// The same portal in the other direction.
    pub reverse: Vec<u32>,
    /// Its plane, the front being where it leads.
    pub plane: Vec<Plane>,
    /// 1 if its corners wind about the normal by the right hand, -1 if by the left.
    pub hand: Vec<f64>,
    /// Mean of its corners, and greatest distance of a corner from it.
    pub sphere: Vec<(Point, f64)>,
    corners: Vec<Point>,
    range: Vec<[u32; 2]>,
    first_of_cell: Vec<u32>,
}

impl Passages {
    /// Both directions of every portal that has an area, by the cell they lead out of, then in
    /// the order of the graph: the neighbours of a cell lie together.
    pub(super) fn new(graph: &CellGraph) -> Self {
        let mut corners = Vec::new();
        let mut directed = Vec::new();
        for (i, portal) in graph.portals.iter().enumerate() {
            let Some(plane) = Plane::of(&portal.winding) else {
                continue; // nobody looks through a line
            };
            let range = [
                corners.len() as u32,
                (corners.len() + portal.winding.len()) as u32,
            ];
            corners.extend_from_slice(&portal.winding);
            let [a, b] = portal.cells;
            directed.push((a, i as u32, b, plane, range, 1.0));
            directed.push((b, i as u32, a, plane.flipped(), range, -1.0));
        }
        directed.sort_by_key(|&(from, portal, ..)| (from, portal));
        let mut seen = vec![None; graph.portals.len()];
        let mut reverse = vec![0; directed.len()];
        for (i, &(_, portal, ..)) in directed.iter().enumerate() {
            match seen[portal as usize] {
                None => seen[portal as usize] = Some(i),
                Some(j) => (reverse[i], reverse[j]) = (j as u32, i as u32),
            }
        }
        let mut first_of_cell = vec![0; graph.cells + 1];
        for &(from, ..) in &directed {
            first_of_cell[from as usize + 1] += 1;
        }
        for cell in 0..graph.cells {
            first_of_cell[cell + 1] += first_of_cell[cell];
        }
        let sphere = |range: [u32; 2]| {
            let winding = &corners[range[0] as usize..range[1] as usize];
            let centre = centre(winding);
            let square = |&p: &Point| dot(minus(p, centre), minus(p, centre));
            (
                centre,
                winding.iter().map(square).fold(0.0, f64::max).sqrt(),
            )
        };
        Self {
            to: directed.iter().map(|d| d.2).collect(),
            reverse,
            plane: directed.iter().map(|d| d.3).collect(),
            hand: directed.iter().map(|d| d.5).collect(),
            sphere: directed.iter().map(|d| sphere(d.4)).collect(),
            range: directed.iter().map(|d| d.4).collect(),
            corners,
            first_of_cell,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.to.len()
    }

    /// The way back: if a line leads through `source` and later `exit`, then its reverse leads
    /// through the first of these and later the second.
    pub(super) fn reversed(&self, source: usize, exit: usize) -> (usize, usize) {
        (self.reverse[exit] as usize, self.reverse[source] as usize)
    }

    /// A number that other portals do not have (FNV-1a over all of them).
    pub(super) fn digest(&self) -> u64 {
        let corners = self.corners.iter().flatten().map(|x| x.to_bits());
        let ranges = self.range.iter().flatten().map(|&i| u64::from(i));
        let cells = self.to.iter().chain(&self.first_of_cell);
        let cells = cells.map(|&cell| u64::from(cell));
        let words = cells.chain(ranges).chain(corners);
        words
            .flat_map(u64::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    }

    /// Those that lead out of a cell.
    pub(super) fn out_of(&self, cell: u32) -> std::ops::Range<usize> {
        let cell = cell as usize;
        self.first_of_cell[cell] as usize..self.first_of_cell[cell + 1] as usize
    }

    /// The corners of one.
    pub(super) fn winding(&self, passage: usize) -> &[Point] {
        let [from, to] = self.range[passage];
        &self.corners[from as usize..to as usize]
    }

    /// A polygon in the plane of a passage, as seen from the other side: `side` is 1 if the other
    /// polygon lies where the passage leads, -1 if where it comes from.
    pub(super) fn face<'a>(&self, passage: usize, corners: &'a [Point], side: f64) -> Face<'a> {
        Face {
            corners,
            towards: self.plane[passage].normal.map(|x| x * side),
            hand: self.hand[passage] * side,
        }
    }

    /// Whether a straight line may lead through `a` first and `b` later, as far as their planes
    /// tell: some of b is in front of a, and some of a is behind b.
    pub(super) fn may_follow(&self, a: usize, b: usize, tolerance: f64) -> bool {
        self.reaches(&self.plane[a], b, tolerance)
            && self.reaches(&self.plane[b].flipped(), a, tolerance)
    }

    /// Whether any of a portal is in front of a plane.
    fn reaches(&self, plane: &Plane, passage: usize, tolerance: f64) -> bool {
        let (centre, radius) = self.sphere[passage];
        let height = plane.height(centre);
        // Its centre is one of its points.
        height > tolerance
            || height + radius > tolerance
                && self
                    .winding(passage)
                    .iter()
                    .any(|&corner| plane.height(corner) > tolerance)
    }
}
