//! Sight with a look-ahead: may any place within reach of one player and any within reach of
//! another see each other?
//!
//! A server asks this with reaches that follow from speed and ping, so that whoever steps round a
//! corner has already been told who stands behind it. The answer errs towards visible only.

mod cells;
mod disc;
mod reach;
mod terrain;

pub use cells::{Reach, ReachMemory};
