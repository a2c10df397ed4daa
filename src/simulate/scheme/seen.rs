//! A server that tells of those who may be seen, by the PVS of each place (CS, CSA).

use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever may be seen.
#[derive(Debug)]
pub(super) struct Seen;

impl Rule for Seen {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        scene.would_see((viewer.player, viewer.place), (other.player, other.place))
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}
