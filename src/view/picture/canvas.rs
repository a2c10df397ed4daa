//! Words and simple shapes on a picture.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, GlyphId, PxScale, ScaleFont, point};
use image::{Rgba, RgbaImage};

use super::palette::{Colour, bytes};
use viewcell::format::frame::ends;

/// Ubuntu Light, with Latin, Greek and Cyrillic letters.
pub(super) static LETTERS: &[u8] = epaint_default_fonts::UBUNTU_LIGHT;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    // What every test reads does not fail to parse.
    FontRef::try_from_slice(LETTERS).expect("the crate of fonts holds one")
});

/// A picture to be drawn on, opaque. Places are in pixels from its north-western corner; what
/// falls outside is left out.
pub(super) struct Canvas(RgbaImage);

impl Canvas {
    /// White paper.
    pub(super) fn new(width: u32, height: u32) -> Self {
        Self(RgbaImage::from_pixel(width, height, Rgba([255; 4])))
    }

    /// What has been drawn.
    pub(super) fn into_picture(self) -> RgbaImage {
        self.0
    }

    /// Lays a picture on it; paper shows where that is transparent.
    pub(super) fn paste(&mut self, picture: &RgbaImage, (x, y): (i32, i32)) {
        image::imageops::overlay(&mut self.0, picture, x.into(), y.into());
    }

    /// Fills from one corner to another, without the last column and row.
    pub(super) fn fill(
        &mut self,
        (left, top): (i32, i32),
        (right, bottom): (i32, i32),
        colour: Colour,
    ) {
        for (y, x) in (top..bottom).flat_map(|y| (left..right).map(move |x| (y, x))) {
            self.blend(x, y, colour, 1.0);
        }
    }

    /// Draws a line of a pixel inside the same corners.
    pub(super) fn frame(
        &mut self,
        (left, top): (i32, i32),
        (right, bottom): (i32, i32),
        colour: Colour,
    ) {
        self.fill((left, top), (right, top + 1), colour);
        self.fill((left, bottom - 1), (right, bottom), colour);
        self.fill((left, top), (left + 1, bottom), colour);
        self.fill((right - 1, top), (right, bottom), colour);
    }

