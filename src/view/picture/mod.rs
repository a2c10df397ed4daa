//! Pictures, charts, rasters and matrices of terrains and levels.
//!
//! A picture begins with what is drawn, one pixel a sample: those of terrains are painted over a
//! [`Ground`], those of levels into [`Floors`], or [`Overhead`] where
//! somebody can cut lower. [`Page`] puts a title, a legend and a scale around it; `png` encodes it.
//! All colours are of [`palette`]: what is visible is light and yellow, what is hidden is dark and
//! blue, so that lightness alone tells them apart; voids are transparent.

mod canvas;
mod chart;
mod floors;
mod frontier;
mod geotiff;
mod hillshade;
mod level;
mod matrix;
mod number;
mod overhead;
mod overviews;
mod page;
pub mod palette;
mod raster;
mod resize;
mod terrain;
mod viewshed;

use std::io::Cursor;

use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

pub use chart::{Bars, Chart, Curve, Series, frequencies};
pub use floors::{Floor, Floors, NOBODY};
pub use frontier::{Joined, Part, frontier_image, growth};
pub use geotiff::{MAX_BANDS, RasterLayout, georeference_of};
pub use hillshade::{Ground, NUMBER_LIGHT, PLAIN_LIGHT, exposure_image, hillshade, mask};
pub use level::LevelPages;
pub use matrix::{MatrixFormat, MatrixOf, matrix_file};
pub use number::Number;
pub use overhead::Overhead;
pub use overviews::{PackedBand, Pixel, mask_geotiff, write_map};
pub use page::{Key, PAGE_WIDTHS, Page, Panel, grouped};
pub use raster::{RasterFormat, RasterWriter};
pub use resize::resized;
pub use terrain::TerrainPages;
pub use viewshed::{Viewpoint, counts_image, hillshade_image, mark, marked_png, viewshed_image};

/// A picture that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("the picture cannot be made: {0}")]
pub struct PictureError(pub(super) String);

/// Most pixels of a picture: with what it is drawn from it takes less than a gigabyte.
pub const MOST_PIXELS: u64 = 100_000_000;

/// Errors where a picture would have more pixels than [`MOST_PIXELS`]: what is to be drawn is asked
/// before any memory is.
pub fn check_pixels(width: u64, height: u64) -> Result<(), PictureError> {
    match width.checked_mul(height) {
        Some(pixels) if pixels <= MOST_PIXELS => Ok(()),
        _ => Err(PictureError(format!(
            "it would have {width} x {height} pixels, expected {MOST_PIXELS} at most; ask for a \
             smaller `width`, or draw a bundle of a part (`crop`)"
        ))),
    }
}

/// A picture as a PNG.
///
/// # Errors
///
/// [`PictureError`] where the encoder fails, as it does beyond its own limits of size.
pub fn png(picture: &RgbaImage) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Cursor::new(Vec::new());
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::NoFilter);
    picture
        .write_with_encoder(encoder)
        .map_err(|error| PictureError(error.to_string()))?;
    Ok(bytes.into_inner())
}
