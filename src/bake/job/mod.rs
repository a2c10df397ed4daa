//! Bakes, stage by stage: a terrain or a solid level becomes a bundle. (`cells` bakes levels of cells.)
//!
//! ```text
//! prepare      the terrain or the level as the kernels read it
//! visibility   blocks that the store lacks: how each sees the others, tile by tile
//! compress     what all groups come to, hierarchy, codes; then the bundle; sync, rename
//! ```
//!
//! All that is computed goes into one `store`, block by block, and bundles are written from it: for whole bakes,
//! resumed bakes, merged shards, repacked bundles and budgets alike. Tiles run in parallel; whichever thread is first,
//! they are appended in bake order.
//!
//! A bake may take hours. Each tile is kept as soon as it is done ([`Keep`]): a bake that is killed at any instant and
//! resumed loses only the tiles that its threads had begun, which is less than the time of a tile (1,024 viewpoints:
//! 0.1 s for 100,000 samples, 20 s for ten million). And [`bake_shard`] bakes a share of the tiles, for [`merge`] to
//! join.

mod budget;
mod cells;
mod destination;
pub(crate) mod error;
mod forecast;
mod graded;
mod grid;
pub(crate) mod incremental;
mod levels;
mod merge;
pub(crate) mod mode;
pub(crate) mod observer;
pub(crate) mod options;
pub(crate) mod parallel;
// A question to Windows.
#[allow(unsafe_code)]
mod peak;
mod repack;
mod report;
mod solid;
pub(crate) mod source;
mod store;
mod terrain;
mod tiles;
mod visibility;

pub use budget::options::{Budget, Compression, Weight};
pub use cells::{CellOptions, CellReport, bake_cells, read_level};
pub use error::{BakeError, BakeErrorKind, unreadable};
pub use forecast::{Forecast, forecast};
pub use grid::{checkpoint_beside, shard_in_the_making};
pub use incremental::job::{RebakeJob, RebakeOptions, RebakeReport};
pub use incremental::layers::{ground_of, merge_patches};
pub use incremental::rebake::rebake;
pub use merge::{grid_of_shard, merge};
pub use mode::VisibilityMode;
pub use observer::{Observer, Silent, Stage};
pub use options::{BakeOptions, as_seen, check_height, check_sight};
pub use parallel::{pool, thread_count};
pub(crate) use peak::memory as peak_memory;
pub use repack::{RepackOptions, repack};
pub use report::{BakeReport, ShardReport};
pub use solid::{SolidWorld, bake_solid};
pub(crate) use solid::{bake_solid_shard, forecast_solid, memory_of_solid, numbers};
pub use source::Source;
pub use store::error::StoreError;
pub use store::file::Keep;
pub use store::records::Share;
pub use terrain::{bake_shard, bake_terrain};
pub use tiles::ShardOf;
