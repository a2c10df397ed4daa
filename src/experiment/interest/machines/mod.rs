//! Interest matching on several machines (Liu's thesis, chapter 6).
//!
//! Space is cut into subdivisions, each owned by one of several *ranks*. A rank has the regions whose
//! lower corners are in its subdivisions, and gets copies, *ghosts*, of those that reach into them. Ranks
//! talk to each other through a [`Transport`] alone: [`local`] ranks are threads of one process, those of
//! `Mpi` (feature `mpi`) are processes.

mod balance;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod play;
mod rank;
mod run;
mod space;
mod transport;

pub use balance::Balance;
pub use message::{Change, Moved};
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use play::Play;
pub use rank::{Counts, Rank, RankOptions};
pub use run::{Outcome, run_local, run_rank};
pub use space::Space;
pub use transport::{Local, Lost, Transport, local};
