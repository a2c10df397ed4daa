//! What is baked: a world as its file has it, and where players can be in it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::boxes::{Choices, ChosenCells};
use super::error::PlanError;
use super::layers::Layers;
use super::memory::free_memory;
use super::options::CellChoice;
use super::solid::{notes_of_level, told_of_objects};
use super::told::{told_of_heightmap, told_of_level, told_of_map};
use crate::job::{Observer, Source, Stage};
use viewcell_ingest::cells::{IngestCellsOptions, IngestedCells, cells_from_bytes};
use viewcell_ingest::solid::{SolidOptions, read_solid};
use viewcell_ingest::world::solid::{Aabb, Cameras, PlaceOptions, Player, Point, SolidLevel};
use viewcell_ingest::world::{CellGraph, Terrain};
use viewcell_ingest::{IngestOptions, Ingested, level_bytes, read_terrain};

/// A world that can be baked. Read once, it may be planned and baked as often as is wanted.
#[derive(Debug)]
pub struct Input {
    /// Its file.
    pub path: PathBuf,
    /// Where the world came from, and the options that it was read with.
    pub source: Source,
    /// What a person should know of it.
    pub notes: Vec<String>,
    /// What it is.
    pub world: InputWorld,
}

/// The three kinds of worlds.
#[derive(Debug)]
pub enum InputWorld {
    /// A heightmap, on its ground; and whether places are kept that the surface covers.
    Terrain(Arc<Terrain>, bool),
    /// A level with view cells of its own.
    Cells(Box<CellGraph>),
    /// A level of solids.
    Solid(Arc<SolidInput>),
}

/// A level of solids, and who plays in it.
#[derive(Debug)]
pub struct SolidInput {
    /// What hides.
    pub level: SolidLevel,
    /// How view cells of the usual size are found.
    pub usual: PlaceOptions,
    /// What qualities have chosen so far.
    choices: Mutex<Choices>,
}

/// Who plays in a solid level, and from where on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Players {
    /// The box of a body, from the origin; the level's if not given. [Unit: of the file]
    pub hull: Option<Aabb>,
    /// Lowest and highest eye above the origin; the level's if not given. [Unit: of the file]
    pub eye: Option<[f64; 2]>,
    /// Positions that can be reached besides the spawn points, in the coordinates that the level is asked with.
    pub reach: Vec<Point>,
    /// Least and greatest corner of the box that bounds where players are, in the same.
    pub within: Option<[Point; 2]>,
    /// Where cameras are that see objects in place of players: volumes in the same, heights over floors in units of the file. Of
    /// players nothing else counts then.
    pub cameras: Option<Cameras>,
}

impl Input {
    /// Reads a heightmap, and puts it on its ground. The observer is told its notes.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where a file cannot be read, or layers do not go with the terrain.
    pub fn terrain(
        path: &Path,
        reading: &IngestOptions,
        layers: &Layers,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        observer.stage(Stage::Read, 1);
        let ingested = read_terrain(path, reading)?;
        let source = Source::new(path, ingested.format, told_of_heightmap(reading));
        let source = source.map_err(PlanError::io(path))?;
        Self::on_ground(path, ingested, source, reading, layers, observer)
    }

    /// Heights that are there, with layers that are. The observer is told notes.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where layers do not go with the terrain.
    pub fn heights(
        terrain: Terrain,
        layers: &Layers,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        observer.stage(Stage::Read, 1);
        let source = Source::of_terrain(&terrain);
        let ingested = Ingested {
            whole: [terrain.width(), terrain.height()],
            terrain,
            format: "heights",
            notes: Vec::new(),
        };
        let (path, reading) = (Path::new("heights"), IngestOptions::default());
        Self::on_ground(path, ingested, source, &reading, layers, observer)
    }

    fn on_ground(
        path: &Path,
        mut ingested: Ingested,
        mut source: Source,
        reading: &IngestOptions,
        layers: &Layers,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        layers.apply(&mut ingested, path, reading)?;
        source.options.extend(layers.told()?);
        let world = InputWorld::Terrain(Arc::new(ingested.terrain), layers.inside);
        Ok(Self::read(path, source, ingested.notes, world, observer))
    }

