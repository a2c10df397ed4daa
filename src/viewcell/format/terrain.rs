//! The `GRID` section: what a terrain bundle is of, and how it was baked.
//!
//! ```text
//! 0    width                   u32      samples
//! 4    height                  u32      samples
//! 8    levels                  u32      of the quadtree, root level + 1
//! 12   visibility mode         u32      1 exact, 2 conservative, 3 sectors
//! 16   tree code               u32      1 single trees, 2 levels of groups
//! 20   flags                   u32      1 mutual, 2 georeferenced, 4 lossy, 8 coarse, 16 walkable,
//!                                       32 covered
//! 24   sectors                 u32      0 unless mode 3
//! 28   finest level            u32      a sample stands for 2^this samples a side of the heightmap;
//!                                       0 unless coarse
//! 32   dx, dy                  f64 × 2  m
//! 48   eye height              f64      m
//! 56   player height           f64      m
//! 64   greatest distance       f64      m, infinite: none
//! 72   radius of the earth     f64      m, 0: flat
//! 80   refraction coefficient  f64      0: none
//! 88   transform               f64 × 6  0 unless georeferenced
//! 136  heightmap columns       u32      0 unless coarse
//! 140  heightmap rows          u32      0 unless coarse
//! 144  grade                   u32      0: level 0 tells of all pairs
//! 148  detail                  u32      0 unless coarse and conservative
//! 152  reserved                40 bytes 0
//! ```
//!
//! In a coarse bundle the samples are *cells*: squares of 2^finest × 2^finest samples of the
//! heightmap. One cell is visible from another if any of its samples may be from any of the other's.

use super::bytes::{f64_at, put, u32_at};
use super::error::FormatError;
use super::grid::{Grid, Sample};
use super::tag::Tag;

/// Length in bytes of the `GRID` section.
pub const TERRAIN_LEN: usize = 192;

const MUTUAL: u32 = 1;
const GEOREFERENCED: u32 = 2;
const LOSSY: u32 = 4;
const COARSE: u32 = 8;
const WALKABLE: u32 = 16;
const COVERED: u32 = 32;

/// What the PVS of a level-0 quad means (ARCHITECTURE.md, "What is asked").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibilityMode {
    /// From the sample, exactly.
    Exact,
    /// From any position in the unit square around the sample.
    Conservative,
    /// From the sample, by this many radial sectors (thesis section 3.1): an approximation, which
    /// hides some of what is visible, and is not mutual.
    Sectors(u32),
}

/// How the PVSs of a bundle are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeCode {
    /// A tree for each quad, by itself: [`super::tree`]. What the papers' program makes.
    Single,
    /// Pairs of blocks level by level, [`super::levels`].
    Levels,
}

impl TreeCode {
    /// Its number in the `GRID` section.
    pub const fn code(self) -> u32 {
        match self {
            Self::Single => 1,
            Self::Levels => 2,
        }
    }

    /// The code of a number in the `GRID` section.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            1 => Some(Self::Single),
            2 => Some(Self::Levels),
            _ => None,
        }
    }
}

/// What a terrain bundle is of, and how it was baked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TerrainParameters {
    /// The samples.
    pub grid: Grid,
    /// Distance `[dx, dy]` between view cells, the samples of [`TerrainParameters::grid`]. That of the samples of the
    /// heightmap is [`TerrainParameters::sample_spacing`]. Unit: m. Limit: finite, > 0.
    pub cell_spacing: [f64; 2],
    /// Height of the eye above ground. Unit: m. Limit: finite.
    pub eye_height: f64,
    /// Height of the top of the head above ground. Unit: m. Limit: finite.
    pub player_height: f64,
    /// Beyond this nobody is seen. Unit: m. Limit: > 0; infinite for none.
    pub max_distance: f64,
    /// What a level-0 PVS means.
    pub visibility: VisibilityMode,
    /// Whether A sees B exactly when B sees A, for single samples.
    pub mutual: bool,
    /// How the PVSs are coded.
    pub tree_code: TreeCode,
    /// How far level 0 reaches, and with it the others: between two quads that answer for what is in them lie at least so
    /// many of their size, across or down; 0 where level 0 tells of all pairs. Limit: [`TerrainParameters::MAX_GRADE`].
    pub grade: u32,
    /// Whether some of what was hidden is given out as visible, to save bytes.
    pub lossy: bool,
    /// Radius of the earth for curvature; 0 for a flat one. Unit: m. Limit: finite, >= 0.
    pub earth_radius: f64,
    /// Refraction coefficient; 0 for none. Limit: finite.
    pub refraction: f64,
    /// Affine map of GDAL's order: x = t0 + c·t1 + r·t2, y = t3 + c·t4 + r·t5, for the outer
    /// (north-western) corner of pixel (c, r); sample (c, r) is the pixel's centre.
    pub transform: Option<[f64; 6]>,
    /// What the samples of [`TerrainParameters::grid`] stand for, where they are cells of a
    /// heightmap; `None` where they are its samples.
    pub coarse: Option<Coarse>,
    /// Whether there may be terrain where nobody can be. Of such samples, as of voids, nothing is
    /// told; but they have a height, and were taken to hide.
    pub walkable: bool,
    /// Whether what hides is another surface than the ground, whose heights the bundle has.
    pub covered: bool,
}

