//! Incremental re-bakes: a bundle and what has changed of the ground, to a patch or another bundle.
//!
//! `rebake` is the job. `pair_changes` asks again which pairs of blocks see each other, `replaced`
//! makes the groups and trees that differ, `splice` a bundle of the old pieces and the new ones,
//! `layers` reads a bundle with patches over it, and joins them.

pub(crate) mod layers;
pub(crate) mod pair_changes;
pub(crate) mod rebake;
pub(crate) mod replaced;
pub(crate) mod splice;
