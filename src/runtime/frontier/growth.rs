//! Growing a frontier set (thesis section 3.5).

use core::fmt;

use super::flood::{flood, widen};
use super::lossy;
use super::options::{FrontierOptions, Grow, Merge, Neighbours, Order, Turns};
use super::queue::Queue;
use super::region::{Frontier, Region};
use super::samples::{Ground, Samples};
use crate::format::{Quad, Sample, Visibility};
use crate::runtime::{Pvs, TerrainBundle};

/// One of two players, and the half of a frontier set that is theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first player.
    A,
    /// The second player.
    B,
}

impl Side {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// A place where no player stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontierError {
    /// The sample is outside the grid.
    Outside(Sample),
    /// The sample is a void: no terrain.
    Void(Sample),
}

impl fmt::Display for FrontierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Outside(Sample { column, row }) | Self::Void(Sample { column, row })) = self;
        write!(f, "{column},{row} is ")?;
        f.write_str(match self {
            Self::Outside(_) => "outside the grid",
            Self::Void(_) => "a void, where nobody can stand; take a sample that has terrain",
        })
    }
}

impl std::error::Error for FrontierError {}

/// How far a frontier set is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Step 2: both grow.
    Grow,
    /// Step 3: this one grows on.
    Extend(Side),
    /// To be tightened.
    Tighten,
    Done,
}

/// The half of one player.
#[derive(Clone, Debug)]
struct Half {
    start: Sample,
    members: Samples,
    /// Everything that some member may see: the merged PVS of the frontier.
    seen: Samples,
    queue: Queue,
    /// A bit for each quad that has been in the queue.
    met: Vec<u64>,
    area: u64,
}

/// Grows frontier sets: two regions, one around each player, no sample of one visible from any
/// sample of the other, nor the other way round.
///
/// Reusable: all memory is allocated by [`FrontierBuilder::new`]. Take one a thread.
///
/// The set may be used after any number of steps, since no step ever breaks the promise: a quad
/// joins a frontier only when nothing that the other frontier may see lies in it, and, in a
/// bundle that is not mutual, when it sees nothing of the other frontier either.
///
/// ```no_run
/// # use viewcell::runtime::{TerrainBundle, Sample};
/// use viewcell::runtime::frontier::{FrontierBuilder, FrontierOptions, Side};
/// # fn f(terrain: TerrainBundle<'_>, alice: Sample, bob: Sample) -> Result<(), Box<dyn std::error::Error>> {
/// let mut builder = FrontierBuilder::new(&terrain);
/// builder.build(alice, bob, &FrontierOptions::default())?;
/// let (hers, his) = (builder.region(Side::A), builder.region(Side::B));
/// // While she is in hers and he in his, they need not hear of each other.
/// assert!(hers.contains(alice) && his.contains(bob) || hers.area() + his.area() == 0);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct FrontierBuilder<'a> {
    terrain: TerrainBundle<'a>,
    ground: Ground,
    /// Index of the first quad of each level.
    first: Vec<u64>,
    a: Half,
    b: Half,
    scratch: [Samples; 2],
    /// A bit a block.
    waiting: Vec<u64>,
    options: FrontierOptions,
    phase: Phase,
    turn: Side,
    tried: u64,
    merged: u64,
    /// Whose `seen` lacks what some of their members may see: that of an extended frontier.
    unmerged: Option<Side>,
}

/// Most quads that wait on one side.
const QUEUE: u64 = 1 << 16;

impl<'a> FrontierBuilder<'a> {
    /// Makes room for frontier sets of a terrain: some two bytes a sample.
    pub fn new(terrain: &TerrainBundle<'a>) -> Self {
        let grid = terrain.grid();
        let ground = Ground::new(terrain);
        let mut first = Vec::new();
        let mut count = 0;
        for level in 0..grid.levels() {
            first.push(count);
            let (columns, rows) = grid.quads_at(level);
            count += u64::from(columns) * u64::from(rows);
        }
        let half = Half {
            start: Sample::new(0, 0),
            members: Samples::none(&ground),
            seen: Samples::none(&ground),
            queue: Queue::new(count.min(QUEUE) as usize),
            met: vec![0; count.div_ceil(64) as usize],
            area: 0,
        };
        Self {
            terrain: *terrain,
            first,
            b: half.clone(),
            a: half,
            waiting: vec![0; ground.len().div_ceil(64)],
            scratch: [Samples::none(&ground), Samples::none(&ground)],
            ground,
            options: FrontierOptions::default(),
            phase: Phase::Done,
            turn: Side::A,
            tried: 0,
            merged: 0,
            unmerged: None,
        }
    }

