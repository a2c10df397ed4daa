//! A frontier set whose last step is put off: its smaller half is not yet filled with all that the
//! other does not see.
//!
//! Who walks from a sample that is in the half to one beside it is still in it if nobody of the other
//! half sees them there: that takes a look at a few bitmaps, and the whole half is hardly ever needed.
//!
//! Did not pay: filling the smaller half of a set that is grown (twice the time of a simulated game).

use std::collections::VecDeque;
use std::sync::Arc;

use super::flood::{flood, grow_block, grown_within, wait_around};
use super::options::Neighbours;
use super::region::Region;
use super::remembered::Seen;
use super::samples::{Ground, Samples};
use super::side::Side;
use super::state::{FrontierBuilder, GrowingHalf};
use crate::format::grid::{BLOCK_LEVEL, quad_mask};
use crate::format::{Quad, Sample};

/// A frontier set whose last step is put off.
#[derive(Clone, Debug)]
pub struct Unfilled {
    ground: Arc<Ground>,
    /// The quads of each half.
    quads: [Box<[Quad]>; 2],
    /// The half that is to be filled, and what the other sees.
    rest: Option<(Side, Box<[Arc<Seen>]>)>,
    by: Neighbours,
}

impl FrontierBuilder<'_> {
    /// The set once it is grown, to be filled with what [`super::FrontierOptions::tighten`] gives to it
    /// if `fill` says so. None where there is no set, or not all that was merged is remembered.
    pub fn unfilled(&self, fill: bool) -> Option<Unfilled> {
        let is_known = |half: &GrowingHalf| half.area > 0 && !half.is_merged;
        if !self.remembered.is_on() || !self.is_grown() || !is_known(&self.a) || !is_known(&self.b)
        {
            return None;
        }
        let filled = self.filled().filter(|_| fill);
        let quads = [&self.a, &self.b].map(|half| half.taken.as_slice().into());
        Some(Unfilled {
            ground: self.ground.clone(),
            quads,
            rest: filled.map(|side| (side, self.half(side.other()).joined.of().into())),
            by: self.options.neighbours,
        })
    }
}

impl Unfilled {
    /// Samples of a half in the block of one of them, as a word of a block bitmap: all to which ways
    /// lead within the block. None of them if that sample is not in the half. `near` is one that is
    /// known to be in it: the answer is there sooner if it is beside the sample.
    pub fn around(&self, side: Side, sample: Sample, near: Option<Sample>) -> u64 {
        let grid = self.ground.grid();
        let (index, bit) = grid.block_bit(sample);
        let terrain = self.ground.word(index);
        if !grid.has_sample(sample) || terrain >> bit & 1 == 0 {
            return 0;
        }
        let (mut taken, block) = (0, sample.quad().ancestor(BLOCK_LEVEL));
        for quad in self.quads(side) {
            if quad.level >= BLOCK_LEVEL && sample.quad().ancestor(quad.level) == *quad {
                return terrain;
            }
            if quad.level < BLOCK_LEVEL && quad.ancestor(BLOCK_LEVEL) == block {
                taken |= terrain & quad_mask(*quad);
            }
        }
        let all = match &self.rest {
            Some((filled, seen)) if *filled == side => {
                taken | terrain & !seen_together(seen, index)
            }
            _ => taken,
        };
        let is_beside = |near: Sample| {
            let columns = near.column.abs_diff(sample.column);
            let rows = near.row.abs_diff(sample.row);
            match self.by {
                Neighbours::Four => columns + rows <= 1,
                Neighbours::Eight => columns.max(rows) <= 1,
            }
        };
        let is_in = all >> bit & 1 == 1
            && (taken >> bit & 1 == 1
                || near.is_some_and(is_beside)
                || self.leads_to(side, sample));
        if is_in {
            grown_within(1 << bit, all, self.by)
        } else {
            0
        }
    }

    /// Whether a way leads from a sample that the other half does not see to a quad of this half.
    fn leads_to(&self, side: Side, sample: Sample) -> bool {
        let (ground, (start, bit)) = (&self.ground, self.ground.grid().block_bit(sample));
        let mut members = Samples::none(ground);
        for &quad in self.quads(side) {
            members.add(ground, quad);
        }
        let seen = self.rest.as_ref().map_or(&[][..], |(_, seen)| seen);
        let (mut wet, mut closed) = (Samples::none(ground), Samples::none(ground));
        let mut met = vec![false; ground.len()];
        let mut waiting = VecDeque::from([start]);
        if let Some(word) = wet.words_mut().get_mut(start) {
            *word = 1 << bit;
        }
        while let Some(index) = waiting.pop_front() {
            let is_new = met
                .get_mut(index)
                .is_some_and(|met| !core::mem::replace(met, true));
            if is_new && let Some(word) = closed.words_mut().get_mut(index) {
                *word = seen_together(seen, index) & !members.word(index);
            }
            let grows = grow_block(&mut wet, &closed, ground, index, self.by);
            if wet.word(index) & members.word(index) != 0 {
                return true;
            }
            if grows || is_new && index == start {
                wait_around(index, ground.columns(), ground.len(), |index| {
                    waiting.push_back(index);
                });
            }
        }
        false
    }

    fn quads(&self, side: Side) -> &[Quad] {
        let [of_a, of_b] = &self.quads;
        if side == Side::A { of_a } else { of_b }
    }

    /// Both halves, filled.
    pub fn fill<T>(&self, mut take: impl FnMut(Region) -> T) -> [T; 2] {
        let ground = &self.ground;
        let mut halves = [&self.quads[0], &self.quads[1]].map(|quads| {
            let mut members = Samples::none(ground);
            for &quad in quads {
                members.add(ground, quad);
            }
            members
        });
        if let Some((side, seen)) = &self.rest {
            let mut closed = Samples::none(ground);
            for seen in seen {
                closed.put_all(seen.samples());
            }
            let [of_a, of_b] = &mut halves;
            let half = if *side == Side::A { of_a } else { of_b };
            let mut waiting = vec![0; ground.len().div_ceil(64)];
            flood(half, &closed, ground, self.by, &mut waiting);
        }
        halves.map(|half| take(Region::whole(ground.grid(), half.words(), half.count())))
    }

    /// What it takes, but for what it has in common with others. [Unit: bytes]
    pub fn bytes(&self) -> usize {
        let quads: usize = self.quads.iter().map(|quads| quads.len()).sum();
        let seen = self.rest.as_ref().map_or(0, |(_, seen)| seen.len());
        size_of::<Self>() + quads * size_of::<Quad>() + seen * size_of::<Arc<Seen>>()
    }
}

/// What several quads see of a block.
fn seen_together(seen: &[Arc<Seen>], index: usize) -> u64 {
    let words = seen.iter().map(|seen| seen.samples().word(index));
    words.fold(0, |all, word| all | word)
}
