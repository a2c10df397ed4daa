//! Matching of regions, over space and time.
//!
//! A region is a closed box. An *update region* is where news of an entity is of interest, a
//! *subscription region* what a participant wants to hear of (Liu's thesis, chapter 3). Regions come,
//! go and move at any time; each tick says which pairs have begun to overlap and which have ceased.
//!
//! ```
//! use viewcell::interest::{Bounds, InterestError};
//! use viewcell_papers::interest::matching::{Interest, Kind};
//!
//! # fn main() -> Result<(), InterestError> {
//! let mut interest = Interest::new();
//! let monster = interest.insert(Kind::Update, Bounds::around([0.0, 0.0, 0.0], [1.0; 3])?)?;
//! let player = interest.insert(Kind::Subscription, Bounds::around([9.0, 0.0, 0.0], [5.0; 3])?)?;
//! assert!(interest.tick().began.is_empty());
//!
//! interest.move_to(player, Bounds::around([4.0, 0.0, 0.0], [5.0; 3])?)?;
//! let changes = interest.tick();
//! assert_eq!((changes.began[0].update, changes.began[0].subscription), (monster, player));
//!
//! interest.remove(monster)?;
//! assert_eq!(interest.tick().ceased.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! A tick allocates nothing once the matcher has seen as many regions and pairs before.
//!
//! # How it works
//!
//! [`Interest`] is told where [`Regions`] are, and asks a [`Method`] what has changed. [`BruteForce`] compares all pairs
//! and is what tests hold the others to. [`Grid`] is the fastest: in each tick it sorts the boxes into the cells of hash
//! grids ([`viewcell::interest::hash_grid`]), finds the pairs that overlap, packed into integers, and compares them with
//! those of the last tick. [`Interest::sweep`] also tells what happens between two ticks: the same search over boxes
//! around the paths of regions, then bounds of how two move relative to each other (`sweep`), and an exact solution for
//! what is left (`motion`).

mod brute_force;
mod grid;
mod matcher;
mod method;
mod motion;
mod regions;
mod sweep;

pub use brute_force::BruteForce;
pub use grid::Grid;
pub use matcher::Interest;
pub use method::{Changes, Event, Events, Method, Pair, Record};
pub use motion::{Path, RESOLUTION, Span, linear, polynomial};
pub use regions::{Kind, Region, Regions};
