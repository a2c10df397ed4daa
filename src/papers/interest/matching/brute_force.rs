//! Brute force: all pairs are compared. Tests hold the other methods to it.

use super::motion::linear;
use super::{Kind, Method, Record, Regions};
use viewcell::interest::Bounds;

/// Compares every update region with every subscription region. Keeps nothing; a tick takes time
/// that grows with the square of the regions.
#[derive(Debug, Default)]
pub struct BruteForce;

/// A region: its index, and its bounds a tick ago and now.
type Moved<'r> = (u32, [&'r Bounds; 2]);

impl BruteForce {
    /// Every update region with every other that subscribes.
    fn pairs(regions: &Regions) -> impl Iterator<Item = [Moved<'_>; 2]> {
        let of = |counts: fn(Kind) -> bool| {
            let all = regions.iter_all();
            all.filter_map(move |(index, kind, _, was, now)| {
                counts(kind).then_some((index, [was, now]))
            })
        };
        of(Kind::updates).flat_map(move |update| {
            let others = of(Kind::subscribes).filter(move |other| other.0 != update.0);
            others.map(move |subscription| [update, subscription])
        })
    }
}

impl Method for BruteForce {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        for [(update, [was, now]), (subscription, [other_was, other_now])] in Self::pairs(regions) {
            match (was.overlaps(other_was), now.overlaps(other_now)) {
                (false, true) => changes.begin(regions, update, subscription),
                (true, false) => changes.cease(regions, update, subscription),
                _ => {}
            }
        }
    }

    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        for [(update, [was, now]), (subscription, [other_was, other_now])] in Self::pairs(regions) {
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

    fn bytes(&self) -> usize {
        0
    }
}
