//! Levels of solids: a union of convex solids and faces, what stops players in it, and where they can be.
//!
//! All numbers are `f64` in the units of the file, z up. What a type says of *inside* is strict: a touch is
//! neither a hit nor a collision.

mod aabb;
mod cells;
mod error;
mod face;
mod level;
mod merge;
mod minkowski;
mod object;
mod places;
mod plane_group;
mod polygon;
mod polyhedron;
mod rasterize;
mod rock;
mod scene;
mod voxels;
mod words;

pub use aabb::Aabb;
pub use cells::{MOST_ALONG, PlaceBox, PlaceCells};
pub use error::PlacesError;
pub use face::{Face, FaceError};
pub use level::{Player, SolidLevel, Units};
pub use merge::{convex_union, merge_solids};
pub use object::{SceneObject, parts};
pub use places::{PlaceOptions, Places, find_places};
pub use plane_group::FacePlane;
pub(crate) use polygon::area;
pub use polygon::{behind, square};
pub use polyhedron::{Solid, SolidError, box_planes};
pub use rasterize::{Heightmap, PatchCount, Placement, Rasterized, rasterize};
pub use rock::Rock;
pub use scene::Cameras;
pub use viewcell::convex::{Plane, Point};
pub use viewcell::format::Frame;
