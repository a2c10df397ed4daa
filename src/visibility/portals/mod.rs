//! Who sees whom in a level of cells and portals.
//!
//! [`flow`] computes the PVS of a graph that has portals; [`Sightlines`] looks for what it may have
//! missed.

mod checkpoint;
mod flow;
mod passages;
mod search;
mod separators;
mod walk;
mod winding;

pub use checkpoint::CheckpointError;
pub use flow::{FlowError, FlowMethod, FlowOptions, FlowProgress, flow};
pub use search::Sightlines;
pub use winding::ON_PLANE;
