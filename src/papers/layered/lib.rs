//! Layered ground that changes: patches of slices of quadtrees, stamps, change sets, reservations.
//!
//! ```text
//! frame        size, patches, names of materials: what does not change
//! tree, path   the quadtree of one slice; the way to a node of it, and locks on nodes
//! layered      what any structure can do: `patches` as the thesis has it, `columns`, and dense cubes
//! cut, stamp   shapes cut by lines; which cubes stamps take, and what becomes of them
//! cubes        a stamp in cubes, with a pyramid of squares above them
//! change       change sets, with versions
//! build        ground from slices of cubes, or from heights and depths of layers
//! surface      the top as heights
//! sources      ground from heightmaps with layers, stacks of images and voxels; stamps, from files
//! code, text   trees and change sets as bytes, and as text
//! file         whole grounds as bytes, and a file that grows
//! ```
//!
//! Source: S. E. Pennings, *Dynamic layering system for real-time interaction between entities and terrain*, thesis,
//! Utrecht University, chapters 4 and 5. Words are those of the thesis.

mod build;
mod change;
mod code;
mod columns;
mod cubes;
mod cut;
mod error;
mod file;
mod frame;
mod layered;
mod patches;
mod path;
mod sources;
mod stamp;
mod surface;
mod text;
mod tree;

pub use build::{Ask, Depth, MOST_CUBES, build, of_layers};
pub use change::{Body, Branches, ChangeSet, ColumnRun, Record, Runs, Version};
pub use code::{CHANGES_MAGIC, decode_tree, encode_tree};
pub use columns::Columns;
pub use cubes::{Cubes, Pyramid, Share};
pub use error::GroundError;
pub use file::{Appended, GROUND_MAGIC, GroundFile, Growth, encode, grow, hold, touched};
pub use frame::{Frame, Georeference, Sides, Square};
pub use layered::{Dense, Layered, check_effect};
pub use patches::{Patches, Stack};
pub use path::{Locks, NodeName, Path};
pub use sources::{
    DepthOf, GroundOptions, GroundSource, Grounded, LayerOf, LayersFile, read_ground, read_layers,
    read_stamps,
};
pub use stamp::{Effect, Rule, Stamp};
pub use surface::surface;
pub use text::{codes_of, text_of};
pub use tree::{DIVIDED, EMPTY, MOST_MATERIALS, Material, Tree};
pub use viewcell_ingest::ground::{Mesh, Shape};
