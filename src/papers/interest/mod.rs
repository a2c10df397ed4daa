//! Liu's experiments on interest matching, and his methods beside that of `matching`.

pub mod machines;
pub mod matching;
mod regions;
mod run;
mod sorted;

pub use regions::{RegionsError, Tick, TickRow, changes_of, read_ticks};
pub use run::{Distribution, Entities, MatcherName, Measured, RunOptions, measure};
pub use sorted::{Lists, Lucid, Sorted, Swap};
