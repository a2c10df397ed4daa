//! The bundle, from PVS bitmaps to bytes and back to answers.

#[path = "../common/reader.rs"]
mod reader;
#[path = "../common/sections.rs"]
mod sections;

mod common;
mod copy;
mod damage;
mod full;
mod golden;
mod hostile;
mod pages_checked;
mod pairs;
mod prove;
mod python;
mod reference;
mod roundtrip;
mod seeds;
mod signed;
mod trees;
