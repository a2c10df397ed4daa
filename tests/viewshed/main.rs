//! Viewsheds of single observers, without a bake: the kernel and its limits held to slow twins, and the program held to
//! exact bundles.

#[allow(dead_code)]
#[path = "../cli/common.rs"]
mod common;
#[path = "../common/data.rs"]
mod data;

mod bad_input;
mod kernel;
mod verb;
