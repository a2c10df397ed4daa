//! A server that traces lines of sight at the instant, as plugins against wall-hacks do.
//!
//! In a level: from the eye to the other's eye, feet and both shoulders, through the level's BSP.
//! On a terrain, what the bundle says of the two samples.

use crate::runtime::CellBundle;
use crate::simulate::field::Field;
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// How far below the eye the feet are, and how far aside the shoulders. [Unit: of the level]
const BODY: [f64; 2] = [44.0, 16.0];

/// Whoever is in a line of sight.
#[derive(Debug)]
pub struct Sight;

impl Rule for Sight {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        match scene.field {
            Field::Terrain(_) => {
                scene.would_see((viewer.player, viewer.place), (other.player, other.place))
            }
            Field::Level(level) => in_sight(
                &level.bundle,
                viewer.at.map(f64::from),
                other.at.map(f64::from),
            ),
        }
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}

/// Whether anything of a body can be seen from an eye.
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
