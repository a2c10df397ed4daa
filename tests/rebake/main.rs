//! Incremental re-bakes, against bakes of the new ground from nothing.

#[path = "../common/baking.rs"]
#[allow(dead_code)]
mod baking;
mod cells;
mod full_bake;
mod graded;
mod layers;
mod live;
mod minute;
mod session;
mod stamps;
mod voids;
mod whole;
