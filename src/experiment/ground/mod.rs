//! Pennings' experiments on layered ground: how it grows, and how often clients are in each other's way.
//!
//! ```text
//! terrain      ground of the thesis's description (section 5.1.2)
//! walk         where clients go: random points, coherent paths (5.1.3)
//! growth       experiment I: nodes and change sets, with times (5.2)
//! reserve      experiment II: reservations (5.3)
//! paper        what the thesis printed, tables 1 to 6
//! ```

mod growth;
pub mod paper;
mod reserve;
mod spread;
mod terrain;
mod walk;

pub use growth::{Checkpoint, Grown, Structure, grow_ground};
pub use reserve::{Conflicts, ReserveOptions, reserve};
pub use spread::Spread;
pub use terrain::{SOILS, TOP_SOIL, paper_terrain};
pub use walk::{RADIUS, Scenario, Turn, turns};
