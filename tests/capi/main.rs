//! The C interface: the header that is committed, and programs that use it.

mod axes;
#[cfg(unix)]
#[path = "../common/baking.rs"]
mod baking;
#[cfg(unix)]
mod cells;
#[cfg(unix)]
mod common;
#[cfg(unix)]
#[path = "../common/data.rs"]
mod data;
mod floats;
mod header;
#[cfg(unix)]
mod motion;
#[cfg(unix)]
mod movement;
mod places;
#[cfg(unix)]
mod programs;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod unreal;
mod watch;
