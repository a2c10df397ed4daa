//! A terrain: a grid of ground heights, where it lies, and what is wrong with heights that are no terrain.

use std::fmt;
use std::ops::{Range, RangeInclusive};

use viewcell::format::frame::ends;

/// A terrain: `width` × `height` samples of height in metres.
///
/// Sample (c, r): column c counts east from 0, row r counts south from 0; row 0 is the raster's
/// first row. A void sample (no data) is NaN: nobody stands there, it is hidden from and to
/// everything, and it never blocks a view.
///
/// Its heights are those of the surface, which hides. Where somebody can be, and on what ground,
/// `places.rs` has.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) heights: Vec<f64>,
    /// The lowest height and the highest.
    extremes: [f64; 2],
    pub(crate) spacing: [f64; 2],
    georeference: Option<Georeference>,
    /// What is stood on, where that is not the surface: NaN for void, and at all voids of the
    /// surface.
    pub(crate) ground: Option<Vec<f64>>,
    /// Where somebody can be; everywhere if nothing is said.
    pub(crate) walkable: Option<Vec<bool>>,
    /// What solids add to the ground, where some stand on it.
    pub(crate) roofs: Option<Roofs>,
}

/// Feet over the unit squares around samples, where solids stand on the ground: on the bare ground, or on something
/// that is nowhere in the square above its top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Roofs {
    /// Heights of the ground without the solids, NaN for void.
    pub bare: Vec<f64>,
    /// The highest point of any solid over the square, NaN where there is none.
    pub top: Vec<f64>,
}

/// Where on a planet the grid lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Georeference {
    /// Coordinate reference system: `EPSG:n` where the file names one, else WKT or the file's own words.
    pub crs: String,
    /// Affine map of GDAL's order: x = t0 + c·t1 + r·t2, y = t3 + c·t4 + r·t5, for the outer
    /// (north-western) corner of pixel (c, r), in units of the CRS.
    pub transform: [f64; 6],
}

impl Georeference {
    /// What stands for a CRS where the file names none.
    pub const UNKNOWN_CRS: &str = "unknown";

    /// Whether the file says of what its units are.
    pub fn has_crs(&self) -> bool {
        self.crs != Self::UNKNOWN_CRS
    }
}

/// Why a grid is no terrain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// A side of zero samples, or more samples than `u32` counts.
    #[error(
        "a terrain of {width} x {height} samples was declared, but {samples} heights were given"
    )]
    Size {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Heights given.
        samples: usize,
    },
    /// A height that is infinite or beyond ±10⁷ m.
    #[error(
        "sample ({column}, {row}) has height {value} m; expected a finite height within ±{} m (mark voids as nodata, or rescale them)",
        Terrain::MAX_ABS_HEIGHT
    )]
    Height {
        /// Column of the sample.
        column: u32,
        /// Row of the sample.
        row: u32,
        /// Its height in metres.
        value: f64,
    },
    /// Spacing beyond [`Terrain::SPACINGS`].
    #[error(
        "spacing is {} x {} m; expected {:e} to {:e} m (give `spacing` in metres)",
        Short(.0[0]), Short(.0[1]), Terrain::SPACINGS.start(), Terrain::SPACINGS.end()
    )]
    Spacing([f64; 2]),
    /// Every sample is void.
    #[error("every sample is void; expected at least one height (is the nodata value right?)")]
    AllVoid,
    /// There is terrain, but nobody can be anywhere.
    #[error("nobody can be anywhere; expected at least one sample that is walkable and no void")]
    NoPlace,
    /// The ground is above the surface.
    #[error(
        "{0}; expected ground nowhere above what hides it (are the two exchanged, or of different datums? if they only cross a little, give `ground_tolerance`)"
    )]
    GroundAbove(GroundAbove),
}

impl Terrain {
    /// Greatest absolute ground height in metres.
    pub const MAX_ABS_HEIGHT: f64 = 1e7;

    /// Metres that may lie between samples: less or more is no ground, and its squares and
    /// quotients would leave the numbers there are.
    pub const SPACINGS: RangeInclusive<f64> = 1e-6..=1e9;

