//! A watch: whom a server must send to whom in a solid level, frame by frame.

use numpy::{IntoPyArray, PyArray2, ndarray::Array2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use viewcell::query::{Motion, MotionLimits, Mover, OwnedBundle, WorldKind};
use viewcell::watch::{self, Smoke, WatchOptions, Watched};

use crate::error::{FormatError, KindError};

/// How a player may move, and what is seen of them; times in seconds, lengths in the level's units.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Player {
    position: [f64; 3],
    velocity: Option<[f64; 3]>,
    speed: [f64; 2],
    acceleration: [f64; 2],
    impulse: [f64; 2],
    error: [f64; 2],
    sees_until: f64,
    shown_until: f64,
    step: f64,
    eye: Option<[f64; 2]>,
    body: Option<[[f64; 3]; 2]>,
}

/// Who must be sent to whom. One thread at a time.
#[pyclass(module = "viewcell._viewcell")]
pub struct Watch(watch::Watch<'static>);

impl Watch {
    pub fn new(bundle: &OwnedBundle, players: usize, max_ahead: f64) -> PyResult<Self> {
        if bundle.world().kind() != WorldKind::Solid {
            let words = "a watch is for a bundle of a solid level";
            return Err(KindError::new_err(words));
        }
        let watch = watch::Watch::of_bundle(bundle, players, WatchOptions { max_ahead });
        let watch = watch.ok_or_else(|| {
            FormatError::new_err("expected a bundle that says what hides; bake it again")
        })?;
        Ok(Self(watch))
    }

    fn check(&self, player: usize) -> PyResult<()> {
        if player < self.0.players() {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "expected a player below {}, found {player}",
            self.0.players()
        )))
    }
}

#[pymethods]
impl Watch {
    /// Where a player is in the frame that begins next; None where they have gone.
    fn set(&mut self, player: usize, of: Option<Player>) -> PyResult<()> {
        self.check(player)?;
        let Some(of) = of else {
            self.0.remove(player);
            return Ok(());
        };
        let until = |seconds| Mover {
            motion: Motion {
                position: of.position,
                velocity: of.velocity,
            },
            limits: MotionLimits {
                speed: of.speed,
                acceleration: of.acceleration,
                impulse: of.impulse,
                error: of.error,
            },
            times: [0.0, seconds],
        };
        let watched = Watched {
            sees: until(of.sees_until),
            shown: until(of.shown_until),
            step: of.step,
            eye: of.eye,
            body: of.body,
        };
        self.0.set(player, &watched);
        Ok(())
    }

    fn doors(&mut self, boxes: Vec<[[f64; 3]; 2]>) {
        self.0.set_doors(&boxes);
    }

    /// Centre, radius and seconds of each.
    fn smokes(&mut self, spheres: Vec<([f64; 3], f64, f64)>) {
        let smokes = spheres.into_iter();
        let smokes: Vec<Smoke> = smokes
            .map(|(centre, radius, seconds)| Smoke {
                centre,
                radius,
                seconds,
            })
            .collect();
        self.0.set_smokes(&smokes);
    }

    fn begin(&mut self) {
        self.0.begin();
    }

    fn look(&mut self, py: Python<'_>, work: u32) -> bool {
        py.detach(|| self.0.look(work))
    }

    fn sends(&self, viewer: usize, player: usize) -> PyResult<bool> {
        self.check(viewer.max(player))?;
        Ok(self.0.sends(viewer, player))
    }

    /// Of all: viewers in rows, players in columns.
    fn matrix<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let side = self.0.players();
        Array2::from_shape_fn((side, side), |(viewer, player)| {
            self.0.sends(viewer, player)
        })
        .into_pyarray(py)
    }

    /// Pairs of players who are there, hidden of these, hidden by a proof of before, looked at, and work done.
    fn counts(&self) -> (u32, u32, u32, u32, u32) {
        let counts = self.0.counts();
        (
            counts.pairs,
            counts.hidden,
            counts.kept,
            counts.looked,
            counts.work,
        )
    }
}
