//! The bytes of a bundle, defined once for writer and reader.
//!
//! Everything here is a pure function over slices: no I/O, no allocation, no unsafe, and no panic
//! whatever the bytes say. `schemas/BUNDLE.md` is the same in words.
//!
//! - [`header`]: the fixed header and the section table; [`sections`]: which there are, when and how long; [`pages`], checksums of a part at a time; [`signature`];
//! - [`terrain`]: the `GRID` section, what a terrain bundle was baked from and how;
//! - [`cells`]: the sections of a cell bundle;
//! - [`solid`], [`occluders`], [`objects`]: the sections of a bundle of a solid level; [`frame`]: its coordinates;
//! - [`grid`]: samples, quads, blocks, and the order of the trees;
//! - [`tree`]: the code of one PVS, walks through it, and [`morton`], its order by numbers;
//! - [`pairs`]: the code of the PVSs of a block together, as pairs of blocks ([`blockpair`], [`dictionary`],
//!   [`blockbits`]);
//! - [`answer`]: what every PVS says, and how it is read from a tree, from a group, from a lossy bundle, and while the
//!   ground has changed ([`answer::openings`], who may see whom until there is a patch);
//! - [`patch`]: what changes in a bundle when its ground does, and [`patch::layers`], bytes over bytes.

#![forbid(unsafe_code)]
// No more than `core` has; the types of clippy.toml allocate.
#![cfg_attr(
    not(test),
    deny(
        clippy::alloc_instead_of_core,
        clippy::disallowed_types,
        clippy::indexing_slicing,
        clippy::std_instead_of_core
    )
)]

pub mod answer;
pub mod bits;
pub mod bytes;
pub mod cells;
mod error;
pub mod frame;
pub mod grid;
pub mod header;
pub mod levels;
pub mod objects;
pub mod occluders;
pub mod pages;
pub mod pairs;
pub mod patch;
pub mod sections;
pub mod signature;
pub mod solid;
mod tag;
pub mod terrain;
pub mod tree;

pub use answer::{
    Area, GroupPvs, LossyPvs, Narrowing, Opening, Openings, Pvs, Quads, ReadPvs, StalePvs,
    StoredPvs, Sunk, meets_on_the_way,
};
pub use bytes::{Crc32, crc32};
pub use cells::CellParameters;
pub use error::FormatError;
pub use frame::{Frame, SolidUnits};
pub use grid::{Grid, GridError, Quad, Sample, Valid};
pub use header::{FileId, Header, Section};
pub use levels::{Levels, LevelsPvs};
pub use objects::{Object, Objects};
pub use pages::{IndexedPages, Pages, SectionPages};
pub use pairs::{Groups, blockbits, blockpair, dictionary};
pub use patch::layers::{self, Layered};
pub use patch::{Patch, PatchHeader};
pub use sections::{SectionKind, Sizes};
pub use solid::{SolidCells, SolidParameters};
pub use tag::{Tag, WorldKind};
pub use terrain::{Coarse, TerrainParameters, TreeCode, VisibilityMode};
pub use tree::{Answer, Leaf, Leaves, Literals, Tree, Trees, morton};
