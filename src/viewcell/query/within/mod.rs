//! Look-ahead: may two players see each other soon, from any place within reach of the one to any within reach of the
//! other?
//!
//! A server asks this to send a position before it can be seen, so that nobody behind a corner appears late. Where a
//! player may be follows from how they move ([`Motion`], [`MotionLimits`]), or is a distance from where they are. The
//! answer errs towards visible only.

mod cells;
mod disc;
mod motion;
mod predictor;
mod reachable;
mod terrain;
mod world;

pub use cells::Reach;
pub use motion::{Extent, Motion, MotionLimits, Mover};
pub use predictor::Predictor;
pub use reachable::ReachableSet;

pub(crate) use motion::counted;
