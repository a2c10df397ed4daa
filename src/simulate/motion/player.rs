//! One player who walks.

use crate::field::Place;
use viewcell::dice::Dice;

use super::ground::Ground;
use super::{Model, MotionOptions};

/// Where a player goes.
#[derive(Debug)]
enum Way {
    /// Straight to a point.
    Straight([f64; 3]),
    /// To an objective of this number.
    Objective(usize),
    /// To a place, whose distances from all others are these.
    Path(Vec<f32>),
}

/// A player on the ground.
#[derive(Debug)]
pub(super) struct Player<'g> {
    ground: &'g Ground<'g>,
    options: &'g MotionOptions,
    speed: f64,
    at: [f64; 3],
    heading: f64,
    place: Place,
    /// The place that the player is on the way to.
    next: Place,
    way: Way,
    /// For how long the player stops or is dead. [Unit: s]
    waits: f64,
    dead: bool,
}

impl<'g> Player<'g> {
    pub(super) fn new(ground: &'g Ground<'g>, options: &'g MotionOptions, dice: &mut Dice) -> Self {
        let place = ground.somewhere(dice);
        let at = ground.point(place);
        let mut player = Self {
            ground,
            options,
            speed: options.speed * (0.8 + 0.4 * dice.fraction()),
            at,
            heading: 0.0,
            place,
            next: place,
            way: Way::Straight(at),
            // Nobody sets out at the same moment.
            waits: options.pause * dice.fraction(),
            dead: false,
        };
        player.choose(dice);
        player
    }

    pub(super) fn at(&self) -> [f64; 3] {
        self.at
    }

    /// Where the player looks, in degrees.
    pub(super) fn heading(&self) -> f64 {
        self.heading
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead
    }

    /// Chooses where to go.
    fn choose(&mut self, dice: &mut Dice) {
        self.next = self.place;
        self.way = match (self.options.model, self.ground.field().terrain()) {
            (Model::Waypoints, Some(_)) => {
                Way::Straight(self.ground.point(self.ground.somewhere(dice)))
            }
            (Model::Waypoints, None) => {
                Way::Path(self.ground.distances(self.ground.somewhere(dice)))
            }
            _ => Way::Objective(dice.roll(self.ground.objectives.len() as u32) as usize),
        };
    }

    /// Lets some seconds pass.
    pub(super) fn walk(&mut self, seconds: f64, dice: &mut Dice) {
        let chance = self.options.deaths / 60.0 * seconds;
        if !self.dead && dice.fraction() < chance {
            self.dead = true;
            self.waits = self.options.respawn;
        }
        let mut left = seconds;
        // At most one stop a step: a step is short.
        if self.waits > 0.0 {
            let waited = self.waits.min(left);
            self.waits -= waited;
            left -= waited;
            if self.waits > 0.0 {
                return;
            }
            if core::mem::take(&mut self.dead) {
                self.place = self.ground.somewhere(dice);
                self.at = self.ground.point(self.place);
                self.choose(dice);
                return;
            }
        }
        let mut far = left * self.speed;
        while far > 1e-9 {
            let Some(target) = self.target() else {
                self.waits = -self.options.pause * dice.fraction().ln();
                self.choose(dice);
                return;
            };
            let way = [0, 1, 2].map(|i| target[i] - self.at[i]);
            let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
            self.heading = way[1].atan2(way[0]).to_degrees();
            let part = if length <= far { 1.0 } else { far / length };
            let at = [0, 1, 2].map(|i| self.at[i] + part * way[i]);
            if !self.go(at) {
                self.choose(dice);
                return;
            }
            far -= length.min(far);
        }
    }

    /// The next point on the way; none at its end.
    fn target(&mut self) -> Option<[f64; 3]> {
        let far = match &self.way {
            Way::Straight(target) => return (*target != self.at).then_some(*target),
            Way::Objective(number) => &self.ground.objectives[*number],
            Way::Path(far) => far,
        };
        if self.at == self.ground.point(self.next) {
            self.place = self.next;
            self.next = self.ground.towards(far, self.place)?;
        }
        Some(self.ground.point(self.next))
    }

    /// Goes to a point, if the way is not too steep or leads into nothing; returns whether it did.
    fn go(&mut self, at: [f64; 3]) -> bool {
        if let Some(terrain) = self.ground.field().terrain() {
            let found = self.ground.field().locate(at);
            let Some(place) = found else {
                return false;
            };
            if let Way::Straight(_) = self.way {
                if place != self.place && !self.is_level(place) {
                    return false;
                }
                self.place = place;
            }
            let height = terrain.height(self.ground.field().sample(place));
            self.at = match self.way {
                // Points of paths have the height of the ground already.
                Way::Straight(_) => [at[0], at[1], height.map_or(at[2], f64::from)],
                _ => at,
            };
            // A target is come to where it is, whatever the height says in between.
            if let Way::Straight(target) = self.way
                && target[0] == at[0]
                && target[1] == at[1]
            {
                self.at = target;
            }
            return true;
        }
        self.at = at;
        true
    }

    /// Whether the ground between this place and another near it is not too steep.
    fn is_level(&self, place: Place) -> bool {
        self.ground.step(self.place, place).is_some()
    }
}
