//! Places on the command line, and where they are in a bundle of any kind.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use super::opened::{Opened, Over};
use crate::exit::Failure;
use crate::output::Json;
use crate::values;
use viewcell::format::TerrainParameters;
use viewcell::query::{
    Extent, Place, Pvs, Quad, Sample, Seen, SolidBundle, TerrainBundle, World, WorldKind,
};
use viewcell_ingest::world::{Short, reaches, reaches_in_metres};

/// A place: column and row of a sample of the heightmap, or the number of a cell.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NamedPlace {
    /// On a terrain.
    Sample([u32; 2]),
    /// In a level of cells, and in a solid level.
    Cell(u32),
}

/// A place on the command line: COL,ROW of a terrain, or the number of a cell; or as [`By`] says.
#[derive(Clone, Copy)]
pub enum GivenPlace {
    Sample(Sample),
    Cell(u32),
    /// Two numbers that are no column and row.
    Numbers([f64; 2]),
    /// X,Y,Z of a solid level.
    Point([f64; 3]),
}

impl FromStr for GivenPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(cell) = text.trim().parse() {
            return Ok(Self::Cell(cell));
        }
        if let Some(point) = values::point(text) {
            return Ok(Self::Point(point));
        }
        if let Some(&[column, row]) = values::list(text, ',').as_deref() {
            return Ok(Self::Sample(Sample::new(column, row)));
        }
        values::two(text).map(Self::Numbers).map_err(|_| {
            "expected COL,ROW: column counted from 0 in the west, row from 0 in the north, with a \
             comma and no blank between them; or the number of a cell; or X,Y,Z in a solid level"
                .to_owned()
        })
    }
}

impl fmt::Display for GivenPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(sample) => write!(f, "{},{}", sample.column, sample.row),
            Self::Cell(cell) => write!(f, "{cell}"),
            Self::Numbers([x, y]) => write!(f, "{},{}", Short(*x), Short(*y)),
            Self::Point([x, y, z]) => write!(f, "{},{},{}", Short(*x), Short(*y), Short(*z)),
        }
    }
}

/// Where a place is in a bundle.
#[derive(Clone, Copy)]
pub struct Position {
    /// What answers for it: a sample, the view cell of a coarse bundle that holds it, or a cell. `None` in no view cell of a
    /// solid level, where somebody sees all and is seen by all.
    pub place: Option<Place>,
    at: At,
}

/// Where somebody is in that place.
#[derive(Clone, Copy)]
enum At {
    /// In the unit square of a sample of the heightmap.
    Sample(Sample),
    /// Anywhere in a cell.
    Cell(u32),
    /// At a position in a solid level.
    Point([f64; 3]),
}

impl Position {
    /// At a sample of the heightmap; `None` outside of it.
    pub fn at_sample(parameters: &TerrainParameters, sample: Sample) -> Option<Self> {
        let cell = parameters.place(sample.column, sample.row)?;
        Some(Self {
            place: Some(Place::Sample(cell)),
            at: At::Sample(sample),
        })
    }

    /// Anywhere in a cell of a level, which is there.
    pub fn in_cell(cell: u32) -> Self {
        Self {
            place: Some(Place::Cell(cell)),
            at: At::Cell(cell),
        }
    }

    /// At a position in a solid level.
    pub fn at_point(level: &SolidBundle<'_>, point: [f64; 3]) -> Self {
        Self {
            place: level.locate(point).map(Place::Cell),
            at: At::Point(point),
        }
    }

    /// In a view cell, at the sample whose unit square holds a point, counted in samples.
    fn within(parameters: &TerrainParameters, cell: Sample, point: [f64; 2]) -> Self {
        let [columns, rows] = parameters.heightmap();
        let at = |cell: u32, point: f64, end: u32| {
            let first = cell << parameters.finest();
            let last = (first + (1 << parameters.finest()) - 1).min(end - 1);
            (point as u32).clamp(first, last)
        };
        let column = at(cell.column, point[0], columns);
        let row = at(cell.row, point[1], rows);
        Self {
            place: Some(Place::Sample(cell)),
            at: At::Sample(Sample::new(column, row)),
        }
    }

