//! `viewcell` bakes who can see whom.
//!
//! Offline, a terrain heightmap or a level of cells becomes a *view cell bundle* (`.vcb`): for
//! every place in the world, everything that may be seen from it. At run time a game, server or
//! tool maps the file and asks at once whether two places can see each other.
//!
//! The names on this page are all that a program needs: **bake**, **open**, **ask**, grow
//! **frontier sets**, and keep a **session** of many players. Errors say what was expected, what
//! was found, and where.
//!
//! # Bake, open, ask
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell::{BakeOptions, MappedBundle, Mode, Sample, Silent, Source, Terrain, bake_terrain};
//!
//! // A wall from north to south, 20 m high, on flat ground of 24 × 16 samples, 10 m apart.
//! let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("wall.vcb");
//! // Players may stand anywhere in the square around a sample, unless the mode says otherwise.
//! let options = BakeOptions { mode: Mode::Exact, ..BakeOptions::default() };
//! bake_terrain(&terrain, &Source::of_terrain(&terrain), &options, &path, &Silent)?;
//!
//! let map = MappedBundle::open(&path)?;
//! let bundle = map.terrain()?;
//! let (west, east, top) = (Sample::new(2, 8), Sample::new(21, 8), Sample::new(12, 8));
//! assert!(!bundle.visible(west, east));
//! assert!(bundle.visible(west, top) && bundle.visible(top, east));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "bake"))]
//! # fn main() {}
//! ```
//!
#![cfg_attr(
    feature = "bake",
    doc = "From a file, [`read_terrain`] gives the terrain, and [`Source::new`] says where it came",
    doc = "from; [`bake_cells`] does the same for the levels that [`read_cells`] reads."
)]
//!
//! # Frontier sets
//!
//! Two regions, one around each of two players, no place of one visible from any place of the
//! other. While both stay inside, they need not exchange a packet.
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use viewcell::{BakeOptions, MappedBundle, Mode, Sample, Silent, Source, Terrain, bake_terrain};
//! use viewcell::{FrontierBuilder, FrontierOptions, Side};
//! # let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! # let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("wall.vcb");
//! # let options = BakeOptions { mode: Mode::Exact, ..BakeOptions::default() };
//! # bake_terrain(&terrain, &Source::of_terrain(&terrain), &options, &path, &Silent)?;
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
//! # #[cfg(not(feature = "bake"))]
//! # fn main() {}
//! ```
//!
//! # A session of many players
//!
//! Moves go in, and out comes who must be told about whom: [`Session`] on a terrain,
//! [`CellSession`] in a level of cells.
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use viewcell::{BakeOptions, MappedBundle, Mode, Sample, Silent, Source, Terrain, bake_terrain};
//! use viewcell::{Session, SessionOptions};
//! # let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! # let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("wall.vcb");
//! # let options = BakeOptions { mode: Mode::Exact, ..BakeOptions::default() };
//! # bake_terrain(&terrain, &Source::of_terrain(&terrain), &options, &path, &Silent)?;
//!
//! let map = MappedBundle::open(&path)?;
//! let mut session = Session::new(&map.terrain()?, 3, SessionOptions::default());
//! let mut told = Vec::new();
//! // Two players west of the wall, and one east of it.
//! for (player, place) in [(0, (2, 8)), (1, (4, 3)), (2, (21, 8))] {
//!     let place = Sample::new(place.0, place.1);
//!     session.move_to(player, Some(place), |notice| told.push((notice.to, notice.about)))?;
//! }
//! assert!(told.contains(&(0, 1)) && told.contains(&(1, 0)));
//! assert!(told.iter().all(|&(to, about)| to != 2 && about != 2));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "bake"))]
//! # fn main() {}
//! ```
//!
#![cfg_attr(
    feature = "bake",
    doc = "Where the ground changes while players are on it, a [`Rebaker`] keeps every answer safe, and a",
    doc = "[`LiveSession`] drops the frontier sets that are no longer true."
)]
//!
//! # A level of cells
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell::{CellOptions, CellsOptions, MappedBundle, Silent, Source, bake_cells, read_cells};
//!
//! let folder = tempfile::tempdir()?;
//! let (input, output) = (folder.path().join("rooms.json"), folder.path().join("rooms.vcb"));
//! // Three rooms in a row: who is in the first sees the second, but not the third.
//! std::fs::write(&input, r#"{"cells": 3, "pvs": [[1], [2], []]}"#)?;
//! let level = read_cells(&input, &CellsOptions::default())?;
//! let source = Source::new(&input, level.format, Default::default())?;
//! bake_cells(&level.graph, &source, &CellOptions::default(), &output, &Silent)?;
//!
//! let map = MappedBundle::open(&output)?;
//! let rooms = map.cells()?;
//! assert!(rooms.visible(0, 1) && !rooms.visible(0, 2));
//! assert_eq!(rooms.distance(0, 2), Some(2));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "bake"))]
//! # fn main() {}
//! ```
//!
//! # Features
//!
//! Without features there is the runtime alone, which opens bundles from bytes and has no
//! dependency; `mmap` maps files, `capi` is the C interface, `bake` is all that is offline, and
//! `cli` (the default) is the program `viewcell`. ARCHITECTURE.md in the repository is the map of
//! the inside; the modules behind these names are not documented here, and may change with any
//! release.

#![warn(missing_docs)]

#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod runtime;

#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod bake;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod bundle;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod compress;
#[cfg(any(feature = "bake", feature = "ground", feature = "simulate"))]
#[doc(hidden)]
pub mod dice;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod experiment;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod export;
#[cfg(feature = "ground")]
#[doc(hidden)]
pub mod ground;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod hierarchy;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod ingest;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod picture;
#[cfg(feature = "simulate")]
#[doc(hidden)]
pub mod simulate;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod survey;
#[cfg(feature = "view")]
#[doc(hidden)]
pub mod view;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod visibility;
#[cfg(feature = "bake")]
#[doc(hidden)]
pub mod world;

// Open and ask.
#[cfg(feature = "mmap")]
pub use runtime::MappedBundle;
pub use runtime::{
    Bundle, CellBundle, Grid, Layers, OpenError, Pvs, Quad, Sample, TerrainBundle,
    TerrainParameters, Visibility, VisibilityMode, WorldKind,
};

// Frontier sets and sessions.
pub use runtime::cell_frontier::{
    Construction, Frontier as CellFrontier, Session as CellSession,
    SessionOptions as CellSessionOptions,
};
pub use runtime::frontier::{
    Frontier, FrontierBuilder, FrontierError, FrontierOptions, News, Notice, Region, Session,
    SessionOptions, Side,
};

// Bake.
#[cfg(feature = "bake")]
pub use bake::{
    BakeError, BakeOptions, BakeReport, Budget, CellOptions, CellReport, Compression, Keep,
    LiveSession, Mode, Moment, Observer, RebakeJob, RebakeOptions, RebakeReport, Rebaker,
    RepackOptions, ShardOf, Silent, Source, Stage, Stamped, Weight, bake_cells, bake_shard,
    bake_terrain, merge, merge_patches, rebake, repack,
};
#[cfg(feature = "bake")]
pub use ground::{GroundError, Shape, TopEffect};
#[cfg(feature = "bake")]
pub use ingest::{
    CellsOptions, IngestError, IngestOptions, Ingested, IngestedCells, read_cells, read_terrain,
};
#[cfg(feature = "bake")]
pub use visibility::Curvature;
#[cfg(feature = "bake")]
pub use world::{CellGraph, Georeference, Terrain, TerrainError};

// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
