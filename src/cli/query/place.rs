//! Places on the command line.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use viewcell::runtime::{MappedBundle, Sample, TerrainBundle};
use viewcell::world::Short;

use super::open::cannot_open;
use crate::cli::exit::Failure;

/// A place on the command line: COL,ROW of a terrain, or the number of a cell; or as [`By`] says.
#[derive(Clone, Copy)]
pub enum Place {
    Sample(Sample),
    Cell(u32),
    /// Two numbers that are no column and row.
    Numbers([f64; 2]),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(cell) = text.trim().parse() {
            return Ok(Self::Cell(cell));
        }
        // A place may begin with a minus, and so the parser takes options for places that it does
        // not know.
        let is_option = |text: &str| text.starts_with('-') && text.contains(char::is_alphabetic);
        if is_option(text) {
            return Err(format!("there is no option {text} here; see --help"));
        }
        if let Some([column, row]) = two(text) {
            return Ok(Self::Sample(Sample::new(column, row)));
        }
        let numbers = two(text).filter(|numbers: &[f64; 2]| numbers.iter().all(|n| n.is_finite()));
        numbers.map(Self::Numbers).ok_or_else(|| {
            "expected COL,ROW: column counted from 0 in the west, row from 0 in the north, with a \
             comma and no blank between them; or the number of a cell"
                .to_owned()
        })
    }
}

fn two<T: FromStr>(text: &str) -> Option<[T; 2]> {
    let (first, second) = text.split_once(',')?;
    Some([first.trim().parse().ok()?, second.trim().parse().ok()?])
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(sample) => write!(f, "{},{}", sample.column, sample.row),
            Self::Cell(cell) => write!(f, "{cell}"),
            Self::Numbers([x, y]) => write!(f, "{},{}", Short(*x), Short(*y)),
        }
    }
}

/// How places of a terrain are given: by column and row, unless one of these is there.
#[derive(clap::Args)]
#[group(multiple = false)]
pub struct By {
    /// Places are EAST,SOUTH: metres east and south of the north-western sample
    #[arg(long, help_heading = "Places of a terrain")]
    at: bool,
    /// Places are LON,LAT: degrees of longitude and latitude, of a bundle whose coordinate
    /// reference system is in degrees
    #[arg(long, help_heading = "Places of a terrain")]
    lonlat: bool,
    /// Places are X,Y in the bundle's coordinate reference system, whatever its unit
    #[arg(long, help_heading = "Places of a terrain")]
    xy: bool,
}

impl By {
    /// Whether places are by column and row.
    pub fn is_grid(&self) -> bool {
        !(self.at || self.lonlat || self.xy)
    }

    /// The sample that a place is in. Fails where there is none.
    pub fn sample(
        &self,
        path: &Path,
        map: &MappedBundle,
        terrain: &TerrainBundle<'_>,
        place: Place,
    ) -> Result<Sample, Failure> {
        let option = match self {
            Self { at: true, .. } => "--at",
            Self { lonlat: true, .. } => "--lonlat",
            Self { xy: true, .. } => "--xy",
            _ => return check_inside(path, terrain, place),
        };
        let [x, y] = match place {
            Place::Sample(sample) => [sample.column, sample.row].map(f64::from),
            Place::Numbers(numbers) => numbers,
            Place::Cell(_) => {
                return Err(Failure::usage(format!(
                    "{option}: expected two numbers with a comma between them, found {place}"
                )));
            }
        };
        if self.at {
            return terrain.locate(x, y).ok_or_else(|| {
                let [dx, dy] = terrain.parameters().spacing;
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
        let bundle = map.bundle().map_err(|error| cannot_open(path, error))?;
        let crs = bundle.crs().filter(|crs| !crs.is_empty());
        let transform = terrain.parameters().transform;
        let (Some(transform), true) = (transform, crs.is_some() || self.xy) else {
            return Err(Failure::usage(format!(
                "{option}: {} does not say where on earth it lies; give places by COL,ROW, or by \
                 metres with --at",
                path.display()
            )));
        };
        if self.lonlat && !crs.is_some_and(in_degrees) {
            return Err(Failure::usage(format!(
                "--lonlat: expected a bundle whose coordinate reference system is in degrees, found \
                 {} in {}; give X,Y in it with --xy, or metres with --at",
                crs.unwrap_or("none"),
                path.display()
            )));
        }
        terrain.locate_georeferenced(x, y).ok_or_else(|| {
            let [x0, xc, xr, y0, yc, yr] = transform;
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
fn check_inside(path: &Path, terrain: &TerrainBundle, place: Place) -> Result<Sample, Failure> {
    let parameters = terrain.parameters();
    let sample = match place {
        Place::Sample(Sample { column, row }) => parameters.place(column, row),
        Place::Numbers(_) => None,
        Place::Cell(cell) => {
            return Err(Failure::usage(format!(
                "{cell}: expected COL,ROW, since {} is of a terrain",
                path.display()
            )));
        }
    };
    sample.ok_or_else(|| {
        let [columns, rows] = parameters.heightmap();
        let ends = format!(
            "columns 0 to {} and rows 0 to {}, as whole numbers (metres with --at, degrees with \
             --lonlat)",
            columns - 1,
            rows - 1
        );
        outside(path, place, &ends)
    })
}

/// The failure of a place that is not in a bundle, where `expected` is.
fn outside(path: &Path, place: Place, expected: &str) -> Failure {
    Failure::usage(format!(
        "{place} is outside {}: expected {expected}",
        path.display()
    ))
}
