//! Levels of cells: files in, graphs, bundles, answers and files out.

#[path = "../common/baking.rs"]
#[allow(dead_code, reason = "terrains are baked elsewhere")]
mod baking;
#[path = "../common/data.rs"]
mod data;
#[path = "../common/reader.rs"]
mod reader;
#[path = "../common/sections.rs"]
mod sections;

mod along;
mod builder;
mod bundle;
mod common;
mod damage;
mod expected;
mod export;
mod golden;
mod orientation;
mod overhead;
mod paper;
mod readers;
mod seeds;
mod session;
