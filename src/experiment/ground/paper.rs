//! What the thesis printed: tables 1 to 6.

use super::spread::Spread;
use super::walk::Scenario;

/// A row of tables 1 and 3, and beside it that of tables 2 and 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthRow {
    /// Clients.
    pub clients: usize,
    /// Interactions of all.
    pub interactions: u64,
    /// Nodes that came into being.
    pub nodes: u64,
    /// The same in percent, as printed: of another number of nodes on paths than at random points.
    pub percent: f64,
    /// Nodes that one interaction added.
    pub growth: Spread,
    /// Nodes of a change set.
    pub changes: Spread,
}

/// A row of tables 5 and 6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttemptRow {
    /// Clients.
    pub clients: usize,
    /// Interactions of all.
    pub interactions: u64,
    /// Attempts of all.
    pub attempts: u64,
    /// Interactions that needed more than one.
    pub several: u64,
    /// Attempts of an interaction.
    pub each: Spread,
}

/// Nodes of the thesis's terrain before anything happened.
pub const NODES: u64 = 183_476;

const fn spread(mean: f64, median: f64, max: f64, deviation: f64) -> Spread {
    Spread {
        mean,
        median,
        max,
        deviation,
    }
}

const fn growth(
    clients: usize,
    interactions: u64,
    nodes: u64,
    percent: f64,
    growth: Spread,
    changes: Spread,
) -> GrowthRow {
    GrowthRow {
        clients,
        interactions,
        nodes,
        percent,
        growth,
        changes,
    }
}

const fn attempts(
    clients: usize,
    interactions: u64,
    attempts: u64,
    several: u64,
    each: Spread,
) -> AttemptRow {
    AttemptRow {
        clients,
        interactions,
        attempts,
        several,
        each,
    }
}

/// Tables 1 and 2, or 3 and 4.
pub fn growth_rows(scenario: Scenario) -> [GrowthRow; 5] {
    match scenario {
        Scenario::Random => [
            growth(
                2,
                200,
                733_104,
                399.6,
                spread(3665.5, 4118.0, 7580.0, 1734.6),
                spread(4993.0, 5349.5, 12347.0, 2326.2),
            ),
            growth(
                4,
                400,
                1_307_868,
                712.8,
                spread(3277.9, 3416.0, 7576.0, 1794.4),
                spread(5347.4, 5404.5, 12650.0, 2459.6),
            ),
            growth(
                6,
                600,
                1_679_144,
                915.2,
                spread(2803.2, 2872.0, 7864.0, 1934.7),
                spread(5457.5, 5414.5, 12530.0, 2546.6),
            ),
            growth(
                8,
                800,
                2_051_244,
                1118.0,
                spread(2567.3, 2492.0, 7692.0, 2013.2),
                spread(5787.3, 5526.5, 12525.0, 2666.7),
            ),
            growth(
                10,
                1000,
                2_273_148,
                1238.9,
                spread(2275.4, 2176.0, 7824.0, 2051.0),
                spread(5832.8, 5535.0, 12829.0, 2750.3),
            ),
        ],
        Scenario::Coherent => [
            growth(
                2,
                422,
                166_528,
                88.9,
                spread(395.6, 352.0, 3252.0, 343.8),
                spread(3331.5, 2958.0, 6625.0, 1175.8),
            ),
            growth(
                4,
                867,
                346_652,
                185.1,
                spread(400.3, 382.0, 3252.0, 348.3),
                spread(3511.3, 3531.0, 6625.0, 1173.2),
            ),
            growth(
                6,
                1255,
                463_932,
                247.7,
                spread(370.0, 358.0, 3252.0, 423.7),
                spread(3604.3, 3890.0, 6625.0, 1265.6),
            ),
            growth(
                8,
                1781,
                558_368,
                298.1,
                spread(313.7, 312.0, 3252.0, 435.2),
                spread(3546.5, 3623.0, 6625.0, 1285.5),
            ),
            growth(
                10,
                2266,
                645_612,
                342.7,
                spread(285.0, 288.0, 3572.0, 459.3),
                spread(3680.1, 3933.5, 6611.0, 1289.0),
            ),
        ],
    }
}

/// Table 5 (paths), or 6 (random points).
pub fn attempt_rows(scenario: Scenario) -> [AttemptRow; 5] {
    match scenario {
        Scenario::Coherent => [
            attempts(2, 933, 2258, 925, spread(2.4, 2.0, 5.0, 0.5)),
            attempts(4, 1828, 4235, 1816, spread(2.3, 2.0, 29.0, 1.1)),
            attempts(6, 2741, 4892, 1654, spread(1.8, 2.0, 36.0, 1.3)),
            attempts(8, 3685, 5358, 1126, spread(1.5, 1.0, 16.0, 1.0)),
            attempts(10, 4604, 6068, 861, spread(1.3, 1.0, 27.0, 1.1)),
        ],
        Scenario::Random => [
            attempts(2, 200, 272, 39, spread(1.4, 1.0, 6.0, 0.87)),
            attempts(4, 400, 518, 50, spread(1.3, 1.0, 12.0, 1.14)),
            attempts(6, 600, 733, 66, spread(1.2, 1.0, 11.0, 0.86)),
            attempts(8, 800, 1035, 93, spread(1.3, 1.0, 13.0, 1.20)),
            attempts(10, 1000, 1245, 90, spread(1.2, 1.0, 16.0, 1.21)),
        ],
    }
}
