//! Peers who tell those who can see them, and know without being told who these are (PPP): what
//! others are measured by.

use crate::simulate::scene::Scene;
use crate::simulate::wire::Wire;

use super::interface::Scheme;
use super::naive::tell;

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
