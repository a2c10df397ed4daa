//! Frontier sets of terrains, grown by the algorithm of Avni's thesis (section 3.5), and by parts of it combined with parts
//! of the product's algorithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use viewcell::format::ReadPvs;
use viewcell::frontier::{FrontierError, Side};
use viewcell::query::{Answer, Pvs, Quad, Sample, TerrainBundle};

mod ground;
mod options;

use ground::Ground;
pub use ground::has;
pub use options::{Grow, GrowthOptions, Merge, Neighbours, Order, Turns};

/// What a quad below the finest level counts for if it joins.
const SMALL_QUAD: u64 = 64;

/// A quad that waits: its key and arrival, level, column and row.
type Waiting = (u64, u64, u32, u32, u32);

/// The half of one player.
#[derive(Debug)]
struct Half {
    start: Sample,
    members: Vec<u64>,
    /// What some member may see.
    seen: Vec<u64>,
    /// The least first.
    queue: BinaryHeap<Reverse<Waiting>>,
    arrivals: u64,
    /// A bit for each quad that has been in the queue.
    met: Vec<u64>,
    area: u64,
}

/// How far a frontier set is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Grow,
    /// Step 3: this one grows on.
    Extend(usize),
    Tighten,
    Done,
}

/// Grows frontier sets, one after the other. A quad joins only when nothing that the other half may see lies in it and, in
/// a bundle that is not mutual, when it sees nothing of the other half either.
#[derive(Debug)]
pub struct Growth<'a> {
    terrain: TerrainBundle<'a>,
    ground: Ground,
    /// Number of the first quad of each level.
    first: Vec<u64>,
    halves: [Half; 2],
    options: GrowthOptions,
    phase: Phase,
    turn: usize,
    tried: u64,
    spent: u64,
    merged: u64,
    /// The half that was extended, of which not all that it sees is known.
    extended: Option<usize>,
}

impl<'a> Growth<'a> {
    /// Makes room for sets of a terrain.
    pub fn new(terrain: &TerrainBundle<'a>) -> Self {
        let (grid, ground) = (terrain.grid(), Ground::new(terrain));
        let (mut first, mut count) = (Vec::new(), 0);
        for level in 0..grid.levels() {
            first.push(count);
            let (columns, rows) = grid.quads_at(level);
            count += u64::from(columns) * u64::from(rows);
        }
        let half = || Half {
            start: Sample::new(0, 0),
            members: ground.none(),
            seen: ground.none(),
            queue: BinaryHeap::new(),
            arrivals: 0,
            met: vec![0; count.div_ceil(64) as usize],
            area: 0,
        };
        Self {
            terrain: *terrain,
            halves: [half(), half()],
            first,
            ground,
            options: GrowthOptions::default(),
            phase: Phase::Done,
            turn: 0,
            tried: 0,
            spent: 0,
            merged: 0,
            extended: None,
        }
    }

    /// Builds the set of two players; empty where one may see the other.
    ///
    /// # Errors
    ///
    /// Where nobody can stand.
    pub fn build(
        &mut self,
        a: Sample,
        b: Sample,
        options: &GrowthOptions,
    ) -> Result<(), FrontierError> {
        self.forget([a, b], options);
        for place in [a, b] {
            if !self.terrain.grid().has_sample(place) {
                return Err(FrontierError::Outside(place));
            }
            if !self.terrain.valid().has_sample(place) {
                return Err(FrontierError::Void(place));
            }
        }
        let mut quads = [a.quad(), b.quad()];
        if !self.mutually_invisible(quads) {
            return Ok(());
        }
        if options.grow == Grow::Hierarchical {
            quads = self.maximal(quads);
        }
        self.grow_from(quads);
        Ok(())
    }

