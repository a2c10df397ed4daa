//! PVS bitmaps to bytes; for cells, [`cells`].
//!
//! A *block bitmap* holds one bit a sample: one word for each 8×8 block of samples, blocks row by
//! row, bit (r & 7)·8 + (c & 7) of a word for sample (c, r) ([`viewcell::format::Grid::block_bit`]).

pub mod cells;
pub mod delta;
pub mod levels;
pub mod lossless;
pub mod pairs;

pub use lossless::{Scratch, ValidPyramid, encode};
