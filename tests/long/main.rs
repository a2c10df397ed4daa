//! Long bakes: stopped and resumed, split and merged, to the same bytes.

mod common;
mod resume;
mod shards;
