//! Sessions of players in a level of cells.

use super::CellBundle;
use super::sets::Construction;
use crate::format::cells::{MAX_CELLS, SymmetryCode};
use crate::runtime::frontier::FrontierError;
use crate::runtime::session::{At, Notice, Players, World};
use crate::runtime::within::Extent;

/// How a session keeps its players silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub struct SessionOptions {
    /// How frontier sets are made.
    pub construction: Construction,
    /// A frontier set that lasted for fewer ticks was not worth its while: that pair waits for as
    /// long before it gets another, twice as long after each further one, up to eight times.
    pub patience: u32,
    /// Whether the players are peers who know of each other what they are told and nothing else:
    /// then a pair without a frontier set exchanges positions on every move (figure 4). Else the
    /// session is a server that knows them all, and tells only what may be seen.
    pub peers: bool,
}

impl Default for SessionOptions {
    /// Sets of cells are made in microseconds: no patience is needed.
    fn default() -> Self {
        Self {
            construction: Construction::default(),
            patience: 0,
            peers: false,
        }
    }
}

/// One player's half of a frontier set between cells: a bitmap of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Half {
    words: Box<[u64]>,
}

impl Half {
    /// Whether a cell is in it; `false` for one that is not there. Constant time.
    #[inline]
    pub fn contains(&self, cell: u32) -> bool {
        has(&self.words, cell)
    }

    /// Its cells: bit c for cell c, 64 a word, the lowest bit first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

#[inline]
fn has(words: &[u64], cell: u32) -> bool {
    let word = words.get(cell as usize / 64).copied().unwrap_or(0);
    word >> (cell % 64) & 1 == 1
}

/// Players in the cells of a level, and the frontier sets between them.
///
/// Moves go in, notices come out; a pair that keeps silent costs two bit tests a move. A set that
/// is made for two players serves all others as well who are in the second one's half. In a bundle
/// baked with `--symmetry none` silence may be wrong for cells that see one way only
/// ([`CellBundle::frontier`]).
#[derive(Debug)]
pub struct Session<'a> {
    players: Players<Level<'a>>,
}

#[derive(Debug)]
struct Level<'a> {
    bundle: CellBundle<'a>,
    construction: Construction,
    /// The set at hand: two bitmaps, and what else its construction needs.
    memory: Vec<u64>,
}

impl Level<'_> {
    /// Words of one bitmap.
    fn words(&self) -> usize {
        (self.bundle.cells() as usize).div_ceil(64)
    }

    fn half(&self, number: usize) -> &[u64] {
        let start = number * self.words();
        self.memory.get(start..start + self.words()).unwrap_or(&[])
    }
}

impl World for Level<'_> {
    type Place = u32;
    type Half = Half;

    fn is_mutual(&self) -> bool {
        self.bundle.parameters().symmetry != SymmetryCode::None
    }

    fn visible(&self, from: u32, to: u32) -> bool {
        self.bundle.visible(from, to)
    }

    fn contains(half: &Half, cell: u32) -> bool {
        half.contains(cell)
    }

    fn extent(&self, cell: u32) -> Extent {
        Extent::of_box(self.bundle.corners(cell, true))
    }

    fn visible_between(&self, a: &Extent, b: &Extent) -> bool {
        let mut memory = [0; 2 * MAX_CELLS as usize / 64];
        let seen = self.bundle.visible_between(a, b, &mut memory);
        // There is room for all cells.
        seen.unwrap_or(true)
    }

    fn contains_all(&self, half: &Half, region: &Extent) -> bool {
        let mut memory = [0; MAX_CELLS as usize / 64];
        let cells = self.bundle.cells_in(region, &mut memory);
        // Whoever is in no cell sees all.
        cells.is_ok_and(|cells| {
            let mut words = cells.words().iter().zip(half.words());
            cells.words().iter().any(|word| *word != 0)
                && words.all(|(cells, half)| cells & !half == 0)
        })
    }

    fn begin(&mut self, here: u32, there: u32) {
        let (bundle, construction) = (self.bundle, self.construction);
        let set = bundle.frontier(here, there, construction, &mut self.memory);
        if !set.is_ok_and(|set| set.is_some()) {
            self.memory.fill(0); // the rows are damaged
        }
    }

    fn join(&mut self, cell: u32) -> bool {
        has(self.half(1), cell)
    }

    fn finish(&mut self) -> [Half; 2] {
        [0, 1].map(|number| Half {
            words: self.half(number).into(),
        })
    }
}

impl<'a> Session<'a> {
    /// A session of so many players, none of whom is anywhere yet.
    pub fn new(level: &CellBundle<'a>, players: usize, options: SessionOptions) -> Self {
        let level = Level {
            bundle: *level,
            construction: options.construction,
            memory: vec![0; options.construction.words(level.cells())],
        };
        Self {
            players: Players::new(level, players, options.patience, options.peers),
        }
    }

    /// Lets a tick pass: the unit of ages and of patience.
    pub fn tick(&mut self) {
        self.players.tick();
    }

    /// Number of frontier sets made so far.
    pub fn sets(&self) -> u64 {
        self.players.sets()
    }

    /// The cell that holds a point ([`CellBundle::locate`]).
    pub fn locate(&self, point: [f64; 3]) -> Option<u32> {
        self.players.world.bundle.locate(point)
    }

    /// The cell that a player is in.
    pub fn place(&self, player: usize) -> Option<u32> {
        self.players.place(player)
    }

    /// For how many ticks the frontier set of two players has lasted; `None` if they have none.
    pub fn age(&self, player: usize, other: usize) -> Option<u64> {
        self.players.age(player, other)
    }

    /// A player's own half of the frontier set with another.
    pub fn half(&self, player: usize, other: usize) -> Option<&Half> {
        self.players.half(player, other)
    }

    /// A player has moved to another cell, come (from nowhere) or gone (to nowhere). Calls `tell`
    /// with what follows from it. Errors where there is no such cell, and where there is no such player; then nobody
    /// has moved.
    ///
    /// ```no_run
    /// # use viewcell::{frontier::cells::{Session, SessionOptions}, query::CellBundle};
    /// # fn f(level: CellBundle<'_>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = Session::new(&level, 32, SessionOptions::default());
    /// session.tick();
    /// session.move_to(3, level.locate([480.0, -352.0, 88.0]), |notice| {
    ///     println!("tell {} about {}", notice.to, notice.about);
    /// })?;
    /// # Ok(()) }
    /// ```
    pub fn move_to(
        &mut self,
        player: usize,
        cell: Option<u32>,
        tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        if let Some(cell) = cell {
            self.check_cell(cell)?;
        }
        self.players.move_to(player, cell.map(At::from), tell)
    }

    /// The same where news takes time. `reach` is where the player, who is in `cell`, may be while clients go by
    /// what is told now: what [`Motion::region`] says. Told of is who may be seen from anywhere in a reach, and a
    /// pair keeps silent only while the reaches of both lie in their halves: nobody is told too late.
    ///
    /// [`Motion::region`]: crate::query::Motion::region
    pub fn move_within(
        &mut self,
        player: usize,
        cell: u32,
        reach: Extent,
        tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        self.check_cell(cell)?;
        let reach = Some(reach);
        let at = At { place: cell, reach };
        self.players.move_to(player, Some(at), tell)
    }

    fn check_cell(&self, cell: u32) -> Result<(), FrontierError> {
        let cells = self.players.world.bundle.cells();
        match cell < cells {
            true => Ok(()),
            false => Err(FrontierError::NoCell { cell, cells }),
        }
    }
}
