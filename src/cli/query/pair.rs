//! Two places, or a file of pairs, and how they are answered for.

use std::path::PathBuf;

use serde::Serialize;
use viewcell::internals::runtime::{CellBundle, MappedBundle, SolidBundle, TerrainBundle, World};

use super::open::{self, Over};
use super::place::{By, Place, Position, check_cell};
use super::{pairs, solid};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::Json;

/// Two places of a bundle, or a file of pairs of them.
#[derive(clap::Args)]
pub struct Pair {
    /// The bundle
    pub bundle: PathBuf,
    /// One player, or who looks: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(
        required_unless_present_any = ["pairs", "points"],
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<Place>,
    /// The other player: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(allow_hyphen_values = true)]
    b: Option<Place>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    /// Answer each line "c0 r0 c1 r1" (cells: "a b") of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pub pairs: Option<PathBuf>,
    /// Answer each line "x y z x y z" of a file, or of stdin if it is -: origins of two players in a solid
    /// level, of whom the first looks. How many are in no view cell, and so see all, is said on stderr
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By", "pairs"])]
    points: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

impl Pair {
    /// Asks the bundle, whichever kind of world it is of.
    pub fn ask(&self, ask: impl FnOnce(&MappedBundle, World<'_>) -> Outcome) -> Outcome {
        let ask = |map: &MappedBundle, world: World<'_>| match (&self.points, &world) {
            (Some(_), World::Terrain(_) | World::Cells(_)) => Err(Failure::usage(format!(
                "--points: expected a bundle of a solid level, found another in {}; give --pairs",
                self.bundle.display()
            ))),
            _ => ask(map, world),
        };
        open::ask(&self.bundle, &self.by, &self.over, ask)
    }

    /// The two places on a terrain.
    pub fn positions(
        &self,
        map: &MappedBundle,
        terrain: &TerrainBundle<'_>,
    ) -> Result<[Position; 2], Failure> {
        let [a, b] = self.places()?;
        let position = |place| self.by.position(&self.bundle, map, terrain, place);
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
        let cell = |place| solid::cell_at(&self.bundle, level, place);
        Ok([cell(a)?, cell(b)?])
    }

    /// Answers visible or hidden in a solid level, now or on ways of up to `reach`.
    pub fn answer_in_solid(&self, level: &SolidBundle, reach: Option<[f64; 2]>) -> Outcome {
        match (&self.points, &self.pairs) {
            (Some(file), _) => solid::visible_points(level, file, reach, &self.json),
            (_, Some(file)) => solid::visible_pairs(level, file, reach, &self.json),
            _ => solid::visible(&self.bundle, level, self.places()?, reach, &self.json),
        }
    }

    /// What clap has seen to already.
    fn places(&self) -> Result<[Place; 2], Failure> {
        let places = self.a.zip(self.b).map(<[Place; 2]>::from);
        places.ok_or_else(|| Failure::usage("expected two places A and B, or --pairs FILE".into()))
    }

    /// Answers visible or hidden on a terrain.
    pub fn answer_on_terrain<D: Serialize>(
        &self,
        map: &MappedBundle,
        terrain: &TerrainBundle<'_>,
        visible: impl Fn([Position; 2]) -> bool,
        document: impl FnOnce([Position; 2], bool) -> D,
    ) -> Outcome {
        if let Some(file) = &self.pairs {
            return pairs::answer_visible(file, &self.json, |line| {
                Ok(visible(pairs::parse(line, terrain.parameters())?))
            });
        }
        let pair = self.positions(map, terrain)?;
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
            return pairs::answer_visible(file, &self.json, |line| {
                visible(pairs::parse_cells(line, level.cells())?)
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
