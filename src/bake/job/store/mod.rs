//! The store of a bake: how blocks see blocks, block by block, in a file that only grows.
//!
//! One kind of file is at once the checkpoint of a bake, its shard, what a bundle is written of,
//! and the lossless first pass of a budget. A bake asks which blocks are missing, computes them, appends them,
//! and writes the bundle of what is there. Groups are found by their block; in which order they
//! came does not matter.
//!
//! - [`frame`]: records with lengths and checksums;
//! - [`records`]: what a store is of;
//! - [`group`]: what it holds of each block;
//! - [`file`]: a file, begun, gone on with, appended to and read; its name and its lock;
//! - [`groups`]: the groups of one store or of several;
//! - [`shard`]: a finished shard;
//! - [`error`]: what can go wrong.

pub(super) mod error;
pub(super) mod file;
pub(super) mod frame;
pub(super) mod group;
pub(super) mod groups;
pub(super) mod records;
pub(super) mod shard;
