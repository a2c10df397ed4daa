//! Pennings' experiments on layered ground: how it grows, and how often clients are in each other's way.
//!
//! Here is what the thesis printed, tables 1 to 6, and what its tables say of many numbers. `walk` has the ground
//! (section 5.1.2) and where clients go: random points, coherent paths (5.1.3). `growth` has experiment I: nodes and
//! change sets, with times (5.2); and experiment II: reservations (5.3).

mod growth;
mod walk;

use serde::Serialize;

pub use growth::{Checkpoint, Conflicts, Grown, ReserveOptions, Structure, grow_ground, reserve};
pub use walk::{RADIUS, SOILS, Scenario, TOP_SOIL, Turn, paper_terrain, turns};

/// Mean, median, greatest and standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "SpreadRow")]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The greatest.
    pub max: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl Spread {
    fn new([mean, median, max, deviation]: [f64; 4]) -> Self {
        Self {
            mean,
            median,
            max,
            deviation,
        }
    }

    /// Of numbers; zeros of none.
    pub fn of(numbers: &[f64]) -> Self {
        if numbers.is_empty() {
            return Self::default();
        }
        let many = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / many;
        let square = |number: &f64| (number - mean) * (number - mean);
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |i: usize| sorted[i];
        Self {
            mean,
            median: (at((sorted.len() - 1) / 2) + at(sorted.len() / 2)) / 2.0,
            max: at(sorted.len() - 1),
            deviation: (numbers.iter().map(square).sum::<f64>() / many).sqrt(),
        }
    }
}

/// Nodes of the thesis's terrain before anything happened.
pub const PAPER_NODES: u64 = 183_476;

/// What the thesis printed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PaperGrowth {
    /// Interactions of all.
    pub interactions: u64,
    /// Nodes that came into being.
    pub nodes: u64,
    /// The same in percent, as the thesis prints it.
    // Of another number of nodes on paths than at random points.
    pub percent: f64,
    /// Nodes that one interaction added.
    pub growth: Spread,
    /// Nodes of a change set.
    pub changes: Spread,
}

/// What the thesis printed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PaperAttempts {
    /// Interactions of all.
    pub interactions: u64,
    /// Attempts of all.
    pub attempts: u64,
    /// Interactions that needed more than one.
    pub several: u64,
    /// Attempts of an interaction.
    pub each: Spread,
}

/// Tables 1 and 2, for 2, 4, 6, 8 and 10 clients: interactions, nodes, percent; mean, median, greatest and standard
/// deviation of nodes added, and of nodes of a change set.
const RANDOM_GROWTH: [[f64; 11]; 5] = [
    [
        200.0, 733_104.0, 399.6, 3665.5, 4118.0, 7580.0, 1734.6, 4993.0, 5349.5, 12347.0, 2326.2,
    ],
    [
        400.0,
        1_307_868.0,
        712.8,
        3277.9,
        3416.0,
        7576.0,
        1794.4,
        5347.4,
        5404.5,
        12650.0,
        2459.6,
    ],
    [
        600.0,
        1_679_144.0,
        915.2,
        2803.2,
        2872.0,
        7864.0,
        1934.7,
        5457.5,
        5414.5,
        12530.0,
        2546.6,
    ],
    [
        800.0,
        2_051_244.0,
        1118.0,
        2567.3,
        2492.0,
        7692.0,
        2013.2,
        5787.3,
        5526.5,
        12525.0,
        2666.7,
    ],
    [
        1000.0,
        2_273_148.0,
        1238.9,
        2275.4,
        2176.0,
        7824.0,
        2051.0,
        5832.8,
        5535.0,
        12829.0,
        2750.3,
    ],
];

/// Tables 3 and 4.
const COHERENT_GROWTH: [[f64; 11]; 5] = [
    [
        422.0, 166_528.0, 88.9, 395.6, 352.0, 3252.0, 343.8, 3331.5, 2958.0, 6625.0, 1175.8,
    ],
    [
        867.0, 346_652.0, 185.1, 400.3, 382.0, 3252.0, 348.3, 3511.3, 3531.0, 6625.0, 1173.2,
    ],
    [
        1255.0, 463_932.0, 247.7, 370.0, 358.0, 3252.0, 423.7, 3604.3, 3890.0, 6625.0, 1265.6,
    ],
    [
        1781.0, 558_368.0, 298.1, 313.7, 312.0, 3252.0, 435.2, 3546.5, 3623.0, 6625.0, 1285.5,
    ],
    [
        2266.0, 645_612.0, 342.7, 285.0, 288.0, 3572.0, 459.3, 3680.1, 3933.5, 6611.0, 1289.0,
    ],
];

/// Table 5: interactions, attempts, those that needed several; mean, median, greatest and standard deviation of
/// attempts.
const COHERENT_ATTEMPTS: [[f64; 7]; 5] = [
    [933.0, 2258.0, 925.0, 2.4, 2.0, 5.0, 0.5],
    [1828.0, 4235.0, 1816.0, 2.3, 2.0, 29.0, 1.1],
    [2741.0, 4892.0, 1654.0, 1.8, 2.0, 36.0, 1.3],
    [3685.0, 5358.0, 1126.0, 1.5, 1.0, 16.0, 1.0],
    [4604.0, 6068.0, 861.0, 1.3, 1.0, 27.0, 1.1],
];

/// Table 6.
const RANDOM_ATTEMPTS: [[f64; 7]; 5] = [
    [200.0, 272.0, 39.0, 1.4, 1.0, 6.0, 0.87],
    [400.0, 518.0, 50.0, 1.3, 1.0, 12.0, 1.14],
    [600.0, 733.0, 66.0, 1.2, 1.0, 11.0, 0.86],
    [800.0, 1035.0, 93.0, 1.3, 1.0, 13.0, 1.20],
    [1000.0, 1245.0, 90.0, 1.2, 1.0, 16.0, 1.21],
];

/// The row of a table for a number of clients, if it has one.
fn row<const N: usize>(table: [[f64; N]; 5], clients: usize) -> Option<[f64; N]> {
    let even = clients.is_multiple_of(2).then_some(clients / 2)?;
    table.get(even.checked_sub(1)?).copied()
}

impl PaperGrowth {
    /// Of tables 1 and 2, or 3 and 4.
    pub fn of(scenario: Scenario, clients: usize) -> Option<Self> {
        let table = match scenario {
            Scenario::Random => RANDOM_GROWTH,
            Scenario::Coherent => COHERENT_GROWTH,
        };
        let [interactions, nodes, percent, a, b, c, d, e, f, g, h] = row(table, clients)?;
        Some(Self {
            interactions: interactions as u64,
            nodes: nodes as u64,
            percent,
            growth: Spread::new([a, b, c, d]),
            changes: Spread::new([e, f, g, h]),
        })
    }
}

impl PaperAttempts {
    /// Of table 5 or 6.
    pub fn of(scenario: Scenario, clients: usize) -> Option<Self> {
        let table = match scenario {
            Scenario::Random => RANDOM_ATTEMPTS,
            Scenario::Coherent => COHERENT_ATTEMPTS,
        };
        let [interactions, attempts, several, a, b, c, d] = row(table, clients)?;
        Some(Self {
            interactions: interactions as u64,
            attempts: attempts as u64,
            several: several as u64,
            each: Spread::new([a, b, c, d]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_a_small_list() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((spread.mean, spread.median, spread.max), (2.5, 2.5, 4.0));
        assert!((spread.deviation - 1.25f64.sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), Spread::default());
    }
}
