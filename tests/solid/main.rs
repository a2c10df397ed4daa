//! Levels of solids: their readers, and where players can be in them.

#[path = "../common/boxes.rs"]
mod boxes;
#[path = "../common/data.rs"]
mod data;
#[path = "../common/reader.rs"]
mod reader;
#[allow(dead_code, reason = "tables are taken apart elsewhere")]
#[path = "../common/sections.rs"]
mod sections;

mod axes;
mod common;
mod contents;
mod eyes;
mod golden;
mod headers;
mod meshes;
mod motion;
mod origin;
mod packs;
mod places;
mod proofs;
mod rasterize;
mod readers;
mod reports;
mod rock;
mod scene;
mod scripts;
mod seeds;
mod session;
mod tiny;
mod town;
mod towns;
mod undrawn;
mod watch;
