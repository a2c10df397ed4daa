//! Pictures of view cell bundles, and the live page.

pub mod live;
pub mod picture;
