//! How the groups of a graded bundle ([`viewcell::format::levels`]) are computed: each level covers only the blocks near its
//! own.
//!
//! [`fill`] computes how cells of a level see those that no lower level covers, by kernels over parts of the terrain, so that
//! memory does not grow with it. What becomes of the groups is that of all bundles ([`super::levels`]).
//!
//! Did not pay: a step of four between levels in place of two (3.6 times the time and bytes of the lowest); dividing down
//! to 4 × 4 less in each direction; cells at the border bounded only where ground is drawn (estimated: 0.3 % of visible
//! pairs, and all bytes change).

mod fill;
mod forecast;

pub(super) use fill::GradedWork;
pub(super) use forecast::forecast;
