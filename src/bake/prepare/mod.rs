//! From files and options to what is baked: which kind of world a file holds, where players can be on a terrain, and which
//! options a bundle records. The program and the bindings that bake share it.

mod choice;
mod kind;
mod layers;
mod memory;
mod solid;
mod told;

pub use choice::{ChoiceError, Choices, ChosenCells};
pub use kind::WorldFile;
pub use layers::{Layer, LayerError, Layers, lay};
pub use memory::free_memory;
pub use solid::{notes_of_level, notes_of_places, standing};
pub use told::{told_of_cells, told_of_mesh, told_of_solid, told_of_terrain};
