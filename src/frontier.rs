//! Frontier sets: until where may two players walk before they can see each other?
//!
//! A *frontier set* is a pair of regions, one around each player, no place of one visible from any place of the
//! other (Steed & Angus section 3.2; Avni's thesis, chapter 3). While each player stays in their own, neither need
//! hear of the other. [`FrontierBuilder`] grows one on a terrain, [`Session`] keeps those of many players; [`cells`]
//! has the same for levels of cells.

pub use crate::runtime::frontier::{
    Frontier, FrontierBuilder, FrontierCodeError, FrontierError, FrontierOptions, Grow, Merge,
    Neighbours, News, Notice, Order, Region, Session, SessionOptions, Side, Turns,
};

/// Frontier sets and sessions in levels of cells.
pub mod cells {
    pub use crate::runtime::cell_frontier::*;
}
