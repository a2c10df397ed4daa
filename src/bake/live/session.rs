//! Players on ground that changes, and the frontier sets between them.

use std::fmt;
use std::sync::Arc;

use self_cell::self_cell;

use super::rebaker::{Rebaker, Shared};
use super::snapshot::Snapshot;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::{Grid, Openings, Quad, Sample};
use viewcell::frontier::{Frontier, FrontierBuilder, FrontierError};
use viewcell::query::{Extent, TerrainBundle};
use viewcell::session::{Session, SessionOptions, SessionWorld};

self_cell!(
    /// A snapshot, and its terrain.
    struct View {
        owner: Arc<Snapshot>,
        #[covariant]
        dependent: TerrainBundle,
    }

    impl {Debug}
);

self_cell!(
    /// A snapshot, and what grows frontier sets on it.
    pub struct LiveSets {
        owner: Arc<Snapshot>,
        #[not_covariant]
        dependent: FrontierBuilder,
    }

    impl {Debug}
);

/// The ground of a [`Rebaker`], as a session knows it.
pub struct LiveGround {
    shared: Arc<Shared>,
    view: View,
}

/// Players on the ground of a [`Rebaker`], and the frontier sets between them: [`Rebaker::session`] begins one.
///
/// All answers are of the snapshot at which they are asked for. [`Session::follow`] looks at those pairs of quads of
/// the halves of each set between which sight can pass what has changed. Sets are grown while changes wait,
/// too: no member of the one half may be seen from the other then either.
pub type LiveSession = Session<LiveGround>;

impl Rebaker {
    /// A session of so many players on this ground, none of whom is anywhere yet.
    pub fn session(&self, players: usize, options: SessionOptions) -> LiveSession {
        Session::of(
            LiveGround::new(self.shared.clone(), self.now()),
            players,
            options,
        )
    }
}

impl fmt::Debug for LiveGround {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}

impl LiveGround {
    fn new(shared: Arc<Shared>, now: Arc<Snapshot>) -> Self {
        let view = View::new(now, |now| now.terrain());
        Self { shared, view }
    }

    /// The snapshot that the session looked at last.
    pub fn snapshot(&self) -> &Snapshot {
        self.view.borrow_owner()
    }

    fn terrain(&self) -> &TerrainBundle<'_> {
        self.view.borrow_dependent()
    }
}

impl SessionWorld for LiveGround {
    type Place = Sample;
    type Half = Frontier;
    type Builder = LiveSets;

    fn builder(&self) -> LiveSets {
        let now = self.view.borrow_owner().clone();
        LiveSets::new(now, |now| now.terrain().builder())
    }

    fn check(&self, place: Sample) -> Result<(), FrontierError> {
        self.terrain().check(place)
    }

    fn is_mutual(&self) -> bool {
        self.terrain().is_mutual()
    }

    fn visible(&self, from: Sample, to: Sample) -> bool {
        self.terrain().visible(from, to)
    }

    fn extent(&self, place: Sample) -> Extent {
        self.terrain().extent(place)
    }

    fn sees(&self, from: &Extent, to: &Extent) -> bool {
        self.terrain().sees(from, to)
    }

    fn contains(half: &Frontier, place: Sample) -> bool {
        half.contains(place)
    }

    fn contains_all(&self, half: &Frontier, region: &Extent) -> bool {
        self.terrain().contains_all(half, region)
    }

    fn begin(sets: &mut LiveSets, here: Sample, there: Sample, options: &SessionOptions) {
        sets.with_dependent_mut(|_, sets| TerrainBundle::begin(sets, here, there, options));
    }

    fn join(sets: &mut LiveSets, place: Sample) -> bool {
        sets.with_dependent_mut(|_, sets| TerrainBundle::join(sets, place))
    }

    fn finish(sets: &mut LiveSets, options: &SessionOptions) -> [Frontier; 2] {
        sets.with_dependent_mut(|_, sets| TerrainBundle::finish(sets, options))
    }

    fn now(&self) -> Option<Self> {
        let now = self.shared.now.load_full();
        let is_other = !Arc::ptr_eq(&now, self.view.borrow_owner());
        is_other.then(|| Self::new(self.shared.clone(), now))
    }

    fn keeps(&self, before: &Self, halves: &[Frontier; 2]) -> bool {
        let [now, before] = [self, before].map(Self::snapshot);
        match now.since(before.version()) {
            _ if now.version() == before.version() => true,
            Some(openings) => !opens(&openings, self.terrain(), halves),
            None => self.terrain().keeps(self.terrain(), halves),
        }
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
