//! Bakes *view cell bundles* (`.vcb`): who can see whom on a terrain, in a level of cells, in a solid level.
//!
//! | step | terrain | level of cells | solid level |
//! |---|---|---|---|
//! | read | [`read_terrain`](viewcell_ingest::read_terrain) | [`cells::read_cells`](viewcell_ingest::cells::read_cells) | [`solid::read_solid`](viewcell_ingest::solid::read_solid) |
//! | or make | [`Terrain`](viewcell_ingest::world::Terrain) | [`CellGraph`](viewcell_ingest::world::CellGraph) | [`SolidLevel`](viewcell_ingest::world::solid::SolidLevel) |
//! | where players may be | every sample, or fewer: [`plan::Layers`] | every cell | [`find_places`](viewcell_ingest::world::solid::find_places) |
//! | bake | [`bake_terrain`] | [`bake_cells`] | [`bake_solid`] |
//! | of a changed ground | [`rebake`]; while players are on it, [`live`] | | |
//! | of several machines | [`bake_shard`], [`merge`] | | [`run()`], [`merge`] |
//! | all of these | [`Input`], [`plan()`], [`run()`] | the same | the same |
//! | of another size | [`repack`] | | |
//! | check | [`verify()`] | [`verify()`] | [`verify()`] |
//!
//! Bundles are asked with the crate `viewcell`. Errors say what was expected, what was found, and where.
//!
//! # Bake, open, ask
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
//! use viewcell_ingest::world::Terrain;
//! use viewcell::query::{MappedBundle, Sample};
//!
//! // A wall from north to south, 20 m high, on flat ground of 24 × 16 samples, 10 m apart.
//! let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("wall.vcb");
//! // Players may stand anywhere in the square around a sample, unless the mode says otherwise.
//! let mut options = BakeOptions::default();
//! options.mode = VisibilityMode::Exact;
//! bake_terrain(&terrain, &Source::of_terrain(&terrain), &options, &path, &Silent)?;
//!
//! let map = MappedBundle::open(&path)?;
//! let bundle = map.terrain()?;
//! let (west, east, top) = (Sample::new(2, 8), Sample::new(21, 8), Sample::new(12, 8));
//! assert!(!bundle.visible(west, east));
//! assert!(bundle.visible(west, top) && bundle.visible(top, east));
//! # Ok(())
//! # }
//! ```
//!
//!
//! # Frontier sets
//!
//! Two regions, one around each of two players, no place of one visible from any place of the
//! other. While both stay inside, they need not exchange a packet.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use viewcell_bake::{BakeOptions, Silent, Source, bake_terrain};
//! # use viewcell_ingest::world::Terrain;
//! use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
//! use viewcell::query::{MappedBundle, Sample};
//! # let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! # let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("wall.vcb");
//! # bake_terrain(&terrain, &Source::of_terrain(&terrain), &BakeOptions::default(), &path, &Silent)?;
//!
//! let map = MappedBundle::open(&path)?;
//! let bundle = map.terrain()?;
//! let mut builder = FrontierBuilder::new(&bundle);
//! let (alice, bob) = (Sample::new(2, 8), Sample::new(21, 8));
//! builder.build(alice, bob, &FrontierOptions::default())?;
//! let (hers, his) = (builder.region(Side::A), builder.region(Side::B));
//! assert!(hers.contains(alice) && his.contains(bob));
//! for place in hers.samples() {
//!     assert!(!bundle.visible(place, bob));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # A session of many players
//!
//! Moves go in, and out comes who must be told about whom: [`Session`](viewcell::session::Session), in a world of any kind.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use viewcell_bake::{BakeOptions, Silent, Source, bake_terrain};
//! # use viewcell_ingest::world::Terrain;
//! use viewcell::session::{Session, SessionOptions};
//! use viewcell::query::OwnedBundle;
//! # let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! # let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("wall.vcb");
//! # bake_terrain(&terrain, &Source::of_terrain(&terrain), &BakeOptions::default(), &path, &Silent)?;
//!
//! let bundle = OwnedBundle::open(&path)?;
//! let mut session = Session::new(&bundle, 3, SessionOptions::default());
//! let mut told = Vec::new();
//! // Two players west of the wall, and one east of it. [Unit: m]
//! for (player, [east, south]) in [(0, [20.0, 80.0]), (1, [40.0, 30.0]), (2, [210.0, 80.0])] {
//!     let place = bundle.world().locate([east, south, 0.0]);
//!     session.move_to(player, Some(place), |notice| told.push((notice.to, notice.about)))?;
//! }
//! assert!(told.contains(&(0, 1)) && told.contains(&(1, 0)));
//! assert!(told.iter().all(|&(to, about)| to != 2 && about != 2));
//! # Ok(())
//! # }
//! ```
//!
//!
//! # A level of cells
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell_bake::{CellOptions, Silent, Source, bake_cells};
//! use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
//! use viewcell::query::MappedBundle;
//!
//! let folder = tempfile::tempdir()?;
//! let (input, output) = (folder.path().join("rooms.json"), folder.path().join("rooms.vcb"));
//! // Three rooms in a row: who is in the first sees the second, but not the third.
//! std::fs::write(&input, r#"{"cells": 3, "pvs": [[1], [2], []]}"#)?;
//! let level = read_cells(&input, &IngestCellsOptions::default())?;
//! let source = Source::new(&input, level.format, Default::default())?;
//! bake_cells(&level.graph, &source, &CellOptions::default(), &output, &Silent)?;
//!
//! let map = MappedBundle::open(&output)?;
//! let rooms = map.bundle()?.cells()?;
//! assert!(rooms.visible(0, 1) && !rooms.visible(0, 2));
//! assert_eq!(rooms.distance(0, 2), Some(2));
//! # Ok(())
//! # }
//! ```
//!
//!
//! # The stages
//!
//! Data flows one way: [`viewcell_ingest`] reads files into worlds, [`visibility`] says who sees whom, [`hierarchy`] and
//! [`compress`] make it small, [`bundle`] writes it; `job` drives them.

#![deny(unsafe_code)]

pub mod bundle;
pub mod compress;
pub mod hierarchy;
mod job;
pub mod live;
pub mod plan;
mod quality;
pub mod survey;
pub mod visibility;

pub use bundle::{
    BundleError, CellStatistics, ErrorKind as BundleErrorKind, Fault, Given, InputFile,
    LevelStatistics, Report, RuleOutcome, StageTime, Statistics, Timings, Written, verify,
};
pub use job::{
    BakeError, BakeErrorKind, BakeOptions, BakeReport, Budget, CellOptions, CellReport,
    Compression, Forecast, Keep, Observer, RebakeJob, RebakeOptions, RebakeReport, RepackOptions,
    ShardOf, ShardReport, Share, Silent, SolidWorld, Source, Stage, StoreError, VisibilityMode,
    Weight, as_seen, bake_cells, bake_shard, bake_solid, bake_terrain, check_height, check_sight,
    checkpoint_beside, forecast, grid_of_shard, ground_of, merge, merge_patches, pool, read_level,
    rebake, repack, shard_in_the_making, thread_count, unreadable,
};
pub use plan::{Baked, Input, Plan, PlanError, PlanOptions, plan, run};
pub use quality::{BoxSizes, CellSizes, Quality};

pub use bundle::TooManyCells;
pub use visibility::portals::{CheckpointError, FlowError, FlowMethod};
pub use visibility::{Curvature, Simd};
