//! What the colours of a page mean.

use image::{Rgba, RgbaImage};

use super::super::canvas::{Canvas, width_of};
use super::super::palette::{Colour, Ramp};
use super::super::viewshed::{Viewpoint, mark};
use super::measures::{FAINT, INK};

/// What a colour means.
pub enum Key {
    /// One colour.
    Swatch(Colour, String),
    /// Colours from one end to another, what they stand for, and numbers at places from 0 to 1.
    Ramp(Ramp, String, Vec<(f64, String)>),
    /// The ring or frame of who looks.
    Mark(String),
}

/// How long a ramp is. [Unit: pixels of a page 900 wide]
const RAMP: f64 = 220.0;

impl Key {
    /// How wide and high it is.
    pub(super) fn room(&self, size: f64) -> (i32, i32) {
        let px = |length: f64| (length * size) as i32;
        match self {
            Self::Ramp(_, words, _) => (width_of(words, 13.0 * size).max(px(RAMP)), px(58.0)),
            Self::Swatch(_, words) | Self::Mark(words) => {
                (px(22.0) + width_of(words, 13.0 * size), px(25.0))
            }
        }
    }

    /// Draws it with its upper left corner at a place.
    pub(super) fn draw(&self, page: &mut Canvas, (x, y): (i32, i32), size: f64) {
        let px = |length: f64| (length * size) as i32;
        match self {
            Self::Swatch(colour, words) => {
                let corners = [(x, y), (x + px(16.0), y + px(16.0))];
                page.fill(corners[0], corners[1], *colour);
                page.frame(corners[0], corners[1], FAINT);
                page.write(words, (x + px(22.0), y), 13.0 * size, INK);
            }
            Self::Mark(words) => {
                let side = px(20.0).max(4) as u32;
                let mut ring = RgbaImage::from_pixel(side, side, Rgba([255; 4]));
                let viewpoint = Viewpoint {
                    column: 0,
                    row: 0,
                    side: 1,
                };
                mark(&mut ring, viewpoint, [f64::from(side); 2], size);
                page.paste(&ring, (x - px(2.0), y - px(2.0)));
                page.write(words, (x + px(22.0), y), 13.0 * size, INK);
            }
            Self::Ramp(ramp, words, ticks) => {
                page.write(words, (x, y), 13.0 * size, INK);
                let (right, high, low) = (x + px(RAMP), y + px(20.0), y + px(33.0));
                for i in x..right {
                    let part = f64::from(i - x) / f64::from((right - 1 - x).max(1));
                    page.fill((i, high), (i + 1, low), ramp.at(part));
                }
                page.frame((x, high), (right, low), FAINT);
                for (part, words) in ticks {
                    let at = x + (f64::from(right - 1 - x) * part) as i32;
                    page.fill((at, low), (at + 1, low + px(4.0)), FAINT);
                    let wide = width_of(words, 12.0 * size);
                    let left = (at - wide / 2).clamp(x, (right - wide).max(x));
                    page.write(words, (left, low + px(4.0)), 12.0 * size, FAINT);
                }
            }
        }
    }
}
