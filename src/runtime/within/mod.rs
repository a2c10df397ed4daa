//! Sight with a look-ahead: may any place within reach of one player and any within reach of
//! another see each other?
//!
//! A server asks this with reaches that follow from speed and ping, so that whoever steps round a
//! corner has already been told who stands behind it. The answer errs towards visible only.

mod cells;
mod disc;
mod terrain;

pub use cells::{Reach, ReachMemory};

/// A reach as it is counted with: what is no number reaches everywhere, which errs towards
/// visible, and less than nothing reaches as far as nothing.
fn counted(reach: f64) -> f64 {
    if reach.is_nan() {
        f64::INFINITY
    } else {
        reach.max(0.0)
    }
}
