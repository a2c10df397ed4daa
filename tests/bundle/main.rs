//! The bundle, from PVS bitmaps to bytes and back to answers.
#![cfg(feature = "bake")]

mod common;
mod damage;
mod hostile;
mod roundtrip;
mod trees;
