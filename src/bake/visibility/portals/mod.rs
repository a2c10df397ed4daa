//! Who sees whom in a level of cells and portals.
//!
//! `flow` computes the PVS of a graph that has portals, `recover` finds those of a graph that has
//! none but a BSP tree, and [`Sightlines`] looks for what flow may have missed. The whole way from a
//! level without visibility:
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
//! use viewcell_bake::visibility::portals::{FlowOptions, flow, recover};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = read_cells("level.bsp".as_ref(), &IngestCellsOptions::default())?.graph;
//! if graph.portals.is_empty() {
//!     graph.portals = recover(&graph);
//! }
//! let pvs = flow(&graph, &FlowOptions::default(), &mut |at| {
//!     eprintln!("{} of {}", at.done, at.total);
//!     ControlFlow::Continue(())
//! })?;
//! # Ok(())
//! # }
//! ```

mod checkpoint;
mod flow;
mod passages;
mod recover;
mod search;
mod walk;
mod winding;

pub use checkpoint::CheckpointError;
pub use flow::{FlowError, FlowMethod, FlowOptions, FlowProgress, flow};
pub use recover::recover;
pub use search::Sightlines;
pub use winding::ON_PLANE;
