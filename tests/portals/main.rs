//! Levels of portals: portal files, flow through them, and what is derived from it.

mod common;
#[path = "../common/data.rs"]
mod data;
mod flow;
mod frontier;
mod prt;
mod recover;
mod rows;
