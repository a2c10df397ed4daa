//! Frontiers between two cells: regions of which no cell sees any of the other.
//!
//! Sources: A. Steed and C. Angus, *Supporting Scalable Peer to Peer Virtual Environments using
//! Frontier Sets*, section 4.2 (EQ 1 and EQ 2), and the region growing of their first paper, as
//! the same tells of it in sections 1 and 4.

pub use super::sets::*;
pub use crate::runtime::session::CellHalf as Half;
