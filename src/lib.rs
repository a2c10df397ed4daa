//! `viewcell` bakes who can see whom.
//!
//! Offline, a terrain heightmap or a level of cells becomes a *view cell bundle* (`.vcb`): for
//! every place in the world, everything that may be seen from it. At run time a game, server or
//! tool maps the file and asks at once whether two places can see each other.
//!
//! # The calls, in order
//!
//! | step | calls | module |
//! |---|---|---|
//! | read | `read_terrain`, `read_cells`, or `Terrain::new` | `bake` |
//! | bake | `bake_terrain`, `bake_cells`; `rebake`, `repack`, `merge` | `bake` |
//! | open | `MappedBundle::open`, [`query::Bundle::from_bytes`]; to own the bytes, [`query::OwnedBundle`] | [`query`] |
//! | locate, ask | [`locate`](query::TerrainBundle::locate), [`visible`](query::TerrainBundle::visible), [`pvs`](query::TerrainBundle::pvs) | [`query`] |
//! | ask whichever kind it is | [`query::World::locate`], [`query::World::visible`] | [`query`] |
//! | keep two players silent | [`frontier::FrontierBuilder`] | [`frontier`] |
//! | keep many players silent | [`frontier::Session`], in any kind of world | [`frontier`] |
//! | who is near whom | [`interest::Interest`], [`interest::Awareness`] | [`interest`] |
//! | change the ground | `Rebaker::stamp`, `Rebaker::session` | `live` |
//! | judge a scheme | `run::run` | `simulate` |
//!
//! Errors say what was expected, what was found, and where.
//!
//! # Bake, open, ask
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell::bake::{BakeOptions, Silent, Source, Terrain, VisibilityMode, bake_terrain};
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
//! # #[cfg(not(feature = "bake"))]
//! # fn main() {}
//! ```
//!
#![cfg_attr(
    feature = "bake",
    doc = "From a file, [`bake::read_terrain`] gives the terrain, and [`bake::Source::new`] says where it came",
    doc = "from; [`bake::bake_cells`] does the same for the levels that [`bake::read_cells`] reads."
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
//! # use viewcell::bake::{BakeOptions, Silent, Source, Terrain, bake_terrain};
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
//! # #[cfg(not(feature = "bake"))]
//! # fn main() {}
//! ```
//!
//! # A session of many players
//!
//! Moves go in, and out comes who must be told about whom: [`frontier::Session`], on a terrain, in a level of cells, in
//! a solid level, or on an [`query::OwnedBundle`] of whichever kind.
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use viewcell::bake::{BakeOptions, Silent, Source, Terrain, bake_terrain};
//! use viewcell::frontier::{Session, SessionOptions};
//! use viewcell::query::{MappedBundle, Sample};
//! # let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
//! # let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("wall.vcb");
//! # bake_terrain(&terrain, &Source::of_terrain(&terrain), &BakeOptions::default(), &path, &Silent)?;
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
    feature = "live",
    doc = "Where the ground changes while players are on it, a [`live::Rebaker`] keeps every answer safe, and a",
    doc = "[`live::LiveSession`] on it ends the frontier sets that are no longer true."
)]
//!
//! # A level of cells
//!
//! ```
//! # #[cfg(feature = "bake")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell::bake::{CellOptions, IngestCellsOptions, Silent, Source, bake_cells, read_cells};
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
//! | feature | what it adds |
//! |---|---|
//! | none | [`query`], [`frontier`] and [`interest`] on bytes, without a dependency |
//! | `mmap` | bundles from mapped files |
//! | `capi` | the C interface |
//! | `simulate`, `ground` | players on a network; layered ground. No dependency |
//! | `bake` | bakes, and readers of formats that need no other crate |
//! | `geotiff`, `png`, `gltf` | readers of these formats, and writers of the first two |
//! | `live` | ground that changes while a server runs |
//! | `cli` | the program `viewcell`, with all of these; the default |

#![warn(missing_docs)]
// The library is its public modules; docs of what they re-export speak of the files that they come from, too.
#![allow(rustdoc::private_intra_doc_links)]
// The C interface is linked, not named.
#![cfg_attr(
    not(all(feature = "capi", not(feature = "internals"))),
    deny(unnameable_types)
)]
// With the program, whatever is `pub` is used from outside the library or public.
#![cfg_attr(all(feature = "cli", not(test)), deny(unreachable_pub))]
// Without it, what only the program uses is private and unused.
#![cfg_attr(
    not(all(feature = "internals", feature = "cli")),
    allow(dead_code, unused_imports)
)]

// ------------------------------------------------------------------ public modules

#[cfg(feature = "bake")]
pub mod bake;
pub mod frontier;
#[cfg(feature = "ground")]
pub mod ground;
pub mod interest;
#[cfg(feature = "live")]
pub mod live;
pub mod query;
#[cfg(feature = "simulate")]
pub mod simulate;

// ------------------------------------------------------------------ the inside

#[cfg(feature = "bake")]
mod bundle;
#[cfg(feature = "bake")]
mod compress;
mod convex;
#[cfg(any(feature = "bake", feature = "ground", feature = "simulate"))]
mod dice;
#[cfg(feature = "experiments")]
mod experiment;
#[cfg(feature = "bake")]
mod export;
mod format;
#[cfg(feature = "bake")]
mod hierarchy;
#[cfg(feature = "bake")]
mod ingest;
#[cfg(feature = "pictures")]
mod picture;
mod runtime;
#[cfg(feature = "sign")]
mod sign;
#[cfg(feature = "bake")]
mod survey;
#[cfg(feature = "view")]
mod view;
#[cfg(feature = "bake")]
mod visibility;
#[cfg(feature = "bake")]
mod world;

/// The folders of the library, for the program, the tests and the bindings of this repository alone: any release may
/// change what is here.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    macro_rules! folders {
        ($($(#[$when:meta])* $folder:ident)*) => {$(
            $(#[$when])*
            pub mod $folder {
                pub use crate::$folder::*;
            }
        )*};
    }
    folders! {
        #[cfg(feature = "bake")] bake
        #[cfg(feature = "bake")] bundle
        #[cfg(feature = "bake")] compress
        convex
        #[cfg(any(feature = "bake", feature = "ground", feature = "simulate"))] dice
        #[cfg(feature = "experiments")] experiment
        #[cfg(feature = "bake")] export
        format
        #[cfg(feature = "ground")] ground
        #[cfg(feature = "bake")] hierarchy
        #[cfg(feature = "bake")] ingest
        #[cfg(feature = "pictures")] picture
        runtime
        #[cfg(feature = "sign")] sign
        #[cfg(feature = "simulate")] simulate
        #[cfg(feature = "bake")] survey
        #[cfg(feature = "view")] view
        #[cfg(feature = "bake")] visibility
        #[cfg(feature = "bake")] world
    }
}

// The code of the README and of the book compiles.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../assets/book/frontier.md")]
    struct Frontier;
    #[doc = include_str!("../assets/book/ground.md")]
    struct Ground;
}
