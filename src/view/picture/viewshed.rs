//! A hillshade with what is hidden shaded, and marks of who looks.

use image::{Rgba, RgbaImage};

use super::hillshade::{Ground, NUMBER_LIGHT, PLAIN_LIGHT};
use super::palette::{HIDDEN, MARK, NEUTRAL, VIRIDIS, VISIBLE, bytes};
use super::resize::resized;
use super::{PictureError, png};
use viewcell::query::{Quad, Sample};

const MARK_EDGE: Rgba<u8> = Rgba([255, 255, 255, 255]);
/// Small terrains are drawn with several pixels a sample until a side is about this long.
const USEFUL_SIDE: u32 = 1024;

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

impl Viewpoint {
    /// A sample.
    pub const fn at(sample: Sample) -> Self {
        Self::over(sample.quad())
    }

    /// A quad.
    pub const fn over(quad: Quad) -> Self {
        let Sample { column, row } = quad.origin();
        let side = 1 << quad.level;
        Self { column, row, side }
    }

    /// The same in a picture that has `side` x `side` pixels for each: the middle one of a single sample.
    pub(super) fn in_pixels(self, side: u32) -> Self {
        let middle = if self.side == 1 { side / 2 } else { 0 };
        Self {
            column: self.column * side + middle,
            row: self.row * side + middle,
            side: if self.side == 1 { 1 } else { self.side * side },
        }
    }
}

/// The ground alone, one pixel a sample; voids are transparent.
pub fn hillshade_image(ground: &Ground) -> RgbaImage {
    ground.paint(PLAIN_LIGHT, |_| NEUTRAL)
}

/// The terrain as seen from somewhere, one pixel a sample: what is visible, row by row, in
/// [`VISIBLE`], the rest in [`HIDDEN`]; voids are transparent.
///
/// # Panics
///
/// If `visible` is not as long as the terrain has samples.
pub fn viewshed_image(ground: &Ground, visible: &[bool]) -> RgbaImage {
    ground.paint(PLAIN_LIGHT, |i| if visible[i] { VISIBLE } else { HIDDEN })
}

/// The terrain as seen from several places, one pixel a sample: what none sees in [`HIDDEN`], the rest the lighter and the
/// yellower, the more see it; voids are transparent. `counts` are row by row.
///
/// # Panics
///
/// If `counts` is not as long as the terrain has samples.
pub fn counts_image(ground: &Ground, counts: &[u32]) -> RgbaImage {
    // The darkest colours would be those of what is hidden.
    const LEAST: f64 = 0.4;
    let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(1));
    ground.paint(NUMBER_LIGHT, |i| match counts[i] {
        0 => HIDDEN,
        count => VIRIDIS.at(LEAST + (1.0 - LEAST) * f64::from(count) / most),
    })
}

/// A PNG of a picture that has a pixel a sample, with who looks ringed, or framed if a quad: one
/// pixel a sample, or a whole number of them where the terrain is small.
///
/// # Errors
///
/// [`PictureError`] where the encoder fails, as it does beyond its own limits of size.
pub fn marked_png(picture: &RgbaImage, viewpoints: &[Viewpoint]) -> Result<Vec<u8>, PictureError> {
    let (width, rows) = picture.dimensions();
    let scale = (USEFUL_SIDE / width.max(rows)).max(1);
    let mut picture = resized(picture, width * scale, rows * scale);
    let scale = f64::from(scale);
    for viewpoint in viewpoints {
        mark(&mut picture, *viewpoint, [scale; 2], 1.0);
    }
    png(&picture)
}

