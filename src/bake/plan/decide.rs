//! The plan of a bake: all that is decided before it begins.

use std::sync::{Arc, OnceLock};

use super::boxes::ChosenCells;
use super::error::PlanError;
use super::input::{Input, InputWorld, SolidInput};
use super::memory::free_memory;
use super::options::{CellChoice, PlanOptions};
use super::solid::notes_of_places;
use super::told::{told_of_cells, told_of_places, told_of_terrain};
use crate::job::{
    BakeOptions, CellOptions, Compression, Forecast, Observer, Source, VisibilityMode, forecast,
    forecast_solid, memory_of_solid, numbers, peak_memory,
};
use crate::quality::{CellSizes, Quality};
use crate::visibility::solid::KnownOccluders;
use viewcell_ingest::world::{CellGraph, Terrain};

/// A bake that may begin.
#[derive(Clone, Debug)]
pub struct Plan<'i> {
    /// What is baked.
    pub input: &'i Input,
    /// The view cells.
    pub cells: ViewCells<'i>,
    /// The quality that has chosen them, if one has.
    pub quality: Option<Quality>,
    /// How they are baked.
    pub options: BakeOptions,
    pub(super) graph: CellOptions,
    /// Where the world came from, and all options that change the result.
    pub source: Source,
    /// Bytes of memory that the bake takes at most, as far as is known without a look.
    pub memory: u64,
    /// What a person should know of the view cells.
    pub notes: Vec<String>,
    /// What a lossless bake takes, once that is known.
    forecast: OnceLock<Forecast>,
}

/// View cells, and what they are of.
#[derive(Clone, Debug)]
pub enum ViewCells<'i> {
    /// Squares of samples of a terrain.
    Squares(&'i Terrain, CellSizes),
    /// Those that a level has of its own.
    Own(&'i CellGraph),
    /// Boxes in a solid level.
    Boxes(&'i SolidInput, Arc<ChosenCells>),
}

/// Decides how a world is baked. Where a quality chooses the cells of a solid level, that takes some seconds. The observer is
/// told the notes.
///
/// # Errors
///
/// [`PlanError`] for options that no bake can have, a world without view cells or with too many, and more memory than there is.
pub fn plan<'i>(
    input: &'i Input,
    options: &PlanOptions,
    observer: &dyn Observer,
) -> Result<Plan<'i>, PlanError> {
    let mut bake = options.bake.clone();
    bake.memory = bake.memory.or_else(free_memory);
    let cells = ViewCells::of(input, &options.cells, bake.mode, observer)?;
    let mut notes = Vec::new();
    match (&input.world, &cells) {
        (InputWorld::Terrain(_, inside), _) => bake.inside = *inside,
        (_, ViewCells::Boxes(solid, boxes)) => {
            notes = notes_of_places(&solid.level, &boxes.places);
        }
        _ => {}
    }
    notes.iter().for_each(|note| observer.note(note));
    if let (Some(budget), Some(grid)) = (&options.budget, cells.grid()) {
        bake.compression = budget.compression(grid)?;
    }
    let quality = options.cells.chooses();
    let plan = Plan::new(input, cells, quality, bake, &options.graph)?;
    Ok(Plan { notes, ..plan })
}

impl<'i> ViewCells<'i> {
    fn of(
        input: &'i Input,
        choice: &CellChoice,
        mode: VisibilityMode,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        Ok(match &input.world {
            InputWorld::Terrain(terrain, _) => {
                let size = [terrain.width(), terrain.height()];
                Self::Squares(terrain, choice.sizes(size, mode))
            }
            InputWorld::Cells(graph) => Self::Own(graph),
            InputWorld::Solid(solid) => {
                Self::Boxes(solid, solid.boxes(choice, &input.source, observer)?)
            }
        })
    }

    /// Columns and rows of the grid that they are numbered into; `None` of a level's own.
    fn grid(&self) -> Option<[u32; 2]> {
        match self {
            Self::Squares(terrain, sizes) => {
                let side = |samples: u32| samples.div_ceil(1 << sizes.finest.min(31));
                Some([side(terrain.width()), side(terrain.height())])
            }
            Self::Own(_) => None,
            Self::Boxes(solid, boxes) => {
                let grid = numbers(&solid.level, &boxes.places.cells).grid();
                Some([grid.width(), grid.height()])
            }
        }
    }
}

/// Seconds that a pair of view cells takes at most: of samples, and of larger cells and boxes.
const SAMPLES: f64 = 50e-9;
const LARGER: f64 = 4e-6;

