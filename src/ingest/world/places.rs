//! Where somebody can be on a terrain, and on what ground.
//!
//! A terrain's heights are those of its *surface*: what hides. Players stand on its *ground*, which
//! is the same unless [`Terrain::with_ground`] says otherwise, wherever [`Terrain::with_walkable`]
//! has not taken it away from them.

use super::terrain::{GroundAbove, Terrain, TerrainError};

impl Terrain {
    /// The ground may be above the surface by less than this, in metres: so much comes of rounding.
    pub const GROUND_TOLERANCE: f64 = 0.01;

    /// The same surface over another ground: heights in metres, row by row, NaN for void.
    ///
    /// Each raster's voids concern what it is for: where the ground is void nobody can be, and where
    /// the surface is void nothing hides. So a surface hides where there is no ground below it, and
    /// ground can be stood on where nothing is known of a surface.
    ///
    /// # Errors
    ///
    /// Unless there is a height a sample, none of them is infinite or beyond [`Terrain::MAX_ABS_HEIGHT`],
    /// some is left to stand on, and none is above the surface by [`Terrain::GROUND_TOLERANCE`] or more.
    pub fn with_ground(self, ground: Vec<f64>) -> Result<Self, TerrainError> {
        self.with_ground_within(ground, 0.0)
    }

    /// As [`Terrain::with_ground`], for ground that may be above the surface by up to `tolerance` metres:
    /// rasters of one survey cross where there is nothing on the ground. Feet are where the ground
    /// says, and the surface hides as it is, which errs towards visible.
    ///
    /// # Errors
    ///
    /// As [`Terrain::with_ground`], with that tolerance.
    pub fn with_ground_within(
        mut self,
        ground: Vec<f64>,
        tolerance: f64,
    ) -> Result<Self, TerrainError> {
        self.check_size(ground.len())?;
        if let Some(i) = ground.iter().position(|h| h.abs() > Self::MAX_ABS_HEIGHT) {
            let (column, row) = self.place(i);
            return Err(TerrainError::Height {
                column,
                row,
                value: ground[i],
            });
        }
        self.ground = Some(ground);
        match self.ground_above() {
            Some(above) if above.most >= Self::GROUND_TOLERANCE && above.most > tolerance => {
                Err(TerrainError::GroundAbove(above))
            }
            _ => self.some_place(),
        }
    }

    /// The same terrain, where nobody can be at samples that are not `walkable`, row by row, nor
    /// where nobody could be before. What is not walkable hides all the same.
    ///
    /// # Errors
    ///
    /// Unless there is one a sample, and some place is left.
    pub fn with_walkable(mut self, walkable: &[bool]) -> Result<Self, TerrainError> {
        self.check_size(walkable.len())?;
        let before = self.walkable.take();
        let all = (0..walkable.len()).map(|i| walkable[i] && before.as_ref().is_none_or(|b| b[i]));
        // As if nothing had been said, where nothing is taken away.
        self.walkable = Some(all.collect()).filter(|all: &Vec<bool>| all.contains(&false));
        self.some_place()
    }

    fn check_size(&self, samples: usize) -> Result<(), TerrainError> {
        if samples == self.samples() {
            Ok(())
        } else {
            Err(TerrainError::Size {
                width: self.width,
                height: self.height,
                samples,
            })
        }
    }

    fn some_place(self) -> Result<Self, TerrainError> {
        let some = self.places().any(|place| place);
        some.then_some(self).ok_or(TerrainError::NoPlace)
    }

    /// Column and row of a sample, by its number row by row.
    fn place(&self, i: usize) -> (u32, u32) {
        (i as u32 % self.width, i as u32 / self.width)
    }

    /// Heights in metres of the ground that players stand on, row by row, NaN for void.
    pub fn ground(&self) -> &[f64] {
        self.ground.as_deref().unwrap_or(&self.heights)
    }

    /// Ground height in metres at sample (c, r), NaN for void.
    ///
    /// # Panics
    ///
    /// Outside the grid.
    pub fn ground_at(&self, column: u32, row: u32) -> f64 {
        assert!(column < self.width && row < self.height);
        self.ground()[row as usize * self.width as usize + column as usize]
    }

    /// Whether ground and surface are apart.
    pub fn has_ground(&self) -> bool {
        self.ground.is_some()
    }

    /// Which samples are walkable, row by row, voids or not; `None` where all are.
    pub fn walkable(&self) -> Option<&[bool]> {
        self.walkable.as_deref()
    }

