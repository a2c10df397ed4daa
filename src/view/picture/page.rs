//! A page: pictures of one place with a title, a legend, a scale bar and a north arrow.

use image::{Rgba, RgbaImage};

use super::canvas::{Canvas, fitting, width_of};
use super::palette::{Colour, Ramp};
use super::resize::resized;
use super::viewshed::{Viewpoint, mark};
use super::{PictureError, check_pixels};

/// The narrowest page on which a legend can be read, and the widest. [Unit: pixels]
pub const PAGE_WIDTHS: (u32, u32) = (320, 16_384);
/// How high a map may be drawn, by its width: at least and at most. What is beyond is squeezed, or
/// a column of a thousand rows would be a thousand times as high as wide.
const ASPECTS: (f64, f64) = (1.0 / 64.0, 6.0);

/// A picture and what stands around it.
pub struct Page {
    /// What is shown.
    pub title: String,
    /// Of what, and in numbers.
    pub subtitle: String,
    /// Pictures of one size, side by side or one below the other.
    pub panels: Vec<Panel>,
    /// How wide and how high a pixel of the panels is. [Unit: `unit`]
    pub pixel: [f64; 2],
    /// In what `pixel` is measured.
    pub unit: &'static str,
    /// Where north is, clockwise from up; `None` where that is not known. [Unit: radians]
    pub north: Option<f64>,
    /// What the colours mean.
    pub legend: Vec<Key>,
}

/// One of a page's pictures.
pub struct Panel {
    /// Above it; empty for none.
    pub caption: String,
    /// The picture; what is transparent becomes paper.
    pub picture: RgbaImage,
    /// Who looks, in pixels of the picture, and what is written beside them; empty for nothing.
    pub marks: Vec<(Viewpoint, String)>,
}

impl Page {
    /// The page, so many pixels wide.
    ///
    /// # Errors
    ///
    /// [`PictureError`] where it would have more than [`super::MOST_PIXELS`].
    ///
    /// # Panics
    ///
    /// Without a panel, or if `width` is outside [`PAGE_WIDTHS`].
    pub fn draw(&self, width: u32) -> Result<RgbaImage, PictureError> {
        assert!((PAGE_WIDTHS.0..=PAGE_WIDTHS.1).contains(&width));
        let measures = self.measures(width);
        // The legend is laid out on a scrap of paper to learn its height.
        let foot = self.foot(&mut Canvas::new(width, 1), &measures, 0);
        let rows = self.panels.len().div_ceil(measures.columns) as i32;
        let panel = measures.map.1 as i32 + measures.caption;
        let below = measures.head + rows * panel + (rows - 1) * measures.margin;
        let height = (below + foot + measures.margin) as u32;
        check_pixels(width.into(), height.into())?;
        let mut page = Canvas::new(width, height);
        for (i, panel) in self.panels.iter().enumerate() {
            self.draw_map(
                &mut page,
                panel,
                measures.place(i),
                measures.map,
                measures.size,
            );
        }
        self.words(&mut page, &measures);
        self.foot(&mut page, &measures, below);
        Ok(page.into_picture())
    }

    /// The picture of a panel and its marks, so many pixels wide, without a word around it; what
    /// is written beside marks is `size` times as large as on a page 900 wide.
    pub fn map(&self, panel: &Panel, width: u32, size: f64) -> RgbaImage {
        let height = (f64::from(width) * self.aspect()).round().max(1.0) as u32;
        let mut page = Canvas::new(width, height);
        self.draw_map(&mut page, panel, (0, 0), (width, height), size);
        page.into_picture()
    }

    /// The height of a panel's picture as it is drawn, by its width.
    fn aspect(&self) -> f64 {
        let aspect = self.true_aspect();
        if aspect.is_nan() {
            1.0
        } else {
            aspect.clamp(ASPECTS.0, ASPECTS.1)
        }
    }

    /// The height of what a panel shows, by its width.
    fn true_aspect(&self) -> f64 {
        let (columns, rows) = self.panels[0].picture.dimensions();
        f64::from(rows) / f64::from(columns) * (self.pixel[1] / self.pixel[0])
    }

