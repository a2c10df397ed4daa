//! Frontier sets of terrains, grown by the algorithm of Avni's thesis (section 3.5), and by parts of it combined with parts
//! of the product's algorithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use viewcell::format::ReadPvs;
use viewcell::frontier::{FrontierError, Side};
use viewcell::query::{Answer, Grid, Leaf, Pvs, Quad, Sample, TerrainBundle};

/// In what pieces frontiers grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grow {
    /// Quads of all sizes, from the maximal mutually invisible ones on (thesis section 3.5).
    #[default]
    Hierarchical,
    /// Single samples, from those of the players on: the thesis's baseline (section 4.1).
    Simple,
}

/// How the PVS of a quad joins that of its frontier (thesis section 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// The union.
    #[default]
    Lossless,
    /// Where one of the two is all hidden and the other mixed, all becomes visible.
    Lossy,
    /// The union; but a PVS that is put together from more pairs of blocks than this joins by
    /// whole blocks of 8×8 samples, all that some sample of the quad's own block sees something
    /// of. In bundles of single trees no PVS is put together: the same as lossless.
    Blocks(usize),
}

/// Which quads lie next to a quad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Neighbours {
    /// Those that share a side.
    Four,
    /// Those that share a side or a corner.
    #[default]
    Eight,
}

/// Which quad a frontier tries next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// First in, first out (thesis section 3.5).
    #[default]
    Fifo,
    /// The larger before the smaller; of one size, first in, first out.
    Coarse,
    /// What differs least in height from where the player stands: along streets before up to
    /// roofs (thesis section 3.5).
    Ground,
    /// What adds most samples for each sample that its PVS newly takes from the other player.
    Gain,
    /// What lies nearest to where each player is expected to go; a player without a goal grows
    /// around where they stand.
    Toward(Option<Sample>, Option<Sample>),
}

/// Whose turn it is to grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turns {
    /// One after the other (thesis section 3.5).
    #[default]
    Alternate,
    /// The smaller frontier's, in samples.
    Balance,
}

/// How a frontier set is grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrowthOptions {
    /// In what pieces.
    pub grow: Grow,
    /// How PVSs are merged.
    pub merge: Merge,
    /// What is adjacent.
    pub neighbours: Neighbours,
    /// What is tried next.
    pub order: Order,
    /// Whose turn it is.
    pub turns: Turns,
    /// Quads below this level are not tried; the start is not bound by it. `None` is for level 4, or five levels below
    /// the root where that is less.
    pub finest: Option<u32>,
    /// Leave it at the two samples where no larger quads around them are mutually invisible, as
    /// the thesis does with hierarchical growth.
    pub give_up: bool,
    /// Step 3 of thesis section 3.5: when one frontier can grow no more, go on with the other.
    pub extend: bool,
    /// At the end, give the player with the smaller frontier (after an extension, the one that was
    /// extended) all that the other's finished frontier does not see, as far as it is connected.
    /// Only on mutual bundles; on others nothing is changed.
    pub tighten: bool,
    /// Stop growing after so many quads have been tried. One that is smaller than the finest, as
    /// around a start that is, counts for 64 if it joins.
    pub limit: Option<u32>,
}

impl GrowthOptions {
    /// Most pairs of blocks that a PVS is put together from by default.
    pub const PAIRS: usize = 512;

    /// As the thesis's experiment did it (section 4.1): first in, first out, alternating, no
    /// step 3.
    pub const fn thesis(grow: Grow, merge: Merge) -> Self {
        Self {
            grow,
            merge,
            neighbours: Neighbours::Eight,
            order: Order::Fifo,
            turns: Turns::Alternate,
            finest: Some(0),
            give_up: true,
            extend: false,
            tighten: false,
            limit: None,
        }
    }
}

/// As [`viewcell::frontier::FrontierBuilder`] grows them by default.
impl Default for GrowthOptions {
    fn default() -> Self {
        Self {
            order: Order::Coarse,
            finest: None,
            give_up: false,
            tighten: true,
            limit: Some(64),
            ..Self::thesis(Grow::Hierarchical, Merge::Blocks(Self::PAIRS))
        }
    }
}