    /// Whether somebody can be at each sample, row by row.
    pub fn places(&self) -> impl Iterator<Item = bool> + '_ {
        let walkable = |i| self.walkable.as_ref().is_none_or(|walkable| walkable[i]);
        let ground = self.ground().iter().enumerate();
        ground.map(move |(i, height)| !height.is_nan() && walkable(i))
    }

    /// Whether somebody can be at sample (c, r). Panics outside the grid.
    pub fn has_place(&self, column: u32, row: u32) -> bool {
        let i = row as usize * self.width as usize + column as usize;
        let walkable = self.walkable.as_ref().is_none_or(|walkable| walkable[i]);
        walkable && !self.ground_at(column, row).is_nan()
    }

    /// Where and how far the ground is above the surface; `None` where it is nowhere.
    pub fn ground_above(&self) -> Option<GroundAbove> {
        let mut above: Option<GroundAbove> = None;
        let pairs = self.ground.iter().flatten().zip(&self.heights);
        for (i, (ground, surface)) in pairs.enumerate() {
            let most = ground - surface;
            if most > 0.0 {
                let (column, row) = self.place(i);
                let here = GroundAbove {
                    most,
                    column,
                    row,
                    samples: 1,
                };
                above = Some(match above {
                    None => here,
                    Some(before) => GroundAbove {
                        samples: before.samples + 1,
                        ..if most > before.most { here } else { before }
                    },
                });
            }
        }
        above
    }

    /// Which samples of the ground rise by at most so many degrees, row by row.
    ///
    /// Slopes are Horn's (Horn 1981, "Hill shading and the reflectance map"), from the eight
    /// neighbours; one that is void or outside the grid counts as level with the sample.
    pub fn gentle(&self, degrees: f64) -> Vec<bool> {
        let steepest = degrees.to_radians().tan();
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let ground = self.ground();
        let gentle = |(column, row): (i64, i64)| {
            let here = ground[(row * width + column) as usize];
            let near = |right: i64, down: i64| {
                let (c, r) = (column + right, row + down);
                let is_inside = (0..width).contains(&c) && (0..height).contains(&r);
                let there = if is_inside {
                    ground[(r * width + c) as usize]
                } else {
                    f64::NAN
                };
                if there.is_nan() { here } else { there }
            };
            let side = |a: [f64; 3]| a[0] + 2.0 * a[1] + a[2];
            let east = side([near(1, -1), near(1, 0), near(1, 1)]);
            let west = side([near(-1, -1), near(-1, 0), near(-1, 1)]);
            let south = side([near(-1, 1), near(0, 1), near(1, 1)]);
            let north = side([near(-1, -1), near(0, -1), near(1, -1)]);
            let [dx, dy] = self.spacing;
            ((east - west) / (8.0 * dx)).hypot((south - north) / (8.0 * dy)) <= steepest
        };
        let samples = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        samples.map(gentle).collect()
    }

    /// Which samples of the ground are above a water level in metres, row by row. Water is even:
    /// ground at its very level is water.
    pub fn above_water(&self, level: f64) -> Vec<bool> {
        self.ground().iter().map(|&height| height > level).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terrain(width: u32, heights: &[f64]) -> Terrain {
        let height = heights.len() as u32 / width;
        Terrain::new(width, height, heights.to_vec(), [2.0, 2.0]).unwrap()
    }

    #[test]
    fn nobody_is_on_a_void_nor_where_it_is_not_walkable() {
        let void = f64::NAN;
        let plain = terrain(3, &[1.0, void, 3.0]);
        assert_eq!(plain.places().collect::<Vec<_>>(), [true, false, true]);
        let some = plain.clone().with_walkable(&[false, true, true]).unwrap();
        assert_eq!(some.places().collect::<Vec<_>>(), [false, false, true]);
        assert_eq!((some.has_place(0, 0), some.has_place(2, 0)), (false, true));
        // Once more takes away more.
        let none = some.with_walkable(&[true, true, false]);
        assert_eq!(none, Err(TerrainError::NoPlace));
        let none = plain.clone().with_walkable(&[false, true, false]);
        assert_eq!(none, Err(TerrainError::NoPlace));
        assert!(plain.clone().with_walkable(&[true; 2]).is_err());
        assert_eq!(
            plain.clone().with_walkable(&[true; 3]).unwrap().walkable(),
            None
        );
    }

    #[test]
    fn ground_above_the_surface_is_found_where_it_is_most() {
        let surface = terrain(2, &[5.0, 5.0, 5.0, 9.0]);
        let ground = |heights: &[f64]| surface.clone().with_ground(heights.to_vec());
        assert_eq!(
            ground(&[5.0, 4.0, 1.0, f64::NAN]).unwrap().ground_above(),
            None
        );
        let close = ground(&[5.0, 5.002, 5.001, 0.0]).unwrap().ground_above();
        let close = close.unwrap();
        assert_eq!((close.column, close.row, close.samples), (1, 0, 2));
        let error = ground(&[5.5, 5.001, 4.0, 9.0]).unwrap_err().to_string();
        for word in ["0.5 m", "(0, 0)", "2 samples"] {
            assert!(error.contains(word), "{error}");
        }
        assert_eq!(ground(&[f64::NAN; 4]), Err(TerrainError::NoPlace));
    }

    #[test]
    fn slopes_are_told_from_the_neighbours_and_water_is_even() {
        // Up by 2 m in 2 m: 45 degrees inside, and half as steep at the rim, by Horn.
        let ramp = terrain(4, &[0.0, 2.0, 4.0, 6.0].repeat(3));
        assert_eq!(ramp.gentle(45.001), [true; 12]);
        assert_eq!(ramp.gentle(44.9)[4..8], [true, false, false, true]);
        assert_eq!(ramp.above_water(2.0)[..4], [false, false, true, true]);
    }
}
