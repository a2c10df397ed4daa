//! Queries about two places, or about a file of pairs, of a bundle with patches over it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::exit::{Failure, Outcome};
use crate::input;
use crate::output::Json;
use viewcell::query::{CellBundle, Layers, MappedBundle, SolidBundle, TerrainBundle, World};

use super::bundles::{cannot_open, open, terrain, world};
use super::lines::{answer_visible, parse_cells, parse_samples};
use super::place::{By, GivenPlace, Position, check_by_number, check_cell, quad_at};
use super::solid as solid_level;

/// Asks a bundle, whichever kind of world it is of; a terrain may have patches over it. Fails where patches, or
/// places by coordinates, are given for a level.
pub fn ask_world(
    path: &Path,
    by: &By,
    over: &Over,
    ask: impl FnOnce(&MappedBundle, World<'_>) -> Outcome,
) -> Outcome {
    let map = open(path)?;
    match world(path, &map)? {
        World::Terrain(_) => over.ask(path, &map, |terrain| ask(&map, World::Terrain(terrain))),
        level => {
            check_by_number(path, by)?;
            over.check_none()?;
            ask(&map, level)
        }
    }
}

/// Patches over a bundle.
#[derive(clap::Args)]
pub struct Over {
    /// A patch to apply to the bundle (viewcell rebake), or several in the order in which they were made
    #[arg(long, value_name = "P.vcp", num_args = 1..)]
    patch: Vec<PathBuf>,
}

impl Over {
    /// Asks the terrain of a mapped bundle, with the patches over it.
    pub fn ask(
        &self,
        path: &Path,
        map: &MappedBundle,
        ask: impl FnOnce(TerrainBundle<'_>) -> Outcome,
    ) -> Outcome {
        if self.patch.is_empty() {
            return ask(terrain(path, map)?);
        }
        let read = |patch: &PathBuf| input::read(patch, input::LARGE);
        let patches: Vec<Vec<u8>> = self.patch.iter().map(read).collect::<Result<_, _>>()?;
        let bundle = map.bundle().map_err(|error| cannot_open(path, error))?;
        let mut layers = Layers::new(&bundle).map_err(|error| cannot_open(path, error))?;
        for (bytes, name) in patches.iter().zip(&self.patch) {
            layers
                .lay(bytes)
                .map_err(|error| cannot_open(name, error))?;
        }
        ask(layers.terrain())
    }

    /// Errors if there are any, over a bundle of cells.
    pub fn check_none(&self) -> Result<(), Failure> {
        match self.patch.first() {
            None => Ok(()),
            Some(patch) => Err(Failure::usage(format!(
                "--patch {}: expected a bundle of a terrain, found one of cells",
                patch.display()
            ))),
        }
    }
}

/// Two places of a bundle, or a file of pairs of them.
#[derive(clap::Args)]
pub struct PairArgs {
    /// The bundle
    pub bundle: PathBuf,
    /// The first player, who looks: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<GivenPlace>,
    /// The other player: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(allow_hyphen_values = true)]
    b: Option<GivenPlace>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    /// Answer each line "c0 r0 c1 r1" (cells: "a b"; positions in a solid level: "x y z x y z", of which the first
    /// looks) of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pub pairs: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

impl PairArgs {
    /// Asks the bundle, whichever kind of world it is of.
    pub fn ask(&self, ask: impl FnOnce(World<'_>) -> Outcome) -> Outcome {
        ask_world(&self.bundle, &self.by, &self.over, |_, world| ask(world))
    }

    /// The two places on a terrain.
    pub fn positions(&self, terrain: &TerrainBundle<'_>) -> Result<[Position; 2], Failure> {
        let [a, b] = self.places()?;
        let position = |place| self.by.position(&self.bundle, terrain, place);
        Ok([position(a)?, position(b)?])
    }

    /// The two places in a level of cells.
    pub fn cells(&self, level: &CellBundle) -> Result<[u32; 2], Failure> {
        let [a, b] = self.places()?;
        let cell = |place| check_cell(&self.bundle, level, place);
        Ok([cell(a)?, cell(b)?])
    }

    /// The two places in a solid level.
    pub fn solid_cells(&self, level: &SolidBundle) -> Result<[u32; 2], Failure> {
        let [a, b] = self.places()?;
        let cell = |place| solid_level::cell_at(&self.bundle, level, place);
        Ok([cell(a)?, cell(b)?])
    }

    /// Answers visible or hidden in a solid level, now or on paths of up to `reach`.
    pub fn answer_in_solid(&self, level: &SolidBundle, reach: Option<[f64; 2]>) -> Outcome {
        match &self.pairs {
            Some(file) => solid_level::visible_pairs(level, file, reach, &self.json),
            None => solid_level::visible(&self.bundle, level, self.places()?, reach, &self.json),
        }
    }

    /// What clap has seen to already.
    fn places(&self) -> Result<[GivenPlace; 2], Failure> {
        let places = self.a.zip(self.b).map(<[GivenPlace; 2]>::from);
        places.ok_or_else(|| Failure::usage("expected two places A and B, or --pairs FILE"))
    }

    /// Answers visible or hidden on a terrain.
    pub fn answer_on_terrain<D: Serialize>(
        &self,
        terrain: &TerrainBundle<'_>,
        visible: impl Fn([Position; 2]) -> bool,
        document: impl FnOnce([Position; 2], bool) -> D,
    ) -> Outcome {
        if let Some(file) = &self.pairs {
            return answer_visible(file, &self.json, &mut [0, 0], |line| {
                let pair = parse_samples(line, terrain.parameters())?;
                let nobody = |place: &&Position| {
                    !terrain.valid().has_quad(quad_at(terrain, place.sample, 0))
                };
                Ok((visible(pair), pair.iter().filter(nobody).count() as u64))
            });
        }
        let pair = self.positions(terrain)?;
        self.answer(visible(pair), |visible| document(pair, visible))
    }

    /// Answers visible or hidden in a level of cells.
    pub fn answer_in_level<D: Serialize>(
        &self,
        level: &CellBundle,
        mut visible: impl FnMut([u32; 2]) -> Result<bool, String>,
        document: impl FnOnce([u32; 2], bool) -> D,
    ) -> Outcome {
        if let Some(file) = &self.pairs {
            return answer_visible(file, &self.json, &mut [0, 0], |line| {
                Ok((visible(parse_cells(line, level.cells())?)?, 0))
            });
        }
        let pair = self.cells(level)?;
        let visible = visible(pair).map_err(Failure::usage)?;
        self.answer(visible, |visible| document(pair, visible))
    }

    fn answer<D: Serialize>(&self, visible: bool, document: impl FnOnce(bool) -> D) -> Outcome {
        let word = if visible { "visible" } else { "hidden" };
        self.json.tell(|| document(visible), word)
    }
}
