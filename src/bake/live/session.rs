//! Players on ground that changes, and the frontier sets between them.

use std::sync::Arc;

use self_cell::self_cell;

use super::rebaker::{Rebaker, Shared};
use super::snapshot::Snapshot;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::{Grid, Openings, Quad, Sample};
use crate::runtime::frontier::{
    Frontier, FrontierError, Growing, Notice, SessionOptions, check_place, is_true,
};
use crate::runtime::session::{At, Players, World};
use crate::runtime::{Extent, TerrainBundle};

self_cell!(
    /// A snapshot, and what grows sets on it.
    struct Grower {
        owner: Arc<Snapshot>,
        #[covariant]
        dependent: Growing,
    }
);

/// The ground as a session knows it.
struct Live {
    grower: Grower,
    options: SessionOptions,
}

impl Live {
    fn new(snapshot: Arc<Snapshot>, options: SessionOptions) -> Self {
        let grower = Grower::new(snapshot, |snapshot| {
            Growing::new(&snapshot.terrain(), &options)
        });
        Self { grower, options }
    }

    fn snapshot(&self) -> &Arc<Snapshot> {
        self.grower.borrow_owner()
    }

    fn terrain(&self) -> &TerrainBundle<'_> {
        self.grower.borrow_dependent().terrain()
    }
}

impl World for Live {
    type Place = Sample;
    type Half = Frontier;

    fn is_mutual(&self) -> bool {
        self.grower.borrow_dependent().is_mutual()
    }

    fn visible(&self, from: Sample, to: Sample) -> bool {
        self.grower.borrow_dependent().visible(from, to)
    }

    fn contains(half: &Frontier, place: Sample) -> bool {
        half.contains(place)
    }

    fn extent(&self, place: Sample) -> Extent {
        self.grower.borrow_dependent().extent(place)
    }

    fn visible_between(&self, a: &Extent, b: &Extent) -> bool {
        self.terrain().visible_between(a, b)
    }

    fn contains_all(&self, half: &Frontier, region: &Extent) -> bool {
        self.grower.borrow_dependent().contains_all(half, region)
    }

    fn begin(&mut self, here: Sample, there: Sample) {
        self.grower
            .with_dependent_mut(|_, growing| growing.begin(here, there));
    }

    fn join(&mut self, place: Sample) -> bool {
        self.grower
            .with_dependent_mut(|_, growing| growing.join(place))
    }

    fn finish(&mut self) -> [Frontier; 2] {
        self.grower
            .with_dependent_mut(|_, growing| growing.finish())
    }
}

/// Players on the ground of a [`Rebaker`], and the frontier sets between them: as
/// [`Session`](crate::frontier::Session), whatever happens to the ground.
///
/// All answers are of the snapshot at which they are asked for. Sets are grown while changes wait,
/// too: no member of the one half may be seen from the other then either.
pub struct LiveSession {
    shared: Arc<Shared>,
    players: Players<Live>,
}

impl LiveSession {
    /// A session of so many players, none of whom is anywhere yet.
    pub fn new(rebaker: &Rebaker, players: usize, options: SessionOptions) -> Self {
        let live = Live::new(rebaker.now(), options);
        Self {
            shared: rebaker.shared.clone(),
            players: Players::new(live, players, options.patience, options.peers),
        }
    }

    /// Lets a tick pass: the unit of ages and of patience.
    pub fn tick(&mut self) {
        self.players.tick();
    }

    /// Number of frontier sets grown so far.
    pub fn sets(&self) -> u64 {
        self.players.sets()
    }

    /// Where a player is.
    pub fn place(&self, player: usize) -> Option<Sample> {
        self.players.place(player)
    }

    /// For how many ticks the frontier set of two players has lasted; `None` if they have none.
    pub fn age(&self, player: usize, other: usize) -> Option<u64> {
        self.players.age(player, other)
    }

    /// A player's own half of the frontier set with another, without the margin.
    pub fn half(&self, player: usize, other: usize) -> Option<&Frontier> {
        self.players.half(player, other)
    }

    /// How many times the ground had changed when the session last looked.
    pub fn version(&self) -> u64 {
        self.players.world.snapshot().version()
    }

