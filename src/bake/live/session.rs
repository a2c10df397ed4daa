//! Players on ground that changes, and the frontier sets between them.

use std::fmt;
use std::sync::Arc;

use self_cell::self_cell;

use super::rebaker::{Rebaker, Shared};
use super::snapshot::Snapshot;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::{Grid, Openings, Quad};
use viewcell::frontier::Frontier;
use viewcell::query::World;
use viewcell::session::{Half, Session, SessionOptions, SessionWorld, Sets};

self_cell!(
    /// A snapshot, and its terrain as a world.
    struct View {
        owner: Arc<Snapshot>,
        #[covariant]
        dependent: World,
    }

    impl {Debug}
);

self_cell!(
    /// A snapshot, and what grows frontier sets on it.
    pub struct LiveSets {
        owner: Arc<Snapshot>,
        #[not_covariant]
        dependent: Sets,
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
        let view = View::new(now, |now| World::Terrain(now.terrain()));
        Self { shared, view }
    }

    /// The snapshot that the session looked at last.
    pub fn snapshot(&self) -> &Snapshot {
        self.view.borrow_owner()
    }
}

impl SessionWorld for LiveGround {
    type Sets = LiveSets;

    fn world(&self) -> &World<'_> {
        self.view.borrow_dependent()
    }

    fn sets(&self) -> LiveSets {
        let now = self.view.borrow_owner().clone();
        LiveSets::new(now, |now| Sets::new(&World::Terrain(now.terrain())))
    }

    fn with_sets<R>(sets: &mut LiveSets, work: impl FnOnce(&mut Sets<'_>) -> R) -> R {
        sets.with_dependent_mut(|_, sets| work(sets))
    }

    fn now(&self) -> Option<Self> {
        let now = self.shared.now.load_full();
        let is_other = !Arc::ptr_eq(&now, self.view.borrow_owner());
        is_other.then(|| Self::new(self.shared.clone(), now))
    }

    fn keeps(&self, before: &Self, halves: &[Half; 2]) -> bool {
        let [now, before] = [self, before].map(Self::snapshot);
        match now.since(before.version()) {
            _ if now.version() == before.version() => true,
            Some(openings) => !opens(&openings, self.world(), halves),
            None => self.world().keeps(self.world(), halves),
        }
    }
}

/// Whether anybody in one half of a set may see anybody in the other by some openings.
fn opens(openings: &Openings, world: &World<'_>, halves: &[Half; 2]) -> bool {
    let (World::Terrain(terrain), [Half::Terrain(a), Half::Terrain(b)]) = (world, halves) else {
        return true;
    };
    let grid = terrain.grid();
    let [a, b] = [a, b].map(|half| Occupied::new(grid, half));
    a.opens(openings, grid.root(), &b, grid.root())
        || !world.is_mutual() && b.opens(openings, grid.root(), &a, grid.root())
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
