//! Writing, verifying and dumping bundles.
//!
//! - [`writer`]: trees in, a finished file out, or nothing;
//! - [`cells`]: the same for levels of cells;
//! - [`pairs_writer`]: groups and trees in, a finished file out;
//! - [`output`]: files in the making;
//! - [`mod@file`]: reading sections of a file without mapping it;
//! - [`mod@verify`]: every rule of the format, one function each;
//! - [`mod@info`]: what a bundle is and how it was made;
//! - [`records`]: the bytes of checkpoints and shards, and [`journal`], in which they grow;
//! - [`checkpoint`]: what is kept of a bundle in the making;
//! - [`shard`]: shares of a bundle;
//! - [`parts`]: what a bundle holds beside its PVSs, to make another of;
//! - [`mod@ship`]: bundles for downloads, and back;
//! - [`timings`]: what the making took, in a file beside the bundle.

mod arriving;
mod cells;
pub mod checkpoint;
pub mod error;
pub mod file;
pub mod info;
pub mod journal;
pub mod output;
pub mod pairs_writer;
pub mod parts;
pub mod provenance;
pub mod records;
pub mod shard;
pub mod ship;
pub mod timings;
pub mod verify;
pub mod writer;

pub use cells::{CellSections, write_cells};
pub use checkpoint::Checkpoint;
pub use error::{BundleError, ErrorKind};
pub use file::BundleFile;
pub use info::{CellsInfo, Info, TerrainInfo, info};
pub use journal::{Keep, RecordError};
pub(crate) use output::scratch_beside;
pub use output::{Part, check_output, save, save_with};
pub use pairs_writer::{PairsWriter, trees_in_order};
pub use parts::TerrainParts;
pub use provenance::{
    CellStatistics, Given, InputFile, LevelStatistics, Loss, LossyLevel, Provenance, Statistics,
};
pub use records::{Difference, Head, Job, Share, Tile};
pub use shard::{ShardReader, ShardWriter};
pub use ship::{Shipped, ship, unpack};
pub use timings::{StageTime, Timings};
pub use verify::{Fault, Progress, Report, RuleOutcome, verify};
pub use writer::{TerrainHeader, TerrainWriter, Written};
