//! From files and options to a bundle, for all kinds of worlds.
//!
//! ```text
//! Input     a file is read, and where players can be in it: its notes
//! plan      which view cells, in what memory; what is refused. And, if asked: seconds and bytes, here and of other qualities
//! run       a bundle or a shard; what an earlier bake has kept is gone on with
//! ```
//!
//! The program, the live page and the bindings bake by these three steps. Whoever has a world of their own bakes it without:
//! [`bake_terrain`](crate::bake_terrain), [`bake_cells`](crate::bake_cells), [`bake_solid`](crate::bake_solid).

mod boxes;
mod decide;
mod error;
mod input;
mod kind;
mod layers;
mod memory;
mod options;
mod run;
mod solid;
mod told;

pub use boxes::ChosenCells;
pub use decide::{Plan, ViewCells, plan};
pub use error::PlanError;
pub use input::{Input, InputWorld, Players, SolidInput};
pub use kind::WorldFile;
pub use layers::{Layer, Layers, lay};
pub use memory::free_memory;
pub use options::{BudgetChoice, CellChoice, Grade, PlanOptions, WeightChoice};
pub use run::{Baked, run};
pub use solid::{notes_of_places, standing};
