//! Lines of sight from an eye to a body: through the BSP of a level, or by whoever knows better.

use crate::runtime::CellBundle;

/// Who knows what is in a line of sight.
pub trait Lines: std::fmt::Debug + Sync {
    /// Whether a player at a position has another in a line of sight; positions are those of the field.
    fn in_sight(&self, viewer: [f64; 3], other: [f64; 3]) -> bool;
}

impl Lines for CellBundle<'_> {
    fn in_sight(&self, viewer: [f64; 3], other: [f64; 3]) -> bool {
        in_sight(self, viewer, other)
    }
}

/// How far below the eye the feet are, and how far aside the shoulders. [Unit: of the level]
const BODY: [f64; 2] = [44.0, 16.0];

/// Whether the eye, the feet or a shoulder of somebody whose eye is at a point can be seen from an eye.
fn in_sight(level: &CellBundle, eye: [f64; 3], [x, y, z]: [f64; 3]) -> bool {
    let [down, aside] = BODY;
    let (dx, dy) = (x - eye[0], y - eye[1]);
    let flat = (dx * dx + dy * dy).sqrt().max(1e-9);
    let (u, v) = (-dy / flat * aside, dx / flat * aside);
    let middle = z - down / 2.0;
    [
        [x, y, z],
        [x, y, z - down],
        [x + u, y + v, middle],
        [x - u, y - v, middle],
    ]
    .into_iter()
    .any(|point| level.along(eye, point).all(|part| part.cell.is_some()))
}
