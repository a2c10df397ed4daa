//! Layered ground: every structure against a number for every cube, and against one another.

mod bytes;
mod common;
mod shapes;
mod structures;
mod sync;
