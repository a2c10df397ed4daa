//! Interest matching: who must hear of whom, tick by tick.
//!
//! A region is a closed box. An *update region* is where news of an entity is of interest, a
//! *subscription region* what a participant wants to hear of (Liu's thesis, chapter 3). Regions come,
//! go and move at any time; each tick says which pairs have begun to overlap and which have ceased.
//!
//! ```
//! use viewcell::interest::{Bounds, Interest, InterestError, Kind};
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

mod around;
mod awareness;
mod bounds;
mod brute;
mod cells;
mod changes;
mod error;
mod exact;
mod find;
mod grid;
mod layers;
mod matcher;
mod motion;
mod polynomial;
mod regions;
mod rows;
mod sample;
mod sort;
mod space;

pub use awareness::{Awareness, AwarenessChanges, LookAhead, Senses, Sight};
pub use bounds::Bounds;
pub use brute::BruteForce;
pub use changes::{Changes, Event, Events, Pair, Record};
pub use error::InterestError;
pub use grid::Grid;
pub use matcher::{Interest, Method};
pub use motion::{Span, linear};
pub use polynomial::{Path, RESOLUTION, polynomial};
pub use regions::{Kind, Region, Regions};
