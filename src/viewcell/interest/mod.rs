//! Interest matching: who must hear of whom, tick by tick.
//!
//! [`Awareness`] says who is near whom *and* may see them, for players in a bundle. It keeps lists of neighbours that
//! hold while players stay within some slack (`neighbors`), and finds them in grids that are sorted anew in each search
//! ([`hash_grid`], `hash_grid_layers`), with pairs packed into integers ([`keys`]).
//!
//! Matching of boxes without sight, over space and time (Liu's thesis), is with the papers' experiments, and built on the
//! same grids.

mod awareness;
mod bounds;
pub mod hash_grid;
mod hash_grid_layers;
pub mod keys;
mod neighbors;
mod senses;

pub use awareness::{Awareness, AwarenessChanges, Sight};
pub use bounds::{Bounds, InterestError};
pub use senses::Senses;
