//! What hidden area is worth, by place.

use super::compression::Weight;
use crate::compress::ValidPyramid;
use crate::compress::pairs::Worth;
use crate::format::Quad;

/// The weights of a terrain, by block.
pub(super) struct Weights {
    /// By block, row by row; `None` where all samples are worth 1.
    blocks: Option<Vec<[f64; 64]>>,
    level: bool,
}

impl Weights {
    pub fn new(valid: &ValidPyramid, weight: &Weight) -> Self {
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

    pub fn of_block(&self, valid: &ValidPyramid, index: usize) -> Worth<'_> {
        Worth {
            terrain: valid.blocks()[index],
            weights: self.blocks.as_ref().map(|blocks| &blocks[index]),
        }
    }

    /// What it is worth that a sample is hidden from a quad of level 4 or more.
    pub fn of_quad(&self, valid: &ValidPyramid, quad: Quad) -> f64 {
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
            (Some(_), _) if samples > 0.0 => sum / samples,
            (_, true) => samples,
            _ => 1.0,
        }
    }
}
