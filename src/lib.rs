//! `viewcell` bakes who can see whom.
//!
//! Offline, a terrain heightmap becomes a *view cell bundle* (`.vcb`): for every place in the
//! world, everything that may be seen from it. At run time a game, server or tool maps the file
//! and asks at once whether two places can see each other.
//!
//! The stages, in the order in which data flows:
//!
//! ```text
//! ingest -> world -> visibility -> hierarchy -> compress -> bundle     (bake)
//!                                      format (bytes) -> runtime       (play)
//! ```
//!
//! `format` and `runtime` have no dependency and are all that an engine links
//! (`--no-default-features`); the rest is behind the feature `bake`.

#![warn(missing_docs)]

pub mod format;
pub mod runtime;

#[cfg(feature = "bake")]
pub mod bake;
#[cfg(feature = "bake")]
pub mod bundle;
#[cfg(feature = "bake")]
pub mod compress;
#[cfg(any(feature = "bake", feature = "simulate"))]
pub mod dice;
#[cfg(feature = "bake")]
pub mod experiment;
#[cfg(feature = "bake")]
pub mod hierarchy;
#[cfg(feature = "bake")]
pub mod ingest;
#[cfg(feature = "bake")]
pub mod picture;
#[cfg(feature = "simulate")]
pub mod simulate;
#[cfg(feature = "view")]
pub mod view;
#[cfg(feature = "bake")]
pub mod visibility;
#[cfg(feature = "bake")]
pub mod world;

// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
