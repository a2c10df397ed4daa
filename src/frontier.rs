//! Frontier sets: until where may two players walk before they can see each other?
//!
//! A *frontier set* is a pair of regions, one around each player, no place of one visible from any place of the
//! other (Steed & Angus section 3.2; Avni's thesis, chapter 3). While each player stays in their own, neither need
//! hear of the other. [`FrontierBuilder`] grows one on a terrain, [`cells`] has what makes one in a level of cells.
//! [`Session`] keeps those of many players on a terrain, in a level of cells and in a solid level.

pub use crate::runtime::frontier::{
    CellSets, Frontier, FrontierBuilder, FrontierCodeError, FrontierError, FrontierOptions, Grow,
    Half, Merge, Neighbours, News, Notice, Order, OwnedSets, Region, Session, SessionOptions,
    SessionWorld, Side, Turns,
};

/// Frontier sets in levels of cells.
pub mod cells {
    pub use crate::runtime::cell_frontier::*;
}
