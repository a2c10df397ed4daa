//! Hillshade and overlays.
//!
//! A picture has its colours from one table that people with any colour vision can read: what is
//! visible is light and yellow, what is hidden is dark and blue, so that lightness alone tells
//! them apart; voids are transparent.

mod geotiff;
mod hillshade;
mod viewshed;

pub use geotiff::mask_geotiff;
pub use hillshade::hillshade;
pub use viewshed::{Viewpoint, viewshed_png};

/// A picture that could not be encoded.
#[derive(Debug, thiserror::Error)]
#[error("the picture could not be encoded: {0}")]
pub struct PictureError(String);
