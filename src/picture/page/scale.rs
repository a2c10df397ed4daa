//! How long things are on a page, and where north is.

use super::super::canvas::{Canvas, width_of};
use super::super::palette::Colour;
use super::Page;
use super::measures::{INK, Measures};

const PALE: Colour = [200.0, 203.0, 207.0];

impl Page {
    /// A round length of at most a part of a panel's width: how large a part it is, and in words.
    pub fn bar(&self, most: f64) -> (f64, String) {
        let (columns, _) = self.panels[0].picture.dimensions();
        let across = f64::from(columns) * self.pixel[0];
        let length = round_length(most * across);
        (length / across, self.unit.words(length))
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
    use super::*;
    use crate::picture::Unit;

    #[test]
    fn a_scale_bar_has_a_round_length() {
        let found = [1.0, 1.9, 2.1, 4.9, 77.0, 999.0].map(round_length);
        assert_eq!(found, [1.0, 1.0, 2.0, 2.0, 50.0, 500.0]);
        assert_eq!(Unit::Metres.words(2000.0), "2 km");
        assert_eq!(Unit::Metres.words(0.5), "0.5 m");
        assert_eq!(Unit::Units.words(512.0), "512 units");
    }
}
