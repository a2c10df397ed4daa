//! Which cells of a level touch, and how far apart their middles are.

use crate::runtime::CellBundle;

/// Boxes of leaves are kept in whole units by most formats: those of leaves that touch may miss
/// each other by as much. [Unit: of the level]
const SLACK: f32 = 1.0;

/// For each cell those that it touches, with the distance between the middles of their boxes.
///
/// From the bundle where it knows; else cells touch whose boxes do. That is more than truly touch,
/// which does no harm where regions grow: what is hidden is looked up. Where the bundle has no
/// boxes either, no cells touch.
pub(super) fn touching(level: &CellBundle) -> Vec<Vec<(u32, f64)>> {
    let boxes: Vec<[[f32; 3]; 2]> = (0..level.cells())
        .map_while(|cell| level.bounds(cell))
        .collect();
    let middle = |cell: u32| match boxes.get(cell as usize) {
        Some([low, high]) => [0, 1, 2].map(|i| (f64::from(low[i]) + f64::from(high[i])) / 2.0),
        None => [0.0; 3],
    };
    let meet = |a: u32, b: u32| match (boxes.get(a as usize), boxes.get(b as usize)) {
        (Some(a), Some(b)) => {
            (0..3).all(|i| a[0][i] <= b[1][i] + SLACK && b[0][i] <= a[1][i] + SLACK)
        }
        _ => false,
    };
    (0..level.cells())
        .map(|a| {
            let cells: Vec<u32> = if level.has_neighbours() {
                level.neighbours(a).filter(|b| *b < level.cells()).collect()
            } else {
                (0..level.cells())
                    .filter(|b| *b != a && meet(a, *b))
                    .collect()
            };
            let far = |b| distance(middle(a), middle(b));
            cells.into_iter().map(|b| (b, far(b))).collect()
        })
        .collect()
}

/// The straight distance between two points.
pub(super) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    square.sqrt()
}
