//! Exposure: how many samples see each sample, the *total viewshed* of a terrain, counted in its
//! bundle.

use std::io::Cursor;
use std::sync::Mutex;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgba, RgbaImage};
use rayon::prelude::*;

use super::{PictureError, hillshade};
use crate::runtime::{Grid, Leaf, Quad, Sample, TerrainBundle};

/// The PVS of a sample that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the PVS of sample ({}, {}) is damaged; see what viewcell verify says, and bake again",
    .0.column, .0.row
)]
pub struct DamagedPvs(pub Sample);

/// Side of the squares of viewpoints that are counted in one go. [Unit: samples]
const TILE: u32 = 64;

/// For each sample, row by row, how many samples see it (itself included); 0 for a void.
///
/// Goes once through the level-0 PVSs, with the threads of the current pool of `rayon`, in a few
/// bytes a sample and thread; O(bytes of the PVSs). `go_on` learns how many viewpoints more are
/// done, and ends the counting by returning false; then the result is `None`.
pub fn exposure(
    bundle: &TerrainBundle<'_>,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Option<Vec<u32>>, DamagedPvs> {
    let grid = bundle.grid();
    let (columns, rows) = (grid.width().div_ceil(TILE), grid.height().div_ceil(TILE));
    let idle: Mutex<Vec<Counter>> = Mutex::default();
    let lock = || idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let outcome = (0..columns * rows).into_par_iter().try_for_each(|tile| {
        let taken = lock().pop();
        let mut counter = taken.unwrap_or_else(|| Counter::new(grid));
        let [left, top] = [tile % columns * TILE, tile / columns * TILE];
        let across = left..(left + TILE).min(grid.width());
        for row in top..(top + TILE).min(grid.height()) {
            for sample in across.clone().map(|column| Sample::new(column, row)) {
                if !bundle.valid().has_sample(sample) {
                    continue;
                }
                let pvs = bundle.pvs(sample.quad());
                for leaf in pvs.ok_or(Stop::Damaged(sample))?.quads() {
                    counter.count(leaf);
                }
            }
            if !go_on(across.len() as u64) {
                return Err(Stop::Asked);
            }
        }
        lock().push(counter);
        Ok(())
    });
    match outcome {
        Err(Stop::Asked) => return Ok(None),
        Err(Stop::Damaged(sample)) => return Err(DamagedPvs(sample)),
        Ok(()) => {}
    }
    let mut counts = vec![0; grid.samples() as usize];
    for counter in lock().drain(..) {
        counter.add_to(&mut counts);
    }
    for (count, sample) in counts.iter_mut().zip(grid.row_by_row()) {
        if !bundle.valid().has_sample(sample) {
            *count = 0;
        }
    }
    Ok(Some(counts))
}

/// Why a count ended early.
enum Stop {
    Asked,
    Damaged(Sample),
}

/// Counts of one thread.
struct Counter {
    grid: Grid,
    /// By level: how often each quad was visible as a whole, row by row.
    quads: Vec<Vec<u32>>,
    /// By block of 8 × 8 samples, row by row.
    blocks: Vec<BlockCounter>,
}

/// Counts how often each bit of a word was 1.
#[derive(Clone)]
struct BlockCounter {
    /// Bit i of plane p is bit p of the count of bit i since the last flush: adding a word takes
    /// a few operations on words, whatever its bits.
    planes: [u64; 8],
    /// Words added since the last flush. [Limit: 255]
    added: u8,
    counts: [u32; 64],
}

impl Counter {
    fn new(grid: Grid) -> Self {
        let quads = (0..grid.levels())
            .map(|level| grid.quads_at(level))
            .map(|(columns, rows)| vec![0; columns as usize * rows as usize])
            .collect();
        let block = BlockCounter {
            planes: [0; 8],
            added: 0,
            counts: [0; 64],
        };
        Self {
            grid,
            quads,
            blocks: vec![block; grid.blocks()],
        }
    }

    /// Place of a quad among those of its level.
    fn place(&self, quad: Quad) -> usize {
        let (columns, _) = self.grid.quads_at(quad.level);
        quad.row as usize * columns as usize + quad.column as usize
    }

    fn count(&mut self, leaf: Leaf) {
        let place = self.place(leaf.quad());
        match leaf {
            Leaf::Hidden(_) => {}
            Leaf::Visible(quad) => self.quads[quad.level as usize][place] += 1,
            Leaf::Block(_, bits) => self.blocks[place].add(bits),
        }
    }

