//! What hidden area is worth, by place.

use super::options::Weight;
use crate::compress::ValidPyramid;
use crate::compress::pairs::Worth;
use viewcell::format::Quad;

/// The weights of a terrain, by block.
pub(crate) struct Weights {
    /// By block, row by row; `None` where all samples are worth 1.
    blocks: Option<Vec<[f64; 64]>>,
    level: bool,
}

impl Weights {
    pub(crate) fn new(valid: &ValidPyramid, weight: &Weight) -> Self {
        let Weight::Places(places) = weight else {
            return Self {
                blocks: None,
                level: *weight == Weight::Level,
            };
        };
        let grid = valid.grid();
        let mut blocks = vec![[0.0; 64]; grid.blocks()];
        for (sample, &weight) in grid.row_by_row().zip(places) {
            let (word, bit) = grid.block_bit(sample);
            blocks[word][bit as usize] = weight;
        }
        // The mean over the terrain is 1.
        let of_terrain = blocks
            .iter()
            .zip(valid.blocks())
            .flat_map(|(block, &terrain)| {
                block
                    .iter()
                    .enumerate()
                    .filter(move |(i, _)| terrain >> i & 1 == 1)
            });
        let mean = of_terrain.map(|(_, &weight)| weight).sum::<f64>() / valid.samples() as f64;
        if mean > 0.0 {
            blocks
                .iter_mut()
                .flatten()
                .for_each(|weight| *weight /= mean);
        }
        Self {
            blocks: Some(blocks),
            level: false,
        }
    }

    pub(crate) fn of_block(&self, valid: &ValidPyramid, index: usize) -> Worth<'_> {
        Worth {
            terrain: valid.blocks()[index],
            weights: self.blocks.as_ref().map(|blocks| &blocks[index]),
        }
    }

    /// What it is worth that a sample is hidden from a quad of level 4 or more, where it is worth 1
    /// from a mean sample.
    pub(crate) fn of_quad(&self, valid: &ValidPyramid, quad: Quad) -> f64 {
        let (columns, rows) = valid.grid().block_shape();
        let side = 1 << (quad.level - 3);
        let (mut samples, mut sum) = (0.0, 0.0);
        for row in quad.row * side..rows.min((quad.row + 1) * side) {
            for column in quad.column * side..columns.min((quad.column + 1) * side) {
                let index = (row * columns + column) as usize;
                let terrain = valid.blocks()[index];
                samples += f64::from(terrain.count_ones());
                if let Some(blocks) = &self.blocks {
                    let weights = blocks[index].iter().enumerate();
                    let there = weights.filter(|(i, _)| terrain >> i & 1 == 1);
                    sum += there.map(|(_, &weight)| weight).sum::<f64>();
                }
            }
        }
        match (&self.blocks, self.level) {
            (_, true) => samples,
            (Some(_), _) if samples > 0.0 => samples.sqrt() * sum / samples,
            _ => samples.sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::format::Grid;

    #[test]
    fn large_quads_are_worth_more_but_by_area_less_than_all_their_samples() {
        let grid = Grid::new(40, 32).unwrap();
        let valid = ValidPyramid::new(grid, &vec![!0; grid.blocks()]);
        let of = |weight: &Weight, quad| Weights::new(&valid, weight).of_quad(&valid, quad);
        let (inner, edge, all) = (Quad::new(4, 0, 0), Quad::new(4, 2, 0), Quad::new(6, 0, 0));
        assert_eq!(of(&Weight::Area, inner), 16.0);
        assert_eq!(of(&Weight::Level, inner), 256.0);
        // Only half of it is in the grid.
        assert_eq!(of(&Weight::Level, edge), 128.0);
        assert_eq!(of(&Weight::Area, all), f64::sqrt(1280.0));
        // West of column 16 nine times as much as elsewhere, a mean of 1.
        let weights = (0..1280).map(|i| if i % 40 < 16 { 9.0 } else { 1.0 });
        let places = Weight::places(weights.collect(), 1280).unwrap();
        let mean = (9.0 * 16.0 + 24.0) / 40.0;
        assert!((of(&places, inner) - 16.0 * 9.0 / mean).abs() < 1e-9);
        assert!((of(&places, all) - f64::sqrt(1280.0)).abs() < 1e-9);
    }
}
