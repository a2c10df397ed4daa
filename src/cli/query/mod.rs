//! `viewcell query`: questions to a bundle.

mod cells;
mod checks;
mod distance;
mod locate;
mod open;
pub(super) mod pairs;
mod place;
mod pvs;
mod standing;
mod verb;
mod visible;
mod within;

pub use checks::{check_by_number, check_cell, check_level, quad_over};
pub use open::{Over, cannot_open, cells, open, terrain};
pub use place::{By, Place, in_degrees};
pub use verb::{Args, run};

#[cfg(test)]
pub use cells::{CellPvsDocument, CellVisibleDocument};
#[cfg(test)]
pub use distance::{DistanceDocument, PairsDocument as DistancePairsDocument};
#[cfg(test)]
pub use locate::{Document as LocateDocument, TerrainDocument as LocateTerrainDocument};
#[cfg(test)]
pub use pairs::PairsDocument;
#[cfg(test)]
pub use pvs::Document as PvsDocument;
#[cfg(test)]
pub use visible::VisibleDocument;
#[cfg(test)]
pub use within::Document as WithinDocument;
