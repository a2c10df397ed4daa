//! Growing a frontier set (thesis section 3.5).
//!
//! Did not pay: small quads merged more cheaply, or quads of level 3 tried (the smaller half a tenth larger, both together
//! smaller); other limits than 512 pairs of blocks (256: half the time, 5 % smaller; 768: twice the time, 6 % larger on
//! Gale); an order by height or by how much a quad newly adds; always the smaller half's turn.

use super::flood::flood;
use super::side::Side;
use super::state::{FrontierBuilder, Phase};
use crate::format::{Answer, Quad, ReadPvs};

/// What a quad below the finest level counts for if it joins, when steps are counted.
const SMALL_QUAD: u64 = 64;
/// Most pairs of blocks that a PVS is put together from: some 0.3 milliseconds. One of more joins by whole blocks of
/// 8×8 samples, all that some sample of the quad's own block sees something of, which is told without reading the pairs.
const PAIRS: usize = 512;

impl FrontierBuilder<'_> {
    /// Tries one quad of the player whose turn it is.
    pub(super) fn grow(&mut self) {
        let side = self.turn;
        let is_spent = |most: u32| self.spent >= u64::from(most);
        if self.options.limit.is_some_and(is_spent) {
            self.phase = Phase::Tighten;
            return;
        }
        self.turn = side.other();
        match self.half_mut(side).queue.pop() {
            Some(quad) => self.consider(side, quad),
            None => self.phase = Phase::Tighten,
        }
    }

    /// Step 2 for one quad.
    fn consider(&mut self, side: Side, quad: Quad) {
        self.tried += 1;
        self.spent += 1;
        let half = self.half(side);
        if half.members.state(&self.ground, quad) == Some(Answer::Visible) {
            return; // inside a quad taken before
        }
        match self.seen_state(side.other(), quad) {
            None | Some(Answer::Visible) => {}
            Some(Answer::Hidden) => {
                if !self.take(side, quad) {
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
    pub(super) fn take(&mut self, side: Side, quad: Quad) -> bool {
        let Some(pvs) = self.terrain.own_pvs(quad) else {
            return false;
        };
        let other = &self.half(side.other()).members;
        if !self.is_mutual() && !other.is_hidden_from(&self.ground, &pvs) {
            return false;
        }
        self.merged += 1;
        let (half, ground) = match side {
            Side::A => (&mut self.a, &self.ground),
            Side::B => (&mut self.b, &self.ground),
        };
        if pvs.pairs() > PAIRS {
            half.seen.merge_blocks(ground, &pvs);
        } else {
            half.seen.merge(ground, &pvs);
        }
        half.area += half.members.add(ground, quad);
        self.queue_neighbours(side, quad);
        true
    }

    fn queue_neighbours(&mut self, side: Side, quad: Quad) {
        for dy in -1_i32..=1 {
            for dx in -1_i32..=1 {
                let (column, row) = (
                    quad.column.checked_add_signed(dx),
                    quad.row.checked_add_signed(dy),
                );
                if let (Some(column), Some(row)) = (column, row)
                    && (dx, dy) != (0, 0)
                {
                    self.queue(side, Quad::new(quad.level, column, row));
                }
            }
        }
    }

    /// Queues the children that are adjacent to the frontier.
    fn descend(&mut self, side: Side, quad: Quad) {
        if quad.level <= self.finest() {
            return;
        }
        for child in (0..4).filter_map(|index| quad.child(index)) {
            if self.half(side).members.touches(&self.ground, child) {
                self.queue(side, child);
            }
        }
    }

    /// The least level of quads that are tried but around the start: 4, or five below the root of a small terrain.
    fn finest(&self) -> u32 {
        self.terrain.grid().root_level().saturating_sub(5).min(4)
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
        if *word & bit == 0 {
            *word |= bit;
            half.queue.push(quad);
        }
    }

    /// What one frontier does not see joins the smaller one, as far as it is connected. Only one of the two can be given
    /// the rest, since nobody asks what those samples see; on a bundle that is not mutual, none.
    pub(super) fn tighten(&mut self) {
        if !self.is_mutual() || self.a.area == 0 {
            return;
        }
        let (half, other) = if self.b.area < self.a.area {
            (&mut self.b, &self.a)
        } else {
            (&mut self.a, &self.b)
        };
        flood(
            &mut half.members,
            &other.seen,
            &self.ground,
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