    /// As documents name it; `None` in no view cell.
    pub fn named(&self) -> Option<NamedPlace> {
        match (self.at, self.place) {
            (At::Sample(Sample { column, row }), _) => Some(NamedPlace::Sample([column, row])),
            (_, Some(Place::Cell(cell))) => Some(NamedPlace::Cell(cell)),
            _ => None,
        }
    }

    /// Whether somebody can be in the quad of a level of the heightmap that it is in; in levels somebody can.
    pub fn standing(&self, world: &World<'_>, level: u32) -> Standing {
        match (self.at, world.terrain()) {
            (At::Sample(sample), Some(terrain)) => {
                Standing::within(terrain, quad_at(terrain, sample, level))
            }
            _ => Standing::Walkable,
        }
    }

    /// Where somebody may come to in a solid level who is in a cell of it and moves up to `reach`.
    fn reached(&self, level: &SolidBundle<'_>, cell: u32, reach: f64) -> Extent {
        match self.at {
            At::Point(point) => Extent::ball(point, reach),
            _ => level.positions_within(cell, reach),
        }
    }

    /// Whether somebody here may see somebody there on paths of up to `reach`; on a terrain and in a level of cells, or the
    /// other way round.
    pub fn sees_within(&self, world: &World<'_>, other: &Self, reach: [f64; 2]) -> bool {
        let (Some(from), Some(to)) = (self.place, other.place) else {
            return true;
        };
        match (world, (self.at, other.at), (from, to)) {
            // Less than from anywhere in their view cells.
            (World::Terrain(terrain), (At::Sample(from), At::Sample(to)), _) => {
                terrain.samples_visible_within(from, to, reach)
            }
            (World::Solid(level), _, (Place::Cell(a), Place::Cell(b))) => {
                let [of_a, of_b] = reach;
                let regions = [self.reached(level, a, of_a), other.reached(level, b, of_b)];
                level.visible(a, b) || level.sees_region(&regions[0], &regions[1])
            }
            _ => world.visible_within(from, to, reach),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::Sample(sample) => GivenPlace::Sample(sample).fmt(f),
            At::Cell(cell) => GivenPlace::Cell(cell).fmt(f),
            At::Point(point) => GivenPlace::Point(point).fmt(f),
        }
    }
}

/// Two places of a bundle, or a file of pairs of them.
#[derive(clap::Args)]
pub struct PairArgs {
    /// The bundle
    pub bundle: PathBuf,
    /// The first player, who looks: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(required_unless_present = "pairs", requires = "b")]
    a: Option<GivenPlace>,
    /// The other player: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    b: Option<GivenPlace>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    pub over: Over,
    /// Answer each line "c0 r0 c1 r1" (cells: "a b"; positions in a solid level: "x y z x y z", of which the first
    /// looks) of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pub pairs: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

impl PairArgs {
    /// The bundle, of whichever kind, with its patches. Fails where places are by coordinates and it is of no terrain.
    pub fn open(&self) -> Result<Opened, Failure> {
        self.by.open(&self.bundle, &self.over)
    }

    /// The same, asked of the quads of a level of the heightmap, if one is given. Fails where there are none.
    pub fn open_at(&self, quad: Option<u32>) -> Result<(Opened, QuadLevel), Failure> {
        let opened = self.open()?;
        if quad.is_some() && opened.world().terrain().is_none() {
            return Err(Failure::usage(format!(
                "--quad: expected a bundle of a terrain, found {}, which is of a level; leave it out",
                self.bundle.display()
            )));
        }
        let level = check_level(&opened, quad.unwrap_or(0))?;
        Ok((opened, level))
    }

