//! Every pair, every tick: the slow twin of every other method.

use super::{Method, Record, Regions};

/// Compares every update region with every subscription region. Keeps nothing; a tick takes time
/// that grows with the square of the regions.
#[derive(Debug, Default)]
pub struct BruteForce;

impl Method for BruteForce {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        for (update, kind, _, was, now) in regions.iter_all() {
            if !kind.updates() {
                continue;
            }
            for (subscription, kind, _, other_was, other_now) in regions.iter_all() {
                if !kind.subscribes() || update == subscription {
                    continue;
                }
                match (was.overlaps(other_was), now.overlaps(other_now)) {
                    (false, true) => changes.begin(regions, update, subscription),
                    (true, false) => changes.cease(regions, update, subscription),
                    _ => {}
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        0
    }
}