/// What a quad below the finest level counts for if it joins.
const SMALL_QUAD: u64 = 64;
const BLOCK_LEVEL: u32 = 3;
const COLUMN_0: u64 = 0x0101_0101_0101_0101;
const COLUMN_7: u64 = COLUMN_0 << 7;

/// Sets of samples are block bitmaps, as of [`Pvs::expand`].
type Words = Vec<u64>;

/// A quad that waits: its key and arrival, level, column and row.
type Waiting = (u64, u64, u32, u32, u32);

/// The half of one player.
#[derive(Debug)]
struct Half {
    start: Sample,
    members: Words,
    /// What some member may see.
    seen: Words,
    /// The least first.
    queue: BinaryHeap<Reverse<Waiting>>,
    arrivals: u64,
    /// A bit for each quad that has been in the queue.
    met: Words,
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

/// Grows frontier sets, one after the other. The set may be used after any step: a quad joins only when nothing that the
/// other half may see lies in it and, in a bundle that is not mutual, when it sees nothing of the other half either.
#[derive(Debug)]
pub struct Growth<'a> {
    terrain: TerrainBundle<'a>,
    ground: Words,
    columns: usize,
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
        let (grid, valid) = (terrain.grid(), terrain.valid());
        let (columns, rows) = grid.block_shape();
        let block = |row| (0..columns).map(move |column| valid.block(column, row));
        let ground: Words = (0..rows).flat_map(block).collect();
        let (mut first, mut count) = (Vec::new(), 0);
        for level in 0..grid.levels() {
            first.push(count);
            let (columns, rows) = grid.quads_at(level);
            count += u64::from(columns) * u64::from(rows);
        }
        let half = || Half {
            start: Sample::new(0, 0),
            members: vec![0; ground.len()],
            seen: vec![0; ground.len()],
            queue: BinaryHeap::new(),
            arrivals: 0,
            met: vec![0; count.div_ceil(64) as usize],
            area: 0,
        };
        Self {
            terrain: *terrain,
            halves: [half(), half()],
            columns: columns as usize,
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
        let members = self.words(side);
        let mut outside: Words = (self.ground.iter().zip(members))
            .map(|(ground, members)| ground & !members)
            .collect();
        for _ in 0..margin.min(self.terrain.grid().width() + self.terrain.grid().height()) {
            let next = |i: usize| {
                (spread(outside[i], true) | self.beside(&outside, i, true)) & self.ground[i]
            };
            outside = (0..outside.len()).map(next).collect();
        }
        (self.ground.iter().zip(outside))
            .map(|(ground, outside)| ground & !outside)
            .collect()
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
        if self.state(&self.halves[side].members, quad) == Some(Answer::Visible) {
            return;
        }
        match self.state(&self.halves[1 - side].seen, quad) {
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
            if !self.is_mutual() && !self.each_block(&pvs, |index, bits| other[index] & bits == 0) {
                return false;
            }
            if merge {
                self.merge(side, &pvs);
            }
        }
        let mut members = std::mem::take(&mut self.halves[side].members);
        let new = self.add(&mut members, quad);
        self.halves[side].members = members;
        self.halves[side].area += new;
        if self.phase != Phase::Tighten {
            self.queue_neighbours(side, quad);
        }
        true
    }

    fn merge(&mut self, side: usize, pvs: &Pvs<'_>) {
        self.merged += 1;
        let mut seen = std::mem::take(&mut self.halves[side].seen);
        let mut put = |index: usize, bits: u64| {
            seen[index] |= bits;
            true
        };
        match self.options.merge {
            Merge::Lossy if self.halves[side].area > 0 => {
                let mut joining = vec![0; seen.len()];
                pvs.expand(&mut joining);
                self.merge_lossy(&mut seen, &joining, self.terrain.grid().root());
            }
            Merge::Blocks(most) if pvs.pairs() > most => {
                pvs.sweep_blocks(|leaf| self.hand_over(leaf, &mut put));
            }
            _ => {
                self.each_block(pvs, put);
            }
        }
        self.halves[side].seen = seen;
    }

