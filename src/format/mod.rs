//! The bytes of a bundle, defined once for writer and reader.
//!
//! Everything here is a pure function over slices: no I/O, no allocation, no unsafe, and no panic
//! whatever the bytes say. `schemas/BUNDLE.md` is the same in words.
//!
//! - [`header`]: the fixed header and the section table;
//! - [`terrain`]: the `GRID` section, what a terrain bundle was baked from and how;
//! - [`cells`]: the sections of a cell bundle;
//! - [`solid`], [`occluders`]: the sections of a bundle of a solid level;
//! - [`grid`]: samples, quads, blocks, and the order of the trees; [`morton`], that
//!   order by numbers; [`blockbits`], words of blocks and squares of bits;
//! - [`quadtree`]: the code of one PVS, and the answers read straight from it;
//! - [`groups`]: the code of the PVSs of a block together, as pairs of blocks ([`blockpair`],
//!   [`dictionary`]), and [`grouppvs`], one PVS out of it;
//! - [`narrow`]: the answers of a bundle that has lost something;
//! - [`patch`]: what changes in a bundle when its ground does, and [`layers`], bytes over bytes;
//! - [`opening`]: who may see whom while that is being found out.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

pub mod blockbits;
pub mod blockpair;
pub mod bytes;
pub mod cells;
mod crc;
pub mod dictionary;
mod error;
mod file_id;
pub mod grid;
pub mod grouppvs;
pub mod groups;
pub mod header;
pub mod layers;
mod literals;
pub mod morton;
pub mod narrow;
pub mod occluders;
pub mod opening;
pub mod pages;
pub mod patch;
pub mod quadtree;
mod rank;
pub mod solid;
mod sweep;
mod tag;
pub mod terrain;
mod together;
mod trees;
mod valid;
pub mod varint;
mod walk;
mod wide;

pub use cells::CellParameters;
pub use crc::{Crc32, crc32};
pub use error::FormatError;
pub use file_id::FileId;
pub use grid::{Grid, GridError, Quad, Sample};
pub use grouppvs::{GroupLeaves, GroupPvs};
pub use groups::Groups;
pub use header::{Header, Section};
pub use layers::Layered;
pub use literals::Literals;
pub use narrow::{NarrowLeaves, NarrowPvs, Narrowing};
pub use opening::Openings;
pub use opening::{Area, Opening, Sunk, meets_on_the_way};
pub use pages::{IndexedPages, Pages, SectionPages};
pub use patch::{Patch, PatchHeader};
pub use quadtree::{Tree, Visibility};
pub use solid::{SolidCells, SolidParameters};
pub use tag::{Tag, WorldKind};
pub use terrain::{Coarse, TerrainParameters, TreeCode, VisibilityMode};
pub use trees::Trees;
pub use valid::Valid;
pub use walk::{Leaf, Leaves};
pub use wide::{WideLeaves, WidePvs};
