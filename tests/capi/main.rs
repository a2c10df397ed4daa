//! The C interface: the header that is committed, and programs that use it.
#![cfg(feature = "bake")]

mod header;
#[cfg(unix)]
mod programs;
