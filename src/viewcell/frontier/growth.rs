//! Growing a frontier set (thesis section 3.5).
//!
//! Did not pay: small quads merged more cheaply, or quads of level 3 tried (the smaller half a tenth larger, both together
//! smaller); other limits than 512 pairs of blocks (256: half the time, 5 % smaller; 768: twice the time, 6 % larger on
//! Gale).

use super::flood::flood;
use super::lossy;
use super::options::{Merge, Neighbours, Order, Turns};
use super::samples::Samples;
use super::side::Side;
use super::state::{FrontierBuilder, Phase};
use crate::format::{Answer, Quad, ReadPvs, Sample};
use crate::query::Pvs;

/// What a quad below the finest level counts for if it joins, when steps are counted.
const SMALL_QUAD: u64 = 64;

impl FrontierBuilder<'_> {
    pub(super) fn grow(&mut self) {
        if self
            .options
            .limit
            .is_some_and(|most| self.spent >= u64::from(most))
        {
            self.phase = Phase::Tighten;
            return;
        }
        let side = match self.options.turns {
            Turns::Alternate => self.turn,
            Turns::Balance if self.b.area < self.a.area => Side::B,
            Turns::Balance => Side::A,
        };
        self.turn = side.other();
        match self.next(side) {
            Some(quad) => self.consider(side, quad),
            None if self.options.extend => {
                self.unmerged = Some(side.other());
                self.phase = Phase::Extend(side.other());
            }
            None => self.phase = Phase::Tighten,
        }
    }

    pub(super) fn next(&mut self, side: Side) -> Option<Quad> {
        self.half_mut(side).queue.pop()
    }

    /// Step 2 for one quad.
    pub(super) fn consider(&mut self, side: Side, quad: Quad) {
        self.tried += 1;
        self.spent += 1;
        let half = self.half(side);
        if half.members.state(&self.ground, quad) == Some(Answer::Visible) {
            return; // inside a quad taken before
        }
        match self.seen_state(side.other(), quad) {
            None | Some(Answer::Visible) => {}
            Some(Answer::Hidden) => {
                let last = matches!(self.phase, Phase::Extend(_));
                if !self.take(side, quad, !last) {
                    self.descend(side, quad);
                } else if quad.level < self.finest() {
                    self.spent += SMALL_QUAD - 1;
                }
            }
            Some(Answer::Mixed) => self.descend(side, quad),
        }
    }

    /// Adds a quad of which nothing is seen from the other frontier, and queues its neighbours.
    /// Returns whether it could: not if the quad itself sees something of the other frontier (in
    /// a bundle that is not mutual), nor if its PVS is damaged.
    pub(super) fn take(&mut self, side: Side, quad: Quad, merge: bool) -> bool {
        let mutual = self.is_mutual();
        if merge || !mutual {
            let Some(pvs) = self.terrain.own_pvs(quad) else {
                return false;
            };
            let other = &self.half(side.other()).members;
            if !mutual && !other.is_hidden_from(&self.ground, &pvs) {
                return false;
            }
            if merge {
                self.merge(side, quad, &pvs);
            }
        }
        let (half, ground) = match side {
            Side::A => (&mut self.a, &self.ground),
            Side::B => (&mut self.b, &self.ground),
        };
        half.area += half.members.add(ground, quad);
        if self.remembered.is_on() {
            half.taken.push(quad);
        }
        if self.phase != Phase::Tighten {
            self.queue_neighbours(side, quad);
        }
        true
    }

    /// Joins a PVS to that of a frontier.
    fn merge(&mut self, side: Side, quad: Quad, pvs: &Pvs<'_>) {
        self.merged += 1;
        let (half, ground) = match side {
            Side::A => (&mut self.a, &self.ground),
            Side::B => (&mut self.b, &self.ground),
        };
        if self.options.merge == Merge::Lossy && half.area > 0 {
            half.merge_joined();
            let [scratch, _] = &mut self.scratch;
            pvs.expand(scratch.words_mut());
            lossy::merge(&mut half.seen, ground, scratch);
            return;
        }
        let by_blocks =
            matches!(self.options.merge, Merge::Blocks(most) if pvs.pairs() > most as usize);
        let take_in = |seen: &mut Samples| {
            if by_blocks {
                seen.merge_blocks(ground, pvs)
            } else {
                seen.merge(ground, pvs)
            }
        };
        // What is taken in depends on the quad, and on nothing that was taken in before.
        match self.remembered.of(quad, by_blocks, ground, take_in) {
            // The order by gain looks into what is merged.
            Some(seen) if !half.is_merged && self.options.order != Order::Gain => {
                half.joined.push(seen.clone());
            }
            Some(seen) => {
                half.merge_joined();
                half.seen.put_all(seen.samples());
            }
            None => {
                half.merge_joined();
                take_in(&mut half.seen);
            }
        }
    }

    fn queue_neighbours(&mut self, side: Side, quad: Quad) {
        let corners = self.options.neighbours == Neighbours::Eight;
        for dy in -1_i32..=1 {
            for dx in -1_i32..=1 {
                if (dx, dy) == (0, 0) || !corners && dx != 0 && dy != 0 {
                    continue;
                }
                let (Some(column), Some(row)) = (
                    quad.column.checked_add_signed(dx),
                    quad.row.checked_add_signed(dy),
                ) else {
                    continue;
                };
                self.queue(side, Quad::new(quad.level, column, row));
            }
        }
    }

    /// Queues the children that are adjacent to the frontier.
    fn descend(&mut self, side: Side, quad: Quad) {
        if quad.level <= self.finest() {
            return;
        }
        let corners = self.options.neighbours == Neighbours::Eight;
        for child in (0..4).filter_map(|index| quad.child(index)) {
            if self
                .half(side)
                .members
                .touches(&self.ground, child, corners)
            {
                self.queue(side, child);
            }
        }
    }

    /// The least level of quads that are tried but around the start.
    fn finest(&self) -> u32 {
        let root = self.terrain.grid().root_level();
        self.options.finest_on(root)
    }

    /// Queues a quad of the grid that has not been in the queue.
    fn queue(&mut self, side: Side, quad: Quad) {
        let grid = self.terrain.grid();
        if !grid.has_quad(quad) {
            return;
        }
        let first = self.first.get(quad.level as usize).copied().unwrap_or(0);
        let (columns, _) = grid.quads_at(quad.level);
        let index = first + u64::from(quad.row) * u64::from(columns) + u64::from(quad.column);
        let half = self.half_mut(side);
        let Some(word) = half.met.get_mut((index / 64) as usize) else {
            return;
        };
        let bit = 1 << (index % 64);
        if *word & bit != 0 {
            return;
        }
        *word |= bit;
        let key = self.key(side, quad);
        self.half_mut(side).queue.push(key, quad);
    }

    /// The place of a quad in the order of growth: the smallest first.
    fn key(&self, side: Side, quad: Quad) -> u64 {
        let half = self.half(side);
        match self.options.order {
            Order::Fifo => 0,
            Order::Coarse => u64::from(u32::MAX - quad.level),
            Order::Ground => {
                let start = self.terrain.height(half.start).unwrap_or(0.0);
                self.highest(quad).map_or(u64::MAX, |height| {
                    u64::from((height - start).abs().to_bits())
                })
            }
            Order::Gain => self.cost(side, quad),
            Order::Toward(a, b) => {
                let goal = if side == Side::A { a } else { b };
                distance(quad, goal.unwrap_or(half.start))
            }
        }
    }

    /// The greatest height among a quad's corners and centre; voids do not count.
    fn highest(&self, quad: Quad) -> Option<f32> {
        let grid = self.terrain.grid();
        let origin = quad.origin();
        let last = (1u32 << quad.level) - 1;
        let sample = |dx: u32, dy: u32| {
            Sample::new(
                (origin.column + dx).min(grid.width() - 1),
                (origin.row + dy).min(grid.height() - 1),
            )
        };
        [
            (0, 0),
            (last, 0),
            (0, last),
            (last, last),
            (last / 2, last / 2),
        ]
        .into_iter()
        .filter_map(|(dx, dy)| self.terrain.height(sample(dx, dy)))
        .max_by(f32::total_cmp)
    }

    /// Samples that a hidden quad's PVS newly takes from the other player, for each 65,536 that
    /// it adds. Quads that are not hidden come last, the largest first.
    fn cost(&self, side: Side, quad: Quad) -> u64 {
        let half = self.half(side);
        let unknown = 1 << 63 | u64::from(u32::MAX - quad.level);
        if self.seen_state(side.other(), quad) != Some(Answer::Hidden) {
            return unknown;
        }
        let Some(pvs) = self.terrain.own_pvs(quad) else {
            return unknown;
        };
        let taken = half.seen.lacks(&self.ground, &pvs);
        let added = self.terrain.valid().count(quad).max(1);
        (taken << 16) / added
    }

    /// The half that is given what the other does not see, if one is.
    ///
    /// Only one of the two can be given the rest, since nobody asks what those samples see. After an
    /// extension that one is settled already.
    pub(super) fn filled(&self) -> Option<Side> {
        if !self.options.tighten || !self.is_mutual() || self.a.area == 0 {
            return None;
        }
        let smaller = if self.b.area < self.a.area {
            Side::B
        } else {
            Side::A
        };
        Some(self.unmerged.unwrap_or(smaller))
    }

    /// What one frontier does not see joins the other, as far as it is connected.
    pub(super) fn tighten(&mut self) {
        let Some(side) = self.filled() else {
            return;
        };
        let by = self.options.neighbours;
        self.half_mut(side.other()).merge_joined();
        let (half, other) = match side {
            Side::A => (&mut self.a, &self.b),
            Side::B => (&mut self.b, &self.a),
        };
        flood(
            &mut half.members,
            &other.seen,
            &self.ground,
            by,
            &mut self.waiting,
        );
        half.area = half.members.count();
    }
}

/// Step 1 of thesis section 3.5: goes up from two mutually invisible quads by turns, for as long
/// as they are mutually invisible. Neither of the quads that it ends at could be replaced by its
/// parent.
pub(super) fn maximal_quads(
    mut a: Quad,
    mut b: Quad,
    root: u32,
    invisible: impl Fn(Quad, Quad) -> bool,
) -> [Quad; 2] {
    let (mut a_goes, mut b_goes) = (true, true);
    while a_goes || b_goes {
        if a_goes {
            a_goes = a.level < root && invisible(a.parent(), b);
            if a_goes {
                a = a.parent();
            }
        }
        if b_goes {
            b_goes = b.level < root && invisible(a, b.parent());
            if b_goes {
                b = b.parent();
            }
        }
    }
    [a, b]
}

/// Square of the distance from a quad's centre to a sample, in half samples.
fn distance(quad: Quad, to: Sample) -> u64 {
    let centre = |at: u32| ((u64::from(at) * 2 + 1) << quad.level) - 1;
    // Where to go may be far outside the grid.
    let square = |from: u64, to: u32| from.abs_diff(2 * u64::from(to)).saturating_pow(2);
    square(centre(quad.column), to.column).saturating_add(square(centre(quad.row), to.row))
}
