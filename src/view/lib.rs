//! Pictures of view cell bundles, and the live page.

#![forbid(unsafe_code)]

pub mod live;
pub mod picture;
