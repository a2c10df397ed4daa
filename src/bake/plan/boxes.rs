//! The view cells of a solid level that a quality chooses, by what the kernel does for a sample of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::PlanError;
use super::options::{CellChoice, Grade};
use crate::job::{BakeOptions, Forecast, Observer, SolidWorld, Source, Stage, forecast_solid};
use crate::quality::{BoxSizes, Quality};
use crate::visibility::solid::KnownOccluders;
use viewcell_ingest::world::solid::{PlaceOptions, Places, PlacesError, SolidLevel, find_places};

/// View cells of a level.
#[derive(Debug)]
pub struct ChosenCells {
    /// Where they were looked for.
    pub options: PlaceOptions,
    /// The cells.
    pub places: Places,
    /// [`grade`](BakeOptions::grade) of the options.
    pub grade: u32,
    /// What a lossless bake of them takes, where a quality has chosen them by it.
    pub forecast: Option<Forecast>,
}

impl ChosenCells {
    /// What is baked of their level.
    pub(super) fn of<'w>(&'w self, level: &'w SolidLevel) -> SolidWorld<'w> {
        SolidWorld {
            level,
            places: &self.places.cells,
            player: &self.options.player,
        }
    }

    fn work(&self) -> Option<f64> {
        self.forecast?.work
    }

    /// The name that their bundle has of the quality that chose them; `None` where it is known without
    /// ([`Quality::unnamed`]). What `good` chooses is good, whatever else chooses the same.
    pub fn named(&self, quality: Quality) -> Option<&'static str> {
        let is_usual = self.grade == 0;
        let fits = |work: f64| work <= Quality::Good.work();
        let of = if is_usual && self.work().is_none_or(fits) {
            Quality::Good
        } else {
            quality
        };
        let is_known = is_usual && of == Quality::unnamed(self.places.cells.len());
        (!is_known).then(|| of.name())
    }
}

/// What qualities choose for a level, as far as it was asked for.
#[derive(Debug)]
pub(super) struct Choices {
    /// The level's file.
    path: PathBuf,
    /// Cells of the usual size.
    pub(super) usual: PlaceOptions,
    occluders: KnownOccluders,
    known: Vec<(BoxSizes, Result<Arc<ChosenCells>, PlacesError>)>,
}

/// Finds view cells, unless they are known, and what a bake of them takes with a grade.
type Find<'f> =
    dyn FnMut(&PlaceOptions, u32, Option<Places>) -> Result<(Places, Forecast), PlanError> + 'f;

impl Choices {
    /// Of a level whose cells of the usual size are found by these options.
    pub(super) fn new(path: &Path, usual: PlaceOptions) -> Self {
        Self {
            path: path.to_owned(),
            usual,
            occluders: KnownOccluders::default(),
            known: Vec::new(),
        }
    }

    /// The finest cells of a quality of which there are not too many, and for which the kernel does no more than it may; if
    /// it does more for all, the coarsest. The same on every machine. Takes some seconds.
    ///
    /// # Errors
    ///
    /// Those of [`find_places`] and of [`forecast_solid`].
    pub(super) fn of(
        &mut self,
        quality: Quality,
        level: &SolidLevel,
        source: &Source,
        observer: &dyn Observer,
    ) -> Result<Arc<ChosenCells>, PlanError> {
        let mut occluders = std::mem::take(&mut self.occluders);
        let (sizes, most, path) = (quality.boxes(), quality.work(), self.path.clone());
        let found = self.first_within(&sizes, most, &mut |options, grade, places| {
            let places = match places {
                Some(places) => places,
                None => find((&path, level), options, observer)?,
            };
            let world = SolidWorld {
                level,
                places: &places.cells,
                player: &options.player,
            };
            let bake = BakeOptions {
                grade,
                ..BakeOptions::default()
            };
            let known = &mut occluders;
            let forecast = forecast_solid(known, world, source, &bake, observer)?;
            Ok((places, forecast))
        });
        self.occluders = occluders;
        found
    }