/// Of a bundle whose samples are cells: squares of samples of the heightmap that was baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarse {
    /// A cell is 2^finest × 2^finest samples of the heightmap. Limit: [`Coarse::LEVELS`].
    pub finest: u32,
    /// Columns of the heightmap.
    pub columns: u32,
    /// Rows of the heightmap.
    pub rows: u32,
    /// Level of the smallest quads of the heightmap that were distinguished within cells: 0 for samples,
    /// which is all that there is, up to `finest`, for cells as wholes. A cell that sees another by a
    /// quad of this level may do so only because nothing smaller was looked at.
    pub detail: u32,
}

impl Coarse {
    /// The levels that a bundle may begin at.
    pub const LEVELS: core::ops::RangeInclusive<u32> = 1..=6;

    /// The grid of the cells; `None` where there are too many, or none.
    pub fn grid(&self) -> Option<Grid> {
        let cells = |samples: u32| samples.div_ceil(1 << self.finest);
        Grid::new(cells(self.columns), cells(self.rows)).ok()
    }
}

impl TerrainParameters {
    /// The greatest grade.
    pub const MAX_GRADE: u32 = 4096;

    /// Columns and rows of the heightmap that was baked.
    pub fn heightmap(&self) -> [u32; 2] {
        match self.coarse {
            Some(coarse) => [coarse.columns, coarse.rows],
            None => [self.grid.width(), self.grid.height()],
        }
    }

    /// Distance between samples of the heightmap that was baked: in a coarse bundle a part of that between view cells.
    /// [Unit: m]
    pub fn sample_spacing(&self) -> [f64; 2] {
        let side = f64::from(1_u32 << self.finest());
        self.cell_spacing.map(|metres| metres / side)
    }

    /// Level of the view cells as quads of the heightmap: 0 where they are its samples.
    pub fn finest(&self) -> u32 {
        self.coarse.map_or(0, |coarse| coarse.finest)
    }

    /// Level of the smallest quads that were distinguished within view cells, [`Coarse::detail`].
    pub fn detail(&self) -> u32 {
        self.coarse.map_or(0, |coarse| coarse.detail)
    }

    /// The sample of [`TerrainParameters::grid`] that stands for a sample of the heightmap. `None`
    /// outside the heightmap.
    pub fn place(&self, column: u32, row: u32) -> Option<Sample> {
        let [columns, rows] = self.heightmap();
        let place = || Sample::new(column >> self.finest(), row >> self.finest());
        (column < columns && row < rows).then(place)
    }

    /// The sample of the heightmap in the middle of a view cell: the sample itself where cells are samples. People give
    /// and are told places by samples of the heightmap.
    pub fn middle_of(&self, cell: Sample) -> Sample {
        let [columns, rows] = self.heightmap();
        let middle = |at: u32, end: u32| {
            let first = at.checked_shl(self.finest()).unwrap_or(u32::MAX);
            let last = first.saturating_add((1_u32 << self.finest()) - 1);
            first.midpoint(last.min(end.saturating_sub(1)))
        };
        Sample::new(middle(cell.column, columns), middle(cell.row, rows))
    }