    /// Builds the frontier set of two players to its end.
    ///
    /// Empty where one can see the other: so are frontiers from a sample to itself, and where
    /// the bundle is damaged. Errors where nobody can stand.
    pub fn build(
        &mut self,
        a: Sample,
        b: Sample,
        options: &FrontierOptions,
    ) -> Result<(), FrontierError> {
        self.begin(a, b, options)?;
        while !self.step(u32::MAX) {}
        Ok(())
    }

    /// Begins the frontier set of two players: the maximal mutually invisible quads around them
    /// (step 1), or their samples. Go on with [`FrontierBuilder::step`]. The set before this one
    /// is forgotten, also where this errors: where nobody can stand.
    pub fn begin(
        &mut self,
        a: Sample,
        b: Sample,
        options: &FrontierOptions,
    ) -> Result<(), FrontierError> {
        for (half, start) in [(&mut self.a, a), (&mut self.b, b)] {
            half.start = start;
            half.members.clear();
            half.seen.clear();
            half.queue.clear();
            half.met.fill(0);
            half.area = 0;
        }
        self.options = *options;
        self.phase = Phase::Done;
        self.turn = Side::A;
        (self.tried, self.merged) = (0, 0);
        self.unmerged = None;
        for place in [a, b] {
            if !self.terrain.grid().has_sample(place) {
                return Err(FrontierError::Outside(place));
            }
            if !self.terrain.valid().has_sample(place) {
                return Err(FrontierError::Void(place));
            }
        }
        if !self.mutually_invisible(a.quad(), b.quad()) {
            return Ok(());
        }
        let (mut of_a, mut of_b) = (a.quad(), b.quad());
        if options.grow == Grow::Hierarchical {
            [of_a, of_b] = maximal_quads(of_a, of_b, self.terrain.grid().root_level(), |a, b| {
                self.mutually_invisible(a, b)
            });
        }
        self.phase = if options.grow == Grow::Hierarchical
            && options.give_up
            && of_a.level == 0
            && of_b.level == 0
        {
            Phase::Tighten
        } else {
            Phase::Grow
        };
        // Where a PVS is damaged there is no frontier set at all.
        if !(self.take(Side::A, of_a, true) && self.take(Side::B, of_b, true)) {
            for half in [&mut self.a, &mut self.b] {
                half.members.clear();
                half.area = 0;
            }
            self.phase = Phase::Done;
        }
        Ok(())
    }

    /// Lets another player into one side while the set grows, if the other side sees nothing of
    /// where they stand; returns whether they are in. The set is then one for all of the side's
    /// players: none of them sees the other side from anywhere in it.
    pub fn join(&mut self, side: Side, place: Sample) -> bool {
        let is_hidden = |builder: &Self, quad| {
            let seen = &builder.half(side.other()).seen;
            seen.state(&builder.ground, quad) == Some(Visibility::Hidden)
        };
        if self.half(side).members.has(&self.ground, place) {
            return true;
        }
        if self.phase != Phase::Grow
            || self.half(side.other()).area == 0
            || !self.terrain.grid().has_sample(place)
            || !is_hidden(self, place.quad())
        {
            return false;
        }
        let mut quad = place.quad();
        while quad.level < self.terrain.grid().root_level() && is_hidden(self, quad.parent()) {
            quad = quad.parent();
        }
        self.take(side, quad, true) || quad.level > 0 && self.take(side, place.quad(), true)
    }

    /// Goes on for at most so many quads; returns whether the set has come to its end. The work
    /// for one quad is at most one PVS read, and the tightening at the end counts as one.
    pub fn step(&mut self, quads: u32) -> bool {
        for _ in 0..quads {
            match self.phase {
                Phase::Grow => self.grow(),
                Phase::Extend(side) => match self.next(side) {
                    Some(quad) => self.consider(side, quad),
                    None => self.phase = Phase::Tighten,
                },
                Phase::Tighten => {
                    self.tighten();
                    self.phase = Phase::Done;
                }
                Phase::Done => break,
            }
        }
        self.phase == Phase::Done
    }