    /// Builds the set of all who are in two quads: these, whether or not larger ones are mutually invisible, and what is
    /// around them. Empty where one may see the other, and where there is no such quad of terrain.
    pub fn build_at(&mut self, quads: [Quad; 2], options: &GrowthOptions) {
        self.forget(quads.map(Quad::origin), options);
        let valid = self.terrain.valid();
        let is_there = |quad: &Quad| valid.grid().has_quad(*quad) && valid.has_quad(*quad);
        if quads.iter().all(is_there) && self.mutually_invisible(quads) {
            self.grow_from(quads);
        }
    }

    /// Number of quads tried, and of PVSs merged.
    pub fn work(&self) -> (u64, u64) {
        (self.tried, self.merged)
    }

    /// A half, as a block bitmap.
    pub fn words(&self, side: Side) -> &[u64] {
        &self.halves[side as usize].members
    }

    /// Number of samples in a half.
    pub fn area(&self, side: Side) -> u64 {
        self.halves[side as usize].area
    }

    /// A half without the samples from which `margin` steps, straight or diagonal, lead to terrain outside it.
    pub fn core(&self, side: Side, margin: u32) -> Vec<u64> {
        self.ground.core(self.words(side), margin)
    }

    fn forget(&mut self, starts: [Sample; 2], options: &GrowthOptions) {
        for (half, start) in self.halves.iter_mut().zip(starts) {
            half.start = start;
            half.members.fill(0);
            half.seen.fill(0);
            half.queue.clear();
            half.arrivals = 0;
            half.met.fill(0);
            half.area = 0;
        }
        self.options = *options;
        (self.phase, self.turn, self.extended) = (Phase::Done, 0, None);
        (self.tried, self.spent, self.merged) = (0, 0, 0);
    }

    fn mutually_invisible(&self, [a, b]: [Quad; 2]) -> bool {
        let grid = self.terrain.grid();
        let hidden = |a: Quad, b: Quad| {
            !grid.has_quad(a) || self.terrain.pvs(a).is_some_and(|pvs| pvs.is_hidden(b))
        };
        hidden(a, b) && (self.is_mutual() || hidden(b, a))
    }

    fn is_mutual(&self) -> bool {
        self.terrain.parameters().mutual
    }

    /// Step 1: goes up by turns, for as long as the two quads are mutually invisible.
    fn maximal(&self, mut quads: [Quad; 2]) -> [Quad; 2] {
        let root = self.terrain.grid().root_level();
        let mut goes = [true, true];
        while goes != [false, false] {
            for side in 0..2 {
                let mut above = quads;
                above[side] = above[side].parent();
                goes[side] &= quads[side].level < root && self.mutually_invisible(above);
                if goes[side] {
                    quads = above;
                }
            }
        }
        quads
    }

    /// Steps 2 and 3, and what comes after.
    fn grow_from(&mut self, quads: [Quad; 2]) {
        let points = quads.iter().all(|quad| quad.level == 0);
        let gives_up = self.options.grow == Grow::Hierarchical && self.options.give_up && points;
        self.phase = if gives_up {
            Phase::Tighten
        } else {
            Phase::Grow
        };
        // Where a PVS is damaged there is no frontier set at all.
        if !(self.take(0, quads[0], true) && self.take(1, quads[1], true)) {
            for half in &mut self.halves {
                half.members.fill(0);
                half.area = 0;
            }
            return;
        }
        while self.phase != Phase::Done {
            match self.phase {
                Phase::Grow => self.grow(),
                Phase::Extend(side) => match self.next(side) {
                    Some(quad) => self.consider(side, quad),
                    None => self.phase = Phase::Tighten,
                },
                _ => {
                    self.tighten();
                    self.phase = Phase::Done;
                }
            }
        }
    }

