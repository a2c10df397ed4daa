//! The ground of a terrain, to be painted: one pixel a sample.

use image::{Rgba, RgbaImage};

use super::hillshade;
use super::palette::{Colour, bytes};
use crate::runtime::{Grid, Pvs, Sample, TerrainBundle};

/// The darkest shade of ground under colours of which each stands for one thing, so that a slope
/// in shadow does not go black.
pub const PLAIN_LIGHT: f32 = 0.35;
/// The same under colours that stand for numbers: shadow must not pass for another number.
pub const NUMBER_LIGHT: f32 = 0.72;

/// A terrain in the sun.
#[derive(Clone, Debug)]
pub struct Ground {
    width: u32,
    rows: u32,
    spacing: [f64; 2],
    /// Row by row; NaN for a void.
    shade: Vec<f32>,
}

impl Ground {
    /// The ground of a bundle. O(samples).
    pub fn new(terrain: &TerrainBundle<'_>) -> Self {
        let grid = terrain.grid();
        let height = |sample| terrain.height(sample).unwrap_or(f32::NAN);
        let heights: Vec<f32> = grid.row_by_row().map(height).collect();
        Self::of_heights(grid.width(), &heights, terrain.parameters().spacing)
    }

    /// The ground of heights in metres, row by row, `width` a row, NaN for void; `spacing` is
    /// `[dx, dy]` in metres.
    ///
    /// # Panics
    ///
    /// If `width` is zero or does not divide the number of heights.
    pub fn of_heights(width: u32, heights: &[f32], spacing: [f64; 2]) -> Self {
        Self {
            width,
            rows: heights.len() as u32 / width,
            spacing,
            shade: hillshade(width, heights, spacing),
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.rows)
    }

    /// Metres between samples, east and south.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// The ground with each sample in its colour, by its place row by row; `least_light` is what
    /// is left of a colour in full shadow, [`PLAIN_LIGHT`] or [`NUMBER_LIGHT`]. Voids are
    /// transparent. One pixel a sample.
    pub fn paint(&self, least_light: f32, colour: impl Fn(usize) -> Colour) -> RgbaImage {
        RgbaImage::from_fn(self.width, self.rows, |x, y| {
            let i = y as usize * self.width as usize + x as usize;
            let light = least_light + (1.0 - least_light) * self.shade[i];
            if light.is_nan() {
                return Rgba([255, 255, 255, 0]);
            }
            let [r, g, b] = bytes(colour(i).map(|c| c * light));
            Rgba([r, g, b, 255])
        })
    }
}

/// Row by row, whether each sample of a grid is in a PVS.
pub fn mask(grid: Grid, pvs: &Pvs<'_>) -> Vec<bool> {
    let mut blocks = vec![0_u64; grid.blocks()];
    pvs.expand(&mut blocks);
    let is_seen = |sample: Sample| {
        let (block, bit) = grid.block_bit(sample);
        blocks[block] >> bit & 1 == 1
    };
    grid.row_by_row().map(is_seen).collect()
}
