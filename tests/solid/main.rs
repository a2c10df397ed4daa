//! Levels of solids: their readers, and where players can be in them.
#![cfg(all(feature = "bake", feature = "internals"))]

mod common;
mod golden;
mod motion;
mod places;
mod rasterize;
mod readers;
