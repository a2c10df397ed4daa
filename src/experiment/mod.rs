//! Methods side by side: where they differ.

pub mod interest;
pub mod perception;
mod visibility;

pub use visibility::{Against, Compared, ModeShares, MotionOptions, MotionSample, compare_modes};
