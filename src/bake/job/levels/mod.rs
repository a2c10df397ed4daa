//! From groups to bundles and back ([`viewcell::format::levels`]).
//!
//! [`numbers`] numbers the blocks of all levels; a store has a group for each that a kernel looked from. [`pass`] unites levels
//! and counts, [`unions`] has the PVSs of large quads, [`prune`] and [`shrink`] prune to a budget, and [`write`](mod@write) writes the
//! bundle; [`heads`] completes what groups tell of blocks before them. [`unpack`] reads the groups out of a bundle, for a
//! repack or a re-bake.

mod heads;
mod numbers;
mod pass;
mod prune;
mod shrink;
mod unions;
mod unpack;
mod write;

pub(super) use numbers::{LevelGroup, Levels};
pub(super) use unpack::{Unpacking, unpack};
pub(super) use write::write;
