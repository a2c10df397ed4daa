//! Layered ground that changes: patches, slices and quadtrees, stamps, change sets, reservations.
//!
//! ```text
//! frame        size, patches, names of materials: what does not change
//! tree         the quadtree of one slice; `path`, the way to a node of it
//! layered      what any structure can do: `patches` as the paper has it, `columns`, `dense`
//! shape, mesh  acting entities; `stamp`, which cubes they take; `effect`, what becomes of them
//! cubes        a stamp in cubes, with a pyramid of squares above them
//! change       change sets, with versions
//! build        ground from slices of cubes, or from heights and depths of layers
//! surface      its top as heights; `heightmap`, stamps on heights without layers
//! locks, sync  reservations; a server and its clients
//! code, file   trees, change sets and whole grounds as bytes; `store`, a file that grows; `text`
//! ```
//!
//! Source: S. E. Pennings, *Dynamic layering system for real-time interaction between entities and
//! terrain*, thesis, Utrecht University, chapters 4 and 5. Words are those of the thesis. No dependency.

mod build;
mod change;
mod code;
mod columns;
mod cubes;
mod error;
mod file;
mod frame;
mod heightmap;
mod layered;
mod mesh;
mod patches;
mod path;
mod stamp;
pub mod sync;
mod text;
mod tree;

pub use build::{Ask, Depth, MOST_CUBES, build, of_layers};
pub use change::{Body, Branches, ChangeSet, ColumnRun, Record, Runs, Version};
pub use code::{CHANGES_MAGIC, decode_tree, encode_tree};
pub use columns::Columns;
pub use cubes::{Cubes, Pyramid, Share};
pub use error::GroundError;
pub use file::{Appended, GROUND_MAGIC, GroundFile, Growth, encode, grow, hold, touched};
pub use frame::{Frame, Place, Sides, Square};
pub use heightmap::{TopEffect, stamp_top, surface};
pub use layered::{Dense, Layered, check_effect};
pub use mesh::Mesh;
pub use patches::{Patches, Stack};
pub use path::{Locks, NodeName, Path};
pub use stamp::{Effect, Rule, Shape, Stamp};
pub use text::{codes_of, text_of};
pub use tree::{DIVIDED, EMPTY, MOST_MATERIALS, Material, Tree};
