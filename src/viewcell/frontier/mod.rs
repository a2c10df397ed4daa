//! Frontier sets: until where may two players walk before they can see each other?
//!
//! A *frontier set* is a pair of regions, one around each player, no sample of one visible from
//! any sample of the other (Steed & Angus section 3.2; Avni's thesis, chapter 3). While each
//! player stays in their own, neither need hear of the other.
//!
//! - [`FrontierBuilder`] grows one on a terrain bundle or between cells of a solid level, at once or in steps; `cells`
//!   has those of levels of cells;
//! - [`FrontierOptions`] say how far;
//! - [`Region`] is one half in the builder that grew it, [`Frontier`] one that stands by itself;
//! - [`Session`](crate::session::Session) says who of many players must be told what, in any kind of world.

mod builder;
pub mod cells;
mod flood;
mod growth;
mod options;
mod queue;
mod region;
mod samples;
mod side;
mod state;

pub(crate) use builder::check_sample;
pub use options::FrontierOptions;
pub use region::{Frontier, FrontierCodeError, Region};
pub use side::{FrontierError, Side};
pub use state::FrontierBuilder;
