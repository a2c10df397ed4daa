//! Where players can be, and on what ground: `--ground`, `--walkable` and the like; and buildings on a terrain: `--solids`
//! and `--placement`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use viewcell_bake::ingest::solid::read_solid;
use viewcell_bake::ingest::{IngestOptions, Ingested};
use viewcell_bake::world::solid::{Heightmap, Placement, SolidLevel, rasterize};
use viewcell_bake::world::{Georeference, Terrain, TerrainError};

use super::exit::Failure;
use super::flags::with_flags;
use super::heightmap::Reading;
use super::input;
use super::level::MeshArgs;
use super::values;

/// Where players can be, and on what ground.
#[derive(Clone, Default, clap::Args, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Places")]
pub struct PlaceArgs {
    /// Heightmap of the ground that players stand on, with the same samples and reading options as INPUT. INPUT,
    /// the surface with houses and trees, hides
    ///
    /// Places where INPUT covers a player's eye and head, as in a house, are left out: see --inside. Nobody can
    /// stand where GROUND is void, and nothing hides where INPUT is void.
    #[arg(long, value_name = "GROUND")]
    pub ground: Option<PathBuf>,

    /// With --ground: accept ground that is above INPUT by up to this many metres. Feet are on GROUND, and INPUT
    /// hides as it is
    #[arg(
        long,
        value_name = "METRES",
        requires = "ground",
        allow_negative_numbers = true
    )]
    pub ground_tolerance: Option<f64>,

    /// With --ground: include places in houses and trees. Players there are hidden from all others
    #[arg(long, requires = "ground")]
    #[serde(default)]
    pub inside: bool,

    /// Level of solids, such as a town in CityJSON, that stands on the terrain. Closed bodies hide where they are
    /// solid from the ground up, and players stand on top. Positioned by its coordinate reference system, or by
    /// --placement
    #[arg(long, value_name = "FILE")]
    pub solids: Option<PathBuf>,

    /// With --solids: position of their origin, in metres east and south of the first sample and up, and
    /// optionally metres per unit
    #[arg(
        long,
        value_name = "EAST,SOUTH,UP[,SCALE]",
        requires = "solids",
        allow_hyphen_values = true
    )]
    pub placement: Option<String>,

    #[command(flatten)]
    #[serde(flatten)]
    pub mesh: MeshArgs,

    /// Raster with the same samples, 0 or nodata where nobody can be. Such places still hide what is behind them,
    /// but cannot be queried: the bake is faster, and the bundle smaller
    #[arg(long, value_name = "MASK")]
    pub walkable: Option<PathBuf>,

    /// Nobody can be where the ground is steeper than this, 0 to 90
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    pub max_slope: Option<f64>,

    /// Nobody can be where the ground is at this height or below
    #[arg(long, value_name = "METRES", allow_negative_numbers = true, value_parser = values::finite)]
    pub water_level: Option<f64>,
}

impl PlaceArgs {
    /// Puts the terrain, which was read from `input`, on its ground, and takes away where nobody can
    /// be. What a person should know of it goes to the notes.
    pub fn apply(
        &self,
        ingested: &mut Ingested,
        input: &Path,
        reading: &Reading,
    ) -> Result<(), Failure> {
        self.check()?;
        if let Some(path) = &self.ground {
            let ground = reading.read(path)?;
            same_samples((path, &ground), (input, ingested), reading)?;
            let heights = ground.terrain.heights().to_vec();
            let tolerance = self.ground_tolerance.unwrap_or(0.0);
            let terrain = ingested.terrain.clone();
            let terrain = terrain.with_ground_within(heights, tolerance);
            ingested.terrain = terrain.map_err(|error| bad(path, &error))?;
            let notes = ground.notes.iter();
            let notes = notes.map(|note| format!("{}: {note}", path.display()));
            ingested.notes.extend(notes);
            if let Some(above) = ingested.terrain.ground_above() {
                let note = format!("{}: {above}; taken as it is", path.display());
                ingested.notes.push(note);
            }
        }
        if let Some(file) = &self.solids {
            let placement = self.placement.as_deref();
            lay(ingested, input, (file, &self.mesh), placement)?;
        }
        let before = ingested.terrain.places().filter(|&place| place).count();
        if let Some(path) = &self.walkable {
            let mask = Self::mask(path, reading)?;
            same_samples((path, &mask), (input, ingested), reading)?;
            let values = mask.terrain.heights().iter();
            let walkable: Vec<bool> = values.map(|&v| !(v.is_nan() || v == 0.0)).collect();
            let terrain = ingested.terrain.clone().with_walkable(&walkable);
            ingested.terrain = terrain.map_err(|error| bad(path, &error))?;
        }
        let terrain = &mut ingested.terrain;
        if let Some(degrees) = self.max_slope {
            let gentle = terrain.gentle(degrees);
            leave(terrain, &gentle, &format!("--max-slope {degrees}"))?;
        }
        if let Some(metres) = self.water_level {
            let dry = terrain.above_water(metres);
            leave(terrain, &dry, &format!("--water-level {metres}"))?;
        }
        let after = terrain.places().filter(|&place| place).count();
        if terrain.walkable().is_some() {
            let note = format!("players can be at {after} of {before} samples");
            ingested.notes.push(note);
        }
        Ok(())
    }

