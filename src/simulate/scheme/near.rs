//! A server that tells of those who may come to be seen within a fixed distance of where they are.

use crate::simulate::field::{Field, Place};
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever may come to be seen.
#[derive(Debug)]
pub(super) struct Near {
    reach: f64,
    memory: Vec<u64>,
    players: usize,
    /// For each pair the places that were asked of last, and the answer, where it is the same both
    /// ways; else empty.
    both_ways: Vec<Option<([Place; 2], bool)>>,
}

/// Up to so many samples a reach is looked at sample by sample: then it does not matter who asks.
const NEAR: f64 = 3.0;

impl Near {
    /// With a reach, in units of the field.
    pub(super) fn new(field: &Field, players: usize, reach: f64) -> Self {
        let is_same = match field {
            Field::Terrain(terrain) => {
                let [dx, dy] = terrain.parameters().spacing;
                field.is_mutual() && terrain.groups().is_some() && reach <= NEAR * dx.min(dy)
            }
            Field::Level(_) | Field::Solid(_) => false,
        };
        let pairs = if is_same { players * players } else { 0 };
        Self {
            reach,
            memory: field.within_memory(),
            players,
            both_ways: vec![None; pairs],
        }
    }
}

impl Rule for Near {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let mut pair = [(viewer.player, viewer.place), (other.player, other.place)];
        pair.sort_unstable();
        let [(low, a), (high, b)] = pair;
        if let Some(Some((places, tells))) = self.both_ways.get(low * self.players + high)
            && *places == [a, b]
        {
            return *tells;
        }
        let (from, to) = (viewer.place, other.place);
        let tells = scene.field.within(from, to, self.reach, &mut self.memory);
        if let Some(known) = self.both_ways.get_mut(low * self.players + high) {
            *known = Some(([a, b], tells));
        }
        tells
    }

    fn goes_by_places(&self, _scene: &Scene) -> bool {
        true
    }
}
