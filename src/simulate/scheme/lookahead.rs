//! A server that tells of those who may come to be seen before the next word of them arrives.

use crate::simulate::field::Field;
use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever may come to be seen.
#[derive(Debug)]
pub struct LookAhead {
    reach: f64,
    memory: Vec<u64>,
}

impl LookAhead {
    /// With a reach, in units of the field.
    pub fn new(field: &Field, reach: f64) -> Self {
        Self {
            reach,
            memory: field.within_memory(),
        }
    }
}

impl Rule for LookAhead {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let (a, b) = (viewer.place, other.place);
        scene.field.within(a, b, self.reach, &mut self.memory)
    }

    fn goes_by_places(&self, _scene: &Scene) -> bool {
        true
    }
}
