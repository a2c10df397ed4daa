//! The bundle, from PVS bitmaps to bytes and back to answers.
#![cfg(feature = "bake")]

mod common;
mod roundtrip;
mod trees;