    fn add_to(mut self, counts: &mut [u32]) {
        for block in &mut self.blocks {
            block.flush();
        }
        // What is seen of a quad is seen of its children.
        for level in (1..self.quads.len()).rev() {
            let (columns, rows) = self.grid.quads_at(level as u32 - 1);
            for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                let child = Quad::new(level as u32 - 1, column, row);
                let above = self.quads[level][self.place(child.parent())];
                let place = self.place(child);
                self.quads[level - 1][place] += above;
            }
        }
        for ((count, sample), quad) in counts
            .iter_mut()
            .zip(self.grid.row_by_row())
            .zip(&self.quads[0])
        {
            let (block, bit) = self.grid.block_bit(sample);
            *count += quad + self.blocks[block].counts[bit as usize];
        }
    }
}

impl BlockCounter {
    fn add(&mut self, bits: u64) {
        let mut carry = bits;
        for plane in &mut self.planes {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                break;
            }
        }
        self.added += 1;
        if self.added == u8::MAX {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (p, plane) in self.planes.iter_mut().enumerate() {
            for (i, count) in self.counts.iter_mut().enumerate() {
                *count += ((*plane >> i & 1) as u32) << p;
            }
            *plane = 0;
        }
        self.added = 0;
    }
}

/// Colours of exposure from least to most: dark and blue to light and yellow, as hidden and
/// visible are everywhere.
const STOPS: [[f32; 3]; 4] = [
    [40.0, 50.0, 120.0],
    [70.0, 125.0, 160.0],
    [150.0, 190.0, 130.0],
    [255.0, 226.0, 110.0],
];

/// The darkest shade of ground, so that a slope in shadow does not pass for hidden.
const LEAST_LIGHT: f32 = 0.55;

/// A PNG of the terrain, each sample in a colour by how many see it, from dark blue (nobody else)
/// to light yellow (the most), by the logarithm of the count; voids are transparent.
///
/// `heights` are in metres, row by row, `width` a row, NaN for void; `spacing` is `[dx, dy]` in
/// metres. One pixel a sample.
///
/// # Errors
///
/// [`PictureError`] where the encoder fails, as it does beyond its own limits of size.
///
/// # Panics
///
/// If `width` is zero or does not divide the number of heights, or if there are not as many
/// counts as heights.
pub fn exposure_png(
    width: u32,
    heights: &[f32],
    spacing: [f64; 2],
    counts: &[u32],
) -> Result<Vec<u8>, PictureError> {
    assert_eq!(heights.len(), counts.len());
    let shade = hillshade(width, heights, spacing);
    let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(2)).ln();
    let picture = RgbaImage::from_fn(width, heights.len() as u32 / width, |x, y| {
        let i = (y * width + x) as usize;
        if shade[i].is_nan() {
            return Rgba([0, 0, 0, 0]);
        }
        let part = f64::from(counts[i].max(1)).ln() / most * (STOPS.len() - 1) as f64;
        let stop = (part as usize).min(STOPS.len() - 2);
        let weight = part as f32 - stop as f32;
        let light = LEAST_LIGHT + (1.0 - LEAST_LIGHT) * shade[i];
        let [r, g, b] = [0, 1, 2].map(|c| {
            let colour = STOPS[stop][c] * (1.0 - weight) + STOPS[stop + 1][c] * weight;
            (colour * light) as u8
        });
        Rgba([r, g, b, 255])
    });
    let mut bytes = Cursor::new(Vec::new());
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::NoFilter);
    picture
        .write_with_encoder(encoder)
        .map_err(|error| PictureError(error.to_string()))?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_counts_every_bit_past_all_flushes() {
        let mut counter = Counter::new(Grid::new(8, 8).unwrap()).blocks.remove(0);
        let mut expected = [0_u32; 64];
        let mut word = 1_u64;
        for _ in 0..1000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            counter.add(word | 1);
            for (i, count) in expected.iter_mut().enumerate() {
                *count += ((word | 1) >> i & 1) as u32;
            }
        }
        counter.flush();
        assert_eq!(counter.counts, expected);
        assert_eq!(expected[0], 1000);
    }

    #[test]
    fn more_exposed_is_lighter_and_a_void_is_transparent() {
        let heights = [0.0, 0.0, 0.0, 0.0, f32::NAN];
        let png = exposure_png(5, &heights, [1.0, 1.0], &[1, 10, 100, 1000, 0]).unwrap();
        let picture = image::load_from_memory(&png).unwrap().to_rgba8();
        let light = |x| {
            picture.get_pixel(x, 0).0[..3]
                .iter()
                .map(|c| u32::from(*c))
                .sum::<u32>()
        };
        assert!(light(0) < light(1) && light(1) < light(2) && light(2) < light(3));
        assert_eq!(picture.get_pixel(4, 0)[3], 0);
    }
}
