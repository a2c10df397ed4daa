//! Liu's experiments on interest matching, and his methods beside the runtime's.

mod halving;
mod lists;
mod lucid;
pub mod machines;
mod regions;
mod run;
mod sorted;
mod world;

pub use halving::halving;
pub use lists::{Lists, Swap};
pub use lucid::Lucid;
pub use regions::{RegionsError, Tick, TickRow, changes_of, read_ticks};
pub use run::{MatcherName, Measured, RunOptions, measure};
pub use sorted::Sorted;
pub use world::{Distribution, Entities};
