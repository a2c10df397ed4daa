//! Pictures as files, and how large they may be.

use std::io::Cursor;

use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

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
