//! How players move.

use crate::field::Field;

/// Where players go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Each to a place taken at random: in a straight line on a terrain, by the shortest path in a
    /// level.
    Waypoints,
    /// Each from one of a few points to another, by the shortest path.
    Objectives,
    /// As with objectives, four together: one leads, and the others follow on the same way.
    Squads,
}

/// How players move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionOptions {
    /// Where they go.
    pub model: Model,
    /// How many players.
    pub players: usize,
    /// For how long. [Unit: s]
    pub seconds: f64,
    /// Points a second.
    pub hz: f64,
    /// The same seed gives the same paths.
    pub seed: u64,
    /// How fast they go on average; each goes at 0.8 to 1.2 times this. [Unit: of the field, a second]
    pub speed: f64,
    /// How long they stop on average. [Unit: s]
    pub pause: f64,
    /// How often each dies. [Unit: times a minute]
    pub deaths: f64,
    /// How long they stay dead. [Unit: s]
    pub respawn: f64,
    /// The steepest ground that is walked on: metres up for each metre on. On a terrain alone.
    pub slope: f64,
}

impl MotionOptions {
    /// As people move: at a run on a terrain, as in Quake in a level.
    pub fn usual(field: &Field, model: Model) -> Self {
        let (speed, deaths) = if field.terrain().is_some() {
            (4.0, 0.2)
        } else {
            (320.0, 1.0)
        };
        Self {
            model,
            players: 16,
            seconds: 600.0,
            hz: 10.0,
            seed: 1,
            speed,
            pause: 3.0,
            deaths,
            respawn: 3.0,
            slope: 1.0,
        }
    }
}
