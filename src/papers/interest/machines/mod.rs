//! Interest matching on several machines (Liu's thesis, chapter 6).
//!
//! Space is cut into subdivisions, each owned by one of several *ranks*. A rank has the regions whose
//! lower corners are in its subdivisions, and gets copies, *ghosts*, of those that reach into them. Ranks
//! talk to each other through a [`Transport`] alone: [`local`] ranks are threads of one process, those of
//! `Mpi` (feature `mpi`) are processes.

#[cfg(feature = "mpi")]
mod mpi;
mod rank;
mod run;
mod space;
mod transport;

#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use rank::{Counts, Rank, RankOptions};
pub use run::{Outcome, run_local, run_rank};
pub use space::{Balance, Play, Space};
pub use transport::{Change, Local, Lost, Moved, Transport, local};