    /// Errors for numbers that say nothing. A job file knows of no options that need others.
    fn check(&self) -> Result<(), Failure> {
        if self.inside && self.ground.is_none() {
            return Err(Failure::usage(
                "--inside: expected only with --ground; add it, or leave out --inside",
            ));
        }
        if let Some(placement) = &self.placement {
            if self.solids.is_none() {
                return Err(Failure::usage(
                    "--placement: expected only with --solids; add it, or leave it out",
                ));
            }
            parse(placement)?;
        }
        if self.mesh != MeshArgs::default() && self.solids.is_none() {
            return Err(Failure::usage(
                "--up, --from, --opaque-without-material: expected only with --solids; add it, or leave them out",
            ));
        }
        if let Some(metres) = self.ground_tolerance {
            if self.ground.is_none() {
                return Err(Failure::usage(
                    "--ground-tolerance: expected only with --ground; add it, or leave it out",
                ));
            }
            if !(metres >= 0.0 && metres.is_finite()) {
                return Err(Failure::usage(format!(
                    "--ground-tolerance {metres}: expected 0 metres or more"
                )));
            }
        }
        if let Some(degrees) = self.max_slope
            && !(0.0..=90.0).contains(&degrees)
        {
            return Err(Failure::usage(format!(
                "--max-slope {degrees}: expected 0 to 90 degrees"
            )));
        }
        if let Some(metres) = self.water_level
            && !metres.is_finite()
        {
            return Err(Failure::usage(format!(
                "--water-level {metres}: expected a number of metres"
            )));
        }
        Ok(())
    }

    /// Reads a mask: of the options of reading, those on where its values lie are the terrain's.
    fn mask(path: &Path, reading: &Reading) -> Result<Ingested, Failure> {
        let options = reading.options();
        let end = path.extension().unwrap_or_default().to_ascii_lowercase();
        let is_raw = end == "raw" || end == "r16";
        Ok(viewcell_bake::ingest::read_terrain(
            path,
            &IngestOptions {
                size: options.size.filter(|_| is_raw),
                byte_order: options.byte_order.filter(|_| is_raw),
                crop: options.crop,
                max_samples: options.max_samples,
                ..IngestOptions::default()
            },
        )?)
    }

    /// The options that the bundle depends on, by their names on the command line; of files, name and
    /// digest.
    pub fn options(&self) -> Result<Map<String, Value>, Failure> {
        let mut options = Map::new();
        for (name, path) in [
            ("ground", &self.ground),
            ("solids", &self.solids),
            ("walkable", &self.walkable),
        ] {
            if let Some(path) = path {
                let file = input::source(path, "", Map::new())?.input;
                let value = format!("{} ({} bytes, {})", file.name, file.bytes, file.digest);
                options.insert(name.into(), value.into());
            }
        }
        if let Some(placement) = &self.placement {
            options.insert("placement".into(), placement.as_str().into());
        }
        self.mesh.tell(&mut options);
        if self.inside {
            options.insert("inside".into(), true.into());
        }
        for (name, value) in [
            ("ground-tolerance", self.ground_tolerance),
            ("max-slope", self.max_slope),
            ("water-level", self.water_level),
        ] {
            if let Some(value) = value {
                options.insert(name.into(), value.into());
            }
        }
        Ok(options)
    }

    /// Files that it names are taken from a folder.
    pub fn within(&mut self, folder: &Path) {
        let files = [&mut self.ground, &mut self.solids, &mut self.walkable];
        for path in files.into_iter().flatten() {
            *path = folder.join(&*path);
        }
    }
}

