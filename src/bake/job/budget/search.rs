//! The search for the Lagrange multiplier that meets a budget. It is bracketed on a few of the groups, which settle the
//! codes, then on more of them, and then on all, until the file is within 2 % of the budget.
//!
//! Did not pay: the next trade guessed from the last one alone: near the lossless size bytes fall in steps (17 tries of all
//! groups).

use super::options::Budget;
use crate::bundle::{Given, Loss, Provenance, Statistics, Written, with_sums};
use crate::compress::pairs::{Codebook, Histogram};
use crate::job::error::BakeError;

/// The bundles that the same groups make, of which each keeps more or less: what the search asks of them.
pub(crate) trait Candidates {
    /// What is kept for a multiplier.
    type Kept;

    /// Number of groups.
    fn groups(&self) -> usize;

    /// The symbols of all that there is.
    fn histogram(&self) -> &Histogram;

    /// Bytes of the file, but for its checksums by page, if everything is given up that can be, or slightly more.
    fn least(&self) -> Result<u64, BakeError>;

    /// The size that a multiplier leads to, by every `stride`-th group.
    fn estimate(
        &self,
        codebook: &Codebook,
        trade: f64,
        stride: usize,
    ) -> Result<Estimate, BakeError>;

    /// What is kept for a multiplier.
    fn keep(&self, codebook: &Codebook, trade: f64) -> Result<Self::Kept, BakeError>;

    /// Bytes of the file of what is kept, but for its checksums by page, or slightly more.
    fn bytes(&self, kept: &Self::Kept) -> u64;

    /// Its statistics.
    fn statistics(&self, kept: &Self::Kept) -> Statistics;

    /// Writes it; if it comes to at most so many bytes it is given its name.
    fn write(
        &self,
        kept: &Self::Kept,
        provenance: &Provenance,
        most: u64,
    ) -> Result<Written, BakeError>;
}

/// The size that a multiplier leads to, by some of the groups.
pub(crate) struct Estimate {
    /// Bytes of the file, but for its checksums by page.
    pub bytes: u64,
    pub histogram: Histogram,
}

impl Estimate {
    /// Extrapolates from some of the groups to all: their symbols, and the bytes of them beside their records. `fixed` is what
    /// does not depend on groups.
    pub(crate) fn of_sample(
        histogram: Histogram,
        around: u64,
        [some, all]: [u64; 2],
        fixed: u64,
    ) -> Self {
        let codebook = Codebook::new(&histogram);
        let dictionary = codebook.section().len() as u64;
        let sampled = codebook.cost() - dictionary + around;
        Self {
            bytes: fixed + dictionary + sampled * all / some,
            histogram,
        }
    }
}

/// A multiplier that gives up everything.
pub(crate) const EVERYTHING: f64 = 1e40;

/// Bytes by which a bundle may be estimated too large.
const RECKONING: u64 = 2048;

/// After so many multipliers, one that is known to be enough is taken.
const ATTEMPTS: u32 = 24;

/// Bytes by which the provenance may grow.
const PROVENANCE_BYTES: u64 = 512;

/// The multiplier that is tried first.
const FIRST_TRADE: f64 = 16.0;

/// The range of multipliers.
const TRADES: (f64, f64) = (1e-3, 1e12);

/// The part of the budget that the search aims at: it is to be at most all, and at
/// least 98 %.
const AIM: f64 = 0.993;

/// Whether a file of so many bytes, but for its checksums by page, may be within a budget: they are a few too many at most.
pub(crate) fn may_fit(bytes: u64, budget: &Budget) -> bool {
    with_sums(bytes) <= budget.bytes.saturating_add(RECKONING)
}

