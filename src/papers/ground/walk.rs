//! The setting of Pennings' experiments: ground as the thesis describes it (section 5.1.2), and where clients go and
//! what they do there (section 5.1.3).
//!
//! The ground is generated, as the images that the thesis used were not published: 1024 × 1024 × 100 cubes in one
//! patch; five soils upon one another, the border of each of a different height at different places, with parts that
//! stand out over lower ones; 13 heights at the surface; 33 slices of a single node; about 183,000 nodes.

use viewcell::dice::Dice;
use viewcell_layered::{
    Ask, Effect, GroundError, Layered, Patches, Rule, Shape, Sides, Stamp, build,
};

/// The radius of every ball. [Unit: cubes]
pub const RADIUS: f64 = 25.0;

/// How far a client on a path goes from one interaction to the next. [Unit: cubes]
///
/// The thesis has 209 to 226 interactions on paths between five random points, which are 2,136 cubes long
/// on average.
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
                &mut Dice(seed ^ viewcell::dice::mixed(client)),
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
            effect: if self.adds {
                Effect::Fill(TOP_SOIL)
            } else {
                Effect::Dig
            },
            rule: Rule::Halfway,
        }
    }
}

/// How many soils there are.
pub const SOILS: u8 = 5;

/// The soil at the surface.
pub const TOP_SOIL: u8 = 1;

const SIDE: u32 = 1024;
/// The lowest slice into which each border comes, from the lowest border to the surface, and into how
/// many.
const BORDERS: [(i32, i32); 5] = [(2, 14), (16, 14), (30, 14), (44, 13), (63, 12)];

/// Hills of a border: middle, radii, height as a share.
const HILLS: [[f64; 5]; 3] = [
    [300.0, 340.0, 190.0, 150.0, 1.0],
    [700.0, 620.0, 150.0, 210.0, 0.75],
    [610.0, 170.0, 120.0, 90.0, 0.5],
];

/// The ground.
///
/// # Errors
///
/// None in truth.
pub fn paper_terrain() -> Result<Patches, GroundError> {
    let names = ["topsoil", "loam", "clay", "gravel", "rock"];
    let ask = Ask {
        size: [SIDE; 2],
        spacing: [1.0; 3],
        materials: names.map(String::from).to_vec(),
        sides: Sides { most: 10, least: 4 },
        most_cubes: 1 << 28,
    };
    // How far each border's hills reach up at each place, in slices.
    let reach: Vec<Vec<f32>> = (0..BORDERS.len()).map(reach_of).collect();
    build(&ask, 0..76, |slice, cubes: &mut [u8]| {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let soil = (0..BORDERS.len()).find(|&border| {
                    let (first, count) = BORDERS[border];
                    let above = slice - first;
                    if above < 0 || above >= count {
                        return above < 0;
                    }
                    // What stands out: every fourth slice lies some cubes further east.
                    let east = if above % 4 == 3 { 7 } else { 0 };
                    let at = y * SIDE + x.saturating_sub(east);
                    reach[border][at as usize] > above as f32
                });
                // The lowest border is that of the deepest soil.
                let material = soil.map_or(0, |border| SOILS - border as u8);
                cubes[(y * SIDE + x) as usize] = material;
            }
        }
        Ok(())
    })
}

fn reach_of(border: usize) -> Vec<f32> {
    let (_, count) = BORDERS[border];
    let turn = border as f64 * 1.3;
    let mut reach = Vec::with_capacity((SIDE * SIDE) as usize);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let mut most = 0.0f64;
            for [middle_x, middle_y, east, south, height] in HILLS {
                // Each border has its hills elsewhere, with an outline that is not smooth.
                let shift = [90.0 * turn.sin(), 80.0 * turn.cos()];
                let away = [
                    (f64::from(x) - middle_x - shift[0]) / (east * WIDTH),
                    (f64::from(y) - middle_y - shift[1]) / (south * WIDTH),
                ];
                let angle = away[1].atan2(away[0]);
                let ripple = 1.0 + 0.06 * (5.0 * angle + turn).sin() + 0.03 * (17.0 * angle).cos();
                let square = (away[0] * away[0] + away[1] * away[1]) * ripple * ripple;
                most = most.max(height * (1.0 - square));
            }
            reach.push((most * f64::from(count)) as f32);
        }
    }
    reach
}

/// Makes the hills as wide as gives the thesis's number of nodes.
const WIDTH: f64 = 0.47;
