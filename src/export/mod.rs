//! Levels to files: what `ingest` reads, written.
//!
//! [`with_visibility`] and [`external_vis`] put visibility into a level of Quake's kin or a WAD;
//! [`CellGraphFile::of`](crate::ingest::cells::CellGraphFile::of) makes JSON of a level, and
//! [`PortalFile::write`](crate::ingest::cells::PortalFile::write) a portal file.

mod json;
mod prt;
mod replace;
mod vis;

pub use vis::{external_vis, with_visibility};
