//! Every pair, every tick: the slow twin of every other method.

use super::motion::linear;
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

    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        for (update, kind, _, was, now) in regions.iter_all() {
            if !kind.updates() {
                continue;
            }
            for (subscription, kind, _, other_was, other_now) in regions.iter_all() {
                if !kind.subscribes() || update == subscription {
                    continue;
                }
                let Some(span) = linear([was, other_was], [now, other_now]) else {
                    continue;
                };
                if !was.overlaps(other_was) {
                    changes.begin_at(regions, update, subscription, span.from);
                }
                if !now.overlaps(other_now) {
                    changes.cease_at(regions, update, subscription, span.to);
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        0
    }
}
