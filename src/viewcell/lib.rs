//! What an engine links: who can see whom, queried from a *view cell bundle* (`.vcb`).
//!
//! `viewcell bake` makes bundles from heightmaps and levels (as a library: the crate `viewcell-bake`). At run time a game,
//! server or tool maps the file and queries whether two places can see each other.
//!
//! | step | calls | module |
//! |---|---|---|
//! | open | `MappedBundle::open`, [`query::Bundle::from_bytes`]; to own the bytes, [`query::OwnedBundle`] | [`query`] |
//! | locate, ask | [`query::World::locate`], [`query::World::visible`], in any kind of world | [`query`] |
//! | ask of one kind | [`query::TerrainBundle`], [`query::CellBundle`], [`query::SolidBundle`] | [`query`] |
//! | keep two players silent | [`frontier::FrontierBuilder`] | [`frontier`] |
//! | keep many players silent | [`session::Session`], in any kind of world | [`session`] |
//! | who must be sent to whom, each frame | [`watch::Watch`], in a solid level | [`watch`] |
//! | who is near whom | [`interest::Awareness`] | [`interest`] |
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use viewcell::query::Bundle;
//!
//! let bytes = std::fs::read("level.vcb")?;
//! let world = Bundle::from_bytes(&bytes)?.world()?;
//! let (Some(a), Some(b)) = (world.locate([120.0, 340.5, 10.0]), world.locate([800.0, 95.0, 12.0])) else {
//!     return Ok(()); // outside of the world: visible
//! };
//! if !world.visible(a, b) {
//!     // a need not hear of b
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`mod@format`] is the bytes, defined once for writer and reader, and [`convex`] the proof that convex occluders hide a
//! box from another: for writers of bundles. They may change with any release.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | none | bundles from bytes, without a dependency |
//! | `mmap` | bundles from mapped files |
//! | `sign` | `Bundle::check_signature` |
//! | `capi` | the C interface |

// Where `unsafe` is allowed, the place says so: the memory map, what owns its bytes, kernels, the C interface.
#![deny(unsafe_code)]
// What a hostile file brings about is an error or a wrong answer.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

#[cfg(feature = "capi")]
pub mod capi;
#[allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
pub mod convex;
#[doc(hidden)]
pub mod dice;
pub mod format;
pub mod frontier;
mod instructions;
pub mod interest;
pub mod query;
pub mod session;
#[cfg(feature = "sign")]
pub mod sign;
pub mod watch;
