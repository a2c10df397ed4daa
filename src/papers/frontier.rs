//! Time and size of many frontier sets.

use cpu_time::ThreadTime;
use serde::Serialize;

use viewcell::dice::Dice;
use viewcell::frontier::Side;
use viewcell::query::{Sample, TerrainBundle};

use crate::growth::{Grow, Growth, GrowthOptions, Merge};

/// A measured quantity over all sets.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// Half of the width of the mean's 95 % confidence interval.
    pub interval: f64,
    /// The median.
    pub median: f64,
    /// Exceeded by one set in a hundred.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
}

impl Summary {
    fn new(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = |value: &f64| (value - mean).powi(2);
        let variance = values.iter().map(square).sum::<f64>() / (count - 1.0).max(1.0);
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * count).ceil() as usize;
            sorted
                .get(index.clamp(1, sorted.len().max(1)) - 1)
                .copied()
                .unwrap_or(0.0)
        };
        Self {
            mean,
            interval: 1.96 * (variance / count).sqrt(),
            median: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

/// What came of growing all sets with the same options.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Measured {
    /// Processor time of a set. Unit: milliseconds.
    pub milliseconds: Summary,
    /// Samples in both halves.
    pub size: Summary,
    /// Samples in the smaller half.
    pub smaller_half: Summary,
    /// Mean number of quads tried.
    pub tried: f64,
    /// Mean number of PVSs merged.
    pub merged: f64,
    /// Every set's time in milliseconds and size in samples, in the order of the pairs.
    #[serde(skip)]
    pub sets: Vec<[f64; 2]>,
}

/// One of the thesis's cases.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Case {
    /// Limit of memory. Unit: 2^30 bytes.
    pub gigabytes: f64,
    /// Nodes that each PVS may have.
    pub nodes: u64,
    /// `simple` or `hierarchical`.
    pub grow: &'static str,
    /// `lossless` or `lossy`.
    pub merge: &'static str,
    /// Number of pairs grown.
    pub pairs: usize,
    /// What came of them.
    #[serde(flatten)]
    pub measured: Measured,
}

/// The thesis's cases, in the order of its tables.
pub const CASES: [(Grow, Merge, &str, &str); 4] = [
    (Grow::Simple, Merge::Lossless, "simple", "lossless"),
    (Grow::Simple, Merge::Lossy, "simple", "lossy"),
    (
        Grow::Hierarchical,
        Merge::Lossless,
        "hierarchical",
        "lossless",
    ),
    (Grow::Hierarchical, Merge::Lossy, "hierarchical", "lossy"),
];

/// How many of `all` pairs are grown if `wanted` are; 0 for all.
pub fn some_of(wanted: usize, all: usize) -> usize {
    match wanted {
        0 => all,
        few => few.min(all),
    }
}

/// The thesis's cases on a bundle whose PVSs have at most so many `nodes`. Simple growth with lossless
/// merging takes long: it is grown for `simple_pairs` only, or all if that is 0.
pub fn measure_cases(
    terrain: &TerrainBundle<'_>,
    (gigabytes, nodes): (f64, u64),
    pairs: &[[Sample; 2]],
    simple_pairs: usize,
) -> Vec<Case> {
    let cases = CASES.map(|(grow, merge, grow_name, merge_name)| {
        let count = match (grow, merge) {
            (Grow::Simple, Merge::Lossless) => some_of(simple_pairs, pairs.len()),
            _ => pairs.len(),
        };
        Case {
            gigabytes,
            nodes,
            grow: grow_name,
            merge: merge_name,
            pairs: count,
            measured: measure(
                terrain,
                &pairs[..count],
                &GrowthOptions::thesis(grow, merge),
            ),
        }
    });
    cases.into()
}

/// Grows a set for each pair, in processor time of this thread.
pub fn measure(
    terrain: &TerrainBundle<'_>,
    pairs: &[[Sample; 2]],
    options: &GrowthOptions,
) -> Measured {
    let mut builder = Growth::new(terrain);
    let mut sets = Vec::with_capacity(pairs.len());
    let mut smaller = Vec::with_capacity(pairs.len());
    let (mut tried, mut merged) = (0, 0);
    for &[a, b] in pairs {
        let start = ThreadTime::now();
        // Pairs are drawn among samples of terrain.
        let _ = builder.build(a, b, options);
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let [of_a, of_b] = Side::BOTH.map(|side| builder.area(side) as f64);
        sets.push([milliseconds, of_a + of_b]);
        smaller.push(of_a.min(of_b));
        let work = builder.work();
        (tried, merged) = (tried + work.0, merged + work.1);
    }
    let column = |i: usize| sets.iter().map(|set| set[i]).collect::<Vec<_>>();
    let count = pairs.len().max(1) as f64;
    Measured {
        milliseconds: Summary::new(&column(0)),
        size: Summary::new(&column(1)),
        smaller_half: Summary::new(&smaller),
        tried: tried as f64 / count,
        merged: merged as f64 / count,
        sets,
    }
}

/// Pairs of samples, drawn independently among those that cannot see each other; the same for the
/// same seed. Fewer than asked for where hardly any are hidden.
pub fn hidden_pairs(terrain: &TerrainBundle<'_>, count: usize, seed: u64) -> Vec<[Sample; 2]> {
    let grid = terrain.grid();
    let mut dice = Dice(seed);
    let mut pairs = Vec::with_capacity(count);
    for _ in 0..count.saturating_mul(1000) {
        if pairs.len() == count {
            break;
        }
        let mut place = || Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
        let (a, b) = (place(), place());
        let stand = [a, b].iter().all(|&s| terrain.valid().has_sample(s));
        if stand && !terrain.visible(a, b) && !terrain.visible(b, a) {
            pairs.push([a, b]);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_as_by_hand() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let summary = Summary::new(&values);
        assert_eq!(summary.mean, 100.5);
        assert_eq!(
            (summary.median, summary.p99, summary.max),
            (100.0, 198.0, 200.0)
        );
        // The standard deviation of 1 to n is the root of n (n + 1) / 12.
        let expected = 1.96 * (200.0 * 201.0 / 12.0_f64).sqrt() / 200_f64.sqrt();
        assert!((summary.interval - expected).abs() < 1e-9);
        assert_eq!(Summary::new(&[]).max, 0.0);
        assert_eq!(Summary::new(&[3.0]).interval, 0.0);
    }
}