    /// Cells of sizes that are given: the usual ones where they are not.
    pub(super) fn given(
        &self,
        choice: &CellChoice,
        level: &SolidLevel,
        observer: &dyn Observer,
    ) -> Result<Arc<ChosenCells>, PlanError> {
        let mut options = self.usual.clone();
        if let Some(cell) = choice.cell {
            [options.size, options.height] = cell;
        }
        Ok(Arc::new(ChosenCells {
            places: find((&self.path, level), &options, observer)?,
            options,
            grade: choice.grade.map_or(0, Grade::ratio),
            forecast: None,
        }))
    }

    /// The first of these sizes for which there is at most so much work, or the last.
    fn first_within(
        &mut self,
        sizes: &[BoxSizes],
        work: f64,
        find: &mut Find<'_>,
    ) -> Result<Arc<ChosenCells>, PlanError> {
        let default = BoxSizes::default();
        let (&coarsest, finer) = sizes.split_last().unwrap_or((&default, &[]));
        for &sizes in finer {
            match self.found(sizes, find) {
                // Larger ones are fewer. What memory there is must not choose: at most 1.3 GB are needed.
                Err(PlanError::Places {
                    error: PlacesError::Many { .. } | PlacesError::Large { .. },
                    ..
                }) => {}
                Ok(found) if found.work().is_some_and(|needed| needed > work) => (),
                found => return found,
            }
        }
        self.found(coarsest, find)
    }

    /// Cells of such sizes, and what they take.
    fn found(
        &mut self,
        sizes: BoxSizes,
        find: &mut Find<'_>,
    ) -> Result<Arc<ChosenCells>, PlanError> {
        if let Some((_, found)) = self.known.iter().find(|(of, _)| *of == sizes) {
            return found.clone().map_err(PlanError::places(&self.path));
        }
        let (options, grade) = (sizes.of(&self.usual), sizes.grade);
        // Cells that differ in their grade alone are found already.
        let mut known = self
            .known
            .iter()
            .filter_map(|(_, found)| found.as_ref().ok());
        let same = known.find(|found| found.options == options);
        let places = same.map(|found| found.places.clone());
        let found = find(&options, grade, places).map(|(places, forecast)| {
            Arc::new(ChosenCells {
                options,
                places,
                grade,
                forecast: Some(forecast),
            })
        });
        match &found {
            Ok(found) => self.known.push((sizes, Ok(found.clone()))),
            Err(PlanError::Places { error, .. }) => self.known.push((sizes, Err(*error))),
            Err(_) => (),
        }
        found
    }
}

fn find(
    (path, level): (&Path, &SolidLevel),
    options: &PlaceOptions,
    observer: &dyn Observer,
) -> Result<Places, PlanError> {
    observer.stage(Stage::Places, 1);
    let found = find_places(level, options).map_err(PlanError::places(path))?;
    observer.advance(Stage::Places, 1);
    Ok(found)
}

