//! Hillshade and overlays, rasters of numbers, and what can be counted in a bundle.
//!
//! A picture has its colours from one table that people with any colour vision can read: what is
//! visible is light and yellow, what is hidden is dark and blue, so that lightness alone tells
//! them apart; voids are transparent.

mod chart;
mod exposure;
mod frontier;
mod geotiff;
mod hillshade;
mod matrix;
mod raster;
mod viewshed;

pub use chart::{Bars, bar_chart};
pub use exposure::{DamagedPvs, exposure, exposure_png};
pub use frontier::{Part, frontier_png};
pub use geotiff::mask_geotiff;
pub use hillshade::hillshade;
pub use matrix::{MatrixFormat, MatrixOf, matrix_file};
pub use raster::{MAX_BANDS, Number, RasterFormat, RasterLayout, RasterWriter};
pub use viewshed::{Viewpoint, viewshed_png};

/// A picture that could not be encoded.
#[derive(Debug, thiserror::Error)]
#[error("the picture could not be encoded: {0}")]
pub struct PictureError(String);
