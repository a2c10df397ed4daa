//! Sessions: many players, and who must be told what.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use viewcell::frontier::FrontierError;
use viewcell::query::{OwnedBundle, Place, Sample, World};
use viewcell::session::{News, SessionOptions};

use crate::error::{KindError, OutsideError, VoidError};
use crate::sets;

/// How a session keeps its players silent.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    budget: Option<u32>,
    margin: u32,
    patience: Option<u32>,
    peers: bool,
}

/// Where somebody is.
#[derive(FromPyObject)]
pub enum At {
    Sample((u32, u32)),
    Point((f64, f64, f64)),
    Cell(u32),
}

impl At {
    /// The place of a bundle; none in no cell.
    fn place(&self, world: &World<'_>) -> Option<Place> {
        match *self {
            Self::Sample((column, row)) => Some(Place::Sample(Sample::new(column, row))),
            Self::Point((x, y, z)) => world.locate([x, y, z]),
            Self::Cell(cell) => Some(Place::Cell(cell)),
        }
    }
}

/// Players in a bundle, and the frontier sets between them. One thread at a time.
#[pyclass(module = "viewcell._viewcell")]
pub struct Session(viewcell::session::Session<OwnedBundle>);

impl Session {
    pub fn new(bundle: &OwnedBundle, players: usize, options: &Options) -> PyResult<Self> {
        let options = SessionOptions {
            frontier: sets::options(options.budget),
            margin: options.margin,
            patience: options.patience,
            peers: options.peers,
        };
        let session = viewcell::session::Session::new(bundle, players, options);
        Ok(Self(session))
    }
}

#[pymethods]
impl Session {
    fn tick(&mut self) {
        self.0.tick();
    }

    /// Where to is None, the player is gone. What follows: whom to tell, about whom, and whether there is a new set.
    fn move_to(
        &mut self,
        py: Python<'_>,
        player: usize,
        to: Option<At>,
    ) -> PyResult<Vec<(usize, usize, bool)>> {
        let place = to.map(|at| at.place(self.0.world().world()));
        let mut told = Vec::new();
        let tell = |notice: viewcell::session::Notice| {
            told.push((notice.to, notice.about, notice.what == News::Frontier));
        };
        let moved = py.detach(|| self.0.move_to(player, place, tell));
        moved.map_err(|error| match error {
            FrontierError::Void(_) => VoidError::new_err(error.to_string()),
            FrontierError::OtherKind => KindError::new_err(error.to_string()),
            FrontierError::NoPlayer { .. } => PyValueError::new_err(error.to_string()),
            _ => OutsideError::new_err(error.to_string()),
        })?;
        Ok(told)
    }

    fn age(&self, player: usize, other: usize) -> Option<u64> {
        self.0.age(player, other)
    }

    fn sets(&self) -> u64 {
        self.0.sets()
    }

    /// Whether a place is in a player's own half of the set with another.
    fn contains(&self, player: usize, other: usize, at: At) -> bool {
        let place = at.place(self.0.world().world());
        let half = self.0.half(player, other);
        half.zip(place)
            .is_some_and(|(half, place)| half.contains(place))
    }

    /// The half itself, a boolean a place.
    fn half(&self, py: Python<'_>, player: usize, other: usize) -> Option<Vec<bool>> {
        let half = self.0.half(player, other)?;
        let world = self.0.world().world();
        let places = (0..world.places()).filter_map(|number| world.place(number));
        Some(py.detach(|| places.map(|place| half.contains(place)).collect()))
    }
}