    /// The two places. Fails where they are none.
    pub fn positions(&self, opened: &Opened) -> Result<[Position; 2], Failure> {
        let places = self.a.zip(self.b);
        // What clap has seen to already.
        let missing = || Failure::usage("expected two places A and B, or --pairs FILE");
        let (a, b) = places.ok_or_else(missing)?;
        Ok([self.by.position(opened, a)?, self.by.position(opened, b)?])
    }
}

/// The samples of the heightmap in a view cell.
pub fn samples_of(
    parameters: &TerrainParameters,
    cell: Sample,
) -> impl Iterator<Item = Sample> + use<> {
    let [columns, rows] = parameters.heightmap();
    let level = parameters.finest();
    let range = |at: u32, end: u32| at << level..((at + 1) << level).min(end);
    let columns = range(cell.column, columns);
    range(cell.row, rows)
        .flat_map(move |row| columns.clone().map(move |column| Sample::new(column, row)))
}

/// How many samples of the heightmap view cells hold.
pub fn count_samples(parameters: &TerrainParameters, cells: impl Iterator<Item = Sample>) -> u64 {
    match parameters.finest() {
        0 => cells.count() as u64,
        _ => cells
            .map(|cell| samples_of(parameters, cell).count() as u64)
            .sum(),
    }
}

/// How places of a terrain are given: by column and row, unless one of these is there.
#[derive(Default, clap::Args)]
#[group(multiple = false)]
pub struct By {
    /// Places are EAST,SOUTH: metres east and south of the north-western sample
    #[arg(long)]
    at: bool,
    /// Places are X,Y in the bundle's coordinate reference system, whatever its unit: LON,LAT where that is degrees
    #[arg(long)]
    xy: bool,
}

impl By {
    /// Opens a bundle in which places are given so, with patches over it. Fails where it is of no terrain and they are given
    /// by coordinates, or there are patches.
    pub fn open(&self, path: &Path, over: &Over) -> Result<Opened, Failure> {
        let opened = over.open(path)?;
        self.check(&opened)?;
        Ok(opened)
    }

    /// Fails if places of a level are given as those of a terrain.
    pub fn check(&self, opened: &Opened) -> Result<(), Failure> {
        if !(self.at || self.xy) || opened.world().terrain().is_some() {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "--at, --xy: expected a terrain, found a level in {}; viewcell query locate \
             finds the cell that contains a point",
            opened.path().display()
        )))
    }

    /// Where a place is in a bundle of any kind. Fails where there is none.
    pub fn position(&self, opened: &Opened, place: GivenPlace) -> Result<Position, Failure> {
        let (path, world) = (opened.path(), opened.world());
        if let Some(terrain) = world.terrain() {
            return self.on_terrain(path, terrain, place);
        }
        match (place, world.solid()) {
            (GivenPlace::Cell(cell), _) if u64::from(cell) < world.places() => {
                Ok(Position::in_cell(cell))
            }
            (GivenPlace::Cell(cell), _) => Err(Failure::usage(format!(
                "cell {cell} is not in {}: expected 0 to {}",
                path.display(),
                world.places() - 1
            ))),
            (GivenPlace::Point(point), Some(level)) => Ok(Position::at_point(level, point)),
            (place, Some(_)) => Err(Failure::usage(format!(
                "{place}: expected X,Y,Z or the number of a cell, since {} is of a solid level",
                path.display()
            ))),
            (place, None) => Err(Failure::usage(format!(
                "{place}: expected the number of a cell, since {} is of a level of cells",
                path.display()
            ))),
        }
    }

    fn on_terrain(
        &self,
        path: &Path,
        terrain: &TerrainBundle<'_>,
        place: GivenPlace,
    ) -> Result<Position, Failure> {
        let parameters = terrain.parameters();
        let side = f64::from(1_u32 << parameters.finest());
        let option = match self {
            Self { at: true, .. } => "--at",
            Self { xy: true, .. } => "--xy",
            _ => return check_inside(path, terrain, place),
        };
        let [x, y] = match place {
            GivenPlace::Sample(sample) => [sample.column, sample.row].map(f64::from),
            GivenPlace::Numbers(numbers) => numbers,
            GivenPlace::Cell(_) | GivenPlace::Point(_) => {
                return Err(Failure::usage(format!(
                    "{option}: expected two numbers with a comma between them, found {place}"
                )));
            }
        };
        if self.at {
            let [dx, dy] = parameters.cell_spacing;
            let point = [x / dx * side + 0.5, y / dy * side + 0.5];
            let cell = terrain.locate(x, y);
            let position = cell.map(|cell| Position::within(parameters, cell, point));
            return position.ok_or_else(|| {
                let grid = terrain.grid();
                let ends = reaches_in_metres([dx, dy], [grid.width(), grid.height()]);
                outside(path, place, &ends)
            });
        }
        let Some(transform) = parameters.transform else {
            return Err(Failure::usage(format!(
                "{option}: {} has no geographic position; give places by COL,ROW, or by metres \
                 with --at",
                path.display()
            )));
        };
        let [x0, xc, xr, y0, yc, yr] = transform;
        let (x1, y1, scale) = (x - x0, y - y0, side / (xc * yr - xr * yc));
        let point = [(x1 * yr - y1 * xr) * scale, (y1 * xc - x1 * yc) * scale];
        let cell = terrain.locate_georeferenced(x, y);
        let position = cell.map(|cell| Position::within(parameters, cell, point));
        position.ok_or_else(|| {
            let grid = terrain.grid();
            let ends = reaches(transform, [grid.width(), grid.height()]).join(" and ");
            outside(path, place, &ends)
        })
    }
}

