//! Methods side by side, and the papers' experiments: what is measured, and how.

#![forbid(unsafe_code)]

mod compression;
pub mod constructions;
mod epvs;
mod frontier;
pub mod ground;
pub mod growth;
pub mod interest;
mod merging;
pub mod perception;
pub mod pruned;
pub mod pruning;
pub mod sectors;
pub mod simulate;
pub mod solid;
pub mod verbs;
mod visibility;

pub use compression::{Kept, deepest_first, optimal};
pub use epvs::{Ahead, EpvsDocument, Frontiers, ahead, measure_level};
pub use frontier::{CASES, Case, Measured, Summary, hidden_pairs, measure, measure_cases, some_of};
pub use merging::{Merged, MergingRow, compare_merging};
pub use visibility::{
    Against, Compared, ModeShares, MotionOptions, MotionSample, compare_modes, middle,
};
