//! Quality of a bake: how large view cells are, and how they grow with distance. Chosen from the input alone, not from the
//! speed of the machine: from the samples of a terrain, or the kernel's work for a sample of a solid level.
//!
//! Did not pay: low cells of 32 (up to 32 units over floors) for all levels: 0.45 of the time on ps9ctf, and none of it on
//! e1m1; so a sample of the level decides.

use crate::job::VisibilityMode;
use viewcell::format::{Coarse, TerrainParameters};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxSizes {
    /// How often the usual size of cells is doubled.
    pub doubled: u32,
    /// [`grade`](crate::BakeOptions::grade) of the options.
    pub grade: u32,
    /// Whether those are the smallest where players stand and walk, and twice as large where they jump.
    pub low: bool,
}

/// What the kernel may do for a solid level, as [`Forecast::work`](crate::Forecast::work): some ten minutes of a processor with
/// AVX-512, twenty of an older one.
const BOX_WORK: f64 = 1e10;

/// View cells of a solid level up to which a bundle of usual ones that names no quality is `good`.
const FEW_BOXES: usize = 32_768;

/// The distance at which boxes of cells answer as one, in their sizes.
const BOX_GRADE: u32 = 32;

/// Cells of a solid level are doubled so often at most.
const MOST_DOUBLED: u32 = 8;

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
        // Of exact visibility each pair is a quarter of the work.
        let few = match mode {
            VisibilityMode::Exact => 2 * FEW,
            VisibilityMode::Conservative => FEW,
        };
        self.cells_beyond(few, [width, height], mode)
    }

    /// The same, where terrains of more than so many samples are large.
    pub(crate) fn cells_beyond(
        self,
        few: u64,
        [width, height]: [u32; 2],
        mode: VisibilityMode,
    ) -> CellSizes {
        let samples = u64::from(width) * u64::from(height);
        let whole = CellSizes {
            finest: 0,
            grade: 0,
            detail: 0,
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

    /// The view cells that a solid level may have, the finest first.
    pub fn boxes(self) -> Vec<BoxSizes> {
        let graded = |doubled: std::ops::RangeInclusive<u32>, grade| {
            doubled.map(move |doubled| BoxSizes {
                doubled,
                grade,
                low: true,
            })
        };
        let usual = BoxSizes::default();
        let good = graded(0..=MOST_DOUBLED, BOX_GRADE);
        match self {
            Self::Samples => vec![usual],
            Self::Best => {
                let grade = 2 * BOX_GRADE;
                let best = [usual, BoxSizes { grade, ..usual }];
                best.into_iter().chain(good).collect()
            }
            Self::Good => [usual].into_iter().chain(good).collect(),
            Self::Draft => graded(1..=MOST_DOUBLED + 1, BOX_GRADE / 2).collect(),
        }
    }

    /// Of a bundle of a solid level that names none, with so many cells of the usual size, each of which answers for itself.
    pub fn unnamed(cells: usize) -> Self {
        if cells <= FEW_BOXES {
            Self::Good
        } else {
            Self::Samples
        }
    }

    /// What the kernel may do for a solid level: of [`Quality::boxes`] the first are taken that take no more.
    pub fn work(self) -> f64 {
        match self {
            Self::Draft => BOX_WORK / 10.0,
            Self::Good => BOX_WORK,
            Self::Best => 4.0 * BOX_WORK,
            Self::Samples => f64::INFINITY,
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
        let mode = VisibilityMode::of(parameters.visibility).unwrap_or_default();
        let chooses = |quality: &Self| quality.cells(width, height, mode) == found;
        by_default.into_iter().find(chooses)
    }
}
