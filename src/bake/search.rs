//! The trade of hidden area against bytes that comes to a budget.
//!
//! By ever more of the groups: by a few, which settles the codes, by more, and then by all of them
//! until the file is within 2 % of the budget.

use super::BakeError;
use super::budget::{EVERYTHING, Search};
use super::compression::Budget;
use crate::bundle::{Given, Loss, Provenance, Written};
use crate::compress::pairs::Codebook;

/// After so many trades, one that is known to be enough is taken.
const ATTEMPTS: u32 = 24;

/// Bytes by which the provenance may grow.
const PROVENANCE_BYTES: u64 = 512;

/// The trade that is tried first.
const FIRST_TRADE: f64 = 16.0;

/// What trades are looked for between.
const TRADES: (f64, f64) = (1e-3, 1e12);

impl Search<'_> {
    /// Finds the trade, and writes what it comes to.
    pub fn run(
        &mut self,
        budget: &Budget,
        provenance: &mut Provenance,
    ) -> Result<Written, BakeError> {
        // With the loss in it, the provenance takes some more bytes.
        let mut aim = budget.bytes.saturating_sub(PROVENANCE_BYTES);
        let least = self.least()?;
        if least > aim {
            return Err(BakeError::Budget {
                budget: budget.bytes,
                least: least + PROVENANCE_BYTES,
            });
        }
        // Odd: in Morton order, every second or fourth block has the same place in its quad.
        let [few, many] = [128, 512].map(|number| (self.groups() / number) | 1);
        let mut codebook = Codebook::new(&self.original.tally.histogram);
        let mut trade = FIRST_TRADE;
        // Codes follow from what is kept, and what is kept from the codes.
        for _ in 0..2 {
            trade = self.solve(&codebook, aim, few, trade, 24)?;
            let estimate = self.estimate(&codebook, trade, many)?;
            codebook = Codebook::new(&estimate.histogram);
        }
        trade = self.solve(&codebook, aim, many, trade, 5)?;
        let floor = budget.bytes / 100 * 98;
        let (mut low, mut high) = (0.0, EVERYTHING);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut kept = self.keep(&codebook, trade)?;
            let bytes = self.fixed + kept.bytes();
            if bytes > aim && trade < EVERYTHING {
                low = f64::max(low, trade);
            } else {
                high = f64::min(high, trade);
                let near = bytes >= floor || high / low < 1.0 + 1e-6;
                if near || attempts >= ATTEMPTS {
                    let valid = self.packing.valid;
                    let mut made = provenance.clone();
                    made.statistics = kept.statistics(valid);
                    let given = Given::Optimal {
                        budget_bytes: budget.bytes,
                        weight: budget.weight.name().to_owned(),
                        area_per_byte: trade,
                    };
                    let loss = Loss::between(given, &provenance.statistics, &made.statistics);
                    made.loss = Some(loss);
                    let header = self.packing.header(true);
                    let written = kept.write(&header, self.packing, &made, budget.bytes)?;
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
                0..ATTEMPTS => next_trade(trade, bytes, aim, low, high),
                _ => high,
            };
        }
    }

    /// A trade that comes to nearly `aim` bytes by every `stride`-th group, looked for from `first`
    /// on, in so many steps at most.
    fn solve(
        &mut self,
        codebook: &Codebook,
        aim: u64,
        stride: usize,
        first: f64,
        steps: u32,
    ) -> Result<f64, BakeError> {
        let bounds = [TRADES.0, TRADES.1].map(f64::ln);
        // By logarithms: trades too low and too high, and how many times too many bytes they
        // come to. Bytes fall ever more slowly as trades rise.
        let (mut low, mut high) = (None::<(f64, f64)>, None::<(f64, f64)>);
        let (mut trade, mut stride_out) = (first.ln(), 0.5);
        let mut best = (f64::INFINITY, trade);
        for _ in 0..steps {
            let bytes = self.estimate(codebook, trade.exp(), stride)?.bytes;
            let excess = (bytes as f64 / aim as f64).ln();
            if excess.abs() < best.0 {
                best = (excess.abs(), trade);
            }
            if excess.abs() < 0.002 {
                break;
            }
            if excess > 0.0 {
                low = Some((trade, excess));
            } else {
                high = Some((trade, excess));
            }
            trade = match (low, high) {
                (Some(low), Some(high)) => {
                    // Where a straight line says, but well inside.
                    let part = low.1 / (low.1 - high.1);
                    low.0 + (high.0 - low.0) * part.clamp(0.1, 0.9)
                }
                (found, _) => {
                    let away = f64::max(2.0 * excess.abs(), stride_out);
                    stride_out *= 2.0;
                    trade + if found.is_some() { away } else { -away }
                }
            };
            if trade < bounds[0] || trade > bounds[1] {
                best.1 = trade.clamp(bounds[0], bounds[1]);
                break;
            }
        }
        Ok(best.1.exp())
    }
}

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