/// Whether a coordinate reference system is of longitude and latitude, by its name: `EPSG:` and a
/// number (those of degrees have 4000 and some), or well-known text.
pub fn in_degrees(crs: &str) -> bool {
    let code = crs.strip_prefix("EPSG:").map(str::parse::<u32>);
    match code {
        Some(code) => code.is_ok_and(|code| (4001..5000).contains(&code)),
        None => [
            "GEOGCS",
            "GEOGCRS",
            "GEODCRS",
            "GEODETICCRS",
            "GEOGRAPHICCRS",
        ]
        .iter()
        .any(|word| crs.trim_start().starts_with(word)),
    }
}

/// Fails if a place is outside the grid.
fn check_inside(
    path: &Path,
    terrain: &TerrainBundle,
    place: GivenPlace,
) -> Result<Position, Failure> {
    let parameters = terrain.parameters();
    let position = match place {
        GivenPlace::Sample(sample) => Position::at_sample(parameters, sample),
        GivenPlace::Numbers(_) => None,
        place @ (GivenPlace::Cell(_) | GivenPlace::Point(_)) => {
            return Err(Failure::usage(format!(
                "{place}: expected COL,ROW, since {} is of a terrain",
                path.display()
            )));
        }
    };
    position.ok_or_else(|| {
        let [columns, rows] = parameters.heightmap();
        let ends = format!(
            "columns 0 to {} and rows 0 to {}, as whole numbers (metres with --at, the map's \
             coordinates with --xy)",
            columns - 1,
            rows - 1
        );
        outside(path, place, &ends)
    })
}

/// The failure of a place that is not in a bundle, where `expected` is.
fn outside(path: &Path, place: GivenPlace, expected: &str) -> Failure {
    Failure::usage(format!(
        "{place} is outside {}: expected {expected}",
        path.display()
    ))
}

impl Opened {
    /// The place of a position. Fails for one in no view cell.
    pub fn there(&self, position: &Position) -> Result<Place, Failure> {
        position.place.ok_or_else(|| {
            Failure::usage(format!(
                "{position} is in no view cell of {}: a player there may see all",
                self.path().display()
            ))
        })
    }

    /// The cell of a level that a position is in. Fails where there is none.
    pub fn cell(&self, position: &Position) -> Result<u32, Failure> {
        let number = self.world().number(self.there(position)?);
        let cell = number.map(u32::try_from).and_then(Result::ok);
        Ok(cell.unwrap_or(u32::MAX))
    }