fn bad(path: &Path, error: &TerrainError) -> Failure {
    Failure::bad_input(format!(
        "{}: {}",
        path.display(),
        with_flags(&error.to_string())
    ))
}

/// Takes away what is not `walkable` by an option.
fn leave(terrain: &mut Terrain, walkable: &[bool], option: &str) -> Result<(), Failure> {
    let left = terrain.clone().with_walkable(walkable);
    *terrain = left.map_err(|error| Failure::bad_input(format!("{option}: {error}")))?;
    Ok(())
}

/// Errors unless the samples of a raster are those of the terrain, as far as the files say.
fn same_samples(
    (path, raster): (&Path, &Ingested),
    (input, terrain): (&Path, &Ingested),
    reading: &Reading,
) -> Result<(), Failure> {
    let differ = |what: &str, due: String, found: String, remedy: &str| {
        Failure::bad_input(format!(
            "{}: expected the {what} of {}, {due}, found {found}; {remedy}",
            path.display(),
            input.display()
        ))
    };
    let size = |[columns, rows]: [u32; 2]| format!("{columns} x {rows} samples");
    if raster.whole != terrain.whole {
        let (due, found) = (size(terrain.whole), size(raster.whole));
        return Err(differ("size", due, found, "resample it"));
    }
    let spacing = |[dx, dy]: [f64; 2]| format!("{dx} x {dy} m");
    let check_spacing = || {
        let [due, found] = [terrain, raster].map(|file| file.terrain.spacing());
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-3 * a;
        if close(due[0], found[0]) && close(due[1], found[1]) {
            return Ok(());
        }
        let (due, found) = (spacing(due), spacing(found));
        Err(differ("spacing", due, found, "resample it"))
    };
    match (
        terrain.terrain.georeference(),
        raster.terrain.georeference(),
    ) {
        (Some(due), Some(found)) => {
            if due.has_crs() && found.has_crs() && due.crs != found.crs {
                let words = (due.crs.clone(), found.crs.clone());
                return Err(differ("CRS", words.0, words.1, "reproject it"));
            }
            if reading.spacing.is_none() {
                check_spacing()?;
            }
            if !lie_alike(due, found, &terrain.terrain) {
                let words = |g: &Georeference| format!("{:?}", g.transform);
                let (due, found) = (words(due), words(found));
                return Err(differ(
                    "transform",
                    due,
                    found,
                    "resample it to the same samples",
                ));
            }
        }
        // Only the raster says how far its samples are apart.
        (None, Some(_)) if reading.spacing.is_some() => check_spacing()?,
        _ => {}
    }
    Ok(())
}

/// Whether the outer samples of two rasters lie within a hundredth of a sample of each other.
fn lie_alike(due: &Georeference, found: &Georeference, terrain: &Terrain) -> bool {
    let [_, t1, t2, _, t4, t5] = due.transform;
    let side = t1.hypot(t4).min(t2.hypot(t5));
    let at = |[t0, t1, t2, t3, t4, t5]: [f64; 6], c: f64, r: f64| {
        [t0 + c * t1 + r * t2, t3 + c * t4 + r * t5]
    };
    let (width, height) = (f64::from(terrain.width()), f64::from(terrain.height()));
    [(0.0, 0.0), (width, 0.0), (0.0, height)]
        .into_iter()
        .all(|(c, r)| {
            let [x, y] = at(due.transform, c, r);
            let [u, v] = at(found.transform, c, r);
            (x - u).hypot(y - v) <= 0.01 * side
        })
}

