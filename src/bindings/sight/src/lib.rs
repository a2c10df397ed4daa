//! What plugins for game engines have in common: a bundle in memory, and who sees whom from tick to tick.

#![warn(missing_docs)]

mod bundle;
mod silence;
mod watch;

pub use bundle::{LoadError, OwnedBundle, Place, World};
pub use silence::Half;
pub use watch::{Being, Change, Known, Manner, Watch};
