//! The ground of a terrain in the sun, to be painted: one pixel a sample.

use image::{Rgba, RgbaImage};

use super::palette::{Colour, Fitted, VIRIDIS, bytes, shaded};
use viewcell::query::{Grid, Pvs, Sample, TerrainBundle};

/// Height of the sun above the horizon and its direction clockwise from north, in degrees: the
/// cartographer's light from the north-west.
const ALTITUDE: f64 = 45.0;
const AZIMUTH: f64 = 315.0;

/// The mean slope to which gentler terrain is exaggerated, so that relief shows in it.
const LEAST_MEAN_SLOPE: f64 = 0.5;
/// No terrain is exaggerated more than this: noise on a plain should not look like mountains.
const GREATEST_EXAGGERATION: f64 = 10.0;

/// Brightness 0 (in shadow) to 1 (facing the sun) of each sample, row by row; NaN for a void.
///
/// `heights` are in metres, row by row, `width` a row, NaN for void; `spacing` is `[dx, dy]` in
/// metres. Slopes are Horn's (Horn 1981, "Hill shading and the reflectance map"): central
/// differences weighted 1, 2, 1 over the eight neighbours; a neighbour that is void or outside the
/// grid counts as level with the sample. Where the mean slope is below 0.5 heights are
/// exaggerated to reach it, tenfold at most.
///
/// # Panics
///
/// If `width` is zero or does not divide the number of heights.
pub fn hillshade(width: u32, heights: &[f32], spacing: [f64; 2]) -> Vec<f32> {
    // Twice, and not kept: of a large map they would take four times as much as the heights.
    let slopes = || slopes(width as usize, heights, spacing);
    let exaggeration = exaggeration(slopes());
    let (sin_altitude, cos_altitude) = ALTITUDE.to_radians().sin_cos();
    let (sin_azimuth, cos_azimuth) = AZIMUTH.to_radians().sin_cos();
    slopes()
        .map(|[east, south]| {
            // The surface normal is (-east, south, 1) in axes east, north, up.
            let (x, y) = (-east * exaggeration, south * exaggeration);
            let towards_sun =
                x * cos_altitude * sin_azimuth + y * cos_altitude * cos_azimuth + sin_altitude;
            let brightness = towards_sun / (x * x + y * y + 1.0).sqrt();
            // Not `max`, which would turn the NaN of a void into darkness.
            (if brightness < 0.0 { 0.0 } else { brightness }) as f32
        })
        .collect()
}

/// Rise in metres a metre east and a metre south, row by row; NaN for a void.
fn slopes(
    width: usize,
    heights: &[f32],
    spacing: [f64; 2],
) -> impl Iterator<Item = [f64; 2]> + use<'_> {
    assert!(width > 0 && heights.len().is_multiple_of(width));
    let rows = heights.len() / width;
    let places = (0..rows).flat_map(move |row| (0..width).map(move |column| (column, row)));
    places.map(move |(column, row)| {
        let here = heights[row * width + column];
        if here.is_nan() {
            return [f64::NAN; 2];
        }
        let near = |right: isize, down: isize| {
            let column = column.checked_add_signed(right).filter(|c| *c < width);
            let row = row.checked_add_signed(down).filter(|r| *r < rows);
            let there = column
                .zip(row)
                .map_or(here, |(c, r)| heights[r * width + c]);
            f64::from(if there.is_nan() { here } else { there })
        };
        let side = |a: [f64; 3]| a[0] + 2.0 * a[1] + a[2];
        let east = side([near(1, -1), near(1, 0), near(1, 1)]);
        let west = side([near(-1, -1), near(-1, 0), near(-1, 1)]);
        let south = side([near(-1, 1), near(0, 1), near(1, 1)]);
        let north = side([near(-1, -1), near(0, -1), near(1, -1)]);
        [
            (east - west) / (8.0 * spacing[0]),
            (south - north) / (8.0 * spacing[1]),
        ]
    })
}

fn exaggeration(slopes: impl Iterator<Item = [f64; 2]>) -> f64 {
    let steepness = slopes
        .map(|[east, south]| east.hypot(south))
        .filter(|s| !s.is_nan());
    let (sum, count) = steepness.fold((0.0, 0_u64), |(sum, count), s| (sum + s, count + 1));
    if sum == 0.0 {
        return 1.0;
    }
    (LEAST_MEAN_SLOPE * count as f64 / sum).clamp(1.0, GREATEST_EXAGGERATION)
}

/// The darkest shade of ground under colours of which each stands for one thing, so that a slope
/// in shadow does not go black.
pub const PLAIN_LIGHT: f32 = 0.5;
/// The same under colours that stand for numbers: shadow must not pass for another number.
pub const NUMBER_LIGHT: f32 = 0.72;

/// A terrain in the sun.
#[derive(Clone, Debug)]
pub struct Ground {
    width: u32,
    rows: u32,
    /// Row by row; NaN for a void.
    shade: Vec<f32>,
    /// Samples a side of what has one colour.
    side: u32,
}

