//! Layered ground: every structure against a number for every cube, and against one another.

mod bytes;
mod common;
mod faults;
mod seeds;
mod shapes;
mod structures;
