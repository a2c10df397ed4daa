//! What all schemes are to a run: one trait, and the little that several of them use.

use crate::field::Place;
use crate::scene::Scene;
use crate::wire::{Item, Wire, Word};

/// A way to keep players informed.
pub trait Scheme: Send {
    /// Everybody is where the scene says: all clients send, and the server if it has frames.
    fn tick(&mut self, scene: &Scene, wire: &mut Wire);

    /// A statement has arrived, at a client or at the server.
    fn receive(&mut self, _scene: &Scene, _item: &Item, _wire: &mut Wire) {}

    /// All that arrives at this instant has arrived.
    fn settle(&mut self, _scene: &Scene, _wire: &mut Wire) {}

    /// Whether it asks the bundle who sees whom, pair by pair: what the scene knows already counts
    /// as its own work.
    fn asks_pairs(&self) -> bool {
        false
    }

    /// What it has come to with its frontier sets.
    fn sets(&self) -> Sets {
        Sets::default()
    }
}

/// What a player says of themselves: where they are.
pub fn says(scene: &Scene, player: usize, place: Place, to: u32) -> Item {
    Item {
        from: player as u32,
        to,
        about: player as u32,
        word: Word::Position,
        place,
        at: scene.at[player].map(|x| x as f32),
        frame: scene.frame as u32,
        answers: 0,
    }
}

/// What a scheme has come to with frontier sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sets {
    /// How many were agreed on.
    pub agreed: u64,
    /// For how many frames each of them lasted that has ended.
    pub lasted: Vec<u32>,
    /// How many are in force.
    pub in_force: u64,
    /// What they take at the end, those that several pairs share counted once. [Unit: bytes]
    pub bytes: u64,
}
