//! Sight with a look-ahead, and what a bundle is worth to a game.

mod bad_input;
#[path = "../common/baking.rs"]
mod baking;
#[path = "../cli/common.rs"]
#[allow(dead_code)]
mod common;
mod culling;
#[path = "../common/data.rs"]
mod data;
mod demo_writer;
mod demos;
mod level;
mod reach;
mod schemes;
mod terrain;
mod traces;
