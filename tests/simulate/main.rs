//! Sight with a look-ahead, and what a bundle is worth to a game.

use viewcell_simulate::scheme::{Schemes, Usual};

mod bad_input;
#[path = "../common/baking.rs"]
mod baking;
#[path = "../cli/common.rs"]
#[allow(dead_code)]
mod common;
#[path = "../common/data.rs"]
mod data;
mod demo_writer;
mod demos;
mod level;
mod reach;
mod schemes;
mod terrain;
mod traces;

/// Those that are tried.
const SCHEMES: &dyn Schemes = &Usual;