    /// Looks what has become of the ground. Frontier sets that a change may have made untrue are
    /// dropped, and only those; `tell` is called with what both players of such a pair are to know.
    /// To be called when a stamp is in, before the next tick; [`LiveSession::move_to`] does so
    /// itself.
    ///
    /// Next to nothing where nothing has changed. Else it makes room for new sets, and looks at
    /// each set: at those pairs of quads of its halves between which sight can pass what has
    /// changed. Allocates.
    pub fn follow(&mut self, tell: impl FnMut(Notice)) {
        let world = &mut self.players.world;
        let now = self.shared.now.load_full();
        if Arc::ptr_eq(&now, world.snapshot()) {
            return;
        }
        let before = world.snapshot().version();
        *world = Live::new(now.clone(), world.options);
        if now.version() == before {
            return;
        }
        let holds = |live: &Live, halves: &[Frontier; 2]| match now.since(before) {
            Some(openings) => !opens(&openings, live.terrain(), halves),
            None => is_true(live.terrain(), halves),
        };
        self.players.drop_sets(holds, tell);
    }

    /// A player has moved, come (from nowhere) or gone (to nowhere). Calls `tell` with what follows
    /// from it, and from what has happened to the ground. Errors where nobody can stand, and where there
    /// is no such player; then nobody has moved.
    pub fn move_to(
        &mut self,
        player: usize,
        place: Option<Sample>,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        self.follow(&mut tell);
        if let Some(place) = place {
            check_place(self.players.world.terrain(), place)?;
        }
        self.players.move_to(player, place.map(At::from), tell)
    }

    /// The same where news takes time, as [`Session::move_within`](crate::frontier::Session::move_within).
    pub fn move_within(
        &mut self,
        player: usize,
        place: Sample,
        reach: Extent,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        self.follow(&mut tell);
        check_place(self.players.world.terrain(), place)?;
        let reach = Some(reach);
        let at = At { place, reach };
        self.players.move_to(player, Some(at), tell)
    }
}

/// Whether anybody in one half of a set may see anybody in the other by some openings.
fn opens(openings: &Openings, terrain: &TerrainBundle, halves: &[Frontier; 2]) -> bool {
    let [a, b] = halves
        .each_ref()
        .map(|half| Occupied::new(terrain.grid(), half));
    let root = terrain.grid().root();
    a.opens(openings, root, &b, root)
        || !terrain.parameters().mutual && b.opens(openings, root, &a, root)
}

/// Which quads of level 3 and more somebody may be in.
struct Occupied {
    grid: Grid,
    /// A word for each block, row by row.
    words: Vec<u64>,
    /// By quad, from level 3 on.
    any: Vec<bool>,
}

impl Occupied {
    fn new(grid: Grid, half: &Frontier) -> Self {
        let mut words = vec![0; grid.blocks()];
        let (columns, _) = grid.block_shape();
        for ((column, row), bits) in half.blocks() {
            words[(row * columns + column) as usize] = bits;
        }
        let mut occupied = Self {
            grid,
            any: words.iter().map(|word| *word != 0).collect(),
            words,
        };
        for level in BLOCK_LEVEL + 1..grid.levels() {
            let (columns, rows) = grid.quads_at(level);
            for row in 0..rows {
                for column in 0..columns {
                    let children = (0..4).filter_map(|i| Quad::new(level, column, row).child(i));
                    let any = children.into_iter().any(|child| occupied.has(child));
                    occupied.any.push(any);
                }
            }
        }
        occupied
    }

    fn has(&self, quad: Quad) -> bool {
        let first = self.grid.first_index(BLOCK_LEVEL);
        let index = self.grid.quad_index(quad);
        index.is_some_and(|index| self.any[(index - first) as usize])
    }

    fn word(&self, block: Quad) -> u64 {
        let (columns, _) = self.grid.block_shape();
        self.words[(block.row * columns + block.column) as usize]
    }

    /// Whether somebody in quad `own` of this half may see somebody in quad `its` of the other.
    fn opens(&self, openings: &Openings, own: Quad, other: &Self, its: Quad) -> bool {
        if !self.has(own) || !other.has(its) || !openings.may_open(own, its) {
            return false;
        }
        let mut parts = (0..4).map(|index| (own.child(index), its.child(index)));
        match (own.level > BLOCK_LEVEL, its.level > BLOCK_LEVEL) {
            (false, false) => openings.may_open_any(own, self.word(own), its, other.word(its)),
            (true, _) if own.level >= its.level => parts.any(|(child, _)| {
                child.is_some_and(|child| self.opens(openings, child, other, its))
            }),
            _ => parts.any(|(_, child)| {
                child.is_some_and(|child| self.opens(openings, own, other, child))
            }),
        }
    }
}
