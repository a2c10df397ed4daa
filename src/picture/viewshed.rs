//! A hillshade with what is hidden shaded.

use std::io::Cursor;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgba, RgbaImage};

use super::{PictureError, hillshade};

/// Sunlit ground that is seen, and that is hidden.
const VISIBLE: [f32; 3] = [255.0, 226.0, 128.0];
const HIDDEN: [f32; 3] = [62.0, 84.0, 150.0];
/// The darkest shade of ground, so that a slope in shadow does not go black.
pub(super) const LEAST_LIGHT: f32 = 0.35;
const MARK: Rgba<u8> = Rgba([214, 40, 40, 255]);
const MARK_EDGE: Rgba<u8> = Rgba([255, 255, 255, 255]);
/// Small terrains are drawn with several pixels a sample until a side is about this long.
pub(super) const USEFUL_SIDE: u32 = 1024;

/// Where the view is from: a square of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewpoint {
    /// Westernmost column.
    pub column: u32,
    /// Northernmost row.
    pub row: u32,
    /// Samples a side: 1 for a sample, 2^level for a quad.
    pub side: u32,
}

/// A PNG of the terrain as seen from a viewpoint.
///
/// `heights` are in metres, row by row, `width` a row, NaN for void; `spacing` is `[dx, dy]` in
/// metres; `visible` says for each sample, row by row, whether it may be seen. Ground that is seen
/// is light yellow, hidden ground dark blue, voids are transparent; the viewpoint is ringed, a
/// quad framed. One pixel a sample, or a whole number of them where the terrain is small.
///
/// # Errors
///
/// [`PictureError`] where the encoder fails, as it does beyond its own limits of size.
///
/// # Panics
///
/// If `width` is zero or does not divide the number of heights, or if `visible` is not as long as
/// `heights`.
pub fn viewshed_png(
    width: u32,
    heights: &[f32],
    spacing: [f64; 2],
    visible: &[bool],
    viewpoint: Viewpoint,
) -> Result<Vec<u8>, PictureError> {
    assert_eq!(heights.len(), visible.len());
    let rows = heights.len() as u32 / width;
    let scale = (USEFUL_SIDE / width.max(rows)).max(1);
    let shade = hillshade(width, heights, spacing);
    let mut picture = RgbaImage::from_fn(width * scale, rows * scale, |x, y| {
        let i = ((y / scale) * width + x / scale) as usize;
        colour(shade[i], visible[i])
    });
    mark(&mut picture, viewpoint, scale);
    encode(&picture)
}

/// The picture as a PNG.
pub(super) fn encode(picture: &RgbaImage) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Cursor::new(Vec::new());
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::NoFilter);
    picture
        .write_with_encoder(encoder)
        .map_err(|error| PictureError(error.to_string()))?;
    Ok(bytes.into_inner())
}

fn colour(shade: f32, visible: bool) -> Rgba<u8> {
    if shade.is_nan() {
        return Rgba([0, 0, 0, 0]);
    }
    let light = LEAST_LIGHT + (1.0 - LEAST_LIGHT) * shade;
    let [r, g, b] = if visible { VISIBLE } else { HIDDEN }.map(|c| (c * light) as u8);
    Rgba([r, g, b, 255])
}

/// Frames a quad, or rings a sample; a white edge keeps the mark apart from any ground.
pub(super) fn mark(picture: &mut RgbaImage, viewpoint: Viewpoint, scale: u32) {
    let mut dot = |x: i64, y: i64, colour| {
        if (0..i64::from(picture.width())).contains(&x)
            && (0..i64::from(picture.height())).contains(&y)
        {
            picture.put_pixel(x as u32, y as u32, colour);
        }
    };
    let [left, top, side] = [viewpoint.column, viewpoint.row, viewpoint.side].map(i64::from);
    let scale = i64::from(scale);
    if side > 1 {
        for (grow, colour) in [(2, MARK_EDGE), (1, MARK), (0, MARK)] {
            let (x0, y0) = (left * scale - grow, top * scale - grow);
            let (x1, y1) = (
                (left + side) * scale - 1 + grow,
                (top + side) * scale - 1 + grow,
            );
            for x in x0..=x1 {
                dot(x, y0, colour);
                dot(x, y1, colour);
            }
            for y in y0..=y1 {
                dot(x0, y, colour);
                dot(x1, y, colour);
            }
        }
    } else {
        let (x, y) = (left * scale + scale / 2, top * scale + scale / 2);
        for dy in -9_i64..=9 {
            for dx in -9_i64..=9 {
                let distance = ((dx * dx + dy * dy) as f64).sqrt();
                if (4.5..7.5).contains(&distance) || distance < 1.5 {
                    dot(x + dx, y + dy, MARK);
                } else if (3.5..8.5).contains(&distance) || distance < 2.5 {
                    dot(x + dx, y + dy, MARK_EDGE);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageFormat;

    fn decode(png: &[u8]) -> RgbaImage {
        image::load_from_memory_with_format(png, ImageFormat::Png)
            .unwrap()
            .to_rgba8()
    }

    fn lightness(pixel: &Rgba<u8>) -> f32 {
        0.2126 * f32::from(pixel[0]) + 0.7152 * f32::from(pixel[1]) + 0.0722 * f32::from(pixel[2])
    }

    #[test]
    fn hidden_ground_is_darker_than_visible_ground_in_any_light() {
        let darkest_visible = lightness(&colour(0.0, true));
        assert!(darkest_visible > lightness(&colour(0.707, false)));
        assert!(lightness(&colour(1.0, true)) > 2.0 * lightness(&colour(1.0, false)));
    }

    #[test]
    fn a_small_terrain_is_enlarged_and_each_sample_keeps_its_place() {
        let mut heights = vec![0.0; 64 * 32];
        heights[64 * 31 + 63] = f32::NAN;
        let mut visible = vec![true; 64 * 32];
        visible[63] = false;
        let viewpoint = Viewpoint {
            column: 10,
            row: 10,
            side: 1,
        };
        let png = viewshed_png(64, &heights, [1.0, 1.0], &visible, viewpoint).unwrap();
        let picture = decode(&png);
        assert_eq!(picture.dimensions(), (1024, 512));
        assert_eq!(
            picture.get_pixel(1023, 511)[3],
            0,
            "void in the south-east corner"
        );
        assert_eq!(*picture.get_pixel(1023, 0), colour(0.5_f32.sqrt(), false));
        assert_eq!(*picture.get_pixel(0, 0), colour(0.5_f32.sqrt(), true));
        assert_eq!(*picture.get_pixel(168, 168), MARK);
    }

    #[test]
    fn a_viewpoint_in_the_corner_and_a_quad_that_overhangs_are_drawn() {
        let heights = vec![1.0; 600 * 3];
        let visible = vec![false; 600 * 3];
        for viewpoint in [
            Viewpoint {
                column: 0,
                row: 0,
                side: 1,
            },
            Viewpoint {
                column: 599,
                row: 2,
                side: 1,
            },
            Viewpoint {
                column: 512,
                row: 0,
                side: 512,
            },
        ] {
            let png = viewshed_png(600, &heights, [1.0, 1.0], &visible, viewpoint).unwrap();
            let picture = decode(&png);
            assert_eq!(picture.dimensions(), (600, 3));
            assert_eq!(*picture.get_pixel(viewpoint.column, viewpoint.row), MARK);
        }
    }
}
