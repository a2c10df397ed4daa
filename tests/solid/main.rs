//! Levels of solids: their readers, and where players can be in them.
#![cfg(all(feature = "bake", feature = "internals"))]

#[path = "../common/reader.rs"]
mod reader;

mod common;
mod golden;
mod motion;
mod occlusion;
mod places;
mod rasterize;
mod readers;
mod running;
mod session;
mod town;