    /// Reads a level of cells, out of a game's folder if there is one. The observer is told its notes.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where it cannot be read.
    pub fn cells(
        path: &Path,
        pack: Option<&Path>,
        reading: &IngestCellsOptions,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        observer.stage(Stage::Read, 1);
        let bytes = level_bytes(path, pack)?;
        let level = cells_from_bytes(&bytes, reading).map_err(|error| error.about(path))?;
        let source = Source::of_file(path, &bytes, level.format, told_of_map(reading));
        let world = InputWorld::Cells(Box::new(level.graph));
        Ok(Self::read(path, source, level.notes, world, observer))
    }

    /// A level of cells that was made from a file. The observer is told its notes.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where the file cannot be read.
    pub fn graph(
        path: &Path,
        level: IngestedCells,
        reading: &IngestCellsOptions,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        let source = Source::new(path, level.format, told_of_map(reading));
        let source = source.map_err(PlanError::io(path))?;
        let world = InputWorld::Cells(Box::new(level.graph));
        Ok(Self::read(path, source, level.notes, world, observer))
    }

    /// Reads a level of solids. The observer is told its notes.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where it cannot be read.
    pub fn solid(
        path: &Path,
        reading: &SolidOptions,
        players: &Players,
        observer: &dyn Observer,
    ) -> Result<Self, PlanError> {
        observer.stage(Stage::Read, 1);
        let reading = SolidOptions {
            memory: reading.memory.or_else(free_memory),
            objects: players.cameras.is_some(),
            ..reading.clone()
        };
        let read = read_solid(path, &reading)?;
        let mut level = read.level;
        let mut notes = read.notes;
        if players.cameras.is_some() {
            level.player = Player::standing(Aabb::around([&[0.0; 3]]), 0.0);
            let objects = level.objects.as_deref().unwrap_or_default();
            notes.push(told_of_objects(path, objects)?);
        }
        let mut cameras = players.cameras.clone();
        if let Some(Cameras::Volumes(volumes)) = &mut cameras {
            for of in volumes {
                [of.min, of.max] = level.frame.corners_to_level([of.min, of.max]);
            }
        }
        let reach = players.reach.iter().map(|&at| level.frame.to_level(at));
        let within = (players.within).map(|within| level.frame.corners_to_level(within));
        let usual = PlaceOptions {
            memory: free_memory(),
            player: level.player.with(players.hull, players.eye),
            reach: reach.collect(),
            within: within.map(|[min, max]| Aabb { min, max }),
            cameras,
            ..PlaceOptions::of(&level)
        };
        notes.extend(notes_of_level(&level, &usual.player));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let sum = (read.bytes, read.crc32);
        let source = Source::of_bytes(&name, level.format, sum, told_of_level(&reading));
        let world = InputWorld::Solid(Arc::new(SolidInput {
            level,
            choices: Mutex::new(Choices::new(path, usual.clone())),
            usual,
        }));
        Ok(Self::read(path, source, notes, world, observer))
    }

    fn read(
        path: &Path,
        source: Source,
        notes: Vec<String>,
        world: InputWorld,
        observer: &dyn Observer,
    ) -> Self {
        observer.advance(Stage::Read, 1);
        notes.iter().for_each(|note| observer.note(note));
        Self {
            path: path.to_owned(),
            source,
            notes,
            world,
        }
    }
}

impl SolidInput {
    /// Players can be where these positions reach, too, in coordinates of the file.
    pub fn reach_from(&mut self, reach: Vec<Point>) {
        self.usual.reach = reach;
        let choices = self.choices.get_mut();
        choices.unwrap_or_else(PoisonError::into_inner).usual = self.usual.clone();
    }

    /// The view cells that are asked for: the usual ones with what is given of sizes, or those that the quality chooses.
    pub(super) fn boxes(
        &self,
        choice: &CellChoice,
        source: &Source,
        observer: &dyn Observer,
    ) -> Result<Arc<ChosenCells>, PlanError> {
        // What was known before a panic is still right.
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        match choice.chooses() {
            Some(quality) => choices.of(quality, &self.level, source, observer),
            None => choices.given(choice, &self.level, observer),
        }
    }
}