    /// The bytes of the section.
    pub fn encode(&self) -> [u8; TERRAIN_LEN] {
        let (mode, sectors) = match self.visibility {
            VisibilityMode::Exact => (1, 0),
            VisibilityMode::Conservative => (2, 0),
            VisibilityMode::Sectors(sectors) => (3, sectors),
        };
        let flags = if self.mutual { MUTUAL } else { 0 }
            | if self.transform.is_some() {
                GEOREFERENCED
            } else {
                0
            }
            | if self.lossy { LOSSY } else { 0 }
            | if self.coarse.is_some() { COARSE } else { 0 }
            | if self.walkable { WALKABLE } else { 0 }
            | if self.covered { COVERED } else { 0 };
        let words = [
            self.grid.width(),
            self.grid.height(),
            self.grid.levels(),
            mode,
            self.tree_code.code(),
            flags,
            sectors,
        ];
        let [dx, dy] = self.cell_spacing;
        let lengths = [
            dx,
            dy,
            self.eye_height,
            self.player_height,
            self.max_distance,
            self.earth_radius,
            self.refraction,
        ];
        let transform = self.transform.unwrap_or([0.0; 6]);
        let mut bytes = [0; TERRAIN_LEN];
        for (i, word) in words.iter().enumerate() {
            put(&mut bytes, i * 4, &word.to_le_bytes());
        }
        for (i, number) in lengths.iter().chain(&transform).enumerate() {
            put(&mut bytes, 32 + i * 8, &number.to_le_bytes());
        }
        if let Some(coarse) = self.coarse {
            put(&mut bytes, 28, &coarse.finest.to_le_bytes());
            put(&mut bytes, 136, &coarse.columns.to_le_bytes());
            put(&mut bytes, 140, &coarse.rows.to_le_bytes());
            put(&mut bytes, 148, &coarse.detail.to_le_bytes());
        }
        put(&mut bytes, 144, &self.grade.to_le_bytes());
        bytes
    }

