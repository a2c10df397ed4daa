//! Interest matching: who must hear of whom, tick by tick.

pub use crate::runtime::interest::*;