    /// Quads mixed in both are looked into; hidden in both they stay hidden; any other becomes visible as a whole.
    fn merge_lossy(&self, into: &mut [u64], joining: &[u64], quad: Quad) {
        use Answer::{Hidden, Mixed};
        match (self.state(into, quad), self.state(joining, quad)) {
            (None, _) | (_, None) | (Some(Hidden), Some(Hidden)) => {}
            (Some(Mixed), Some(Mixed)) => {
                let children = (0..4).filter_map(|index| quad.child(index));
                for child in children.filter(|child| self.terrain.grid().has_quad(*child)) {
                    self.merge_lossy(into, joining, child);
                }
            }
            _ => {
                self.add(into, quad);
            }
        }
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
            for child in (0..4).filter_map(|index| quad.child(index)) {
                if self.touches(side, child) {
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
        let is_hidden = self.state(&self.halves[1 - side].seen, quad) == Some(Answer::Hidden);
        let Some(pvs) = self.terrain.stored_pvs(quad).filter(|_| is_hidden) else {
            return unknown;
        };
        let (seen, mut taken) = (&self.halves[side].seen, 0);
        self.each_block(&pvs, |index, bits| {
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
        let mut grows = true;
        while grows {
            grows = false;
            for index in (0..members.len()).chain((0..members.len()).rev()) {
                let open = self.ground[index] & !closed[index];
                if open & !members[index] == 0 {
                    continue;
                }
                let before = members[index];
                let mut now = before | self.beside(&members, index, eight) & open;
                loop {
                    let next = now | spread(now, eight) & open;
                    if next == now {
                        break;
                    }
                    now = next;
                }
                members[index] = now;
                grows |= now != before;
            }
        }
        let half = &mut self.halves[side];
        half.area = members
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum();
        half.members = members;
    }

    /// Hands the visible samples of a PVS over, block by block, until `take` says `false`.
    fn each_block(&self, pvs: &Pvs<'_>, mut take: impl FnMut(usize, u64) -> bool) -> bool {
        pvs.sweep(|leaf| self.hand_over(leaf, &mut take))
    }

    fn hand_over(&self, leaf: Leaf, take: &mut impl FnMut(usize, u64) -> bool) -> bool {
        let (quad, bits) = match leaf {
            Leaf::Block(quad, bits) => (quad, bits),
            Leaf::Visible(quad) => (quad, !0),
            Leaf::Hidden(_) => return true,
        };
        let mut take = |index: usize| {
            let bits = bits & self.ground[index];
            bits == 0 || take(index, bits)
        };
        !self.terrain.grid().has_quad(quad) || self.blocks(quad).all(|(index, _)| take(index))
    }

    /// The blocks of a quad of the grid, and the bits of each that are in it.
    fn blocks(&self, quad: Quad) -> impl Iterator<Item = (usize, u64)> + use<> {
        let columns = self.columns;
        let block = |at: u32| at << quad.level >> BLOCK_LEVEL;
        let side = 1 << quad.level.saturating_sub(BLOCK_LEVEL);
        let across = block(quad.column)..(block(quad.column) + side).min(columns as u32);
        let rows = (self.ground.len() / columns) as u32;
        let down = block(quad.row)..(block(quad.row) + side).min(rows);
        let bits = mask(quad);
        down.flat_map(move |row| {
            across
                .clone()
                .map(move |column| (row as usize * columns + column as usize, bits))
        })
    }

    /// What part of a quad's terrain is in a set. `None` if it has no terrain.
    fn state(&self, set: &[u64], quad: Quad) -> Option<Answer> {
        let (mut some, mut gap) = (false, false);
        for (index, bits) in self.blocks(quad) {
            let terrain = self.ground[index] & bits;
            some |= set[index] & terrain != 0;
            gap |= !set[index] & terrain != 0;
            if some && gap {
                return Some(Answer::Mixed);
            }
        }
        match (some, gap) {
            (false, false) => None,
            (false, true) => Some(Answer::Hidden),
            (true, _) => Some(Answer::Visible),
        }
    }

    /// Takes in the terrain of a quad; how many samples are new.
    fn add(&self, set: &mut [u64], quad: Quad) -> u64 {
        let mut new = 0;
        for (index, bits) in self.blocks(quad) {
            let bits = self.ground[index] & bits;
            new += u64::from((bits & !set[index]).count_ones());
            set[index] |= bits;
        }
        new
    }

    /// Whether a sample next to a quad is in a half.
    fn touches(&self, side: usize, quad: Quad) -> bool {
        let grid = self.terrain.grid();
        let has = |column: i64, row: i64| {
            let (Ok(column), Ok(row)) = (column.try_into(), row.try_into()) else {
                return false;
            };
            has(grid, &self.halves[side].members, Sample::new(column, row))
        };
        let length = 1i64 << quad.level;
        let (west, north) = (
            i64::from(quad.column) << quad.level,
            i64::from(quad.row) << quad.level,
        );
        let (east, south) = (west + length, north + length);
        // With corners, a step further on either side.
        let wider = i64::from(self.options.neighbours == Neighbours::Eight);
        (west - wider..east + wider).any(|c| has(c, north - 1) || has(c, south))
            || (north..south).any(|row| has(west - 1, row) || has(east, row))
    }

    /// The samples of a block next to samples of the blocks beside it.
    fn beside(&self, set: &[u64], index: usize, eight: bool) -> u64 {
        let (columns, column) = (self.columns, index % self.columns);
        let word = |dx: isize, dy: isize| {
            let is_inside = column.wrapping_add_signed(dx) < columns;
            let at = index.checked_add_signed(dx + dy * columns as isize);
            at.filter(|_| is_inside)
                .and_then(|at| set.get(at).copied())
                .unwrap_or(0)
        };
        let mut found = 0;
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            if (dx, dy) == (0, 0) || !eight && dx != 0 && dy != 0 {
                continue;
            }
            // What lies beside comes in over one side; over a corner it comes in from a corner.
            let word = word(dx, dy);
            let across = match dx {
                -1 => (word & COLUMN_7) >> 7,
                1 => (word & COLUMN_0) << 7,
                _ => word,
            };
            let moved = match dy {
                -1 => across >> 56,
                1 => across << 56,
                _ => across,
            };
            found |= match (eight, dx, dy) {
                (true, 0, _) => moved | (moved & !COLUMN_7) << 1 | (moved & !COLUMN_0) >> 1,
                (true, _, 0) => moved | moved << 8 | moved >> 8,
                _ => moved,
            };
        }
        found
    }
}

/// Whether a sample is in a block bitmap; `false` outside the grid.
pub fn has(grid: Grid, words: &[u64], sample: Sample) -> bool {
    let (index, bit) = grid.block_bit(sample);
    grid.has_sample(sample) && words[index] >> bit & 1 == 1
}

/// The samples of a block that are in a quad.
fn mask(quad: Quad) -> u64 {
    if quad.level >= BLOCK_LEVEL {
        return !0;
    }
    let (side, inside) = (1 << quad.level, (1 << (BLOCK_LEVEL - quad.level)) - 1);
    let row = ((1u64 << side) - 1) << ((quad.column & inside) * side);
    (0..side).fold(0, |all, at| {
        all | row << (8 * ((quad.row & inside) * side + at))
    })
}

/// The samples of a block next to samples of the same block.
fn spread(word: u64, eight: bool) -> u64 {
    let row = word | (word & !COLUMN_7) << 1 | (word & !COLUMN_0) >> 1;
    let tall = if eight { row } else { word };
    row | tall << 8 | tall >> 8
}

/// Square of the distance from a quad's centre to a sample, in half samples.
fn distance(quad: Quad, to: Sample) -> u64 {
    let centre = |at: u32| ((u64::from(at) * 2 + 1) << quad.level) - 1;
    // Where to go may be far outside the grid.
    let square = |from: u64, to: u32| from.abs_diff(2 * u64::from(to)).saturating_pow(2);
    square(centre(quad.column), to.column).saturating_add(square(centre(quad.row), to.row))
}
