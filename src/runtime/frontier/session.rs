//! Sessions of players on a terrain.

use super::options::FrontierOptions;
use super::region::Frontier;
use super::side::{FrontierError, Side};
use super::state::FrontierBuilder;
use crate::format::Sample;
use crate::runtime::TerrainBundle;
use crate::runtime::session::{At, Notice, Players, World};
use crate::runtime::within::Extent;

/// How a session keeps its players silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub struct SessionOptions {
    /// How frontier sets are grown.
    pub frontier: FrontierOptions,
    /// Renegotiate this many steps before the edge of a half is reached: what a player walks
    /// while the news is on its way.
    pub margin: u32,
    /// A frontier set that lasted for fewer ticks was not worth its while: that pair waits for as
    /// long before it gets another, twice as long after each further one, up to eight times.
    pub patience: u32,
    /// Whether the players are peers who know of each other what they are told and nothing else:
    /// then a pair without a frontier set exchanges positions on every move (figure 4). Else the
    /// session is a server that knows them all, and tells only what may be seen.
    pub peers: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            frontier: FrontierOptions::default(),
            margin: 0,
            patience: 20,
            peers: false,
        }
    }
}

/// Players on a terrain, and the frontier sets between them.
///
/// Moves go in, notices come out; a pair that keeps silent costs two bit tests a move. When one
/// player needs sets with several others at once, one is grown for all of them, as far as they
/// are hidden from what that player's half sees.
#[derive(Debug)]
pub struct Session<'a> {
    players: Players<Growing<'a>>,
}

/// A terrain, and how sets are grown on it.
#[derive(Debug)]
pub(crate) struct Growing<'a> {
    builder: FrontierBuilder<'a>,
    frontier: FrontierOptions,
    margin: u32,
}

impl<'a> Growing<'a> {
    pub(crate) fn new(terrain: &TerrainBundle<'a>, options: &SessionOptions) -> Self {
        Self {
            builder: FrontierBuilder::new(terrain),
            frontier: options.frontier,
            margin: options.margin,
        }
    }

    pub(crate) fn terrain(&self) -> &TerrainBundle<'a> {
        self.builder.terrain()
    }
}

impl World for Growing<'_> {
    type Place = Sample;
    type Half = Frontier;

    fn is_mutual(&self) -> bool {
        self.builder.terrain().parameters().mutual
    }

    fn visible(&self, from: Sample, to: Sample) -> bool {
        self.builder.terrain().visible(from, to)
    }

    fn contains(half: &Frontier, place: Sample) -> bool {
        half.contains(place)
    }

    fn extent(&self, place: Sample) -> Extent {
        let [dx, dy] = self.terrain().parameters().spacing;
        let middle = [f64::from(place.column) * dx, f64::from(place.row) * dy, 0.0];
        Extent::ball(middle, 0.0)
    }

    fn visible_between(&self, a: &Extent, b: &Extent) -> bool {
        self.terrain().visible_between(a, b)
    }

    fn contains_all(&self, half: &Frontier, region: &Extent) -> bool {
        let mut samples = self.terrain().samples_in(region);
        samples.all(|sample| half.contains(sample))
    }

    fn begin(&mut self, here: Sample, there: Sample) {
        // Both stand on terrain: places are checked when they are told.
        let _ = self.builder.begin(here, there, &self.frontier);
    }

    fn join(&mut self, place: Sample) -> bool {
        self.builder.join(Side::B, place)
    }

    fn finish(&mut self) -> [Frontier; 2] {
        while !self.builder.step(u32::MAX) {}
        Side::BOTH.map(|side| self.builder.core(side, self.margin))
    }
}

