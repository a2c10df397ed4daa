//! The store of a bake: how blocks see blocks, block by block, in a file that only grows.
//!
//! One kind of file is at once the checkpoint of a bake, its shard, what a bundle is written of,
//! and the draft of a budget. A bake asks which blocks are missing, computes them, appends them,
//! and writes the bundle of what is there. Groups are found by their block; in which order they
//! came does not matter.
//!
//! - [`frame`]: records with lengths and checksums;
//! - [`records`]: what a store is of;
//! - [`group`]: what it holds of each block;
//! - [`file`]: a file, begun, gone on with, appended to and read; its name and lock are in
//!   [`system`];
//! - [`shard`]: a finished shard;
//! - [`groups`]: the groups of one store or of several;
//! - [`error`]: what can go wrong.

pub mod error;
pub mod file;
pub mod frame;
pub mod group;
pub mod groups;
pub mod records;
pub mod shard;
pub mod system;