    fn grow(&mut self) {
        let is_spent = |most: u32| self.spent >= u64::from(most);
        if self.options.limit.is_some_and(is_spent) {
            self.phase = Phase::Tighten;
            return;
        }
        let side = match self.options.turns {
            Turns::Alternate => self.turn,
            Turns::Balance => usize::from(self.halves[1].area < self.halves[0].area),
        };
        self.turn = 1 - side;
        match self.next(side) {
            Some(quad) => self.consider(side, quad),
            None if self.options.extend => {
                self.extended = Some(1 - side);
                self.phase = Phase::Extend(1 - side);
            }
            None => self.phase = Phase::Tighten,
        }
    }

    fn next(&mut self, side: usize) -> Option<Quad> {
        let Reverse((_, _, level, column, row)) = self.halves[side].queue.pop()?;
        Some(Quad::new(level, column, row))
    }

    fn consider(&mut self, side: usize, quad: Quad) {
        self.tried += 1;
        self.spent += 1;
        if self.ground.state(&self.halves[side].members, quad) == Some(Answer::Visible) {
            return;
        }
        match self.ground.state(&self.halves[1 - side].seen, quad) {
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

    /// Adds a quad of which the other frontier sees nothing, and queues its neighbours; false where the quad itself sees
    /// something of the other one, or its PVS is damaged.
    fn take(&mut self, side: usize, quad: Quad, merge: bool) -> bool {
        if merge || !self.is_mutual() {
            let Some(pvs) = self.terrain.stored_pvs(quad) else {
                return false;
            };
            let other = &self.halves[1 - side].members;
            if !self.is_mutual()
                && !self
                    .ground
                    .each_block(&pvs, |index, bits| other[index] & bits == 0)
            {
                return false;
            }
            if merge {
                self.merge(side, &pvs);
            }
        }
        let half = &mut self.halves[side];
        half.area += self.ground.add(&mut half.members, quad);
        if self.phase != Phase::Tighten {
            self.queue_neighbours(side, quad);
        }
        true
    }

    fn merge(&mut self, side: usize, pvs: &Pvs<'_>) {
        self.merged += 1;
        let ground = &self.ground;
        let Half { seen, area, .. } = &mut self.halves[side];
        if self.options.merge == Merge::Lossy && *area > 0 {
            let mut joining = ground.none();
            pvs.expand(&mut joining);
            return ground.merge_lossy(seen, &joining, self.terrain.grid().root());
        }
        let mut put = |index: usize, bits: u64| {
            seen[index] |= bits;
            true
        };
        match self.options.merge {
            Merge::Blocks(most) if pvs.pairs() > most => {
                pvs.sweep_blocks(|leaf| ground.hand_over(leaf, &mut put))
            }
            _ => ground.each_block(pvs, put),
        };
    }

    fn queue_neighbours(&mut self, side: usize, quad: Quad) {
        let corners = self.options.neighbours == Neighbours::Eight;
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let column = quad.column.checked_add_signed(dx);
            let row = quad.row.checked_add_signed(dy);
            if let (Some(column), Some(row)) = (column, row)
                && (corners && (dx, dy) != (0, 0) || (dx == 0) != (dy == 0))
            {
                self.queue(side, Quad::new(quad.level, column, row));
            }
        }
    }

    /// Queues the children that are adjacent to the frontier.
    fn descend(&mut self, side: usize, quad: Quad) {
        if quad.level > self.finest() {
            let eight = self.options.neighbours == Neighbours::Eight;
            for child in (0..4).filter_map(|index| quad.child(index)) {
                let members = &self.halves[side].members;
                if self.ground.touches(members, child, eight) {
                    self.queue(side, child);
                }
            }
        }
    }

    fn finest(&self) -> u32 {
        let by_size = self.terrain.grid().root_level().saturating_sub(5).min(4);
        self.options.finest.unwrap_or(by_size)
    }

    /// Queues a quad of the grid that has not been in the queue.
    fn queue(&mut self, side: usize, quad: Quad) {
        let grid = self.terrain.grid();
        if !grid.has_quad(quad) {
            return;
        }
        let columns = u64::from(grid.quads_at(quad.level).0);
        let index = self.first[quad.level as usize]
            + u64::from(quad.row) * columns
            + u64::from(quad.column);
        let (word, bit) = ((index / 64) as usize, 1 << (index % 64));
        if self.halves[side].met[word] & bit != 0 {
            return;
        }
        let key = self.key(side, quad);
        let half = &mut self.halves[side];
        half.met[word] |= bit;
        let entry = (key, half.arrivals, quad.level, quad.column, quad.row);
        half.queue.push(Reverse(entry));
        half.arrivals += 1;
    }

    /// The place of a quad in the order of growth: the smallest first.
    fn key(&self, side: usize, quad: Quad) -> u64 {
        let start = self.halves[side].start;
        match self.options.order {
            Order::Fifo => 0,
            Order::Coarse => u64::from(u32::MAX - quad.level),
            Order::Ground => {
                let from = self.terrain.height(start).unwrap_or(0.0);
                let differs = |height: f32| u64::from((height - from).abs().to_bits());
                self.highest(quad).map_or(u64::MAX, differs)
            }
            Order::Gain => self.cost(side, quad),
            Order::Toward(a, b) => distance(quad, [a, b][side].unwrap_or(start)),
        }
    }

    /// The greatest height among a quad's corners and centre; voids do not count.
    fn highest(&self, quad: Quad) -> Option<f32> {
        let (grid, origin) = (self.terrain.grid(), quad.origin());
        let last = (1u32 << quad.level) - 1;
        let heights = [
            (0, 0),
            (last, 0),
            (0, last),
            (last, last),
            (last / 2, last / 2),
        ];
        let heights = heights.into_iter().filter_map(|(dx, dy)| {
            let column = (origin.column + dx).min(grid.width() - 1);
            let row = (origin.row + dy).min(grid.height() - 1);
            self.terrain.height(Sample::new(column, row))
        });
        heights.max_by(f32::total_cmp)
    }

    /// Samples that a hidden quad's PVS newly takes from the other player, for each 65,536 that
    /// it adds. Quads that are not hidden come last, the largest first.
    fn cost(&self, side: usize, quad: Quad) -> u64 {
        let unknown = 1 << 63 | u64::from(u32::MAX - quad.level);
        let is_hidden =
            self.ground.state(&self.halves[1 - side].seen, quad) == Some(Answer::Hidden);
        let Some(pvs) = self.terrain.stored_pvs(quad).filter(|_| is_hidden) else {
            return unknown;
        };
        let (seen, mut taken) = (&self.halves[side].seen, 0);
        self.ground.each_block(&pvs, |index, bits| {
            taken += u64::from((bits & !seen[index]).count_ones());
            true
        });
        (taken << 16) / self.terrain.valid().count(quad).max(1)
    }

    /// What one frontier does not see joins the other, as far as it is connected.
    fn tighten(&mut self) {
        if !self.options.tighten || !self.is_mutual() || self.halves[0].area == 0 {
            return;
        }
        let smaller = usize::from(self.halves[1].area < self.halves[0].area);
        let side = self.extended.unwrap_or(smaller);
        let eight = self.options.neighbours == Neighbours::Eight;
        let mut members = std::mem::take(&mut self.halves[side].members);
        let closed = &self.halves[1 - side].seen;
        self.halves[side].area = self.ground.flood(&mut members, closed, eight);
        self.halves[side].members = members;
    }
}

/// Square of the distance from a quad's centre to a sample, in half samples.
fn distance(quad: Quad, to: Sample) -> u64 {
    let centre = |at: u32| ((u64::from(at) * 2 + 1) << quad.level) - 1;
    // Where to go may be far outside the grid.
    let square = |from: u64, to: u32| from.abs_diff(2 * u64::from(to)).saturating_pow(2);
    square(centre(quad.column), to.column).saturating_add(square(centre(quad.row), to.row))
}
