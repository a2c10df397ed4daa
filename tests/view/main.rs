//! The live view: its page in a real browser, and its server by itself.
#![cfg(feature = "view")]

mod browser;
mod common;
mod page;
mod server;
