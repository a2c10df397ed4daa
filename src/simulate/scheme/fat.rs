//! A server that tells of those who may be seen from close by a player: the fat PVS of QuakeWorld
//! and Quake II, who take all leaves within 8 units of the eye; on a terrain, the block of 8 × 8
//! samples that the player is in.

use crate::runtime::{Quad, Visibility};
use crate::simulate::field::{Field, Place};
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// How far from the eye leaves are taken in. [Unit: of the level]
const FAT: f64 = 8.0;

/// Whoever may be seen from close by.
#[derive(Debug)]
pub struct Fat {
    /// For each player the cells around the eye.
    around: Vec<Vec<Place>>,
    /// On a terrain for each pair of players the block and the place that were asked of last, and the
    /// answer.
    seen: Vec<Option<(Quad, Place, bool)>>,
}

impl Fat {
    /// Of so many players.
    pub fn new(players: usize) -> Self {
        Self {
            around: vec![Vec::new(); players],
            seen: vec![None; players * players],
        }
    }
}

impl Rule for Fat {
    fn begin(&mut self, scene: &Scene, known: &[Option<Known>]) {
        for player in known.iter().flatten() {
            let around = &mut self.around[player.player];
            around.clear();
            around.push(player.place);
            if matches!(scene.field, Field::Level(_)) {
                let [x, y, z] = player.at.map(f64::from);
                for corner in 0..8_u32 {
                    let side = |axis: u32| FAT * (f64::from(corner >> axis & 1) * 2.0 - 1.0);
                    let place = scene.field.locate([x + side(0), y + side(1), z + side(2)]);
                    around.extend(place);
                }
                around.sort_unstable();
                around.dedup();
            }
        }
    }

    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        match scene.field {
            Field::Terrain(terrain) => {
                let sample = scene.field.sample(viewer.place);
                let block = Quad::new(3, sample.column >> 3, sample.row >> 3);
                // Who walks on stays in a block for a while.
                let slot = viewer.player * self.around.len() + other.player;
                if let Some((from, to, seen)) = self.seen[slot]
                    && (from, to) == (block, other.place)
                {
                    return seen;
                }
                let there = scene.field.sample(other.place).quad();
                let seen = terrain.visible_quads(block, there) != Visibility::Hidden;
                self.seen[slot] = Some((block, other.place, seen));
                seen
            }
            Field::Level(level) => {
                let around = &self.around[viewer.player];
                around
                    .iter()
                    .any(|&from| level.bundle.visible(from, other.place))
            }
        }
    }

    fn goes_by_places(&self, scene: &Scene) -> bool {
        matches!(scene.field, Field::Terrain(_))
    }
}