    /// Fills a triangle.
    pub(super) fn triangle(&mut self, corners: [[f64; 2]; 3], colour: Colour) {
        // Which side of the way from one corner to the next a place is on.
        let side = |from: [f64; 2], to: [f64; 2], [x, y]: [f64; 2]| {
            (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
        };
        let [a, b, c] = corners;
        let inside = |at| {
            let sides = [side(a, b, at), side(b, c, at), side(c, a, at)];
            sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
        };
        let range = |axis: usize| {
            let [least, most] = ends(corners.iter().map(|p| p[axis]));
            least.floor() as i32..most.ceil() as i32
        };
        for (y, x) in range(1).flat_map(|y| range(0).map(move |x| (y, x))) {
            // The share of 4 × 4 places in the pixel.
            let places = (0..16).map(|i| [f64::from(i % 4), f64::from(i / 4)]);
            let places = places.map(|[i, k]| {
                [
                    f64::from(x) + (i + 0.5) / 4.0,
                    f64::from(y) + (k + 0.5) / 4.0,
                ]
            });
            let share = places.filter(|at| inside(*at)).count() as f32 / 16.0;
            self.blend(x, y, colour, share);
        }
    }

    /// Writes a line of words, `size` pixels an em, with its upper left corner at a place.
    pub(super) fn write(
        &mut self,
        words: &str,
        (left, top): (i32, i32),
        size: f64,
        colour: Colour,
    ) {
        let ascent = FONT.as_scaled(scale(size)).ascent();
        let corner = point(left as f32, top as f32 + ascent);
        for (glyph, x) in layout(words, size).0 {
            let glyph = glyph.with_scale_and_position(scale(size), corner + point(x, 0.0));
            let Some(outline) = FONT.outline_glyph(glyph) else {
                continue; // a space
            };
            let from = outline.px_bounds().min;
            outline.draw(|x, y, share| {
                let (x, y) = (from.x as i32 + x as i32, from.y as i32 + y as i32);
                self.blend(x, y, colour, share);
            });
        }
    }

    /// Writes as [`Canvas::write`] does, with a white edge that keeps the words apart from any ground.
    pub(super) fn write_haloed(
        &mut self,
        words: &str,
        (x, y): (i32, i32),
        size: f64,
        colour: Colour,
    ) {
        let edge = (size / 9.0).ceil() as i32;
        for (dx, dy) in (-edge..=edge).flat_map(|dy| (-edge..=edge).map(move |dx| (dx, dy))) {
            if dx * dx + dy * dy <= edge * edge {
                self.write(words, (x + dx, y + dy), size, [255.0; 3]);
            }
        }
        self.write(words, (x, y), size, colour);
    }

    fn blend(&mut self, x: i32, y: i32, colour: Colour, share: f32) {
        let inside = |at: i32, most: u32| u32::try_from(at).is_ok_and(|at| at < most);
        if !inside(x, self.0.width()) || !inside(y, self.0.height()) {
            return;
        }
        let pixel = self.0.get_pixel_mut(x as u32, y as u32);
        let share = share.clamp(0.0, 1.0);
        for (old, new) in pixel.0.iter_mut().zip(bytes(colour)) {
            *old = (f32::from(*old) * (1.0 - share) + f32::from(new) * share).round() as u8;
        }
    }
}

/// How wide a line of words is at `size` pixels an em. [Unit: pixels]
pub(super) fn width_of(words: &str, size: f64) -> i32 {
    layout(words, size).1.ceil() as i32
}

/// As much of a line as fits into `room` pixels, with dots where the rest is missing.
pub(super) fn fitting(words: &str, size: f64, room: i32) -> String {
    if width_of(words, size) <= room {
        return words.to_owned();
    }
    let mut kept: String = words.to_owned();
    while kept.pop().is_some() {
        let dotted = format!("{}…", kept.trim_end());
        if width_of(&dotted, size) <= room {
            return dotted;
        }
    }
    String::new()
}

/// Glyphs with where they begin, and where the line ends.
fn layout(words: &str, size: f64) -> (Vec<(GlyphId, f32)>, f32) {
    let font = FONT.as_scaled(scale(size));
    let mut glyphs = Vec::new();
    let (mut x, mut last) = (0.0, None);
    for letter in words.chars() {
        let glyph = font.glyph_id(letter);
        x += last.map_or(0.0, |last| font.kern(last, glyph));
        glyphs.push((glyph, x));
        x += font.h_advance(glyph);
        last = Some(glyph);
    }
    (glyphs, x)
}

/// The crate's measure of a font, which is its height from descent to ascent.
fn scale(size: f64) -> PxScale {
    let em = FONT.units_per_em().unwrap_or(1.0);
    PxScale::from(size as f32 * FONT.height_unscaled() / em)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dark(canvas: Canvas) -> Vec<(u32, u32)> {
        let picture = canvas.into_picture();
        let pixels = picture.enumerate_pixels().filter(|p| p.2[0] < 100);
        pixels.map(|p| (p.0, p.1)).collect()
    }

    #[test]
    fn words_are_as_wide_as_they_are_said_to_be() {
        let mut canvas = Canvas::new(400, 60);
        canvas.write("Härte × 12 m", (10, 10), 24.0, [0.0; 3]);
        let dark = dark(canvas);
        let (left, right) = (
            dark.iter().map(|p| p.0).min(),
            dark.iter().map(|p| p.0).max(),
        );
        let width = right.unwrap() - left.unwrap();
        assert!(
            width.abs_diff(width_of("Härte × 12 m", 24.0) as u32) <= 8,
            "{width}"
        );
        assert!(dark.iter().all(|p| (10..42).contains(&p.1)));
    }

    #[test]
    fn what_does_not_fit_ends_in_dots() {
        assert_eq!(fitting("short", 12.0, 100), "short");
        let cut = fitting("a line that is much too long", 12.0, 60);
        assert!(cut.ends_with('…') && width_of(&cut, 12.0) <= 60, "{cut}");
        assert_eq!(fitting("anything", 12.0, 0), "");
    }

    #[test]
    fn shapes_stay_where_they_belong_and_on_the_paper() {
        let mut canvas = Canvas::new(20, 20);
        canvas.frame((2, 3), (8, 9), [0.0; 3]);
        assert_eq!(dark(canvas).len(), 6 * 6 - 4 * 4);
        let mut canvas = Canvas::new(20, 20);
        canvas.triangle([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0]], [0.0; 3]);
        let found = dark(canvas);
        assert!(found.contains(&(2, 2)) && !found.contains(&(15, 15)));
        assert!(found.len().abs_diff(200) < 30, "{}", found.len());
        let mut canvas = Canvas::new(4, 4);
        canvas.fill((-5, -5), (50, 50), [0.0; 3]);
        canvas.write("outside", (-10, 2), 30.0, [0.0; 3]);
        assert_eq!(dark(canvas).len(), 16);
    }
}
