//! Bakes of graded bundles ([`viewcell::format::graded`]): levels of groups, each of which covers only the blocks near its own.
//!
//! [`levels`] numbers the blocks of all levels; a store has a group for each. [`fill`] computes how cells of a level see
//! those that no lower level covers, by kernels over parts of the terrain, so that memory does not grow with it. [`pass`]
//! unites levels and prunes, [`budget`] finds how much is to be pruned, and [`write`](mod@write) writes the bundle.
//! [`unpack`] reads the groups out of a bundle, for a repack or a re-bake.

mod budget;
mod fill;
mod forecast;
mod levels;
mod pass;
mod unpack;
mod write;

pub(super) use fill::GradedWork;
pub(super) use forecast::forecast;
pub(super) use unpack::{difference, unpack};
pub(super) use write::write;
