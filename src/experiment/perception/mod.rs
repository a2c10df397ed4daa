//! Perception-based filtering: who is large enough on whose screen to be told of.
//!
//! An observer perceives what covers at least so many pixels of the screen in its longest direction.
//! Distances are in the unit of the targets' radii, angles in radians.

mod distance;
mod program;
mod radii;
mod tables;

pub use distance::{Observer, ObserverError};
pub use program::{Optimum, PairSum, least_squares};
pub use radii::{Avatar, Radii, Technique, deliveries, distances, radii};
pub use tables::{TableError, Target, read_observers, read_targets};