impl Ground {
    /// The ground of a bundle. O(samples).
    pub fn new(terrain: &TerrainBundle<'_>) -> Self {
        let grid = terrain.grid();
        let height = |sample| terrain.height(sample).unwrap_or(f32::NAN);
        let heights: Vec<f32> = grid.row_by_row().map(height).collect();
        Self::of_heights(grid.width(), &heights, terrain.parameters().cell_spacing)
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
            shade: hillshade(width, heights, spacing),
            side: 1,
        }
    }

    /// The same, painted in cells of `side` x `side` samples. Where the last cells of rows and columns extend beyond the
    /// samples, they are shaded as these end.
    pub fn in_cells(self, side: u32) -> Self {
        Self { side, ..self }
    }

    /// Pixels a side of what has one colour.
    pub fn side(&self) -> u32 {
        self.side
    }

    /// The ground with each cell in its colour, by its place row by row; `least_light` is what
    /// is left of a colour in full shadow, [`PLAIN_LIGHT`] or [`NUMBER_LIGHT`]. Voids are
    /// transparent. One pixel a sample.
    pub fn paint(&self, least_light: f32, colour: impl Fn(usize) -> Colour) -> RgbaImage {
        let side = self.side;
        let [columns, rows] = [self.width, self.rows].map(|samples| samples.div_ceil(side));
        RgbaImage::from_fn(columns * side, rows * side, |x, y| {
            let i = (y / side * columns + x / side) as usize;
            let [x, y] = [x.min(self.width - 1), y.min(self.rows - 1)];
            let light = self.shade[y as usize * self.width as usize + x as usize];
            let light = least_light + (1.0 - least_light) * light;
            if light.is_nan() {
                return Rgba([255, 255, 255, 0]);
            }
            // What stands for a number keeps its hue.
            let lit = if least_light < NUMBER_LIGHT {
                shaded(colour(i), light)
            } else {
                colour(i).map(|c| c * light)
            };
            let [r, g, b] = bytes(lit);
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

/// The terrain, each sample in a colour by how many see it, from dark (nobody else) to light (the
/// most), on a scale that is fitted to the counts; one pixel a sample, voids are transparent. `counts` are
/// row by row, as `survey` counts them.
///
/// # Panics
///
/// If there are not as many counts as samples.
pub fn exposure_image(ground: &Ground, counts: &[u32]) -> RgbaImage {
    let scale = Fitted::new(counts);
    ground.paint(NUMBER_LIGHT, |i| VIRIDIS.at(scale.part(counts[i])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_ground_has_the_brightness_of_the_suns_altitude() {
        let shade = hillshade(4, &[7.0; 12], [1.0, 1.0]);
        assert_eq!(shade.len(), 12);
        assert!(shade.iter().all(|s| (s - 0.5_f32.sqrt()).abs() < 1e-6));
    }

    #[test]
    fn a_slope_that_faces_north_west_is_brighter_than_one_that_faces_south_east() {
        let ramp = |sign: f32| -> Vec<f32> {
            (0..25)
                .map(|i| sign * ((i % 5) as f32 + (i / 5) as f32))
                .collect()
        };
        let facing = hillshade(5, &ramp(1.0), [2.0, 2.0])[12];
        let averted = hillshade(5, &ramp(-1.0), [2.0, 2.0])[12];
        assert!(facing > 0.9, "{facing}");
        assert!(averted < 0.5, "{averted}");
    }

    #[test]
    fn a_void_is_nan_and_spoils_no_neighbour() {
        let mut heights = [1.0_f32; 9];
        heights[4] = f32::NAN;
        let shade = hillshade(3, &heights, [1.0, 1.0]);
        assert!(shade[4].is_nan());
        assert_eq!(shade.iter().filter(|s| s.is_nan()).count(), 1);
    }

    #[test]
    fn gentle_relief_is_exaggerated_and_steep_relief_is_not() {
        let of = |slopes: &[[f64; 2]]| exaggeration(slopes.iter().copied());
        assert_eq!(of(&[[0.75, 0.0], [f64::NAN, 0.0]]), 1.0);
        assert_eq!(of(&[[0.25, 0.0]]), 2.0);
        assert_eq!(of(&[[0.001, 0.0]]), GREATEST_EXAGGERATION);
        assert_eq!(of(&[[0.0, 0.0]]), 1.0);
    }

    #[test]
    fn a_cell_has_one_colour_and_the_shading_of_each_of_its_samples() {
        let heights: Vec<f32> = (0..15).map(|i| ((i % 5) * (i % 5)) as f32).collect();
        let fine = Ground::of_heights(5, &heights, [4.0; 2]);
        let ground = fine.clone().in_cells(2);
        let colours = [
            [255.0; 3], [200.0; 3], [150.0; 3], [100.0; 3], [50.0; 3], [0.0; 3],
        ];
        let picture = ground.paint(NUMBER_LIGHT, |cell| colours[cell]);
        assert_eq!(picture.dimensions(), (6, 4));
        for (x, y, pixel) in picture.enumerate_pixels() {
            // The last column and row are repeated.
            let sample = y.min(2) * 5 + x.min(4);
            let cell = (y / 2 * 3 + x / 2) as usize;
            let alone = fine.paint(NUMBER_LIGHT, |_| colours[cell]);
            assert_eq!(pixel, alone.get_pixel(sample % 5, sample / 5), "{x}, {y}");
        }
    }

    #[test]
    fn more_exposed_is_lighter_and_a_void_is_transparent() {
        let heights = [0.0, 0.0, 0.0, 0.0, f32::NAN];
        let ground = Ground::of_heights(5, &heights, [1.0; 2]);
        let picture = exposure_image(&ground, &[1, 300, 600, 1000, 0]);
        let light = |x| {
            let [r, g, b, _] = picture.get_pixel(x, 0).0.map(u32::from);
            2 * r + 7 * g + b
        };
        assert!(light(0) < light(1) && light(1) < light(2) && light(2) < light(3));
        assert_eq!(picture.get_pixel(4, 0)[3], 0);
    }
}
