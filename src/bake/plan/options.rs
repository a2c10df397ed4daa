//! How a world is to be baked, as far as a person says.

use viewcell_ingest::{IngestOptions, read_terrain};

use super::error::PlanError;
use super::layers::Layer;
use crate::job::{BakeOptions, Budget, CellOptions, Compression, VisibilityMode, Weight};
use crate::quality::{CellSizes, Quality};

/// How a world is to be baked. What means nothing to its kind is passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanOptions {
    /// How large view cells are.
    pub cells: CellChoice,
    /// How much of the bundle is kept; all if not given.
    pub budget: Option<BudgetChoice>,
    /// Players, sight, threads, memory (what is free if not given) and what becomes of files. The plan says the rest:
    /// sizes of cells, whether covered places are kept, compression.
    pub bake: BakeOptions,
    /// Of a level of cells: how its visibility is made. The plan says the rest: threads, and what becomes of files.
    pub graph: CellOptions,
}

/// How large view cells are: as the quality chooses, unless one of the others is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellChoice {
    /// What chooses them.
    pub quality: Quality,
    /// [`finest`](BakeOptions::finest) of a terrain.
    pub finest: Option<u32>,
    /// [`grade`](BakeOptions::grade).
    pub grade: Option<Grade>,
    /// [`detail`](BakeOptions::detail) of a terrain.
    pub detail: Option<u32>,
    /// Width and height of the cells of a solid level. [Unit: of the file]
    pub cell: Option<[f64; 2]>,
}

/// How cells grow with distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// As the quality has it of terrains that are too large for samples, whatever the size.
    Auto,
    /// The distance at which two quads answer as one, in their sizes.
    Ratio(u32),
}

impl Grade {
    /// Of cells of a size that somebody gave.
    pub(super) fn ratio(self) -> u32 {
        match self {
            Self::Auto => 0,
            Self::Ratio(ratio) => ratio,
        }
    }
}

impl std::str::FromStr for Grade {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ratio = text.parse().map(Self::Ratio).ok();
        let grade = ratio.or((text == "auto").then_some(Self::Auto));
        grade.ok_or("expected auto, or a whole number from 0".to_owned())
    }
}

impl From<Quality> for CellChoice {
    fn from(quality: Quality) -> Self {
        Self {
            quality,
            ..Self::default()
        }
    }
}

impl CellChoice {
    /// The quality, if it chooses the cells.
    pub fn chooses(&self) -> Option<Quality> {
        let is_given = self.finest.or(self.detail).is_some() || self.cell.is_some();
        (!is_given && self.grade.is_none()).then_some(self.quality)
    }

    /// The view cells of a terrain of so many columns and rows.
    pub(super) fn sizes(&self, [width, height]: [u32; 2], mode: VisibilityMode) -> CellSizes {
        let chosen = match (self.chooses(), self.grade) {
            (Some(quality), _) => return quality.cells(width, height, mode),
            (_, Some(Grade::Auto)) => self.quality.cells_beyond(0, [width, height], mode),
            (_, grade) => CellSizes {
                finest: 0,
                grade: grade.map_or(0, Grade::ratio),
                detail: 0,
            },
        };
        CellSizes {
            finest: self.finest.unwrap_or(chosen.finest),
            detail: self.detail.unwrap_or(chosen.detail),
            ..chosen
        }
    }
}

/// How much of a bundle is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetChoice {
    /// The greatest length of the bundle, in bytes.
    pub bytes: u64,
    /// Which hidden places are worth most.
    pub weight: WeightChoice,
}

/// Which hidden places are worth most.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum WeightChoice {
    /// [`Weight::Area`].
    #[default]
    Area,
    /// [`Weight::Level`].
    Level,
    /// [`Weight::places`]: a weight of at least 0 for each place; NaN for 0.
    Raster(Layer),
}

impl From<String> for WeightChoice {
    /// `area`, `level`, or the name of a raster.
    fn from(text: String) -> Self {
        match text.as_str() {
            "area" => Self::Area,
            "level" => Self::Level,
            path => Self::Raster(Layer::File(path.into())),
        }
    }
}

impl BudgetChoice {
    /// What is kept of a bundle of so many columns and rows of view cells.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where weights cannot be read or are none of that grid, and for fewer bytes than its heights take.
    pub fn compression(&self, [width, height]: [u32; 2]) -> Result<Compression, PlanError> {
        let (bytes, samples) = (self.bytes, u64::from(width) * u64::from(height));
        // Heights are part of every bundle.
        let least = samples * 4 + 512;
        if bytes < least {
            return Err(PlanError::Usage(format!(
                "`budget` {bytes}: expected more than {least} bytes, which the heights of {width} x {height} samples take"
            )));
        }
        let places = |weights: &[f64]| {
            let weights = weights.iter().map(|w| if w.is_nan() { 0.0 } else { *w });
            Weight::places(weights.collect(), samples)
        };
        let weight = match &self.weight {
            WeightChoice::Area => Weight::Area,
            WeightChoice::Level => Weight::Level,
            WeightChoice::Raster(Layer::Samples(weights)) => {
                places(weights).map_err(|words| PlanError::Usage(format!("weight: {words}")))?
            }
            WeightChoice::Raster(Layer::File(path)) => {
                let raster = read_terrain(path, &IngestOptions::default())?.terrain;
                let found = [raster.width(), raster.height()];
                if found != [width, height] {
                    let [columns, rows] = found;
                    let words = format!(
                        "expected weights for {width} x {height} samples, found {columns} x {rows}"
                    );
                    return Err(PlanError::bad(path, words));
                }
                places(raster.heights()).map_err(|words| PlanError::bad(path, words))?
            }
        };
        Ok(Compression::Optimal(Budget { bytes, weight }))
    }
}
