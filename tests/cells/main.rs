//! Levels of cells: files in, graphs, bundles, answers and files out.
#![cfg(feature = "bake")]

mod bundle;
mod common;
mod expected;
