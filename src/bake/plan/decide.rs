//! The plan of a bake: all that is decided before it begins.

use std::sync::{Arc, OnceLock};

use super::boxes::{ChoiceError, ChosenCells};
use super::error::PlanError;
use super::input::{Input, InputWorld};
use super::memory::free_memory;
use super::options::{CellChoice, PlanOptions};
use super::solid::notes_of_places;
use super::told::{told_of_cells, told_of_places, told_of_terrain};
use crate::bundle::grid_of_cells;
use crate::job::{
    BakeOptions, CellOptions, Compression, Forecast, Observer, SolidWorld, Source, forecast,
    forecast_solid, memory_of_solid,
};
use crate::quality::{CellSizes, Quality};

/// A bake that may begin.
#[derive(Clone, Debug)]
pub struct Plan<'i> {
    /// What is baked.
    pub input: &'i Input,
    /// The view cells.
    pub cells: ViewCells,
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

/// View cells.
#[derive(Clone, Debug)]
pub enum ViewCells {
    /// Squares of samples of a terrain.
    Squares(CellSizes),
    /// Those that a level has of its own.
    Own,
    /// Boxes in a solid level.
    Boxes(Arc<ChosenCells>),
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
    let memory = options.bake.memory.or_else(free_memory);
    let mut bake = BakeOptions {
        memory,
        ..options.bake.clone()
    };
    let cells = view_cells(input, &options.cells, &bake, observer)?;
    let mut notes = Vec::new();
    if let (ViewCells::Boxes(boxes), InputWorld::Solid(solid)) = (&cells, &input.world) {
        notes = notes_of_places(&solid.level, &boxes.places);
    }
    notes.iter().for_each(|note| observer.note(note));
    if let InputWorld::Terrain(_, inside) = input.world {
        bake.inside = inside;
    }
    if let (Some(budget), Some(grid)) = (&options.budget, cells.grid(input)) {
        bake.compression = budget.compression(grid)?;
    }
    let quality = options.cells.chooses();
    let plan = Plan::new(input, cells, quality, bake, &options.graph)?;
    Ok(Plan { notes, ..plan })
}

fn view_cells(
    input: &Input,
    choice: &CellChoice,
    bake: &BakeOptions,
    observer: &dyn Observer,
) -> Result<ViewCells, PlanError> {
    Ok(match &input.world {
        InputWorld::Terrain(terrain, _) => {
            ViewCells::Squares(choice.sizes([terrain.width(), terrain.height()], bake.mode))
        }
        InputWorld::Cells(_) => ViewCells::Own,
        InputWorld::Solid(solid) => {
            let boxes = solid.boxes(choice, &input.source, observer);
            ViewCells::Boxes(boxes.map_err(|error| match error {
                ChoiceError::Places(error) => PlanError::Places {
                    path: input.path.clone(),
                    error,
                },
                ChoiceError::Bake(error) => error.into(),
            })?)
        }
    })
}

impl ViewCells {
    /// [`grade`](BakeOptions::grade) of the bake.
    pub fn grade(&self) -> u32 {
        match self {
            Self::Squares(sizes) => sizes.grade,
            Self::Own => 0,
            Self::Boxes(boxes) => boxes.grade,
        }
    }