    /// The parameters in the bytes of the section.
    ///
    /// # Errors
    ///
    /// Where a field makes no sense, or the length is not that of the section.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let wrong = |field, offset, expected| FormatError::Parameter {
            tag: Tag::GRID,
            field,
            offset,
            expected,
        };
        let word = |field, offset| u32_at(bytes, offset).ok_or(wrong(field, offset, "4 bytes"));
        let number = |field, offset, expected, good: fn(f64) -> bool| {
            f64_at(bytes, offset)
                .filter(|&value| good(value))
                .ok_or(wrong(field, offset, expected))
        };
        let grid = Grid::new(word("width", 0)?, word("height", 4)?).map_err(FormatError::Grid)?;
        if word("levels", 8)? != grid.levels() {
            return Err(wrong("levels", 8, "the number of levels of the grid"));
        }
        let sectors = word("sectors", 24)?;
        let visibility = match (word("visibility mode", 12)?, sectors) {
            (1, 0) => VisibilityMode::Exact,
            (2, 0) => VisibilityMode::Conservative,
            (1 | 2, _) => return Err(wrong("sectors", 24, "0 in this visibility mode")),
            (3, 0) => return Err(wrong("sectors", 24, "at least 1 sector")),
            (3, sectors) => VisibilityMode::Sectors(sectors),
            _ => return Err(wrong("visibility mode", 12, "1, 2 or 3")),
        };
        let tree_code =
            TreeCode::from_code(word("tree code", 16)?).ok_or(wrong("tree code", 16, "1 or 2"))?;
        let flags = word("flags", 20)?;
        if flags & !(MUTUAL | GEOREFERENCED | LOSSY | COARSE | WALKABLE | COVERED) != 0 {
            return Err(wrong("flags", 20, "only flags 1, 2, 4, 8, 16 and 32"));
        }
        let coarse = if flags & COARSE == 0 {
            None
        } else {
            let finest = word("finest level", 28)?;
            if !Coarse::LEVELS.contains(&finest) {
                return Err(wrong("finest level", 28, "1 to 6"));
            }
            let coarse = Coarse {
                finest,
                columns: word("heightmap columns", 136)?,
                rows: word("heightmap rows", 140)?,
                detail: word("detail", 148)?,
            };
            if coarse.detail > finest {
                return Err(wrong("detail", 148, "up to the finest level"));
            }
            if coarse.detail > 0 && visibility != VisibilityMode::Conservative {
                return Err(wrong("detail", 148, "0 unless conservative"));
            }
            if coarse.grid() != Some(grid) {
                let expected = "a heightmap of which the grid is the cells";
                return Err(wrong("heightmap columns", 136, expected));
            }
            if matches!(visibility, VisibilityMode::Sectors(_)) {
                return Err(wrong("flags", 20, "no coarse cells by sectors"));
            }
            Some(coarse)
        };
        let grade = word("grade", 144)?;
        if grade > Self::MAX_GRADE {
            return Err(wrong("grade", 144, "0 to 4096"));
        }
        if grade > 0 && tree_code == TreeCode::Single {
            return Err(wrong("grade", 144, "0 in this tree code"));
        }
        if flags & (MUTUAL | LOSSY) == MUTUAL | LOSSY && tree_code == TreeCode::Single {
            let expected = "not both mutual and lossy: single trees are pruned each by itself";
            return Err(wrong("flags", 20, expected));
        }
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let transform = [0, 1, 2, 3, 4, 5].map(|i| f64_at(bytes, 88 + i * 8));
        let transform = if flags & GEOREFERENCED == 0 {
            None
        } else {
            let mut numbers = [0.0; 6];
            for (to, from) in numbers.iter_mut().zip(transform) {
                *to = from.filter(|value| value.is_finite()).ok_or(wrong(
                    "transform",
                    88,
                    "six finite numbers",
                ))?;
            }
            Some(numbers)
        };
        Ok(Self {
            grid,
            cell_spacing: [
                number("dx", 32, "a positive number", positive)?,
                number("dy", 40, "a positive number", positive)?,
            ],
            eye_height: number("eye height", 48, "a finite number", f64::is_finite)?,
            player_height: number("player height", 56, "a finite number", f64::is_finite)?,
            max_distance: number("greatest distance", 64, "a positive number", |v| v > 0.0)?,
            visibility,
            mutual: flags & MUTUAL != 0,
            tree_code,
            grade,
            lossy: flags & LOSSY != 0,
            earth_radius: number("radius of the earth", 72, "a number of at least 0", |v| {
                v.is_finite() && v >= 0.0
            })?,
            refraction: number(
                "refraction coefficient",
                80,
                "a finite number",
                f64::is_finite,
            )?,
            transform,
            coarse,
            walkable: flags & WALKABLE != 0,
            covered: flags & COVERED != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coarse() -> TerrainParameters {
        let coarse = Coarse {
            finest: 3,
            columns: 75,
            rows: 61,
            detail: 0,
        };
        TerrainParameters {
            grid: coarse.grid().expect("a small grid"),
            cell_spacing: [8.0, 16.0],
            eye_height: 1.8,
            player_height: 1.8,
            max_distance: f64::INFINITY,
            visibility: VisibilityMode::Conservative,
            mutual: true,
            tree_code: TreeCode::Levels,
            grade: 16,
            lossy: false,
            earth_radius: 0.0,
            refraction: 0.0,
            transform: None,
            coarse: Some(coarse),
            walkable: true,
            covered: false,
        }
    }

    #[test]
    fn cells_of_a_heightmap_are_written_and_read() {
        let parameters = coarse();
        assert_eq!(
            TerrainParameters::parse(&parameters.encode()),
            Ok(parameters)
        );
        let with_detail = |detail: u32, visibility| {
            let coarse = parameters.coarse.map(|coarse| Coarse { detail, ..coarse });
            let changed = TerrainParameters {
                coarse,
                visibility,
                ..parameters
            };
            TerrainParameters::parse(&changed.encode()).map(|read| read.detail())
        };
        assert_eq!(with_detail(3, VisibilityMode::Conservative), Ok(3));
        assert_eq!(with_detail(0, VisibilityMode::Exact), Ok(0));
        for (detail, visibility) in [
            (4, VisibilityMode::Conservative),
            (u32::MAX, VisibilityMode::Conservative),
            (1, VisibilityMode::Exact),
        ] {
            assert!(with_detail(detail, visibility).is_err(), "{detail}");
        }
        assert_eq!(parameters.place(74, 60), Some(Sample::new(9, 7)));
        assert_eq!(parameters.place(75, 60), None);
        assert_eq!(parameters.place(74, 61), None);
    }

    #[test]
    fn whatever_is_read_places_each_sample_of_its_heightmap_in_its_grid() {
        let bytes = coarse().encode();
        let mut read = 0;
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut bytes = bytes;
                bytes[at] = value;
                let Ok(parameters) = TerrainParameters::parse(&bytes) else {
                    continue;
                };
                read += 1;
                let [columns, rows] = parameters.heightmap();
                for (column, row) in [(0, 0), (columns - 1, rows - 1)] {
                    let place = parameters.place(column, row);
                    assert!(place.is_some_and(|place| parameters.grid.has_sample(place)));
                }
            }
        }
        assert!(read > 0);
        for finest in (0..40).filter(|finest| !Coarse::LEVELS.contains(finest)) {
            let mut bytes = bytes;
            put(&mut bytes, 28, &u32::to_le_bytes(finest));
            assert!(TerrainParameters::parse(&bytes).is_err(), "level {finest}");
        }
    }
}
