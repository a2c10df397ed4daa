//! What all schemes have in common.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::simulate::regions::{Half, Halves};
use crate::simulate::scene::Scene;
use crate::simulate::wire::{Item, Wire};

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

    /// Work that other schemes have done for it since it was asked last, and that it has done for
    /// others.
    fn owed(&mut self) -> [Duration; 2] {
        [Duration::ZERO; 2]
    }

    /// What it has come to with its frontier sets.
    fn sets(&self) -> Sets {
        Sets::default()
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

/// What sets take that are in force, those that are shared counted once. [Unit: bytes]
pub(super) fn bytes_of<'s>(sets: impl Iterator<Item = &'s Arc<Halves>>) -> u64 {
    let mut met = HashSet::new();
    let first = sets.filter(|set| met.insert(Arc::as_ptr(set)));
    let bytes = first.map(|set| set.iter().map(Half::bytes).sum::<usize>());
    bytes.sum::<usize>() as u64
}
