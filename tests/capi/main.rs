//! The C interface: the header that is committed, and programs that use it.

mod awareness;
#[cfg(unix)]
#[path = "../common/baking.rs"]
mod baking;
#[cfg(unix)]
mod cells;
#[cfg(unix)]
mod common;
mod header;
#[cfg(unix)]
mod motion;
mod places;
#[cfg(unix)]
mod programs;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod unreal;
mod watch;
