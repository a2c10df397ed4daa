//! A server that tells of those who may come to be seen before the next word of them arrives.

use std::collections::HashMap;

use crate::simulate::field::{Field, Place};
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever may come to be seen.
#[derive(Debug)]
pub struct LookAhead {
    reach: f64,
    memory: Vec<u64>,
    /// What has been asked before: players stay in a place for a while.
    known: HashMap<(Place, Place), bool>,
}

/// Answers that are kept.
const KEPT: usize = 1 << 20;

impl LookAhead {
    /// With a reach, in units of the field.
    pub fn new(field: &Field, reach: f64) -> Self {
        Self {
            reach,
            memory: field.within_memory(),
            known: HashMap::new(),
        }
    }
}

impl Rule for LookAhead {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        // Sight with a look-ahead is the same both ways.
        let key = (viewer.place.min(other.place), viewer.place.max(other.place));
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        let (reach, memory) = (self.reach, &mut self.memory);
        *self
            .known
            .entry(key)
            .or_insert_with(|| scene.field.within(key.0, key.1, reach, memory))
    }
}