/// Writes a bundle within a budget. The provenance is given what was lost; it has the statistics of all that there is.
///
/// Fails where no bundle is that small.
pub(crate) fn fit(
    candidates: &impl Candidates,
    budget: &Budget,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    // With the loss in it, the provenance takes some more bytes.
    let mut most = budget.bytes.saturating_sub(PROVENANCE_BYTES);
    let least = candidates.least()?;
    if with_sums(least) > most {
        return Err(BakeError::Budget {
            budget: budget.bytes,
            least: with_sums(least + PROVENANCE_BYTES),
        });
    }
    // Odd: in Morton order, every second or fourth block has the same place in its quad.
    let [few, many] = [128, 512].map(|number| (candidates.groups() / number) | 1);
    let mut codebook = Codebook::new(candidates.histogram());
    let mut trade = FIRST_TRADE;
    // Codes follow from what is kept, and what is kept from the codes.
    for near in [0.02, 0.01] {
        trade = solve(candidates, &codebook, most, few, trade, near)?;
        let estimate = candidates.estimate(&codebook, trade, many)?;
        codebook = Codebook::new(&estimate.histogram);
    }
    trade = solve(candidates, &codebook, most, many, trade, 0.002)?;
    let floor = budget.bytes / 100 * 98;
    let mut bracket = Bracket::default();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let kept = candidates.keep(&codebook, trade)?;
        let bytes = with_sums(candidates.bytes(&kept));
        let excess = excess(bytes, most);
        let fits = bytes <= most || trade >= EVERYTHING;
        let ends = attempts >= ATTEMPTS || bracket.is_closed();
        if !fits && ends {
            trade = bracket.enough();
            continue;
        }
        if !fits || !(ends || bytes >= floor || trade <= TRADES.0) {
            trade = bracket.next(trade, excess);
            continue;
        }
        let mut made = provenance.clone();
        made.statistics = candidates.statistics(&kept);
        let given = Given::Optimal {
            budget_bytes: budget.bytes,
            weight: budget.weight.name().to_owned(),
            area_per_byte: trade,
        };
        let loss = Loss::between(given, &provenance.statistics, &made.statistics);
        made.loss = Some(loss);
        let written = candidates.write(&kept, &made, budget.bytes)?;
        if written.bytes <= budget.bytes {
            *provenance = made;
            return Ok(written);
        }
        if trade >= EVERYTHING {
            return Err(BakeError::Budget {
                budget: budget.bytes,
                least: written.bytes,
            });
        }
        // More than was estimated: the next one is to be as much smaller.
        most = most.saturating_sub(written.bytes - budget.bytes);
        bracket = Bracket::default();
        trade = bracket.next(trade, excess.abs());
    }
}

/// A multiplier that gives `most` bytes, or a bit less, by every `stride`-th group: looked for from `first` on, until it is
/// `near` enough.
fn solve(
    candidates: &impl Candidates,
    codebook: &Codebook,
    most: u64,
    stride: usize,
    first: f64,
    near: f64,
) -> Result<f64, BakeError> {
    let mut bracket = Bracket::default();
    let mut trade = first;
    for _ in 0..ATTEMPTS {
        let bytes = with_sums(candidates.estimate(codebook, trade, stride)?.bytes);
        let excess = excess(bytes, most);
        if excess.abs() < near || bracket.is_closed() {
            break;
        }
        let next = bracket.next(trade, excess);
        if !(TRADES.0..=TRADES.1).contains(&next) {
            break;
        }
        trade = next;
    }
    Ok(trade)
}

/// By how much so many bytes are more than what is aimed at: a logarithm.
fn excess(bytes: u64, most: u64) -> f64 {
    (bytes as f64 / (AIM * most as f64)).ln()
}

/// What is known of the multiplier: a bracket. In logarithms, of multipliers and of how many
/// times too many bytes they give.
#[derive(Default)]
struct Bracket {
    /// The greatest multiplier that gives too many bytes.
    low: Option<(f64, f64)>,
    /// The least that gives few enough.
    high: Option<(f64, f64)>,
    /// Trades that were tried on one side only.
    steps: i32,
}

impl Bracket {
    /// The next multiplier to try, after one with such an excess.
    fn next(&mut self, trade: f64, excess: f64) -> f64 {
        let trade = trade.ln();
        if excess > 0.0 {
            self.low = Some((trade, excess));
        } else {
            self.high = Some((trade, excess));
        }
        let next = match (self.low, self.high) {
            // Where a straight line says, but well inside.
            (Some(low), Some(high)) => {
                let part = low.1 / (low.1 - high.1);
                low.0 + (high.0 - low.0) * part.clamp(0.1, 0.9)
            }
            // Bytes fall about as fast as the multiplier rises, or more slowly.
            _ => {
                let away = (1.2 * excess.abs() + 0.005) * 2f64.powi(self.steps);
                self.steps += 1;
                trade + away.copysign(excess)
            }
        };
        match next.exp() {
            next if next > TRADES.1 => EVERYTHING,
            next => f64::max(next, TRADES.0),
        }
    }

    /// Whether nothing is left between.
    fn is_closed(&self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if high.0 - low.0 < 1e-6)
    }

    /// A multiplier that gives few enough bytes.
    fn enough(&self) -> f64 {
        self.high.map_or(EVERYTHING, |(trade, _)| trade.exp())
    }
}
