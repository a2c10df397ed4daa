//! Peers who tell everybody where they are, every frame (NPP).

use crate::simulate::scene::Scene;
use crate::simulate::wire::{Item, Wire, Word};

use super::interface::Scheme;

/// Everybody tells everybody.
#[derive(Debug)]
pub(super) struct Naive;

impl Scheme for Naive {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        tell(scene, wire, |_, _| true);
    }
}

/// Everybody tells those whom they are to tell where they are.
pub(super) fn tell(scene: &Scene, wire: &mut Wire, tells: impl Fn(usize, usize) -> bool) {
    for (from, place) in scene.places.iter().enumerate() {
        let Some(place) = *place else {
            continue;
        };
        for (to, there) in scene.places.iter().enumerate() {
            if from == to || there.is_none() || !tells(from, to) {
                continue;
            }
            wire.send(Item {
                from: from as u32,
                to: to as u32,
                about: from as u32,
                word: Word::Position,
                place,
                at: scene.at[from].map(|x| x as f32),
                frame: scene.frame as u32,
                answers: 0,
            });
        }
    }
}