    /// Builds a terrain from heights in metres, row by row, NaN for void; `spacing` is
    /// `[dx, dy]` in metres.
    ///
    /// # Errors
    ///
    /// Where a side is 0 or too long, there is not a height a sample, a height is infinite or beyond
    /// [`Terrain::MAX_ABS_HEIGHT`], all are voids, or a spacing is not positive.
    pub fn new(
        width: u32,
        height: u32,
        heights: Vec<f64>,
        spacing: [f64; 2],
    ) -> Result<Self, TerrainError> {
        let extremes = extremes(&heights);
        Self::between(extremes, [width, height], heights, spacing)
    }

    /// The same of heights whose lowest and highest are known.
    pub(crate) fn between(
        extremes: [f64; 2],
        [width, height]: [u32; 2],
        heights: Vec<f64>,
        spacing: [f64; 2],
    ) -> Result<Self, TerrainError> {
        let samples = heights.len();
        if width == 0
            || height == 0
            || u64::from(width) * u64::from(height) != samples as u64
            || samples > u32::MAX as usize
        {
            return Err(TerrainError::Size {
                width,
                height,
                samples,
            });
        }
        if !spacing.iter().all(|s| Self::SPACINGS.contains(s)) {
            return Err(TerrainError::Spacing(spacing));
        }
        let [lowest, highest] = extremes;
        if lowest > highest {
            return Err(TerrainError::AllVoid);
        }
        let is_wrong = |height: &f64| height.abs() > Self::MAX_ABS_HEIGHT;
        if (is_wrong(&lowest) || is_wrong(&highest))
            && let Some(i) = heights.iter().position(is_wrong)
        {
            return Err(TerrainError::Height {
                column: i as u32 % width,
                row: i as u32 / width,
                value: heights[i],
            });
        }
        Ok(Self {
            width,
            height,
            heights,
            extremes,
            spacing,
            georeference: None,
            ground: None,
            walkable: None,
            roofs: None,
        })
    }

    /// The terrain turned over its diagonal: columns become rows. Lies nowhere on a planet.
    pub fn transposed(&self) -> Self {
        Self {
            width: self.height,
            height: self.width,
            heights: self.turned(&self.heights),
            extremes: self.extremes,
            spacing: [self.spacing[1], self.spacing[0]],
            georeference: None,
            ground: self.ground.as_ref().map(|ground| self.turned(ground)),
            walkable: self.walkable.as_ref().map(|walkable| self.turned(walkable)),
            roofs: self.roofs.as_ref().map(|roofs| Roofs {
                bare: self.turned(&roofs.bare),
                top: self.turned(&roofs.top),
            }),
        }
    }

    /// A part of the terrain; `None` where it is void. Lies nowhere on a planet.
    ///
    /// # Panics
    ///
    /// Unless the terrain has such columns and rows.
    pub fn part(&self, columns: Range<u32>, rows: Range<u32>) -> Option<Self> {
        let heights = self.cut(&self.heights, &columns, &rows);
        let part = Self {
            width: columns.len() as u32,
            height: rows.len() as u32,
            extremes: extremes(&heights),
            heights,
            spacing: self.spacing,
            georeference: None,
            ground: self
                .ground
                .as_ref()
                .map(|ground| self.cut(ground, &columns, &rows)),
            walkable: self
                .walkable
                .as_ref()
                .map(|walkable| self.cut(walkable, &columns, &rows)),
            roofs: self.roofs.as_ref().map(|roofs| Roofs {
                bare: self.cut(&roofs.bare, &columns, &rows),
                top: self.cut(&roofs.top, &columns, &rows),
            }),
        };
        let has_places = part.places().any(|place| place);
        has_places.then_some(part)
    }

    /// Some columns and rows of what is given row by row.
    fn cut<T: Copy>(&self, values: &[T], columns: &Range<u32>, rows: &Range<u32>) -> Vec<T> {
        let of_row = |row: u32| {
            let start = row as usize * self.width as usize;
            &values[start + columns.start as usize..start + columns.end as usize]
        };
        rows.clone().flat_map(of_row).copied().collect()
    }

    /// What is given row by row, column by column.
    fn turned<T: Copy>(&self, values: &[T]) -> Vec<T> {
        let (width, height) = (self.width as usize, self.height as usize);
        let places = (0..width).flat_map(|c| (0..height).map(move |r| r * width + c));
        places.map(|at| values[at]).collect()
    }