    /// Says so where the maps are not to scale, since what they show is much longer than wide.
    pub fn squeeze(&self) -> Option<String> {
        let times = self.true_aspect() / self.aspect();
        let words = |times: f64| match times {
            0.0..9.95 => format!("{times:.1}"),
            0.0..1e15 => grouped(times.round() as u64),
            _ => format!("{times:.0e}"),
        };
        match times {
            _ if times > 1.0 => Some(format!(
                "not to scale: squeezed {} times from top to bottom",
                words(times)
            )),
            _ if times < 1.0 => Some(format!(
                "not to scale: stretched {} times from top to bottom",
                words(1.0 / times)
            )),
            _ => None,
        }
    }

    fn measures(&self, width: u32) -> Measures {
        let size = (f64::from(width) / 900.0).clamp(0.62, 4.0);
        let margin = (16.0 * size) as i32;
        let aspect = self.aspect();
        // As many panels side by side as make the page most like a sheet on its side, with few
        // places left empty.
        let panels = self.panels.len();
        let shape = |columns: usize| {
            let rows = panels.div_ceil(columns);
            let empty = (rows * columns - panels) as f64 / (rows * columns) as f64;
            let ratio = aspect * rows as f64 / columns as f64 / 0.72;
            ratio.ln().abs() + 2.0 * empty
        };
        let best = (1..=panels).min_by(|a, b| shape(*a).total_cmp(&shape(*b)));
        let columns = best.unwrap_or(1);
        let free = width as i32 - margin * (columns as i32 + 1);
        let map_width = (free / columns as i32).max(8);
        Measures {
            size,
            width: width as i32,
            margin,
            columns,
            map: (
                map_width as u32,
                ((f64::from(map_width) * aspect).round() as u32).max(1),
            ),
            caption: if self.panels.iter().any(|panel| !panel.caption.is_empty()) {
                (22.0 * size) as i32
            } else {
                0
            },
            head: (66.0 * size) as i32,
        }
    }

    /// Draws the picture of a panel in a corner's place, with its marks.
    fn draw_map(
        &self,
        page: &mut Canvas,
        panel: &Panel,
        (x, y): (i32, i32),
        (width, height): (u32, u32),
        size: f64,
    ) {
        let px = |length: f64| (length * size) as i32;
        let (columns, rows) = panel.picture.dimensions();
        let scale = [
            f64::from(width) / f64::from(columns),
            f64::from(height) / f64::from(rows),
        ];
        let mut map = resized(&panel.picture, width, height);
        for (viewpoint, _) in &panel.marks {
            mark(&mut map, *viewpoint, scale, size);
        }
        page.paste(&map, (x, y));
        for (viewpoint, label) in &panel.marks {
            let at = |corner: u32, axis: usize| {
                ((f64::from(corner) + f64::from(viewpoint.side) / 2.0) * scale[axis]) as i32
            };
            let (east, south) = (at(viewpoint.column, 0), at(viewpoint.row, 1));
            let wide = width_of(label, 16.0 * size);
            // To the right of the ring, or to its left where that is outside the map.
            let left = if east + px(11.0) + wide < width as i32 {
                x + east + px(11.0)
            } else {
                x + east - px(11.0) - wide
            };
            page.write_haloed(label, (left, y + south - px(10.0)), 16.0 * size, INK);
        }
    }

    /// Title and captions.
    fn words(&self, page: &mut Canvas, measures: &Measures) {
        let Measures { size, margin, .. } = *measures;
        let room = measures.width - 2 * margin;
        let px = |length: f64| (length * size) as i32;
        let title = fitting(&self.title, 21.0 * size, room);
        page.write(&title, (margin, px(11.0)), 21.0 * size, INK);
        let subtitle = fitting(&self.subtitle, 14.0 * size, room);
        page.write(&subtitle, (margin, px(38.0)), 14.0 * size, FAINT);
        for (i, panel) in self.panels.iter().enumerate() {
            let (x, y) = measures.place(i);
            let caption = fitting(&panel.caption, 14.0 * size, measures.map.0 as i32);
            page.write(&caption, (x, y - px(19.0)), 14.0 * size, INK);
        }
    }

