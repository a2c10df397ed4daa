//! Finding the pairs of leashes that strays add.

use super::cells::Cells;
use super::changes::{Key, key};
use super::motion::linear;
use super::{Bounds, Regions};

/// A region that needs another leash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stray {
    pub index: u32,
    /// Whether it gets one, or will stray as soon as it moves.
    pub is_held: bool,
    pub old: Bounds,
    /// What [`Leash::meet`] is to know.
    pub extra: u32,
    pub compared: u32,
}

/// What one thread uses to find the pairs that strays add.
#[derive(Debug, Default)]
pub(super) struct Finder {
    pub fresh: Vec<Key>,
    queue: Vec<u32>,
    hits: Vec<u32>,
}

impl Finder {
    /// Finds the pairs that some strays add. Of two strays one finds the other: that of the lower
    /// level, which has fewer boxes near it. If there are only strays, no other pairs are looked for.
    pub fn search(
        &mut self,
        regions: &Regions,
        cells: &Cells,
        [is_stray, is_loose]: [&[u64]; 2],
        strays: &mut [Stray],
        only_strays: bool,
    ) {
        for stray in strays {
            let index = stray.index;
            let Some(kind) = regions.kind(index) else {
                continue;
            };
            let (leash, now) = (cells.bounds(index), regions.now(index));
            for (role, has_role) in [kind.updates(), kind.subscribes()].into_iter().enumerate() {
                if !has_role {
                    continue;
                }
                let own = cells.level(role, leash);
                for layer in cells.layers(1 - role) {
                    let finds_strays = layer.level > own || layer.level == own && role == 1;
                    if only_strays && !finds_strays {
                        continue;
                    }
                    let (found, compared) =
                        cells.near(layer, leash, &mut self.queue, &mut self.hits);
                    stray.compared = stray.compared.saturating_add(compared as u32);
                    for &other in found.iter().filter(|&&other| other != index) {
                        let bounds = cells.bounds(other);
                        stray.extra += u32::from(!bounds.overlaps(now));
                        let is_new = if has(is_stray, other) {
                            finds_strays
                        } else {
                            !bounds.overlaps(&stray.old)
                        };
                        // Of regions without leashes all that counts is whether they meet in this
                        // tick.
                        let meets = || {
                            let was = [regions.was(index), regions.was(other)];
                            linear(was, [now, regions.now(other)]).is_some()
                        };
                        let is_loose = has(is_loose, index) & has(is_loose, other);
                        if is_new && (!is_loose || meets()) {
                            self.fresh.push(match role {
                                0 => key(index, other),
                                _ => key(other, index),
                            });
                        }
                    }
                }
            }
        }
    }

    pub fn bytes(&self) -> usize {
        self.fresh.capacity() * size_of::<Key>()
            + (self.queue.capacity() + self.hits.capacity()) * size_of::<u32>()
    }
}

/// Whether the bit of an index is set.
#[inline]
pub(super) fn has(bits: &[u64], index: u32) -> bool {
    let bits = bits.get(index as usize / 64).copied().unwrap_or(0);
    bits >> (index % 64) & 1 == 1
}
