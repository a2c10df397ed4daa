//! A server that tells of those who are near and may be seen, as the runtime's awareness has them:
//! what a server of thousands calls each tick.

use crate::runtime::interest::{Awareness, Senses, Sight};
use crate::simulate::field::{Field, Place};
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// A field that is asked who may be seen.
#[derive(Clone, Copy, Debug)]
struct Watched<'a>(&'a Field<'a>);

impl Sight for Watched<'_> {
    type Place = Place;

    fn visible(&self, from: Place, to: Place) -> bool {
        self.0.visible(from, to)
    }
}

/// Whoever is no further away, and may be seen.
#[derive(Debug)]
pub(super) struct Aware<'a> {
    distance: f64,
    awareness: Awareness<Watched<'a>>,
    /// By player: the number in the awareness of those who are there.
    numbers: Vec<Option<u32>>,
    /// By that number: the player.
    players: Vec<usize>,
    /// For each pair of players whether the first is told of the second.
    told: Vec<bool>,
}

impl<'a> Aware<'a> {
    /// Nobody is there yet. The distance is in units of the field.
    pub(super) fn new(field: &'a Field<'a>, players: usize, distance: f64) -> Self {
        Self {
            distance,
            awareness: Awareness::new(Watched(field)),
            numbers: vec![None; players],
            players: Vec::new(),
            told: vec![false; players * players],
        }
    }

    fn place(&mut self, known: &Known) {
        let number = &mut self.numbers[known.player];
        if let Some(number) = *number {
            // A place that is none leaves the player where they were.
            let _ = self.awareness.move_to(number, known.at, known.place);
            return;
        }
        let senses = Senses {
            reach: self.distance.min(f64::from(f32::MAX / 4.0)) as f32,
            acuity: f32::INFINITY,
            radius: 0.0,
        };
        if let Ok(new) = self.awareness.insert(known.at, known.place, senses) {
            *number = Some(new);
            if self.players.len() <= new as usize {
                self.players.resize(new as usize + 1, 0);
            }
            self.players[new as usize] = known.player;
        }
    }
}

impl Rule for Aware<'_> {
    fn begin(&mut self, _scene: &Scene, known: &[Option<Known>]) {
        for known in known.iter().flatten() {
            self.place(known);
        }
        let (count, players) = (self.numbers.len(), &self.players);
        let changes = self.awareness.tick();
        for (pairs, told) in [(changes.began, true), (changes.ceased, false)] {
            for pair in pairs {
                let [viewer, other] = pair.map(|number| players[number as usize]);
                self.told[viewer * count + other] = told;
            }
        }
    }

    fn tells(&mut self, _scene: &Scene, viewer: &Known, other: &Known) -> bool {
        self.told[viewer.player * self.numbers.len() + other.player]
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}
