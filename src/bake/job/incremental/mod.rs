//! Incremental re-bakes: from a bundle and changed ground to a patch, or to a new bundle.
//!
//! `job` has options and results, `rebake` the stages. `pair_changes` decides again which pairs of blocks see each other, `replaced`
//! makes the groups and trees that differ, `splice` a bundle of the old pieces and the new ones,
//! `layers` reads a bundle with patches over it, and joins them. `graded` does it for graded
//! bundles.

mod asking;
pub(crate) mod graded;
pub(crate) mod job;
pub(crate) mod layers;
pub(crate) mod pair_changes;
pub(crate) mod rebake;
pub(crate) mod replaced;
pub(crate) mod splice;
