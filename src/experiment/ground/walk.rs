//! Where clients go, and what they do there (section 5.1.3).

use crate::dice::Dice;
use crate::ground::{Effect, Layered, Rule, Shape, Stamp};

use super::terrain::TOP_SOIL;

/// The radius of every ball. [Unit: cubes]
pub const RADIUS: f64 = 25.0;

/// How far a client on a path goes from one interaction to the next. [Unit: cubes]
///
/// The thesis has 209 to 226 interactions on paths between five random points, which are 2,136 cubes long
/// in the mean.
const STEP: f64 = 10.0;

/// The interaction scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Points at random all over the patch.
    Random,
    /// Straight lines between random points, at a steady speed.
    Coherent,
}

impl Scenario {
    /// As the thesis names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random_interaction",
            Self::Coherent => "coherent_path",
        }
    }
}

/// One interaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Whose it is.
    pub client: usize,
    /// Where, in cubes.
    pub at: [f64; 2],
    /// Whether it adds soil, or else digs.
    pub adds: bool,
}

/// The interactions of a client, so many or, if that is not said, as many as the scenario has.
fn points(scenario: Scenario, dice: &mut Dice, many: Option<usize>, side: f64) -> Vec<[f64; 2]> {
    let mut point = || [dice.fraction() * side, dice.fraction() * side];
    if scenario == Scenario::Random {
        return (0..many.unwrap_or(100)).map(|_| point()).collect();
    }
    let mut points = Vec::new();
    let mut from = point();
    let mut left = 0.0;
    let mut legs = 4;
    while many.map_or(legs > 0, |many| points.len() < many) {
        let to = point();
        let away = [to[0] - from[0], to[1] - from[1]];
        let length = away[0].hypot(away[1]);
        let mut gone = left;
        while gone < length {
            let part = gone / length;
            points.push([from[0] + part * away[0], from[1] + part * away[1]]);
            gone += STEP;
        }
        left = gone - length;
        from = to;
        legs -= 1;
    }
    points.truncate(many.unwrap_or(usize::MAX));
    points
}

/// The interactions of all clients in the order in which they come to the server, half of the clients
/// adding: each as many as the scenario has, or `total` together.
pub fn turns(scenario: Scenario, clients: usize, total: Option<usize>, seed: u64) -> Vec<Turn> {
    let side = 1024.0;
    let each = total.map(|total| total.div_ceil(clients));
    let all: Vec<Vec<[f64; 2]>> = (0..clients as u64)
        .map(|client| {
            points(
                scenario,
                &mut Dice(seed ^ crate::dice::mixed(client)),
                each,
                side,
            )
        })
        .collect();
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let rounds = (0..longest).flat_map(|i| {
        all.iter().enumerate().filter_map(move |(client, points)| {
            let at = *points.get(i)?;
            Some(Turn {
                client,
                at,
                adds: client % 2 == 1,
            })
        })
    });
    rounds.take(total.unwrap_or(usize::MAX)).collect()
}

impl Turn {
    /// What is done: a ball around the place on the surface of `ground`.
    ///
    /// The thesis determines the height of the place "prior to the actual interaction". It is taken from the
    /// ground before the experiment: were it looked for each time, a client on a path would sink by 25 cubes
    /// with each step, and every step would add as much as the first, where the thesis has a tenth.
    pub fn stamp(&self, ground: &impl Layered) -> Stamp {
        let frame = ground.frame();
        let cube = |at: f64, end: u32| (at as u32).min(end - 1);
        let column = cube(self.at[0], frame.width());
        let row = cube(self.at[1], frame.height());
        let top = ground.top(column, row).map_or(0, |slice| slice + 1);
        Stamp {
            shape: Shape::Ellipsoid {
                at: [self.at[0], self.at[1], f64::from(top)],
                radii: [RADIUS; 3],
            },
            effect: match self.adds {
                true => Effect::Fill(TOP_SOIL),
                false => Effect::Dig,
            },
            rule: Rule::Halfway,
        }
    }
}
