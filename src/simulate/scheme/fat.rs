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
pub(super) struct Fat {
    /// For each player the cells around the eye.
    around: Vec<Vec<Place>>,
    /// On a terrain for each pair of players the blocks that were asked of last, and which samples of
    /// the second are seen from the first.
    seen: Vec<Option<([Quad; 2], u64)>>,
}

impl Fat {
    /// Of so many players.
    pub(super) fn new(players: usize) -> Self {
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
            if !matches!(scene.field, Field::Terrain(_)) {
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
                let samples = [viewer.place, other.place].map(|place| scene.field.sample(place));
                let [from, to] = samples.map(|sample| (sample.column >> 3, sample.row >> 3));
                let blocks = [from, to].map(|(column, row)| Quad::new(3, column, row));
                let (Some(groups), None) = (terrain.groups(), terrain.narrowing()) else {
                    let seen = terrain.visible_quads(blocks[0], samples[1].quad());
                    return seen != Visibility::Hidden;
                };
                // Who walks on stays in a block for a while.
                let slot = viewer.player * self.around.len() + other.player;
                let seen = match self.seen[slot] {
                    Some((known, seen)) if known == blocks => seen,
                    _ => groups.seen_from(from, !0, to),
                };
                self.seen[slot] = Some((blocks, seen));
                seen >> ((samples[1].row & 7) << 3 | samples[1].column & 7) & 1 == 1
            }
            Field::Level(_) | Field::Solid(_) => {
                let around = &self.around[viewer.player];
                let sees = |&from: &Place| scene.field.visible(from, other.place);
                around.iter().any(sees)
            }
        }
    }

    fn goes_by_places(&self, scene: &Scene) -> bool {
        matches!(scene.field, Field::Terrain(_))
    }
}
