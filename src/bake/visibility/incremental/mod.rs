//! What a change of the ground may change in who sees whom, for incremental re-bakes.
//!
//! `change` says which lines of sight may meet changed ground, `changed_ground` has tables of it,
//! `recheck` asks the kernel about those alone. `sample_set` is a set of samples that is asked by squares.
//!
//! Did not pay: samples that see nothing of the change past the walls before it, left out (a re-bake of exact bundles 1.05 to
//! 1.25 times as fast); squares of cells decided on the old ground as well, so that quarters with the same lanes and slabs are left
//! out (1.1 to 1.6 times, and no faster in graded bundles).

pub(crate) mod change;
pub(crate) mod changed_ground;
pub(crate) mod recheck;
pub(crate) mod sample_set;
