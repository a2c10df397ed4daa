//! The height field as the kernels read it: in single precision, with a margin of voids, and with
//! tables of the least and the greatest heights over windows.

use super::axis::Axis;
use super::places::Places;
use super::stance::Stance;
use super::{Bodies, TOLERANCE};
use crate::format::Grid;
use crate::world::Terrain;

/// A terrain prepared for the kernels.
pub struct HeightField {
    pub(super) grid: Grid,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bodies: Bodies,
    pub(super) stance: Stance,
    /// Where somebody can be.
    pub(super) places: Places,
    /// For sight along columns, and along rows.
    pub(super) axes: [Axis; 2],
    /// Nobody sees further than this over the ground, in metres.
    max_distance: f64,
    spacing: [f64; 2],
    /// What has to lie between terrain and sight, in metres, before single precision may call
    /// a sight blocked (`above`) or clear (`below`).
    pub(super) above: f32,
    pub(super) below: f32,
    /// The same before a line may hide a cell (`refine`).
    pub(super) cell: f32,
}

impl HeightField {
    /// Whether the tables of so many columns and rows can be addressed: those of some 220 million
    /// samples can, at most [`Grid::MAX_SIDE`] a side.
    pub fn fits(width: u32, height: u32) -> bool {
        let grid = Grid::new(width, height);
        let (width, height) = (width as usize, height as usize);
        grid.is_ok() && Axis::fits(width, height) && Axis::fits(height, width)
    }

    /// Bytes that the tables of so many columns and rows take while they are made, and a bit more.
    pub fn bytes(width: u32, height: u32, stance: Stance) -> u64 {
        let (width, height) = (width as usize, height as usize);
        // Beside the terrain itself, one that is turned over its diagonal.
        let turned = 8 * (width * height) as u64;
        turned + Axis::bytes(width, height, stance) + Axis::bytes(height, width, stance)
    }

    /// Prepares `terrain`; takes about 570 bytes a sample, for cells 690.
    ///
    /// # Panics
    ///
    /// Unless the terrain [fits](Self::fits).
    pub fn new(terrain: &Terrain, bodies: Bodies, stance: Stance) -> Self {
        let grid = Grid::new(terrain.width(), terrain.height()).expect("see `HeightField::fits`");
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let [base, reach] = Self::frame(terrain, bodies);
        // A comparison below gathers at most 44 roundings of 2⁻²⁴ · reach: of two interpolations
        // with seven operations each on numbers of up to twice the reach, of the heights that go
        // in and of the difference. 64 leave room for the definition's own.
        let slack = 64.0 * reach * 2f64.powi(-24);
        Self {
            grid,
            width,
            height,
            bodies,
            stance,
            places: Places::new(terrain, bodies, stance),
            axes: [
                Axis::new(terrain, base, bodies, stance),
                Axis::new(&terrain.transposed(), base, bodies, stance),
            ],
            max_distance: f64::INFINITY,
            spacing: terrain.spacing(),
            above: (TOLERANCE + slack) as f32,
            below: (TOLERANCE - slack) as f32,
            // In `refine` some 60 roundings of numbers up to eight times the reach.
            cell: (TOLERANCE + 8.0 * slack) as f32,
        }
    }

    /// What all heights in the tables are less, so that single precision goes far, and the most
    /// that is left of them. Which cells are found hidden depends a little on both.
    pub(super) fn frame(terrain: &Terrain, bodies: Bodies) -> [f64; 2] {
        let ground = if terrain.has_ground() {
            terrain.ground()
        } else {
            &[]
        };
        let heights = terrain.heights().iter().chain(ground);
        let known = heights.filter(|h| !h.is_nan());
        let (low, high) = known.fold((f64::MAX, f64::MIN), |(l, h), &x| (l.min(x), h.max(x)));
        let reach = (high - low) / 2.0 + bodies.eye.max(bodies.head);
        [(low + high) / 2.0, reach]
    }

    /// The same field where nobody sees further than `metres` over the ground. Cells see each
    /// other as long as any of their positions do.
    pub fn with_max_distance(mut self, metres: f64) -> Self {
        self.max_distance = metres;
        self
    }

    /// Whether targets at least `p` columns and `q` rows away are too far to be seen.
    #[inline(always)]
    pub(super) fn too_far(&self, p: i32, q: i32) -> bool {
        let slack = i32::from(self.stance == Stance::Cell);
        let x = f64::from((p - slack).max(0)) * self.spacing[0];
        let y = f64::from((q - slack).max(0)) * self.spacing[1];
        x * x + y * y > self.max_distance * self.max_distance
    }
}

#[cfg(test)]
mod tests {
    use super::HeightField;

    #[test]
    fn what_fits_is_known_without_memory_for_it() {
        // 18 values a sample with a margin of 80 around, and 2^32 of them.
        for (width, height) in [
            (4096, 4096),
            (15_200, 15_200),
            (65_536, 3400),
            (3400, 65_536),
        ] {
            assert!(HeightField::fits(width, height), "{width} x {height}");
        }
        for (width, height) in [
            (15_300, 15_300),
            (65_536, 3500),
            (3500, 65_536),
            (65_536, 65_536),
        ] {
            assert!(!HeightField::fits(width, height), "{width} x {height}");
        }
    }
}