impl<'i> Plan<'i> {
    /// Errors where the bake would refuse to begin.
    fn new(
        input: &'i Input,
        cells: ViewCells<'i>,
        quality: Option<Quality>,
        mut options: BakeOptions,
        graph: &CellOptions,
    ) -> Result<Self, PlanError> {
        let (name, mut source) = (&input.source.input.name, input.source.clone());
        let forecast = OnceLock::new();
        let memory = match &cells {
            ViewCells::Squares(terrain, sizes) => {
                (options.finest, options.detail) = (sizes.finest, sizes.detail);
                options.grade = sizes.grade;
                source.options.extend(told_of_terrain(&options));
                options.memory_needed(options.grid(terrain, name)?)
            }
            ViewCells::Own(level) => {
                source.options.extend(told_of_cells(graph));
                2 * (level.cells as u64).pow(2)
            }
            ViewCells::Boxes(solid, boxes) => {
                options.grade = boxes.grade;
                source
                    .options
                    .extend(told_of_places(&boxes.options, solid.level.frame));
                let named = quality.and_then(|quality| boxes.named(quality));
                let named = named.map(|name| ("quality".to_owned(), name.into()));
                source.options.extend(named);
                if let Some(known) = boxes.forecast {
                    forecast.get_or_init(|| known);
                }
                memory_of_solid(&solid.level, &boxes.places.cells, name, &options)?
            }
        };
        Ok(Self {
            graph: graph.clone(),
            input,
            cells,
            quality,
            options,
            source,
            memory,
            notes: Vec::new(),
            forecast,
        })
    }

    /// Whether a quality has chosen other cells than the samples of a terrain, or than the usual ones of a level.
    pub fn is_larger(&self) -> bool {
        let is_large = match &self.cells {
            ViewCells::Boxes(solid, boxes) => boxes.options.size != solid.usual.size,
            _ => false,
        };
        self.quality.is_some() && (self.options.grade > 0 || is_large)
    }

    /// Seconds of one processor that the bake takes at most, as far as is known without a look.
    pub fn most_seconds(&self) -> f64 {
        if let Some(known) = self.forecast.get() {
            return known.cpu_seconds;
        }
        let [width, height] = self.cells.grid().unwrap_or_default();
        let all = f64::from(width) * f64::from(height);
        match self.cells {
            ViewCells::Squares(_, sizes) => {
                let near = match sizes.grade {
                    0 => all,
                    grade => (4.0 * f64::from(grade)).powi(2),
                };
                let pair = if sizes.finest == 0 { SAMPLES } else { LARGER };
                all * near * pair
            }
            _ => all * all * LARGER,
        }
    }

    /// What the bake takes, by a look at some of it, of some seconds.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where the observer stops it, and of a level with view cells of its own.
    pub fn forecast(&self, observer: &dyn Observer) -> Result<Forecast, PlanError> {
        let found = match self.forecast.get() {
            Some(known) => *known,
            None => {
                let found = self.look(observer)?;
                *self.forecast.get_or_init(|| found)
            }
        };
        Ok(Forecast {
            bytes: match &self.options.compression {
                Compression::Optimal(budget) => found.bytes.min(budget.bytes),
                _ => found.bytes,
            },
            // To find the cells, or to look at finer ones, may have taken more than the bake will.
            memory: found.memory.max(peak_memory()),
            ..found
        })
    }

    fn look(&self, observer: &dyn Observer) -> Result<Forecast, PlanError> {
        let (options, name) = (&self.options, &self.source.input.name);
        Ok(match &self.cells {
            ViewCells::Squares(terrain, _) => forecast(terrain, options, name, observer)?,
            ViewCells::Boxes(solid, boxes) => {
                let world = boxes.of(&solid.level);
                let known = &mut KnownOccluders::default();
                forecast_solid(known, world, &self.source, options, observer)?
            }
            ViewCells::Own(_) => {
                return Err(PlanError::Usage(format!(
                    "{name}: expected a terrain or a solid level, found a level with view cells of its own, whose bake \
                     nobody foresees"
                )));
            }
        })
    }

    /// The plan of a quality instead, in whatever memory; `None` where its cells would be too many.
    ///
    /// # Errors
    ///
    /// As [`plan`].
    pub fn of(&self, quality: Quality, observer: &dyn Observer) -> Result<Option<Self>, PlanError> {
        let mode = self.options.mode;
        let cells = match ViewCells::of(self.input, &quality.into(), mode, observer) {
            Err(PlanError::Places { error, .. }) if error.is_of_size() => return Ok(None),
            cells => cells?,
        };
        if let (ViewCells::Squares(_, own), ViewCells::Squares(_, sizes)) = (&self.cells, &cells)
            && own == sizes
        {
            return Ok(Some(self.clone()));
        }
        let mut options = self.options.clone();
        options.memory = None;
        Self::new(self.input, cells, Some(quality), options, &self.graph).map(Some)
    }
}
