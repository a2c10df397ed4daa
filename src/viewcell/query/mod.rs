//! Open a bundle, find places in it, and ask who sees whom.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(feature = "mmap")] {
//! use viewcell::query::MappedBundle;
//!
//! let map = MappedBundle::open("level.vcb")?;
//! let terrain = map.terrain()?;
//! let (Some(a), Some(b)) = (terrain.locate(120.0, 340.5), terrain.locate(800.0, 95.0)) else {
//!     return Ok(()); // outside the grid
//! };
//! if !terrain.visible(a, b) {
//!     // a need not hear of b
//! }
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! A bundle is bytes: [`Bundle::from_bytes`] reads the header and the section table, and
//! nothing else, whatever the size. Every later access is checked against the bounds of its
//! section, so damaged or hostile bytes give an error or a wrong answer (visible rather than
//! hidden), never a crash, a hang or undefined behaviour. Whether the bytes are right is for
//! `viewcell verify` to say, once.
//!
//! No query allocates. Opening files and the text of errors do, and functions that say that they
//! allocate, such as [`FrontierBuilder::new`](crate::frontier::FrontierBuilder::new).

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod bundle;
mod cells;
mod error;
mod layers;
#[cfg(feature = "mmap")]
mod map;
mod owned;
mod seen;
pub(crate) mod solid;
mod terrain;
mod within;
mod world;

pub use crate::format::cells::{CellParameters, DistanceBits, DistanceRow, PvsRow, SymmetryCode};
pub use crate::format::{
    Answer, Coarse, FileId, FormatError, Frame, Grid, GridError, Leaf, Object, Objects, Pages, Pvs,
    Quad, Quads, Sample, Section, SolidParameters, SolidUnits, Tag, TerrainParameters, TreeCode,
    Valid, VisibilityMode, WorldKind,
};
#[cfg(feature = "sign")]
pub use crate::sign::{KeyError, PublicKey};
pub use bundle::Bundle;
pub use cells::{Along, CellBundle, Stretch};
pub use error::{OpenError, ShortMemory};
pub use layers::Layers;
#[cfg(feature = "mmap")]
pub use map::{MappedBundle, open_regular};
pub use owned::OwnedBundle;
pub use seen::Seen;
pub use solid::SolidBundle;
pub use terrain::TerrainBundle;
pub(crate) use within::counted;
pub use within::{Extent, Motion, MotionLimits, Mover, Predictor, Reach, ReachableSet};
pub use world::{Place, World};

/// The coded parts of a bundle, for tools that look into it.
pub mod parts {
    pub use crate::format::blockpair::{BlockPair, Piece as PairPiece};
    pub use crate::format::cells::Child;
    pub use crate::format::dictionary::{Code, Dictionary};
    pub use crate::format::layers::{Over, Piece};
    pub use crate::format::levels::Shape as LevelShape;
    pub use crate::format::pages::{IndexedPages, SectionPages};
    pub use crate::format::pairs::Group;
    pub use crate::format::{
        Area, GroupPvs, Groups, Header, Leaves, Levels, LevelsPvs, Literals, LossyPvs, Narrowing,
        Opening, Openings, ReadPvs, StalePvs, StoredPvs, Sunk, Tree, Trees,
    };
}
