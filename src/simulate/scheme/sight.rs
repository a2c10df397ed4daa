//! A server that traces lines of sight at the instant, as plugins against wall-hacks do.
//!
//! In a level: from the eye to the other's eye, feet and both shoulders, through the level's BSP.
//! In a solid level: from the eye to points of the body, through its solids and faces, if those are given. Else what the
//! bundle says of the two places.

use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever is in a line of sight.
#[derive(Debug)]
pub(super) struct Sight;

impl Rule for Sight {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        match scene.field.lines() {
            Some(lines) => lines.in_sight(viewer.at.map(f64::from), other.at.map(f64::from)),
            None => scene.would_see((viewer.player, viewer.place), (other.player, other.place)),
        }
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}
