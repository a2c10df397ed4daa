//! A frontier set over a hillshade, like figure 3.7 of the thesis.

use image::{Rgba, RgbaImage};

use super::viewshed::{LEAST_LIGHT, USEFUL_SIDE, encode, mark};
use super::{PictureError, Viewpoint, hillshade};

/// What a sample is to a frontier set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// In neither half.
    #[default]
    Neither,
    /// In the first player's half; `true` where it joined after the other half was finished.
    A(bool),
    /// In the second player's half, likewise.
    B(bool),
}

impl Part {
    /// Blue and orange tell apart for people with any colour vision; what joined late is paler.
    fn colour(self) -> [f32; 3] {
        match self {
            Self::Neither => [190.0, 190.0, 185.0],
            Self::A(false) => [40.0, 90.0, 190.0],
            Self::A(true) => [135.0, 175.0, 240.0],
            Self::B(false) => [225.0, 120.0, 20.0],
            Self::B(true) => [250.0, 190.0, 120.0],
        }
    }
}

/// A PNG of a frontier set: the first player's half blue, the second's orange, both players
/// ringed, voids transparent. One pixel a sample, or a whole number of them where the terrain is
/// small.
///
/// `heights` are in metres, row by row, `width` a row, NaN for void; `spacing` is `[dx, dy]` in
/// metres; `parts` says what each sample is, row by row; `players` are columns and rows.
///
/// # Errors
///
/// [`PictureError`] where the encoder fails, as it does beyond its own limits of size.
///
/// # Panics
///
/// If `width` is zero or does not divide the number of heights, or if `parts` is not as long as
/// `heights`.
pub fn frontier_png(
    width: u32,
    heights: &[f32],
    spacing: [f64; 2],
    parts: &[Part],
    players: [[u32; 2]; 2],
) -> Result<Vec<u8>, PictureError> {
    assert_eq!(heights.len(), parts.len());
    let rows = heights.len() as u32 / width;
    let scale = (USEFUL_SIDE / width.max(rows)).max(1);
    let shade = hillshade(width, heights, spacing);
    let mut picture = RgbaImage::from_fn(width * scale, rows * scale, |x, y| {
        let i = ((y / scale) * width + x / scale) as usize;
        let light = LEAST_LIGHT + (1.0 - LEAST_LIGHT) * shade[i];
        if light.is_nan() {
            return Rgba([0; 4]);
        }
        let [r, g, b] = parts[i].colour().map(|c| (c * light) as u8);
        Rgba([r, g, b, 255])
    });
    for [column, row] in players {
        let side = 1;
        mark(&mut picture, Viewpoint { column, row, side }, scale);
    }
    encode(&picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_colour_and_voids_have_none() {
        let mut heights = vec![0.0; 600 * 40];
        heights[599] = f32::NAN;
        let mut parts = vec![Part::Neither; 600 * 40];
        for (at, part) in [
            (300, Part::A(false)),
            (301, Part::A(true)),
            (302, Part::B(false)),
            (303, Part::B(true)),
        ] {
            parts[at] = part;
        }
        let png = frontier_png(600, &heights, [1.0; 2], &parts, [[20, 20], [500, 30]]).unwrap();
        let picture = image::load_from_memory(&png).unwrap().to_rgba8();
        assert_eq!(picture.dimensions(), (600, 40));
        let mut colours: Vec<Rgba<u8>> = (299..304).map(|x| *picture.get_pixel(x, 0)).collect();
        assert!(colours.iter().all(|colour| colour[3] == 255));
        colours.sort_unstable_by_key(|colour| colour.0);
        colours.dedup();
        assert_eq!(colours.len(), 5);
        assert_eq!(picture.get_pixel(599, 0)[3], 0);
        let (plain, ring) = (picture.get_pixel(299, 0), picture.get_pixel(20, 20));
        assert_ne!(plain, ring);
        assert_eq!(ring, picture.get_pixel(500, 30));
    }
}
