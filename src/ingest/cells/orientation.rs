//! Which way portals point, as far as the level tells.
//!
//! Flow looks through a portal in the direction of its normal alone, so one that is wound the wrong
//! way hides what is visible. Compilers of levels wind theirs alike; files made by hand are checked.

use crate::world::{CellGraph, Portal};
use viewcell::convex::{Plane, Point};
use viewcell::format::frame::ends;

/// What is no more than this in front of a plane may as well be behind it.
const TOLERANCE: f64 = 0.01;

/// On which side of a portal something lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Front,
    Behind,
    /// On both, or on neither, or nobody knows.
    Unknown,
}

/// The first portal that points from its second cell into its first; none where all point from
/// the first into the second, as far as can be told.
///
/// A cell lies within its bounds, so that bounds on one side of a plane tell for certain; next its
/// position is asked, if both cells have one. Where neither tells, there are the other portals of
/// the two cells: of convex cells they lie on the right sides. Cells that are not convex may
/// deceive them, so that they are only believed where more of the level's portals are turned, by
/// their word, than are not: a tool winds all alike.
pub(super) fn turned(graph: &CellGraph) -> Option<usize> {
    let mut of_cell = vec![Vec::new(); graph.cells];
    for (i, portal) in graph.portals.iter().enumerate() {
        for cell in portal.cells {
            of_cell[cell as usize].push(i);
        }
    }
    let (mut right, mut wrong, mut first) = (0, 0, None);
    for (i, portal) in graph.portals.iter().enumerate() {
        let Some(plane) = Plane::of(&portal.winding) else {
            continue;
        };
        let known = portal.cells.map(|cell| by_bounds(graph, &plane, cell));
        let known = match known {
            [Side::Unknown, Side::Unknown] => by_positions(graph, &plane, portal),
            known => known,
        };
        match known {
            [Side::Front, Side::Behind | Side::Unknown] | [Side::Unknown, Side::Behind] => {
                return Some(i);
            }
            [Side::Unknown, Side::Unknown] => {}
            _ => continue,
        }
        let others = |cell: u32| {
            let others = of_cell[cell as usize].iter().filter(|&&other| other != i);
            let corners = others.flat_map(|&other| &graph.portals[other].winding);
            side(&plane, corners.copied())
        };
        match portal.cells.map(others) {
            [Side::Front, Side::Behind | Side::Unknown] | [Side::Unknown, Side::Behind] => {
                wrong += 1;
                first = first.or(Some(i));
            }
            [Side::Behind, Side::Front | Side::Unknown] | [Side::Unknown, Side::Front] => {
                right += 1;
            }
            _ => {}
        }
    }
    first.filter(|_| wrong > right)
}

fn by_bounds(graph: &CellGraph, plane: &Plane, cell: u32) -> Side {
    let Some(bounds) = &graph.bounds else {
        return Side::Unknown;
    };
    let [low, high] = bounds[cell as usize];
    let corner = |i: usize| -> Point {
        std::array::from_fn(|k| if i >> k & 1 == 1 { high[k] } else { low[k] }.into())
    };
    side(plane, (0..8).map(corner))
}

fn by_positions(graph: &CellGraph, plane: &Plane, portal: &Portal) -> [Side; 2] {
    let position = |cell: u32| {
        let positions = graph.positions.as_ref()?;
        Some(side(plane, [positions[cell as usize]]))
    };
    match portal.cells.map(position) {
        // One alone may stand for a cell that is not convex.
        [Some(a), Some(b)] if a != b => [a, b],
        _ => [Side::Unknown; 2],
    }
}

/// Where points lie, all of them.
fn side(plane: &Plane, points: impl IntoIterator<Item = Point>) -> Side {
    let [least, most] = ends(points.into_iter().map(|point| plane.height(point)));
    match (least >= -TOLERANCE, most <= TOLERANCE) {
        (true, false) if most > TOLERANCE => Side::Front,
        (false, true) if least < -TOLERANCE => Side::Behind,
        _ => Side::Unknown,
    }
}
