//! Entities that move through a box (Liu's thesis, sections 3.5.1 and 4.3.1).

use crate::dice::Dice;
use crate::runtime::interest::Bounds;

/// How entities are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// At random all over, as Liu has them.
    Even,
    /// Half of them in a thousandth of the space.
    Skewed,
    /// All in one spot, of the size of a region.
    Spot,
    /// Along one axis.
    Line,
    /// Evenly, with sides from 1 to 10,000, most of them short.
    Sizes,
    /// Evenly, and each somewhere else in each tick.
    Teleports,
}

/// Entities, each with the middle of its regions.
#[derive(Clone, Debug)]
pub struct Entities {
    dice: Dice,
    distribution: Distribution,
    side: f64,
    speed: f64,
    middles: Vec<[f64; 3]>,
    steps: Vec<[f64; 3]>,
    halves: Vec<f32>,
}

impl Entities {
    /// So many entities whose regions have sides of 1, `density` of them in each cube of that side,
    /// with a mean speed of `speed` sides a tick.
    pub fn new(
        count: usize,
        density: f64,
        speed: f64,
        distribution: Distribution,
        seed: u64,
    ) -> Self {
        let side = match distribution {
            Distribution::Line => count as f64 / density.cbrt(),
            Distribution::Spot => 1.0,
            _ => (count as f64 / density).cbrt(),
        };
        let mut world = Self {
            dice: Dice(seed),
            distribution,
            side,
            speed,
            middles: Vec::with_capacity(count),
            steps: Vec::with_capacity(count),
            halves: Vec::with_capacity(count),
        };
        for number in 0..count {
            let middle = world.somewhere(number);
            let step = world.heading();
            world.middles.push(middle);
            world.steps.push(step);
            let half = match distribution {
                // One of 10,000 is 10,000 times as long.
                Distribution::Sizes => 0.5 * world.dice.fraction().powf(-1.0).min(1e4),
                _ => 0.5,
            };
            world.halves.push(half as f32);
        }
        world
    }

    fn somewhere(&mut self, number: usize) -> [f64; 3] {
        let mut any = |side: f64| [(); 3].map(|()| self.dice.fraction() * side);
        match self.distribution {
            Distribution::Skewed if number.is_multiple_of(2) => any(0.1 * self.side),
            Distribution::Line => [any(self.side)[0], 0.0, 0.0],
            _ => any(self.side),
        }
    }

    /// A step in a random direction, of half to one and a half times the mean speed.
    fn heading(&mut self) -> [f64; 3] {
        let length = self.speed * (0.5 + self.dice.fraction());
        if self.distribution == Distribution::Line {
            let sign = if self.dice.roll(2) == 0 { -1.0 } else { 1.0 };
            return [sign * length, 0.0, 0.0];
        }
        loop {
            let [x, y, z] = [(); 3].map(|()| 2.0 * self.dice.fraction() - 1.0);
            let square = x * x + y * y + z * z;
            if (1e-6..=1.0).contains(&square) {
                let scale = length / square.sqrt();
                return [x * scale, y * scale, z * scale];
            }
        }
    }

    /// Where the regions of each entity are.
    pub fn bounds(&self) -> impl Iterator<Item = Bounds> + '_ {
        self.middles.iter().zip(&self.halves).map(|(middle, half)| {
            let middle = middle.map(|x| x as f32);
            Bounds::around(middle, [*half; 3]).expect("entities are at finite places")
        })
    }

    /// All move; at the walls they turn back.
    pub fn step(&mut self) {
        for number in 0..self.middles.len() {
            if self.distribution == Distribution::Teleports {
                self.middles[number] = self.somewhere(number);
                continue;
            }
            // Of a crowd none leaves the crowd.
            let side = match self.distribution {
                Distribution::Skewed if number.is_multiple_of(2) => 0.1 * self.side,
                _ => self.side,
            };
            let walls = match self.distribution {
                Distribution::Line => [self.side, 0.0, 0.0],
                _ => [side; 3],
            };
            let (middle, step) = (&mut self.middles[number], &mut self.steps[number]);
            for ((at, by), side) in middle.iter_mut().zip(step).zip(walls) {
                *at += *by;
                if *at < 0.0 || *at > side {
                    *by = -*by;
                    *at = at.clamp(-side, 2.0 * side);
                    *at = if *at < 0.0 { -*at } else { 2.0 * side - *at };
                    *at = at.clamp(0.0, side);
                }
            }
        }
    }
}