    /// The cells of 2^level × 2^level samples: of each the mean height of the ground at its samples,
    /// void where all of them are. The last column and row may have fewer samples. Somebody can be
    /// in a cell who can be at any of its samples.
    pub fn coarsened(&self, level: u32) -> Self {
        let side = 1_u32 << level;
        let (width, height) = (self.width.div_ceil(side), self.height.div_ceil(side));
        let within = |(column, row): (u32, u32)| {
            (row * side..self.height.min((row + 1) * side)).flat_map(move |r| {
                (column * side..self.width.min((column + 1) * side)).map(move |c| (c, r))
            })
        };
        let mean = |cell| {
            let samples = within(cell)
                .map(|(c, r)| self.ground_at(c, r))
                .filter(|height| !height.is_nan());
            let (sum, count) = samples.fold((0.0, 0.0), |(sum, count), h| (sum + h, count + 1.0));
            // Of none it is no number: a void.
            sum / count
        };
        let any = |cell| within(cell).any(|(c, r)| self.has_place(c, r));
        let cells = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        let georeference = self.georeference.clone().map(|georeference| {
            let [t0, t1, t2, t3, t4, t5] = georeference.transform;
            let side = f64::from(side);
            Georeference {
                transform: [t0, t1 * side, t2 * side, t3, t4 * side, t5 * side],
                ..georeference
            }
        });
        let walkable = self.walkable.as_ref();
        let walkable = walkable.map(|_| cells.clone().map(any).collect());
        let heights: Vec<f64> = cells.map(mean).collect();
        Self {
            width,
            height,
            extremes: extremes(&heights),
            heights,
            spacing: self.spacing.map(|metres| metres * f64::from(side)),
            georeference,
            ground: None,
            walkable: walkable.filter(|walkable: &Vec<bool>| walkable.contains(&false)),
            roofs: None,
        }
    }

    /// The same terrain, surface and ground lowered by so many metres at each sample (c, r); what stands on it by the
    /// least of the samples around.
    ///
    /// # Errors
    ///
    /// Where a height comes to be beyond [`Terrain::MAX_ABS_HEIGHT`].
    pub fn lowered(&self, by: impl Fn(u32, u32) -> f64) -> Result<Self, TerrainError> {
        let lower = |heights: &[f64]| {
            let lowered = heights.iter().zip(0u32..);
            let lowered = lowered.map(|(&h, i)| h - by(i % self.width, i / self.width));
            lowered.collect()
        };
        let (width, height, heights) = (self.width, self.height, lower(&self.heights));
        let around = |at: u32, side: u32| at.saturating_sub(1)..side.min(at + 2);
        let least = |i: u32| {
            let (columns, rows) = (around(i % width, width), around(i / width, height));
            let samples = rows.flat_map(|r| columns.clone().map(move |c| (c, r)));
            samples.fold(f64::INFINITY, |least, (c, r)| least.min(by(c, r)))
        };
        Ok(Self {
            georeference: self.georeference.clone(),
            ground: self.ground.as_deref().map(lower),
            walkable: self.walkable.clone(),
            roofs: self.roofs.as_ref().map(|roofs| Roofs {
                bare: lower(&roofs.bare),
                top: (0..)
                    .zip(&roofs.top)
                    .map(|(i, top)| top - least(i))
                    .collect(),
            }),
            ..Self::new(width, height, heights, self.spacing)?
        })
    }

    /// The same terrain, placed on a planet.
    pub fn with_georeference(mut self, georeference: Option<Georeference>) -> Self {
        self.georeference = georeference;
        self
    }

    /// The same terrain with another spacing `[dx, dy]` in metres, which is within [`Terrain::SPACINGS`].
    ///
    /// # Errors
    ///
    /// Where it is not.
    pub fn with_spacing(mut self, spacing: [f64; 2]) -> Result<Self, TerrainError> {
        if !spacing.iter().all(|metres| Self::SPACINGS.contains(metres)) {
            return Err(TerrainError::Spacing(spacing));
        }
        self.spacing = spacing;
        Ok(self)
    }

    /// Number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Number of samples, voids included.
    pub fn samples(&self) -> usize {
        self.heights.len()
    }

