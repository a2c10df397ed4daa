//! Levels of solids: their readers, and where players can be in them.
#![cfg(all(feature = "bake", feature = "internals"))]

#[path = "../common/reader.rs"]
mod reader;

mod common;
mod eyes;
mod golden;
mod motion;
mod occlusion;
mod origin;
mod places;
mod rasterize;
mod readers;
mod running;
mod session;
mod town;
