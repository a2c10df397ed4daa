//! Quality of a bake: how large view cells are, and how they grow with distance, by the size of the input alone: samples of
//! a terrain, view cells of a solid level.

use viewcell::format::{Coarse, TerrainParameters, VisibilityMode};

/// How much of what could be hidden a bake hides, for how much work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// About a tenth of the work of `Good`, to look at.
    Draft,
    /// View cells that grow with distance: near players sample by sample or nearly so. Small terrains as `Samples`.
    #[default]
    Good,
    /// As `Good`, with finer cells at all distances: up to twice the work.
    Best,
    /// Each sample with each: the work grows with the square of their number.
    Samples,
}

/// How large view cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSizes {
    /// [`finest`](crate::BakeOptions::finest) of the options.
    pub finest: u32,
    /// [`grade`](crate::BakeOptions::grade).
    pub grade: u32,
    /// [`detail`](crate::BakeOptions::detail).
    pub detail: u32,
}

/// How large view cells of a solid level are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxSizes {
    /// How often the usual size of cells is doubled.
    pub doubled: u32,
    /// [`grade`](crate::BakeOptions::grade) of the options.
    pub grade: u32,
    /// Whether those are the smallest where players stand and walk, and twice as large where they jump.
    pub low: bool,
}

/// View cells of a solid level that are baked one by one in some five minutes of processor time, and those that are with
/// [`BOX_GRADE`] in some ten.
const FEW_BOXES: u64 = 32_768;
const MANY_BOXES: u64 = 65_536;

/// The distance at which boxes of cells answer as one, in their sizes.
const BOX_GRADE: u32 = 32;

/// Samples of a terrain that are baked one by one in some five minutes of processor time.
const FEW: u64 = 300_000;

/// View cells of a graded bundle that take some ten minutes.
const MANY: u64 = 1_200_000;

/// The distance at which two quads answer as one, in their sizes: with 16 those that are near see each other 1.1 times as
/// often as their samples do.
const GRADE: u32 = 16;

impl Quality {
    /// All of them, from the least work to the most.
    pub const ALL: [Self; 4] = [Self::Draft, Self::Good, Self::Best, Self::Samples];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Good => "good",
            Self::Best => "best",
            Self::Samples => "samples",
        }
    }

    /// The view cells of a terrain of so many columns and rows.
    pub fn cells(self, width: u32, height: u32, mode: VisibilityMode) -> CellSizes {
        let samples = u64::from(width) * u64::from(height);
        let whole = CellSizes {
            finest: 0,
            grade: 0,
            detail: 0,
        };
        let few = match mode {
            // A quarter of the work for each pair.
            VisibilityMode::Exact => 2 * FEW,
            VisibilityMode::Conservative => FEW,
            VisibilityMode::Sectors(_) => return whole,
        };
        let fits = |most: u64| {
            let finest = |level: &u32| samples >> (2 * level) <= most;
            let coarsest = *Coarse::LEVELS.end();
            (0..coarsest).find(finest).unwrap_or(coarsest)
        };
        match self {
            Self::Samples => whole,
            Self::Good | Self::Best if samples <= few => whole,
            Self::Good => CellSizes {
                finest: fits(MANY),
                grade: GRADE,
                ..whole
            },
            Self::Best => CellSizes {
                finest: fits(2 * MANY),
                grade: 3 * GRADE / 2,
                ..whole
            },
            Self::Draft => {
                // A tenth of the work of samples with a grade takes cells of 4 x 4; of that of each sample with each, 2 x 2.
                let least = if samples > few { 2 } else { 1 };
                let finest = (fits(MANY) + 1).clamp(least, *Coarse::LEVELS.end());
                let detail = match mode {
                    VisibilityMode::Conservative => finest,
                    _ => 0,
                };
                CellSizes {
                    finest,
                    grade: GRADE / 2,
                    detail,
                }
            }
        }
    }

    /// The view cells of a solid level that has so many of the usual size.
    pub fn boxes(self, cells: u64) -> BoxSizes {
        // Most cells lie on floors: of those twice as large there are a quarter.
        let doubled = |most: u64| (0..32).find(|by| cells >> (2 * by) <= most).unwrap_or(32);
        let (doubled, grade) = match self {
            Self::Samples => (0, 0),
            Self::Good | Self::Best if cells <= FEW_BOXES => (0, 0),
            Self::Good => (doubled(MANY_BOXES), BOX_GRADE),
            Self::Best => (doubled(4 * MANY_BOXES), 2 * BOX_GRADE),
            Self::Draft => (doubled(MANY_BOXES) + 1, BOX_GRADE / 2),
        };
        let low = grade > 0 && self != Self::Best;
        BoxSizes {
            doubled,
            grade,
            low,
        }
    }

    /// The quality that chooses the view cells of a bundle, if one does.
    pub fn of(parameters: &TerrainParameters) -> Option<Self> {
        let [width, height] = parameters.heightmap();
        let found = CellSizes {
            finest: parameters.finest(),
            grade: parameters.grade,
            detail: parameters.detail(),
        };
        // What good chooses is good, though samples may be the same.
        let by_default = [Self::Good, Self::Draft, Self::Best, Self::Samples];
        let chooses = |quality: &Self| quality.cells(width, height, parameters.visibility) == found;
        by_default.into_iter().find(chooses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_grow_with_the_level_and_shrink_with_quality() {
        let sizes = |quality: Quality, cells| {
            let sizes = quality.boxes(cells);
            (sizes.doubled, sizes.grade)
        };
        for (cells, draft, good, best) in [
            (11_256, (1, 16), (0, 0), (0, 0)),
            (17_900, (1, 16), (0, 0), (0, 0)),
            (53_226, (1, 16), (0, 32), (0, 64)),
            (200_000, (2, 16), (1, 32), (0, 64)),
            (2_000_000, (4, 16), (3, 32), (2, 64)),
        ] {
            assert_eq!(sizes(Quality::Draft, cells), draft, "{cells}");
            assert_eq!(sizes(Quality::Good, cells), good, "{cells}");
            assert_eq!(sizes(Quality::Best, cells), best, "{cells}");
            assert_eq!(sizes(Quality::Samples, cells), (0, 0));
            let low = |quality: Quality| quality.boxes(cells).low;
            assert!(low(Quality::Draft) && low(Quality::Good) == (good.1 > 0));
            assert!(!low(Quality::Best) && !low(Quality::Samples));
        }
    }

    #[test]
    fn cells_grow_with_the_terrain_and_shrink_with_quality() {
        let mode = VisibilityMode::Conservative;
        let finest = |quality: Quality, side: u32| quality.cells(side, side, mode).finest;
        for (side, draft, good) in [
            (513, 1, 0),
            (1025, 2, 0),
            (2049, 2, 1),
            (4097, 3, 2),
            (8193, 4, 3),
        ] {
            assert_eq!(finest(Quality::Draft, side), draft, "{side}");
            assert_eq!(finest(Quality::Good, side), good, "{side}");
            assert!(finest(Quality::Best, side) <= good, "{side}");
            assert_eq!(finest(Quality::Samples, side), 0);
        }
        let small = Quality::Good.cells(403, 344, mode);
        assert_eq!(small, Quality::Samples.cells(403, 344, mode));
        assert_eq!(Quality::Good.cells(513, 514, mode).grade, 0);
        assert_eq!(Quality::Good.cells(1025, 1025, mode).grade, GRADE);
    }
}