    /// Number of void samples.
    pub fn voids(&self) -> usize {
        self.heights.iter().filter(|h| h.is_nan()).count()
    }

    /// Heights of the surface in metres, row by row, NaN for void.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// The lowest and the highest height of the surface in metres.
    pub fn extremes(&self) -> [f64; 2] {
        self.extremes
    }

    /// Height of the surface in metres at sample (c, r), NaN for void.
    ///
    /// # Panics
    ///
    /// Outside the grid.
    #[inline]
    pub fn at(&self, column: u32, row: u32) -> f64 {
        assert!(column < self.width && row < self.height);
        self.heights[row as usize * self.width as usize + column as usize]
    }

    /// Spacing `[dx, dy]` in metres.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// Where the grid lies, if the file said.
    pub fn georeference(&self) -> Option<&Georeference> {
        self.georeference.as_ref()
    }
}

/// The least and the greatest of some heights, NaN aside; infinite, the first above the second, where there are none.
///
/// In eight lanes, of which compilers make vectors.
pub fn extremes(heights: &[f64]) -> [f64; 2] {
    let (mut least, mut greatest) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (eights, rest) = heights.as_chunks::<8>();
    let mut last = [f64::NAN; 8];
    last[..rest.len()].copy_from_slice(rest);
    for eight in eights.iter().chain([&last]) {
        for (lane, height) in eight.iter().enumerate() {
            // A comparison with NaN is false.
            least[lane] = if *height < least[lane] {
                *height
            } else {
                least[lane]
            };
            greatest[lane] = if *height > greatest[lane] {
                *height
            } else {
                greatest[lane]
            };
        }
    }
    [ends(least)[0], ends(greatest)[1]]
}

/// From where to where a grid of so many columns and rows goes by a transform: x and y, for people.
pub fn reaches([x0, xc, xr, y0, yc, yr]: [f64; 6], shape: [u32; 2]) -> [String; 2] {
    let [w, h] = shape.map(f64::from);
    [[x0, xc, xr], [y0, yc, yr]].map(|[from, c, r]| {
        let [least, most] = ends([0.0, c * w, r * h, c * w + r * h].map(|more| from + more));
        format!("{} to {}", Short(least), Short(most))
    })
}

/// From where to where one of this spacing goes in metres from its first sample, for people.
pub fn reaches_in_metres([dx, dy]: [f64; 2], shape: [u32; 2]) -> String {
    let [columns, rows] = shape.map(f64::from);
    format!(
        "{} to {} m east and {} to {} m south",
        Short(-dx / 2.0),
        Short((columns - 0.5) * dx),
        Short(-dy / 2.0),
        Short((rows - 0.5) * dy)
    )
}

/// A number as people write it; one that is very large or very small with an exponent, since what
/// stands in a damaged file may have three hundred digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            0.0 | 1e-4..1e15 => fmt::Display::fmt(&self.0, f),
            _ if !self.0.is_finite() => fmt::Display::fmt(&self.0, f),
            _ => fmt::LowerExp::fmt(&self.0, f),
        }
    }
}

/// How far the ground rises above the surface, where it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundAbove {
    /// By how many metres at most.
    pub most: f64,
    /// Where that is.
    pub column: u32,
    /// Where that is.
    pub row: u32,
    /// At how many samples it does at all.
    pub samples: u64,
}

impl std::fmt::Display for GroundAbove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            most,
            column,
            row,
            samples,
        } = self;
        write!(
            f,
            "the ground is above the surface at {samples} samples, by {} m at most, at sample ({column}, {row})",
            // To the micrometre: beyond are roundings.
            Short((most * 1e6).ceil() / 1e6)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_however_large_they_are() {
        let said = [
            0.0,
            92.4,
            -5.0,
            1e-300,
            1e300,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
        ];
        let said = said.map(|n| Short(n).to_string());
        let expected = [
            "0",
            "92.4",
            "-5",
            "1e-300",
            "1e300",
            "1.7976931348623157e308",
            "NaN",
            "inf",
        ];
        assert_eq!(said, expected);
        assert_eq!(format!("{:.1}", Short(92.44)), "92.4");
        assert_eq!(format!("{:.1}", Short(1.23e200)), "1.2e200");
    }
}
