//! The job: heightmap to bundle, stage by stage.
//!
//! ```text
//! prepare      the terrain as the kernels read it
//! visibility   blocks that the store lacks: how each sees the others, tile by tile
//! compress     what all groups come to, hierarchy, codes; then the bundle; sync, rename
//! ```
//!
//! All that is computed goes into one `store`, block by block, and bundles are written of what is
//! there: whole bakes, resumed ones, shards that are merged, bundles that are repacked, and budgets
//! take the same road. Tiles run in parallel; whichever thread is first, they are appended in
//! bake order.
//!
//! A bake may take hours. Each tile is kept as soon as it is done ([`Keep`]): a bake that is
//! killed at any instant, and resumed, loses what the threads had begun since, which is less than
//! the time of a tile (1,024 viewpoints: 0.1 s for 100,000 samples, 20 s for ten million). And
//! [`bake_shard`] bakes a share of the tiles, for [`merge`] to join.

mod assembly;
mod budget;
mod cells;
mod compress;
mod compression;
mod crew;
mod draft;
mod error;
mod following;
mod forecast;
mod job;
mod kernel;
mod live;
mod memory;
mod merge;
mod mirror;
mod observer;
mod options;
mod pack;
mod patched;
mod patching;
mod prune;
mod read_back;
mod rebake;
mod repack;
mod report;
mod restream;
mod search;
mod share;
mod stakes;
mod store;
mod terrain;
mod tiles;
mod unpack;
mod visibility;
mod weights;

pub use cells::{CellOptions, CellReport, bake_cells};
pub use compression::{Budget, Compression, DeepestFirst, Ties, Weight};
pub(crate) use crew::{pool, thread_count};
pub(crate) use error::unreadable;
pub use error::{BakeError, BakeErrorKind};
pub use forecast::{Forecast, forecast};
pub use job::Source;
pub use live::{LiveSession, Moment, Rebaker, Stamped};
pub use merge::{grid_of_shard, merge};
pub use observer::{Observer, Silent, Stage};
pub use options::{BakeOptions, Mode, as_seen, check_height, check_sight};
pub use patched::{ground_of, merge_patches};
pub use read_back::read_level;
pub use rebake::{RebakeJob, RebakeOptions, RebakeReport, rebake};
pub use repack::{RepackOptions, repack};
pub use report::{BakeReport, ShardReport};
pub use share::ShardOf;
pub use store::error::StoreError;
pub use store::file::Keep;
pub use store::records::Share;
pub use terrain::{bake_shard, bake_terrain, checkpoint_beside, shard_in_the_making};