impl<'a> Session<'a> {
    /// A session of so many players, none of whom is anywhere yet.
    pub fn new(terrain: &TerrainBundle<'a>, players: usize, options: SessionOptions) -> Self {
        Self {
            players: Players::new(
                Growing::new(terrain, &options),
                players,
                options.patience,
                options.peers,
            ),
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

    /// The sample at a position, in metres east and south of sample (0, 0) ([`TerrainBundle::locate`]).
    pub fn locate(&self, east: f64, south: f64) -> Option<Sample> {
        self.players.world.terrain().locate(east, south)
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

    /// The ground has changed, and `terrain` is how it is now ([`crate::runtime::Layers`]). Frontier
    /// sets that are no longer true are dropped, and only those; `tell` is called with what both
    /// players of such a pair are to know. What follows is asked of `terrain`.
    ///
    /// Takes time for each set: for each pair of blocks of 8 × 8 samples of its two halves that of a
    /// query. Allocates.
    ///
    /// # Errors
    ///
    /// Where the terrain has other sides; then nothing has changed.
    pub fn ground_changed(
        &mut self,
        terrain: &TerrainBundle<'a>,
        tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        let (grid, old) = (terrain.grid(), self.players.world.builder.terrain().grid());
        if (grid.width(), grid.height()) != (old.width(), old.height()) {
            return Err(FrontierError::OtherSize {
                expected: [old.width(), old.height()],
                found: [grid.width(), grid.height()],
            });
        }
        self.players.world.builder = FrontierBuilder::new(terrain);
        let holds = |_: &Growing<'a>, halves: &_| is_true(terrain, halves);
        self.players.drop_sets(holds, tell);
        Ok(())
    }

    /// A player has moved, come (from nowhere) or gone (to nowhere). Calls `tell` with what
    /// follows from it. Errors where nobody can stand, and where there is no such player; then nobody has moved.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use viewcell::{frontier::{Session, SessionOptions}, query::{Sample, TerrainBundle}};
    /// # fn f(terrain: TerrainBundle<'_>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = Session::new(&terrain, 32, SessionOptions::default());
    /// session.tick();
    /// session.move_to(3, Some(Sample::new(140, 77)), |notice| {
    ///     println!("tell {} about {}", notice.to, notice.about);
    /// })?;
    /// # Ok(()) }
    /// ```
    pub fn move_to(
        &mut self,
        player: usize,
        place: Option<Sample>,
        tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        if let Some(place) = place {
            check_place(self.players.world.terrain(), place)?;
        }
        self.players.move_to(player, place.map(At::from), tell)
    }

    /// The same where news takes time. `reach` is where the player, who is at `place`, may be while clients go by
    /// what is told now: what [`Motion::region`] says. Told of is who may be seen from anywhere in a reach, and a
    /// pair keeps silent only while the reaches of both lie in their halves: nobody is told too late.
    ///
    /// [`Motion::region`]: crate::query::Motion::region
    pub fn move_within(
        &mut self,
        player: usize,
        place: Sample,
        reach: Extent,
        tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        check_place(self.players.world.terrain(), place)?;
        let reach = Some(reach);
        let at = At { place, reach };
        self.players.move_to(player, Some(at), tell)
    }
}

/// Whether nobody in one half of a set sees anybody in the other.
pub(crate) fn is_true(terrain: &TerrainBundle, [a, b]: &[Frontier; 2]) -> bool {
    let hidden = |from: &Frontier, to: &Frontier| {
        from.blocks().all(|(viewer, bits)| {
            to.blocks()
                .all(|(target, seen)| !may_see(terrain, (viewer, bits), (target, seen)))
        })
    };
    hidden(a, b) && (terrain.parameters().mutual || hidden(b, a))
}

/// Whether somebody can be at a place.
pub(crate) fn check_place(terrain: &TerrainBundle, place: Sample) -> Result<(), FrontierError> {
    if !terrain.grid().has_sample(place) {
        return Err(FrontierError::Outside(place));
    }
    if !terrain.valid().has_sample(place) {
        return Err(FrontierError::Void(place));
    }
    Ok(())
}

/// A block, and samples in it as a word of a block bitmap.
type Part = ((u32, u32), u64);

/// Whether any of some samples of a block may see any of some samples of another.
fn may_see(terrain: &TerrainBundle, (viewer, from): Part, (target, to): Part) -> bool {
    let known = terrain.part_sees(viewer, from, target, to);
    if let (Some(sees), None) = (known, terrain.narrowing()) {
        return sees;
    }
    let samples = |((column, row), bits): Part| {
        let place = move |bit: u32| Sample::new(column << 3 | bit & 7, row << 3 | bit >> 3);
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(place)
    };
    samples((viewer, from)).any(|a| samples((target, to)).any(|b| terrain.visible(a, b)))
}