    /// The sample of [`World::sights`] that a position is in, on a terrain and in a solid level.
    pub fn sample(&self, position: &Position) -> Result<Sample, Failure> {
        let sample = self.world().sample(self.there(position)?);
        self.of_kind(WorldKind::Terrain, sample.as_ref())
    }

    /// On a terrain: the sample of the heightmap that a position is at, and what answers for it.
    pub fn samples(&self, position: &Position) -> Result<[Sample; 2], Failure> {
        let samples = match (position.at, position.place) {
            (At::Sample(sample), Some(Place::Sample(cell))) => Some([sample, cell]),
            _ => None,
        };
        self.of_kind(WorldKind::Terrain, samples.as_ref())
    }

    /// All that may be seen from a place, or on a terrain from the quad of a level of its heightmap around it. Fails where
    /// there is no such level, and where the PVS is damaged.
    pub fn pvs(&self, position: &Position, level: u32) -> Result<Seen<'_>, Failure> {
        let level = check_level(self, level)?;
        self.seen(self.there(position)?, level.grid)
    }

    /// The same from a place, or the quad of a level of the bundle's grid around it, which are there.
    pub fn seen(&self, place: Place, level: u32) -> Result<Seen<'_>, Failure> {
        self.world().pvs(place, level).ok_or_else(|| {
            Failure::bad_input(format!(
                "{}: the PVS of this place is damaged; see what viewcell verify says, and bake again",
                self.path().display()
            ))
        })
    }

    /// The same on a terrain.
    pub fn terrain_pvs(&self, position: &Position, level: u32) -> Result<Pvs<'_>, Failure> {
        self.of_kind(WorldKind::Terrain, self.pvs(position, level)?.terrain())
    }
}

/// The quad of the bundle for the quad of a level of the heightmap over a sample.
fn quad_at(terrain: &TerrainBundle, sample: Sample, level: u32) -> Quad {
    let finest = terrain.parameters().finest();
    let level = level.max(finest);
    Quad::new(level - finest, sample.column >> level, sample.row >> level)
}

/// A level of quads. One of the heightmap that is finer than the bundle is answered for by the cells around.
#[derive(Clone, Copy)]
pub struct QuadLevel {
    /// Of the bundle's grid.
    pub grid: u32,
    /// Of the heightmap.
    pub heightmap: u32,
}

/// Fails if a bundle has no quads of a level of its heightmap.
pub fn check_level(opened: &Opened, level: u32) -> Result<QuadLevel, Failure> {
    let world = opened.world();
    let finest = world.terrain().map_or(0, |of| of.parameters().finest());
    let highest = world.levels() - 1 + finest;
    if level <= highest {
        return Ok(QuadLevel {
            grid: level.saturating_sub(finest),
            heightmap: level.max(finest),
        });
    }
    Err(Failure::usage(format!(
        "--quad {level}: expected a level from 0 (a sample) to {highest} (all of {})",
        opened.path().display()
    )))
}

/// Whether somebody can be at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Somebody can.
    Walkable,
    /// There is ground, on which nobody can be.
    NotWalkable,
    /// There is no ground.
    Void,
}

impl Standing {
    /// Anywhere in a quad of the bundle's grid.
    fn within(terrain: &TerrainBundle, quad: Quad) -> Self {
        if terrain.valid().has_quad(quad) {
            return Self::Walkable;
        }
        let Sample { column, row } = quad.origin();
        let side = 1_u32 << quad.level;
        let grid = terrain.grid();
        let rows = row..grid.height().min(row + side);
        let columns = column..grid.width().min(column + side);
        let mut samples = rows.flat_map(|r| columns.clone().map(move |c| Sample::new(c, r)));
        if samples.any(|sample| terrain.height(sample).is_some()) {
            Self::NotWalkable
        } else {
            Self::Void
        }
    }
}