    /// Columns and rows of the grid that they are numbered into; `None` of a level's own.
    fn grid(&self, input: &Input) -> Option<[u32; 2]> {
        match (self, &input.world) {
            (Self::Squares(sizes), InputWorld::Terrain(terrain, _)) => {
                let side = |samples: u32| samples.div_ceil(1 << sizes.finest.min(31));
                Some([side(terrain.width()), side(terrain.height())])
            }
            (Self::Boxes(boxes), _) => {
                let grid = grid_of_cells(boxes.places.cells.len() as u32).grid();
                Some([grid.width(), grid.height()])
            }
            _ => None,
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
        cells: ViewCells,
        quality: Option<Quality>,
        mut options: BakeOptions,
        graph: &CellOptions,
    ) -> Result<Self, PlanError> {
        let mut source = input.source.clone();
        let forecast = OnceLock::new();
        match &cells {
            ViewCells::Squares(sizes) => {
                options = options.with_cells(*sizes);
                source.options.extend(told_of_terrain(&options));
            }
            ViewCells::Own => source.options.extend(told_of_cells(graph)),
            ViewCells::Boxes(boxes) => {
                options.grade = boxes.grade;
                source.options.extend(told_of_places(&boxes.options));
                let named = quality.and_then(|quality| boxes.named(quality));
                let named = named.map(|name| ("quality".to_owned(), name.into()));
                source.options.extend(named);
                if let Some(known) = boxes.forecast {
                    forecast.get_or_init(|| known);
                }
            }
        }
        let memory = match (&input.world, &cells) {
            (InputWorld::Terrain(terrain, _), _) => {
                let grid = options.grid(terrain, input.name())?;
                options.memory_needed(grid)
            }
            (InputWorld::Cells(graph), _) => 2 * (graph.cells as u64).pow(2),
            (InputWorld::Solid(_), ViewCells::Boxes(boxes)) => {
                memory_of_solid(&boxes.places.cells, input.name(), &options)?
            }
            (InputWorld::Solid(_), _) => 0,
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

    /// What is baked of a solid level.
    pub(super) fn solid(&self) -> Option<SolidWorld<'_>> {
        match (&self.input.world, &self.cells) {
            (InputWorld::Solid(solid), ViewCells::Boxes(boxes)) => Some(SolidWorld {
                level: &solid.level,
                places: &boxes.places.cells,
                player: &boxes.options.player,
            }),
            _ => None,
        }
    }

    /// Whether a quality has chosen other cells than the samples of a terrain, or than the usual ones of a level.
    pub fn is_larger(&self) -> bool {
        let is_large = match (&self.cells, &self.input.world) {
            (ViewCells::Boxes(boxes), InputWorld::Solid(solid)) => {
                boxes.options.size != solid.usual.size
            }
            _ => false,
        };
        self.quality.is_some() && (self.cells.grade() > 0 || is_large)
    }

    /// Seconds of one processor that the bake takes at most, as far as is known without a look.
    pub fn most_seconds(&self) -> f64 {
        if let Some(known) = self.forecast.get() {
            return known.cpu_seconds;
        }
        let Some([width, height]) = self.cells.grid(self.input) else {
            return 0.0;
        };
        let all = f64::from(width) * f64::from(height);
        match self.cells {
            ViewCells::Squares(sizes) => {
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
        let lossless = match self.forecast.get() {
            Some(known) => *known,
            None => {
                let found = self.look(observer)?;
                *self.forecast.get_or_init(|| found)
            }
        };
        Ok(lossless.compressed(&self.options.compression))
    }

    fn look(&self, observer: &dyn Observer) -> Result<Forecast, PlanError> {
        let lossless = BakeOptions {
            compression: Compression::Lossless,
            ..self.options.clone()
        };
        Ok(match (&self.input.world, self.solid()) {
            (InputWorld::Terrain(terrain, _), _) => {
                forecast(terrain, &lossless, self.input.name(), observer)?
            }
            (_, Some(world)) => forecast_solid(world, &self.source, &lossless, observer)?,
            _ => {
                return Err(PlanError::Usage(format!(
                    "{}: expected a terrain or a solid level, found a level with view cells of its own, whose bake nobody \
                     foresees",
                    self.input.name()
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
        let cells = match view_cells(self.input, &quality.into(), &self.options, observer) {
            Err(PlanError::Places { error, .. }) if error.is_of_size() => return Ok(None),
            cells => cells?,
        };
        if let (ViewCells::Squares(own), ViewCells::Squares(sizes)) = (&self.cells, &cells)
            && own == sizes
        {
            return Ok(Some(self.clone()));
        }
        let options = BakeOptions {
            memory: None,
            ..self.options.clone()
        };
        Self::new(self.input, cells, Some(quality), options, &self.graph).map(Some)
    }
}
