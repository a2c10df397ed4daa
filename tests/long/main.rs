//! Long bakes: stopped and resumed, split and merged, to the same bytes.
#![cfg(feature = "bake")]

mod common;
mod resume;
mod shards;
