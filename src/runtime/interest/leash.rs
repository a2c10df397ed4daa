//! How far ahead a region is looked: a *leash* is a box that it may move in without any work.
//!
//! A long leash is left seldom, and overlaps many others, each of which costs a comparison a tick. So
//! each region's leash grows while it is kept and stays clear of others, and shrinks where it does not:
//! in a crowd, or where a region jumps about.

use super::Bounds;

/// Ticks for which a leash may last, at most.
const LONGEST: u8 = 40;

/// So many other leashes, which would not overlap the region itself, are too many.
const MANY: u8 = 2;

/// Where so many are near, a longer leash would cost more than it saves.
const FAR: u32 = 12;

/// A leash is wider by this share of its length, for regions that turn.
const WIDER: f32 = 1.0 / 16.0;

/// How one region's leash is chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leash {
    /// The tick in which it got the one it has.
    since: u32,
    /// For how many ticks that is meant to last.
    ticks: u8,
    /// Leashes of others that overlap it, and not the region.
    extra: u8,
}

impl Leash {
    /// Chooses a leash for a region that left the last one. Whether it has any: a region without one
    /// needs work whenever it moves.
    ///
    /// No leash is longer than `longest`.
    #[inline]
    pub fn choose(
        &mut self,
        [was, now]: [&Bounds; 2],
        index: u32,
        tick: u32,
        longest: f32,
    ) -> Option<Bounds> {
        let age = tick.wrapping_sub(self.since).min(u32::from(LONGEST)) as u8;
        self.since = tick;
        if *was == Bounds::NOWHERE {
            self.ticks = 0;
            return None;
        }
        self.ticks = if self.extra > MANY || age * 2 < self.ticks {
            self.ticks - self.ticks.div_ceil(4)
        } else if age >= self.ticks && self.extra == 0 {
            (self.ticks + self.ticks / 4 + 1).min(LONGEST)
        } else {
            self.ticks
        };
        self.extra = 0;
        let step = now.farthest(was);
        let ticks = f32::from(self.ticks).min(longest / step) as u32;
        let mut ticks = ticks as f32;
        if self.ticks < 6 {
            // All that begin to move at once would go on to leave at once.
            ticks += (index.wrapping_mul(0x9e37_79b9) >> 30) as f32 * 0.25 * ticks;
        }
        (ticks >= 1.0).then(|| now.ahead(was, ticks, step * ticks * WIDER))
    }

    /// What its work was worth: so many leashes overlap this one and not the region itself, and so
    /// many were compared with it.
    #[inline]
    pub fn meet(&mut self, extra: u32, compared: u32) {
        let extra = extra.min(u32::from(u8::MAX)) as u8;
        self.extra = extra.max(u8::from(compared > FAR));
    }
}
