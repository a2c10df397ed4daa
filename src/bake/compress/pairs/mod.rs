//! Tree code 2 ([`viewcell::format::pairs`]): who sees whom, pair of blocks by pair of blocks.
//!
//! [`symbols`] makes the tree of a pair out of its bits, [`codebook`] gives the symbols of all
//! trees their bytes, and [`group`] puts the records of a block together.

pub mod bits;
pub mod codebook;
pub mod group;
pub mod prune;
mod recode;
pub mod symbols;

pub use bits::PairBits;
pub use codebook::{Codebook, Histogram};
pub use group::{PairCounts, encode_head, encode_head_within, encode_records};
pub use prune::{PairPruner, PairWorth, Worth, prune_tree};
pub use recode::{Recoder, RecordCounts};
pub use symbols::{BlockPairSymbols, PairList, PairSymbols};
pub use viewcell::format::blockbits::transpose;