/// Frames a quad, or rings a sample; a white edge keeps the mark apart from any ground. `scale`
/// is pixels a sample, across and down; `size` is 1 for lines of two pixels.
pub fn mark(picture: &mut RgbaImage, viewpoint: Viewpoint, scale: [f64; 2], size: f64) {
    let [r, g, b] = bytes(MARK);
    let inner = Rgba([r, g, b, 255]);
    // A quad may overhang the picture by any number of pixels, which nobody need go along.
    let ends = [picture.width(), picture.height()].map(|end| f64::from(end) + 64.0 * size);
    let mut dot = |x: i64, y: i64, colour| {
        if (0..i64::from(picture.width())).contains(&x)
            && (0..i64::from(picture.height())).contains(&y)
        {
            picture.put_pixel(x as u32, y as u32, colour);
        }
    };
    let corner = [viewpoint.column, viewpoint.row].map(f64::from);
    let side = f64::from(viewpoint.side);
    let at =
        |axis: usize, along: f64| ((corner[axis] + along) * scale[axis]).min(ends[axis]) as i64;
    if viewpoint.side > 1 {
        let line = (2.0 * size) as i64;
        for grow in (0..=line).rev() {
            let colour = if grow == line { MARK_EDGE } else { inner };
            let (x0, y0) = (at(0, 0.0) - grow, at(1, 0.0) - grow);
            let (x1, y1) = (at(0, side) - 1 + grow, at(1, side) - 1 + grow);
            for x in x0..=x1 {
                dot(x, y0, colour);
                dot(x, y1, colour);
            }
            for y in y0..=y1 {
                dot(x0, y, colour);
                dot(x1, y, colour);
            }
        }
        return;
    }
    let (x, y) = (at(0, 0.5), at(1, 0.5));
    let reach = (9.0 * size) as i64;
    for dy in -reach..=reach {
        for dx in -reach..=reach {
            let distance = ((dx * dx + dy * dy) as f64).sqrt() / size;
            if (4.5..7.5).contains(&distance) || distance < 1.5 {
                dot(x + dx, y + dy, inner);
            } else if (3.5..8.5).contains(&distance) || distance < 2.5 {
                dot(x + dx, y + dy, MARK_EDGE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(ground: &Ground, visible: &[bool], viewpoint: Viewpoint) -> RgbaImage {
        let png = marked_png(&viewshed_image(ground, visible), &[viewpoint]).unwrap();
        image::load_from_memory(&png).unwrap().to_rgba8()
    }

    fn lightness(pixel: &Rgba<u8>) -> f32 {
        0.2126 * f32::from(pixel[0]) + 0.7152 * f32::from(pixel[1]) + 0.0722 * f32::from(pixel[2])
    }

    #[test]
    fn hidden_ground_is_darker_than_visible_ground_in_any_light() {
        let heights =
            |sign: f32| (0..25).map(move |i| sign * ((i % 5) as f32 + (i / 5) as f32) * 9.0);
        let middle = |sign, visible| {
            let heights: Vec<f32> = heights(sign).collect();
            let ground = Ground::of_heights(5, &heights, [9.0; 2]);
            lightness(viewshed_image(&ground, &[visible; 25]).get_pixel(2, 2))
        };
        let (sunlit, dark) = (1.0, -1.0);
        assert!(
            middle(dark, true) > middle(0.0, false),
            "a shadow against level ground"
        );
        assert!(middle(sunlit, true) > 2.0 * middle(sunlit, false));
    }

    #[test]
    fn what_more_see_is_lighter_and_what_none_sees_is_darkest() {
        let ground = Ground::of_heights(5, &[0.0, 0.0, 0.0, 0.0, f32::NAN], [9.0; 2]);
        let picture = counts_image(&ground, &[0, 1, 5, 9, 0]);
        let light: Vec<f32> = (0..4).map(|x| lightness(picture.get_pixel(x, 0))).collect();
        assert!(light.is_sorted_by(|a, b| a < b), "{light:?}");
        assert_eq!(picture.get_pixel(4, 0)[3], 0);
    }

    #[test]
    fn a_small_terrain_is_enlarged_and_each_sample_keeps_its_place() {
        let mut heights = vec![0.0; 64 * 32];
        heights[64 * 31 + 63] = f32::NAN;
        let mut visible = vec![true; 64 * 32];
        visible[63] = false;
        let ground = Ground::of_heights(64, &heights, [1.0; 2]);
        let picture = drawn(&ground, &visible, Viewpoint::at(Sample::new(10, 10)));
        assert_eq!(picture.dimensions(), (1024, 512));
        assert_eq!(
            picture.get_pixel(1023, 511)[3],
            0,
            "void in the south-east corner"
        );
        let small = viewshed_image(&ground, &visible);
        assert_eq!(picture.get_pixel(1023, 0), small.get_pixel(63, 0));
        assert_eq!(picture.get_pixel(0, 0), small.get_pixel(0, 0));
        assert_ne!(small.get_pixel(0, 0), small.get_pixel(63, 0));
        assert_eq!(picture.get_pixel(168, 168).0, [214, 40, 40, 255]);
    }

    #[test]
    fn a_viewpoint_in_the_corner_and_a_quad_that_overhangs_are_drawn() {
        let ground = Ground::of_heights(600, &[1.0; 600 * 3], [1.0; 2]);
        for quad in [Quad::new(0, 0, 0), Quad::new(0, 599, 2), Quad::new(9, 1, 0)] {
            let viewpoint = Viewpoint::over(quad);
            let picture = drawn(&ground, &[false; 600 * 3], viewpoint);
            assert_eq!(picture.dimensions(), (600, 3));
            let pixel = picture.get_pixel(viewpoint.column, viewpoint.row);
            assert_eq!(pixel.0, [214, 40, 40, 255]);
        }
    }
}
