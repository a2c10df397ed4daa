//! Bakes of graded bundles ([`viewcell::format::graded`]): levels of groups, each of which covers only the blocks near its own.
//!
//! [`levels`] numbers the blocks of all levels; a store has a group for each. [`fill`] computes how cells of a level see
//! those that no lower level covers, by kernels over parts of the terrain, so that memory does not grow with it. [`pass`]
//! unites levels and prunes, [`budget`] finds how much is to be pruned, and [`write`](mod@write) writes the bundle.
//! [`unpack`] reads the groups out of a bundle, for a repack or a re-bake.
//!
//! Did not pay: a step of four between levels in place of two (3.6 times the time and bytes of the lowest); dividing down
//! to 4 × 4 less in each direction; cells at the border bounded only where ground is drawn (estimated: 0.3 % of visible
//! pairs, and all bytes change).

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
