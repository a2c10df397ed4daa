//! Peers without frontier sets: naive (NPP), and perfect (PPP).
//!
//! *Naive* peers tell everybody where they are, every frame. *Perfect* peers tell those who can see them, and know
//! without being told who these are: others are measured by them.

use crate::scene::Scene;
use crate::wire::Wire;

use super::{Scheme, says};

/// Everybody tells everybody.
#[derive(Debug)]
pub(super) struct Naive;

impl Scheme for Naive {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        tell(scene, wire, |_, _| true);
    }
}

/// Everybody tells those whom they are to tell where they are.
fn tell(scene: &Scene, wire: &mut Wire, tells: impl Fn(usize, usize) -> bool) {
    for (from, place) in scene.places.iter().enumerate() {
        let Some(place) = *place else {
            continue;
        };
        for (to, there) in scene.places.iter().enumerate() {
            if from == to || there.is_none() || !tells(from, to) {
                continue;
            }
            wire.send(says(scene, from, place, to as u32));
        }
    }
}

/// Everybody tells those who see them.
#[derive(Debug)]
pub(super) struct Perfect;

impl Scheme for Perfect {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        tell(scene, wire, |from, to| scene.sees(to, from));
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}