    /// Whether the set has come to its end.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// One player's half as it is now.
    pub fn region(&self, side: Side) -> Region<'_> {
        let half = self.half(side);
        Region::whole(self.terrain.grid(), half.members.words(), half.area)
    }

    /// One player's half without the samples from which `margin` steps, straight or diagonal, lead
    /// to terrain outside it: who leaves this core has that long to agree on a new frontier set
    /// before the old one is left. With a margin of 0, the half itself. Allocates the copy.
    pub fn core(&mut self, side: Side, margin: u32) -> Frontier {
        let [outside, wider] = &mut self.scratch;
        let (half, ground) = match side {
            Side::A => (&self.a, &self.ground),
            Side::B => (&self.b, &self.ground),
        };
        if margin == 0 || half.area == 0 {
            return self.region(side).to_frontier();
        }
        outside.copy_rest(&half.members, ground);
        for _ in 0..margin {
            widen(outside, wider, ground);
            core::mem::swap(outside, wider);
            if outside == wider {
                break;
            }
        }
        wider.copy_rest(outside, ground);
        Region::whole(ground.grid(), wider.words(), wider.count()).to_frontier()
    }

    /// Whether steps 1 and 2 of thesis section 3.5 are over: what joins from now on is of one
    /// half alone.
    pub fn is_grown(&self) -> bool {
        self.phase != Phase::Grow
    }

    /// Number of quads tried, and of PVSs merged, for the set as it is now.
    pub fn work(&self) -> (u64, u64) {
        (self.tried, self.merged)
    }

    /// The bundle.
    pub fn terrain(&self) -> &TerrainBundle<'a> {
        &self.terrain
    }

    fn half(&self, side: Side) -> &Half {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    fn half_mut(&mut self, side: Side) -> &mut Half {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }

    fn is_mutual(&self) -> bool {
        self.terrain.parameters().mutual
    }

    fn mutually_invisible(&self, a: Quad, b: Quad) -> bool {
        let hidden = |a, b| self.terrain.visible_quads(a, b) == Visibility::Hidden;
        hidden(a, b) && (self.is_mutual() || hidden(b, a))
    }

    fn grow(&mut self) {
        if self
            .options
            .budget
            .is_some_and(|most| self.tried >= u64::from(most))
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

    fn next(&mut self, side: Side) -> Option<Quad> {
        self.half_mut(side).queue.pop()
    }

    /// Step 2 for one quad.
    fn consider(&mut self, side: Side, quad: Quad) {
        self.tried += 1;
        let half = self.half(side);
        if half.members.state(&self.ground, quad) == Some(Visibility::Visible) {
            return; // inside a quad taken before
        }
        match self.half(side.other()).seen.state(&self.ground, quad) {
            None | Some(Visibility::Visible) => {}
            Some(Visibility::Hidden) => {
                let last = matches!(self.phase, Phase::Extend(_));
                if !self.take(side, quad, !last) {
                    self.descend(side, quad);
                }
            }
            Some(Visibility::Unknown) => self.descend(side, quad),
        }
    }

    /// Adds a quad of which nothing is seen from the other frontier, and queues its neighbours.
    /// Returns whether it could: not if the quad itself sees something of the other frontier (in
    /// a bundle that is not mutual), nor if its PVS is damaged.
    fn take(&mut self, side: Side, quad: Quad, merge: bool) -> bool {
        let mutual = self.is_mutual();
        if merge || !mutual {
            let Some(pvs) = self.terrain.pvs(quad) else {
                return false;
            };
            let other = &self.half(side.other()).members;
            if !mutual && !other.is_hidden_from(&self.ground, &pvs) {
                return false;
            }
            if merge {
                self.merge(side, &pvs);
            }
        }
        let (half, ground) = match side {
            Side::A => (&mut self.a, &self.ground),
            Side::B => (&mut self.b, &self.ground),
        };
        half.area += half.members.add(ground, quad);
        if self.phase != Phase::Tighten {
            self.queue_neighbours(side, quad);
        }
        true
    }

    fn merge(&mut self, side: Side, pvs: &Pvs<'_>) {
        self.merged += 1;
        let (half, ground) = match side {
            Side::A => (&mut self.a, &self.ground),
            Side::B => (&mut self.b, &self.ground),
        };
        if self.options.merge == Merge::Lossless || half.area == 0 {
            half.seen.merge(ground, pvs);
        } else {
            let [scratch, _] = &mut self.scratch;
            pvs.expand(scratch.words_mut());
            lossy::merge(&mut half.seen, ground, scratch);
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
        if quad.level <= self.options.finest {
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

    /// The highest of a quad's corners and its centre, as far as they are terrain.
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
        let (half, other) = (self.half(side), self.half(side.other()));
        let unknown = 1 << 63 | u64::from(u32::MAX - quad.level);
        if other.seen.state(&self.ground, quad) != Some(Visibility::Hidden) {
            return unknown;
        }
        let Some(pvs) = self.terrain.pvs(quad) else {
            return unknown;
        };
        let taken = half.seen.lacks(&self.ground, &pvs);
        let added = self.terrain.valid().count(quad).max(1);
        (taken << 16) / added
    }

    /// What one frontier does not see joins the other, as far as it is connected.
    fn tighten(&mut self) {
        if !self.options.tighten || !self.is_mutual() || self.a.area == 0 {
            return;
        }
        // Only one of the two can be given the rest, since nobody asks what those samples see.
        // After an extension that one is settled already.
        let by = self.options.neighbours;
        let smaller = if self.b.area < self.a.area {
            Side::B
        } else {
            Side::A
        };
        let side = self.unmerged.unwrap_or(smaller);
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
fn maximal_quads(
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
    let square = |from: u64, to: u32| from.abs_diff(2 * u64::from(to)).pow(2);
    square(centre(quad.column), to.column) + square(centre(quad.row), to.row)
}
