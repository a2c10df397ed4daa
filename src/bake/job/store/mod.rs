//! The store of a bake: how blocks see blocks, block by block, in a file that only grows.
//!
//! The same kind of file serves as the checkpoint of a bake, a shard, the source that a bundle is written from,
//! and the lossless first pass of a budget. A bake queries which blocks are missing, computes and appends them,
//! and writes the bundle from the store. Groups are found by their block; their order in the file does not
//! matter.
//!
//! - [`frame`]: records with lengths and checksums;
//! - [`records`]: what a store is of;
//! - [`group`]: what it holds of each block;
//! - [`file`]: a file, created, resumed, appended to and read; its name and its lock;
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