    /// Legend, scale bar and north arrow below `top`; returns how high they are.
    fn foot(&self, page: &mut Canvas, measures: &Measures, top: i32) -> i32 {
        let Measures { size, margin, .. } = *measures;
        let px = |length: f64| (length * size) as i32;
        let right = measures.width - margin;
        let bar = self.bar_room(measures) + px(48.0);
        // Where there is little room the scale bar goes below the legend.
        let beside = right - margin - bar > px(430.0);
        let end = if beside { right - bar } else { right };
        let (mut x, mut y, mut line) = (margin, top + px(14.0), 0);
        for key in &self.legend {
            let (item, high) = key.room(size);
            if x + item > end && x > margin {
                (x, y, line) = (margin, y + line, 0);
            }
            key.draw(page, (x, y), size);
            line = line.max(high);
            x += item + px(22.0);
        }
        if let Some(words) = self.squeeze() {
            y += line;
            line = px(25.0);
            page.write(
                &fitting(&words, 13.0 * size, end - margin),
                (margin, y),
                13.0 * size,
                INK,
            );
        }
        let legend = y + line - top;
        if beside {
            let scale = self.scale(page, measures, (end + px(20.0), top + px(14.0)));
            return legend.max(px(14.0) + scale);
        }
        let scale = self.scale(page, measures, (margin, top + legend + px(6.0)));
        legend + px(6.0) + scale
    }
}

/// A length in words, of a unit.
fn length_in_words(length: f64, unit: &str) -> String {
    match unit {
        "m" if length >= 1000.0 => format!("{} km", length / 1000.0),
        unit => format!("{length} {unit}"),
    }
}

/// A count with its thousands apart: 138,632.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) const INK: Colour = [30.0, 34.0, 40.0];

pub(super) const FAINT: Colour = [96.0, 102.0, 110.0];

/// Measures of a page of some width. [Unit: pixels]
pub(super) struct Measures {
    /// Of everything, 1 at a width of 900.
    pub(super) size: f64,
    pub(super) width: i32,
    pub(super) margin: i32,
    pub(super) columns: usize,
    pub(super) map: (u32, u32),
    pub(super) caption: i32,
    pub(super) head: i32,
}

impl Measures {
    /// Where the picture of a panel begins.
    pub(super) fn place(&self, panel: usize) -> (i32, i32) {
        let (column, row) = (panel % self.columns, panel / self.columns);
        let x = self.margin + column as i32 * (self.map.0 as i32 + self.margin);
        let high = self.caption + self.map.1 as i32 + self.margin;
        (x, self.head + self.caption + row as i32 * high)
    }
}

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

const PALE: Colour = [200.0, 203.0, 207.0];

impl Page {
    /// A scale bar, of a round length: its share of a panel's width, at most `most`, and its label.
    pub fn bar(&self, most: f64) -> (f64, String) {
        let (columns, _) = self.panels[0].picture.dimensions();
        let across = f64::from(columns) * self.pixel[0];
        let length = round_length(most * across);
        (length / across, length_in_words(length, self.unit))
    }

    /// The longest scale bar. [Unit: pixels]
    pub(super) fn bar_room(&self, measures: &Measures) -> i32 {
        (measures.map.0 as i32 / 3).min((200.0 * measures.size) as i32)
    }

    /// Scale bar and north arrow; returns how high they are.
    pub(super) fn scale(
        &self,
        page: &mut Canvas,
        measures: &Measures,
        (left, top): (i32, i32),
    ) -> i32 {
        let px = |length: f64| (length * measures.size) as i32;
        let width = f64::from(measures.map.0);
        let (part, text) = self.bar(f64::from(self.bar_room(measures)) / width);
        let bar = (part * width).round() as i32;
        // Two halves, dark and light, as on maps.
        let (high, low) = (top + px(5.0), top + px(11.0).max(px(5.0) + 3));
        page.fill((left, high), (left + bar / 2, low), INK);
        page.frame((left, high), (left + bar, low), INK);
        page.write(&text, (left, low + px(3.0)), 13.0 * measures.size, INK);
        let Some(north) = self.north else {
            return px(30.0);
        };
        let (sin, cos) = north.sin_cos();
        let middle = f64::from(measures.width - measures.margin - px(12.0));
        let centre = [middle, f64::from(top) + 18.0 * measures.size];
        let turned = |x: f64, y: f64| {
            let (x, y) = (x * measures.size, y * measures.size);
            [centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos]
        };
        let (tip, notch) = (turned(0.0, -15.0), turned(0.0, 5.0));
        page.triangle([tip, turned(-6.5, 9.0), notch], INK);
        page.triangle([tip, turned(6.5, 9.0), notch], PALE);
        let [x, y] = turned(0.0, 18.0);
        let wide = width_of("N", 13.0 * measures.size);
        let corner = (x as i32 - wide / 2, y as i32 - px(8.0));
        page.write("N", corner, 13.0 * measures.size, INK);
        px(44.0)
    }
}