impl BoxSizes {
    /// How cells of these sizes are looked for, from those of the usual size.
    fn of(self, usual: &PlaceOptions) -> PlaceOptions {
        let factor = f64::from(1_u32 << self.doubled);
        let mut options = PlaceOptions {
            size: usual.size * factor,
            height: usual.height * factor,
            ..usual.clone()
        };
        if self.low {
            options.near_floor[0] *= 0.5;
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell_ingest::world::solid::{PlaceCells, Player, Units};

    const FILE: &str = "a.map";

    const MANY: PlacesError = PlacesError::Many {
        cells: 2,
        most: 1,
        size: 3.0,
    };

    /// Sizes and grade of what is chosen of cells whose usual size is 1, if there are too many of less than `least`, and the
    /// kernel does `work` for those of a size and a grade.
    fn chosen(
        choices: &mut Choices,
        quality: Quality,
        least: f64,
        work: impl Fn(f64, u32) -> f64,
    ) -> Result<(f64, f64, u32), String> {
        let found = choices.first_within(
            &quality.boxes(),
            quality.work(),
            &mut |options, grade, _| {
                if options.size < least {
                    return Err(PlanError::places(Path::new(FILE))(MANY));
                }
                let cells = PlaceCells::new([1.0; 3], [0.0; 3], Vec::new());
                let forecast = Forecast {
                    work: Some(work(options.size, grade)),
                    ..Forecast::default()
                };
                Ok((Places::of(cells), forecast))
            },
        );
        let found = found.map_err(|error| error.to_string())?;
        Ok((found.options.size, found.options.near_floor[0], found.grade))
    }

    #[test]
    fn the_finest_cells_are_chosen_for_which_there_is_no_more_work_than_a_quality_allows() {
        let level = SolidLevel::new("test", Units::Metres, Player::PERSON);
        let usual = PlaceOptions {
            size: 1.0,
            near_floor: [2.0; 2],
            ..PlaceOptions::of(&level)
        };
        // A closed level, an open one, and one beyond all.
        for (work, draft, good, best) in [
            (1e9, (2.0, 1.0, 16), (1.0, 2.0, 0), (1.0, 2.0, 0)),
            (1e12, (4.0, 1.0, 16), (2.0, 1.0, 32), (2.0, 1.0, 32)),
            (1e30, (512.0, 1.0, 16), (256.0, 1.0, 32), (256.0, 1.0, 32)),
        ] {
            let choices = &mut Choices::new(Path::new(FILE), usual.clone());
            let work = |size: f64, grade| match grade {
                0 => work,
                grade => work / size.powi(4) * 0.1 * f64::from(grade) / 64.0,
            };
            for (quality, expected) in [
                (Quality::Draft, draft),
                (Quality::Good, good),
                (Quality::Best, best),
                (Quality::Samples, (1.0, 2.0, 0)),
            ] {
                let found = chosen(choices, quality, 0.0, work);
                assert_eq!(found, Ok(expected), "{quality:?}");
            }
        }
        // Cells that would be too many are passed over, but of samples there are no larger ones.
        let choices = &mut Choices::new(Path::new(FILE), usual);
        let found = chosen(choices, Quality::Good, 3.0, |_, _| 0.0);
        assert_eq!(found, Ok((4.0, 1.0, 32)));
        let found = chosen(choices, Quality::Samples, 3.0, |_, _| 0.0);
        let due = PlanError::places(Path::new(FILE))(MANY);
        assert_eq!(found, Err(due.to_string()));
    }

    #[test]
    fn a_quality_is_named_where_it_is_not_known_without() {
        let level = SolidLevel::new("test", Units::Metres, Player::PERSON);
        let choices = &mut Choices::new(Path::new(FILE), PlaceOptions::of(&level));
        for (quality, work, name) in [
            (Quality::Good, 1e9, None),
            (Quality::Samples, 1e9, None),
            (Quality::Best, 1e9, None),
            (Quality::Draft, 1e9, Some("draft")),
            // Which good does not take.
            (Quality::Best, 3e10, Some("best")),
            (Quality::Samples, 3e10, Some("samples")),
            (Quality::Good, 3e10, Some("good")),
        ] {
            choices.known.clear();
            let work = |_, grade| if grade == 0 { work } else { 0.0 };
            chosen(choices, quality, 0.0, work).unwrap();
            let (_, last) = choices.known.last().unwrap();
            assert_eq!(last.as_ref().unwrap().named(quality), name, "{quality:?}");
        }
    }

    #[test]
    fn little_memory_is_an_error_and_chooses_no_other_cells() {
        let level = SolidLevel::new("test", Units::Metres, Player::PERSON);
        let little = PlacesError::Memory {
            needed: 2,
            limit: 1,
            size: 2.0,
        };
        let choices = &mut Choices::new(Path::new(FILE), PlaceOptions::of(&level));
        let sizes = Quality::Good.boxes();
        let mut asked = 0;
        let found = choices.first_within(&sizes, 1.0, &mut |_, _, _| {
            asked += 1;
            Err(PlanError::places(Path::new(FILE))(little))
        });
        let due = PlanError::places(Path::new(FILE))(little);
        assert_eq!(found.unwrap_err().to_string(), due.to_string());
        assert_eq!(asked, 1);
    }
}
