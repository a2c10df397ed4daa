//! Methods side by side, and the papers' experiments: what is measured, and how.

mod compression;
mod epvs;
mod frontier;
pub mod ground;
pub mod interest;
pub mod perception;
mod visibility;

pub use compression::{Kept, deepest_first, optimal};
pub use epvs::{EpvsDocument, Frontiers, measure_level};
pub use frontier::{CASES, Case, Measured, Summary, hidden_pairs, measure, measure_cases, some_of};
pub use visibility::{
    Against, Compared, ModeShares, MotionOptions, MotionSample, compare_modes, middle,
};
