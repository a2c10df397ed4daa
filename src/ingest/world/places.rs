//! Where somebody can be on a terrain, and on what ground.
//!
//! A terrain's heights are those of its *surface*: what hides. Players stand on its *ground*, which
//! is the same unless [`Terrain::with_ground`] says otherwise, wherever [`Terrain::with_walkable`]
//! has not taken it away from them.
//!
//! Where solids stand on the ground ([`Terrain::with_roofs`]), feet over the unit square around a sample are a range: from
//! its lowest ground up to its highest top. A roof may reach into the square and miss the sample, and who stands at the
//! foot of a wall is below a sample that is on the roof. The ground *at* a sample is the top there.

use super::terrain::{GroundAbove, Roofs, Terrain, TerrainError};

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
        (self.ground, self.roofs) = (Some(ground), None);
        match self.ground_above() {
            Some(above) if above.most >= Self::GROUND_TOLERANCE && above.most > tolerance => {
                Err(TerrainError::GroundAbove(above))
            }
            _ => self.some_place(),
        }
    }

    /// The same surface and ground with solids on it: heights in metres, row by row, of what feet stand on at the
    /// samples, and of the highest point over the closed unit squares around them, no lower; NaN where there is none.
    ///
    /// On a roof over a void of the ground somebody can be.
    ///
    /// # Errors
    ///
    /// Unless there is one of each a sample, none is infinite or beyond [`Terrain::MAX_ABS_HEIGHT`], and some place is left.
    pub fn with_roofs(mut self, at: &[f64], over: Vec<f64>) -> Result<Self, TerrainError> {
        self.check_size(at.len())?;
        self.check_size(over.len())?;
        let is_wrong = |top: &f64| top.abs() > Self::MAX_ABS_HEIGHT;
        if let Some(i) = over.iter().position(is_wrong) {
            let (column, row) = self.place(i);
            return Err(TerrainError::Height {
                column,
                row,
                value: over[i],
            });
        }
        let bare = self.ground().to_vec();
        // NaN loses in each of the two.
        let top: Vec<f64> = over.iter().zip(at).map(|(o, a)| o.max(*a)).collect();
        let feet = (0..bare.len()).map(|i| {
            let feet = bare[i].max(at[i]);
            if feet.is_nan() { top[i] } else { feet }
        });
        self.ground = Some(feet.collect());
        self.roofs = Some(Roofs { bare, top });
        self.some_place()
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

    /// Ground height in metres at sample (c, r) without the solids on it, NaN for void. Panics outside the grid.
    pub fn bare_ground_at(&self, column: u32, row: u32) -> f64 {
        match &self.roofs {
            Some(roofs) => roofs.bare[row as usize * self.width as usize + column as usize],
            None => self.ground_at(column, row),
        }
    }

    /// What nobody on a solid stands above anywhere in the unit square around sample (c, r); NaN where there is none. Panics
    /// outside the grid.
    pub fn top_over(&self, column: u32, row: u32) -> f64 {
        match &self.roofs {
            Some(roofs) => roofs.top[row as usize * self.width as usize + column as usize],
            None => f64::NAN,
        }
    }

    /// Heights of the bare ground and of the tops over squares, row by row, where solids stand on it.
    pub fn roofs(&self) -> Option<[&[f64]; 2]> {
        let roofs = self.roofs.as_ref();
        roofs.map(|roofs| [&roofs.bare[..], &roofs.top])
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
    /// neighbours; one that is void or outside the grid counts as level with the sample. They are of the bare ground;
    /// where something stands above it in the square around a sample, that may be gentle, and counts so.
    pub fn gentle(&self, degrees: f64) -> Vec<bool> {
        let steepest = degrees.to_radians().tan();
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let roofs = self.roofs.as_ref();
        let ground = roofs.map_or(self.ground(), |roofs| &roofs.bare);
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
            if let Some(roofs) = roofs {
                let all = (0..9).map(|k| near(k % 3 - 1, k / 3 - 1));
                let most = all.fold(f64::NEG_INFINITY, f64::max);
                if roofs.top[(row * width + column) as usize] > most {
                    return true;
                }
            }
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
    /// ground at its very level is water. What stands above it in the square around a sample counts.
    pub fn above_water(&self, level: f64) -> Vec<bool> {
        let dry = |(i, &height): (usize, &f64)| {
            height > level
                || self
                    .roofs
                    .as_ref()
                    .is_some_and(|roofs| roofs.top[i] > level)
        };
        self.ground().iter().enumerate().map(dry).collect()
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
    fn feet_are_on_the_bare_ground_and_up_to_the_top_over_the_square() {
        let none = f64::NAN;
        let ground = terrain(4, &[0.0, 1.0, none, none]);
        let laid = |at: [f64; 4], over: [f64; 4]| ground.clone().with_roofs(&at, over.to_vec());
        let town = laid([none, 5.0, 6.0, none], [4.0, none, 7.0, none]).unwrap();
        // At the samples; over a void too.
        assert_eq!(town.ground()[..3], [0.0, 5.0, 6.0]);
        assert!(town.has_ground() && town.ground_at(3, 0).is_nan());
        assert_eq!(town.places().collect::<Vec<_>>(), [true, true, true, false]);
        // A top is no lower than what is stood on at the sample.
        assert_eq!([0, 1, 2].map(|c| town.top_over(c, 0)), [4.0, 5.0, 7.0]);
        assert_eq!([0, 1].map(|c| town.bare_ground_at(c, 0)), [0.0, 1.0]);
        assert!(town.bare_ground_at(2, 0).is_nan() && town.top_over(3, 0).is_nan());
        // A roof that reaches the square of a void, and not its sample.
        let town = laid([none; 4], [none, none, none, 9.0]).unwrap();
        assert!(town.has_place(3, 0) && town.ground_at(3, 0) == 9.0);
        let high = laid([none; 4], [none, 1e8, none, none]);
        assert!(matches!(high, Err(TerrainError::Height { column: 1, .. })));
        // Parts and what is turned over have the same.
        let turned = town.transposed();
        assert_eq!(
            (turned.top_over(0, 3), turned.bare_ground_at(0, 1)),
            (9.0, 1.0)
        );
        assert_eq!(town.part(3..4, 0..1).unwrap().top_over(0, 0), 9.0);
        // Lowered by no more than the ground anywhere around.
        let lowered = town.lowered(|column, _| f64::from(column)).unwrap();
        assert_eq!(
            (lowered.top_over(3, 0), lowered.bare_ground_at(1, 0)),
            (7.0, 0.0)
        );
    }

    #[test]
    fn a_roof_is_gentle_and_dry_whatever_is_below() {
        let none = f64::NAN;
        let ramp = terrain(3, &[0.0, 2.0, 4.0, 0.0, 2.0, 4.0, 0.0, 2.0, 4.0]);
        let mut over = vec![none; 9];
        (over[4], over[3]) = (9.0, 1.0);
        let town = ramp.clone().with_roofs(&[none; 9], over).unwrap();
        assert_eq!(
            ramp.gentle(44.0).iter().filter(|gentle| **gentle).count(),
            8
        );
        assert!(!ramp.gentle(44.0)[4] && town.gentle(44.0)[4]);
        // What stands no higher than the ground around it is none.
        assert_eq!(
            town.gentle(20.0),
            [4].map(|i| (0..9).map(|k| k == i).collect::<Vec<_>>())[0]
        );
        assert!(!ramp.above_water(2.0)[4] && town.above_water(2.0)[4]);
        assert!(!town.above_water(2.0)[3]);
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
