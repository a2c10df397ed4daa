//! Places on the command line.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::Failure;
use crate::moved;
use crate::values;
use viewcell::format::TerrainParameters;
use viewcell::query::{CellBundle, Quad, Sample, TerrainBundle};
use viewcell_ingest::world::Short;

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
        // A place may begin with a minus, and so the parser takes options for places that it does
        // not know.
        let is_option = |text: &str| text.starts_with('-') && text.contains(char::is_alphabetic);
        if is_option(text) {
            let moved = moved::option(text.trim_start_matches('-'));
            let unknown = || format!("there is no option {text} here; see --help");
            return Err(moved.unwrap_or_else(unknown));
        }
        if let Some(point) = values::point(text) {
            return Ok(Self::Point(point));
        }
        if let Some(&[column, row]) = values::list(text, ',').as_deref() {
            return Ok(Self::Sample(Sample::new(column, row)));
        }
        let numbers = values::numbers(text).and_then(|numbers| numbers.try_into().ok());
        numbers.map(Self::Numbers).ok_or_else(|| {
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

/// A place of a terrain.
#[derive(Clone, Copy)]
pub struct Position {
    /// The sample of the heightmap.
    pub sample: Sample,
    /// What answers for it: the sample itself, or with `--finest` the view cell that holds it.
    pub cell: Sample,
}

impl Position {
    /// At a sample of the heightmap; `None` outside of it.
    pub fn new(parameters: &TerrainParameters, sample: Sample) -> Option<Self> {
        let cell = parameters.place(sample.column, sample.row)?;
        Some(Self { sample, cell })
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
        let sample = Sample::new(column, row);
        Self { sample, cell }
    }

    /// Column and row of the sample.
    pub fn numbers(&self) -> [u32; 2] {
        [self.sample.column, self.sample.row]
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
#[derive(clap::Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Places of a terrain")]
pub struct By {
    /// Places are EAST,SOUTH: metres east and south of the north-western sample
    #[arg(long)]
    at: bool,
    /// Places are X,Y in the bundle's coordinate reference system, whatever its unit: LON,LAT where that is degrees
    #[arg(long)]
    xy: bool,
}

impl By {
    /// Whether places are by column and row.
    pub fn is_grid(&self) -> bool {
        !(self.at || self.xy)
    }

    /// Where a place is. Fails where there is none.
    pub fn position(
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
                outside(
                    path,
                    place,
                    &format!(
                        "{} to {} m east and {} to {} m south",
                        Short(-dx / 2.0),
                        Short((f64::from(grid.width()) - 0.5) * dx),
                        Short(-dy / 2.0),
                        Short((f64::from(grid.height()) - 0.5) * dy)
                    ),
                )
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
            let [w, h] = [grid.width(), grid.height()].map(f64::from);
            let range = |from: f64, c: f64, r: f64| {
                let ends = [0.0, c * w, r * h, c * w + r * h].map(|more: f64| from + more);
                let least = ends.into_iter().fold(f64::INFINITY, f64::min);
                let most = ends.into_iter().fold(f64::NEG_INFINITY, f64::max);
                format!("{} to {}", Short(least), Short(most))
            };
            let ends = format!("{} and {}", range(x0, xc, xr), range(y0, yc, yr));
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
        GivenPlace::Sample(sample) => Position::new(parameters, sample),
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

/// The quad of a level over a place. Fails if the place is outside the grid, or there is no such
/// level.
pub fn quad_over(
    path: &Path,
    terrain: &TerrainBundle,
    Position { sample, .. }: Position,
    level: u32,
) -> Result<Quad, Failure> {
    check_level(path, terrain, level)?;
    // A quad of the heightmap that is finer than the bundle is answered for by the cell around it.
    Ok(quad_at(terrain, sample, level))
}

/// The quad of the bundle for the quad of a level of the heightmap over a sample.
pub fn quad_at(terrain: &TerrainBundle, sample: Sample, level: u32) -> Quad {
    let finest = terrain.parameters().finest();
    let level = level.max(finest);
    Quad::new(level - finest, sample.column >> level, sample.row >> level)
}

/// Fails if a terrain has no quads of a level of its heightmap.
pub fn check_level(path: &Path, terrain: &TerrainBundle, level: u32) -> Result<(), Failure> {
    let highest = terrain.grid().root_level() + terrain.parameters().finest();
    if level <= highest {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--quad {level}: expected a level from 0 (a sample) to {highest} (all of {})",
        path.display()
    )))
}

/// Fails if places of a level of cells are given as those of a terrain.
pub fn check_by_number(path: &Path, by: &By) -> Result<(), Failure> {
    if by.is_grid() {
        Ok(())
    } else {
        Err(Failure::usage(format!(
            "--at, --xy: expected a terrain, found a level in {}; viewcell query locate \
             finds the cell that contains a point",
            path.display()
        )))
    }
}

/// Fails if a place is no cell of the level.
pub fn check_cell(path: &Path, level: &CellBundle, place: GivenPlace) -> Result<u32, Failure> {
    match place {
        GivenPlace::Cell(cell) if cell < level.cells() => Ok(cell),
        GivenPlace::Cell(cell) => Err(Failure::usage(format!(
            "cell {cell} is not in {}: expected 0 to {}",
            path.display(),
            level.cells() - 1
        ))),
        GivenPlace::Sample(_) | GivenPlace::Numbers(_) | GivenPlace::Point(_) => {
            Err(Failure::usage(format!(
                "{place}: expected the number of a cell, since {} is of a level of cells",
                path.display()
            )))
        }
    }
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
    pub fn within(terrain: &TerrainBundle, quad: Quad) -> Self {
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
