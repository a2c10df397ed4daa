//! A server that traces lines of sight at the instant, as plugins against wall-hacks do.
//!
//! In a level: from the eye to the other's eye, feet and both shoulders, through the level's BSP.
//! On a terrain, what the bundle says of the two samples.

use crate::simulate::field::Field;
use crate::simulate::lines::in_sight;
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever is in a line of sight.
#[derive(Debug)]
pub(super) struct Sight;

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