/// Lays the solids of a file on a terrain, which was read from `input`: what they hide, and that feet stand on them.
pub fn lay(
    ingested: &mut Ingested,
    input: &Path,
    (file, mesh): (&Path, &MeshArgs),
    placement: Option<&str>,
) -> Result<(), Failure> {
    let read = read_solid(file, &mesh.options())?;
    let terrain = &ingested.terrain;
    let placement = match placement {
        Some(text) => parse(text)?,
        None => by_crs((file, &read.level), (input, terrain))?,
    };
    let size = [terrain.width() as usize, terrain.height() as usize];
    let heightmap = Heightmap {
        size,
        spacing: terrain.spacing(),
        heights: terrain.heights(),
    };
    let laid = rasterize(&read.level, &placement, &heightmap);
    if laid.covered == 0 {
        let found = extent(&read.level, &placement);
        let [east, south] = [0, 1].map(|k| (size[k] - 1) as f64 * terrain.spacing()[k]);
        return Err(Failure::bad_input(format!(
            "{}: expected solids on {}, which is {east} m from west to east and {south} m from north to south; found {found}; give --placement EAST,SOUTH,UP: where the origin of the solids is, in metres from the first sample",
            file.display(),
            input.display(),
        )));
    }
    let tops = laid.top.iter().zip(terrain.ground());
    let feet = tops.map(|(top, ground)| {
        if ground.is_nan() {
            f64::NAN
        } else {
            ground.max(*top)
        }
    });
    let feet: Vec<f64> = feet.collect();
    let same = feet
        .iter()
        .zip(&laid.surface)
        .all(|(a, b)| a.to_bits() == b.to_bits());
    let (width, height) = (terrain.width(), terrain.height());
    let raised = Terrain::new(width, height, laid.surface, terrain.spacing()).and_then(|raised| {
        let raised = raised.with_georeference(terrain.georeference().cloned());
        if same {
            Ok(raised)
        } else {
            // Feet may be above what surely hides.
            raised.with_ground_within(feet, f64::INFINITY)
        }
    });
    ingested.terrain = raised.map_err(Failure::bad_file(file))?;
    let notes = read
        .notes
        .iter()
        .map(|note| format!("{}: {}", file.display(), with_flags(note)));
    ingested.notes.extend(notes);
    ingested.notes.push(format!(
        "{}: hides more than the terrain at {} samples; players stand on it at {}",
        file.display(),
        laid.raised,
        laid.covered
    ));
    Ok(())
}

/// Three or four numbers.
pub fn parse(text: &str) -> Result<Placement, Failure> {
    match values::numbers(text).as_deref() {
        Some(&[east, south, up]) => Ok((east, south, up, 1.0)),
        Some(&[east, south, up, scale]) if scale > 0.0 => Ok((east, south, up, scale)),
        _ => Err(Failure::usage(format!(
            "--placement {text}: expected EAST,SOUTH,UP or EAST,SOUTH,UP,SCALE: metres, and metres a unit, more than 0"
        ))),
    }
    .map(|(east, south, up, scale)| Placement {
        origin: [east, south, up],
        scale,
    })
}

/// Where solids of the terrain's own CRS lie.
fn by_crs(
    (file, level): (&Path, &SolidLevel),
    (input, terrain): (&Path, &Terrain),
) -> Result<Placement, Failure> {
    let fails = |expected: String| {
        Failure::bad_input(format!(
            "{}: expected {expected}; give --placement EAST,SOUTH,UP: where the origin of the solids is, in metres from the first sample of {}",
            file.display(),
            input.display(),
        ))
    };
    let name = |crs: Option<&str>| crs.unwrap_or("none").to_owned();
    let known = terrain.georeference().filter(|known| known.has_crs());
    let (Some(crs), Some(known)) = (&level.crs, known) else {
        let (of_solids, of_terrain) = (name(level.crs.as_deref()), name(known.map(|k| &*k.crs)));
        return Err(fails(format!(
            "a coordinate reference system of solids and of terrain, found {of_solids} and {of_terrain}"
        )));
    };
    if *crs != known.crs {
        return Err(fails(format!("solids in {}, found {crs}", known.crs)));
    }
    let [x, east, skew_x, y, skew_y, south] = known.transform;
    let [dx, dy] = terrain.spacing();
    let metric = (east - dx).abs() <= 1e-6 * dx && (south + dy).abs() <= 1e-6 * dy;
    if skew_x != 0.0 || skew_y != 0.0 || !metric {
        return Err(fails("rows from west to east in a system of metres".into()));
    }
    Ok(Placement {
        origin: [-(x + 0.5 * east), y + 0.5 * south, 0.0],
        scale: 1.0,
    })
}

/// Where solids lie, for people.
fn extent(level: &SolidLevel, placement: &Placement) -> String {
    let bounds = level.bounds();
    let middle = level.middle.map(|x| -x);
    let bounds = bounds.about(middle);
    let [east, south, up] = placement.origin;
    let at = |x: f64| placement.scale * x;
    format!(
        "them {:.1} to {:.1} m east, {:.1} to {:.1} m south and {:.1} to {:.1} m up",
        east + at(bounds.min[0]),
        east + at(bounds.max[0]),
        south - at(bounds.max[1]),
        south - at(bounds.min[1]),
        up + at(bounds.min[2]),
        up + at(bounds.max[2]),
    )
}
