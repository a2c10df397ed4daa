//! Lines of sight through the BSP of a level, from an eye to a body.

use crate::runtime::CellBundle;

/// How far below the eye the feet are, and how far aside the shoulders. [Unit: of the level]
const BODY: [f64; 2] = [44.0, 16.0];

/// Whether the eye, the feet or a shoulder of somebody whose eye is at a point can be seen from an eye.
pub(super) fn in_sight(level: &CellBundle, eye: [f64; 3], [x, y, z]: [f64; 3]) -> bool {
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
