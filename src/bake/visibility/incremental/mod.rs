//! What a change of the ground may change in who sees whom, for incremental re-bakes.
//!
//! `change` says which lines of sight may meet changed ground, `changed_ground` has tables of it,
//! `recheck` asks the kernel about those alone. `onlookers` finds who may see it at all, `sample_set` is a set of samples that is asked by squares.
//! `side_by_side` asks cells on the old ground, too.

pub(crate) mod change;
pub(crate) mod changed_ground;
pub(crate) mod onlookers;
pub(crate) mod recheck;
pub(crate) mod sample_set;
pub(crate) mod side_by_side;
