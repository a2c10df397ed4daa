//! The trade of hidden area against bytes that comes to a budget.
//!
//! By ever more of the groups: bisection on a few, which settles the codes, on more, and then by
//! all of them until the file is within 2 % of the budget.

use super::BakeError;
use super::budget::Search;
use super::compression::Budget;
use super::pack::Target;
use crate::bundle::{Provenance, Written};
use crate::compress::pairs::{Codebook, Histogram};

/// A trade that gives up everything.
pub(super) const EVERYTHING: f64 = 1e40;

/// After so many trades, one that is known to be enough is taken.
const ATTEMPTS: u32 = 24;

impl Search<'_> {
    /// Finds the trade, and writes what it comes to.
    pub fn run(
        &self,
        lossless: u64,
        target: &Target,
        provenance: &mut Provenance,
        budget: &Budget,
    ) -> Result<Written, BakeError> {
        // With the loss in it, the provenance takes some more bytes.
        let mut aim = budget.bytes.saturating_sub(PROVENANCE_BYTES);
        let least = self.least();
        if least > aim {
            return Err(BakeError::Budget {
                budget: budget.bytes,
                least: least + PROVENANCE_BYTES,
            });
        }
        let mut histogram = Histogram::default();
        self.source.for_each(
            &self.pool,
            self.observer,
            |_, group| {
                let mut counts = Histogram::default();
                group.pairs.iter().for_each(|pair| counts.count(pair));
                counts
            },
            |_, counts| {
                histogram.add(&counts);
                Ok(())
            },
        )?;
        let groups = self.source.blocks.len();
        // Odd: in Morton order, every second or fourth block has the same place in its quad.
        let [few, many] = [128, 512].map(|number| (groups / number) | 1);
        let mut codebook = Codebook::new(&histogram);
        let mut trade = 0.0;
        // Codes follow from what is kept, and what is kept from the codes.
        for _ in 0..2 {
            trade = self.bisect(&codebook, aim, few, (1e-3, 1e12), 24)?;
            let outcome = self.evaluate(&codebook, trade, many)?;
            codebook = Codebook::new(&outcome.histogram);
        }
        trade = self.bisect(&codebook, aim, few, (trade / 4.0, trade * 4.0), 8)?;
        trade = self.bisect(&codebook, aim, many, (trade / 1.5, trade * 1.5), 5)?;
        let floor = lossless.min(budget.bytes) / 100 * 98;
        let original = provenance.clone();
        let (mut low, mut high) = (0.0, EVERYTHING);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let outcome = self.evaluate(&codebook, trade, 1)?;
            if outcome.bytes > aim && trade < EVERYTHING {
                low = f64::max(low, trade);
            } else {
                high = f64::min(high, trade);
                let near = outcome.bytes >= floor || high / low < 1.0 + 1e-6;
                if near || attempts >= ATTEMPTS {
                    let mut made = original.clone();
                    let written =
                        self.write(&codebook, trade, &outcome, target, &mut made, budget)?;
                    if written.bytes <= budget.bytes {
                        *provenance = made;
                        return Ok(written);
                    }
                    if trade == EVERYTHING {
                        return Err(BakeError::Budget {
                            budget: budget.bytes,
                            least: written.bytes,
                        });
                    }
                    // More than was reckoned: the next one is to be as much smaller.
                    aim = aim.saturating_sub(written.bytes - budget.bytes);
                    (low, high) = (trade, EVERYTHING);
                }
            }
            trade = match attempts {
                0..ATTEMPTS => next_trade(trade, outcome.bytes, aim, low, high),
                _ => high,
            };
        }
    }

    /// The least trade that comes to `aim` bytes by every `stride`-th group, after so many steps,
    /// each of which halves the logarithm of what is possible.
    fn bisect(
        &self,
        codebook: &Codebook,
        aim: u64,
        stride: usize,
        (low, high): (f64, f64),
        steps: u32,
    ) -> Result<f64, BakeError> {
        let (mut low, mut high) = (low.ln(), high.ln());
        for _ in 0..steps {
            let middle = (low + high) / 2.0;
            if self.evaluate(codebook, middle.exp(), stride)?.bytes > aim {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(high.exp())
    }
}

/// Bytes by which the provenance may grow.
const PROVENANCE_BYTES: u64 = 512;

/// The trade to try after one that came to `bytes`: as if these fell in proportion, but within
/// what is known to be too little and enough.
fn next_trade(trade: f64, bytes: u64, aim: u64, low: f64, high: f64) -> f64 {
    let guess = trade * bytes as f64 / (aim as f64 * 0.995);
    let inside = guess > low && guess < high;
    match (inside, low > 0.0, high < EVERYTHING) {
        (true, ..) => guess,
        (_, true, true) => (low * high).sqrt(),
        (_, true, false) => low * 2.0,
        _ => high / 2.0,
    }
}