/// The longest of 1, 2 or 5 times a power of ten that is not longer.
fn round_length(most: f64) -> f64 {
    let power = 10_f64.powf(most.log10().floor());
    let times = [5.0, 2.0].into_iter().find(|times| times * power <= most);
    times.unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;
    use crate::picture::palette::VIRIDIS;

    fn page(picture: &RgbaImage, panels: usize) -> Page {
        let panel = |i: usize| Panel {
            caption: if panels > 1 {
                format!("Floor {i}")
            } else {
                String::new()
            },
            picture: picture.clone(),
            marks: vec![(
                Viewpoint {
                    column: 3,
                    row: 2,
                    side: 1,
                },
                "A".into(),
            )],
        };
        Page {
            title: "A title that is longer than the page is wide, and then longer still".into(),
            subtitle: "and more".into(),
            panels: (0..panels).map(panel).collect(),
            pixel: [10.0, 20.0],
            unit: "m",
            north: Some(0.0),
            legend: vec![
                Key::Swatch([200.0, 10.0, 10.0], "red".into()),
                Key::Ramp(VIRIDIS, "how many".into(), vec![(0.0, "0".into())]),
                Key::Mark("who looks".into()),
            ],
        }
    }

    #[test]
    fn the_map_keeps_its_shape_and_its_colours() {
        let picture = RgbaImage::from_fn(40, 10, |x, _| {
            Rgba(if x < 20 {
                [10, 200, 30, 255]
            } else {
                [9, 9, 9, 0]
            })
        });
        for (width, panels) in [(320, 1), (900, 1), (900, 3)] {
            let page = page(&picture, panels).draw(width).unwrap();
            assert_eq!(page.width(), width);
            let green: Vec<_> = page
                .enumerate_pixels()
                .filter(|p| p.2.0 == [10, 200, 30, 255])
                .collect();
            let count = |of: fn(&(u32, u32, &Rgba<u8>)) -> u32| {
                let mut all: Vec<u32> = green.iter().map(of).collect();
                all.sort_unstable();
                all.dedup();
                all.len() as f64
            };
            let (columns, rows) = (count(|p| p.0), count(|p| p.1));
            // 20 x 10 pixels of 10 m x 20 m are square.
            let across = if columns > rows {
                columns / rows
            } else {
                rows / columns
            };
            let whole = (across - across.round()).abs() < 0.04;
            assert!(whole && (1.0..=3.1).contains(&across), "{columns} x {rows}");
        }
    }

    #[test]
    fn a_map_that_is_much_longer_than_wide_is_squeezed_and_said_to_be() {
        let picture = RgbaImage::from_pixel(20, 20, Rgba([1, 2, 3, 255]));
        let shaped = |pixel| Page {
            pixel,
            ..page(&picture, 1)
        };
        assert_eq!(shaped([10.0, 20.0]).squeeze(), None);
        let tall = shaped([0.001, 90.0]);
        let words = tall.squeeze().unwrap();
        assert!(words.contains("squeezed 15,000 times"), "{words}");
        let flat = shaped([90.0, 0.001]).squeeze().unwrap();
        assert!(flat.contains("stretched 1,406 times"), "{flat}");
        for pixel in [
            [0.001, 90.0],
            [90.0, 0.001],
            [1e-300, 1e300],
            [1e300, 1e-300],
            [f64::MAX, f64::MIN_POSITIVE],
        ] {
            let page = shaped(pixel);
            let drawn = page.draw(PAGE_WIDTHS.0).unwrap();
            assert!(drawn.height() < 8 * drawn.width());
            let (columns, rows) = page.map(&page.panels[0], 840, 1.0).dimensions();
            assert!((12..=6 * 840).contains(&rows), "{columns} x {rows}");
        }
    }

    #[test]
    fn a_scale_bar_has_a_round_length() {
        let found = [1.0, 1.9, 2.1, 4.9, 77.0, 999.0].map(round_length);
        assert_eq!(found, [1.0, 1.0, 2.0, 2.0, 50.0, 500.0]);
        assert_eq!(length_in_words(2000.0, "m"), "2 km");
        assert_eq!(length_in_words(0.5, "m"), "0.5 m");
        assert_eq!(length_in_words(512.0, "units"), "512 units");
        assert_eq!(length_in_words(2000.0, "cm"), "2000 cm");
    }
}
