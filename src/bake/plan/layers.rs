//! Where players can be on a terrain, and on what ground: a ground below the surface, buildings that stand on it, a mask, and
//! what is too steep or under water.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::error::PlanError;
use super::told::{set, short, told_of_mesh};
use crate::bundle::InputFile;
use crate::job::Source;
use viewcell_ingest::solid::{SolidOptions, read_solid};
use viewcell_ingest::world::solid::{Heightmap, PatchCount, Placement, SolidLevel, rasterize};
use viewcell_ingest::world::{Georeference, Short, Terrain};
use viewcell_ingest::{IngestOptions, Ingested, read_terrain};

/// A raster of the samples of a terrain.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// A file of any format of heightmaps.
    File(PathBuf),
    /// One number a sample, row by row; NaN for none.
    Samples(Vec<f64>),
}

/// Where players can be on a terrain, and on what ground. By default everywhere, on its surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// Heights of the ground that players stand on, below the surface that hides.
    pub ground: Option<Layer>,
    /// By how many metres the ground may be above the surface, with `ground`.
    pub ground_tolerance: Option<f64>,
    /// Whether places that the surface covers are kept, with `ground`: [`inside`](crate::BakeOptions::inside) of the bake.
    pub inside: bool,
    /// A level of solids that stands on the terrain.
    pub solids: Option<PathBuf>,
    /// How that is read.
    pub mesh: SolidOptions,
    /// Where it lies; by the coordinate reference system of both if not given.
    pub placement: Option<Placement>,
    /// 0 or NaN where nobody can be.
    pub walkable: Option<Layer>,
    /// Nobody can be where the ground is steeper. [Unit: degrees]
    pub max_slope: Option<f64>,
    /// Nobody can be where the ground is at this height or below. [Unit: m]
    pub water_level: Option<f64>,
}

impl Layers {
    /// Puts a terrain, which was read from `input` with `reading`, on its ground, and takes away where nobody can be. What
    /// a person should know of it goes to the notes.
    ///
    /// # Errors
    ///
    /// [`PlanError`].
    pub fn apply(
        &self,
        ingested: &mut Ingested,
        input: &Path,
        reading: &IngestOptions,
    ) -> Result<(), PlanError> {
        // To count places of millions of samples takes longer than to look from one.
        if *self == Self::default() {
            return Ok(());
        }
        self.check()?;
        if let Some(ground) = &self.ground {
            self.put_on_ground(ground, ingested, input, reading)?;
        }
        if let Some(file) = &self.solids {
            lay(ingested, input, (file, &self.mesh), self.placement)?;
        }
        let before = ingested.terrain.places().filter(|&place| place).count();
        if let Some(mask) = &self.walkable {
            let (name, values) = match mask {
                Layer::Samples(values) => ("`walkable`".to_owned(), values.clone()),
                Layer::File(path) => {
                    let mask = read_terrain(path, &as_mask(path, reading))?;
                    same_samples((path, &mask), (input, ingested), reading)?;
                    (path.display().to_string(), mask.terrain.heights().to_vec())
                }
            };
            let walkable = values.iter().map(|&v| !(v.is_nan() || v == 0.0));
            leave(&mut ingested.terrain, &walkable.collect::<Vec<_>>(), &name)?;
        }
        let terrain = &mut ingested.terrain;
        if let Some(degrees) = self.max_slope {
            let gentle = terrain.gentle(degrees);
            leave(terrain, &gentle, &format!("`max_slope` {degrees}"))?;
        }
        if let Some(metres) = self.water_level {
            let dry = terrain.above_water(metres);
            leave(terrain, &dry, &format!("`water_level` {metres}"))?;
        }
        let after = terrain.places().filter(|&place| place).count();
        if terrain.walkable().is_some() {
            let note = format!("players can be at {after} of {before} samples");
            ingested.notes.push(note);
        }
        Ok(())
    }

    fn put_on_ground(
        &self,
        ground: &Layer,
        ingested: &mut Ingested,
        input: &Path,
        reading: &IngestOptions,
    ) -> Result<(), PlanError> {
        let (name, heights) = match ground {
            Layer::Samples(heights) => ("`ground`".to_owned(), heights.clone()),
            Layer::File(path) => {
                let ground = read_terrain(path, reading)?;
                same_samples((path, &ground), (input, ingested), reading)?;
                let name = path.display().to_string();
                let notes = ground.notes.iter();
                let notes = notes.map(|note| format!("{name}: {note}"));
                ingested.notes.extend(notes);
                (name, ground.terrain.heights().to_vec())
            }
        };
        let tolerance = self.ground_tolerance.unwrap_or(0.0);
        let terrain = ingested.terrain.clone();
        let terrain = terrain.with_ground_within(heights, tolerance);
        ingested.terrain = terrain.map_err(|error| PlanError::Bad(format!("{name}: {error}")))?;
        if let Some(above) = ingested.terrain.ground_above() {
            let note = format!("{name}: {above}; taken as it is");
            ingested.notes.push(note);
        }
        Ok(())
    }

    /// Errors for options that need others, and numbers that say nothing.
    fn check(&self) -> Result<(), PlanError> {
        let usage = |words: String| Err(PlanError::Usage(words));
        let (ground, solids) = (self.ground.is_some(), self.solids.is_some());
        for (option, is_given, other, has_other) in [
            ("inside", self.inside, "ground", ground),
            (
                "ground_tolerance",
                self.ground_tolerance.is_some(),
                "ground",
                ground,
            ),
            ("placement", self.placement.is_some(), "solids", solids),
        ] {
            if is_given && !has_other {
                return usage(format!(
                    "`{option}`: expected only with `{other}`; add it, or leave out `{option}`"
                ));
            }
        }
        if !solids && self.mesh != SolidOptions::default() {
            return usage(
                "`up`, `from`, `opaque_without_material`, `keep`, `drop`: expected only with `solids`; add it, or leave them out"
                    .to_owned(),
            );
        }
        if let Some(Placement { origin, scale }) = self.placement
            && !(origin.iter().all(|x| x.is_finite()) && scale.is_finite() && scale > 0.0)
        {
            return usage(format!(
                "`placement` {origin:?}, {scale}: expected metres, and metres a unit, more than 0"
            ));
        }
        for (option, number, least, most, expected) in [
            (
                "ground_tolerance",
                self.ground_tolerance,
                0.0,
                f64::MAX,
                "0 metres or more",
            ),
            ("max_slope", self.max_slope, 0.0, 90.0, "0 to 90 degrees"),
            (
                "water_level",
                self.water_level,
                f64::MIN,
                f64::MAX,
                "a number of metres",
            ),
        ] {
            if let Some(number) = number.filter(|number| !(least..=most).contains(number)) {
                return usage(format!("`{option}` {number}: expected {expected}"));
            }
        }
        Ok(())
    }

    /// What a bundle tells of them, by their names on the command line; of files, name and digest.
    ///
    /// # Errors
    ///
    /// Where a file cannot be read.
    pub fn told(&self) -> Result<Map<String, Value>, PlanError> {
        let of_file = |path: &Path| {
            let file = Source::new(path, "", Map::new());
            Ok::<_, PlanError>(file.map_err(PlanError::io(path))?.input)
        };
        let words =
            |file: InputFile| format!("{} ({} bytes, {})", file.name, file.bytes, file.digest);
        let layer = |layer: &Option<Layer>| {
            let file = match layer {
                None => return Ok(None),
                Some(Layer::File(path)) => of_file(path)?,
                Some(Layer::Samples(samples)) => {
                    let bytes: Vec<u8> = samples.iter().flat_map(|x| x.to_le_bytes()).collect();
                    Source::of_file(Path::new("memory"), &bytes, "", Map::new()).input
                }
            };
            Ok::<_, PlanError>(Some(words(file)))
        };
        let solids = self.solids.as_deref().map(of_file).transpose()?;
        let placement = self.placement.map(|Placement { origin, scale }| {
            let scale = (scale != 1.0).then_some(scale);
            let words: Vec<String> = origin.into_iter().chain(scale).map(short).collect();
            words.join(",")
        });
        let mut told = set(json!({
            "ground": layer(&self.ground)?,
            "walkable": layer(&self.walkable)?,
            "solids": solids.map(words),
            "placement": placement,
            "inside": self.inside.then_some(true),
            "ground-tolerance": self.ground_tolerance,
            "max-slope": self.max_slope,
            "water-level": self.water_level,
        }));
        told.extend(told_of_mesh(&self.mesh));
        Ok(told)
    }
}

/// How a mask is read: of the options of reading, those on where its values lie are the terrain's.
fn as_mask(path: &Path, reading: &IngestOptions) -> IngestOptions {
    let end = path.extension().unwrap_or_default().to_ascii_lowercase();
    let is_raw = end == "raw" || end == "r16";
    IngestOptions {
        size: reading.size.filter(|_| is_raw),
        byte_order: reading.byte_order.filter(|_| is_raw),
        crop: reading.crop,
        max_samples: reading.max_samples,
        ..IngestOptions::default()
    }
}

/// Takes away what is not `walkable` by an option or file of this name.
fn leave(terrain: &mut Terrain, walkable: &[bool], name: &str) -> Result<(), PlanError> {
    let left = terrain.clone().with_walkable(walkable);
    *terrain = left.map_err(|error| PlanError::Bad(format!("{name}: {error}")))?;
    Ok(())
}

/// Errors unless the samples of a raster are those of the terrain, as far as the files say.
fn same_samples(
    (path, raster): (&Path, &Ingested),
    (input, terrain): (&Path, &Ingested),
    reading: &IngestOptions,
) -> Result<(), PlanError> {
    let differ = |what: &str, due: String, found: String, remedy: &str| {
        PlanError::bad(
            path,
            format!(
                "expected the {what} of {}, {due}, found {found}; {remedy}",
                input.display()
            ),
        )
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
///
/// # Errors
///
/// [`PlanError`].
pub fn lay(
    ingested: &mut Ingested,
    input: &Path,
    (file, mesh): (&Path, &SolidOptions),
    placement: Option<Placement>,
) -> Result<(), PlanError> {
    let read = read_solid(file, mesh)?;
    let terrain = &ingested.terrain;
    let placement = match placement {
        Some(placement) => placement,
        None => by_crs((file, &read.level), (input, terrain))?,
    };
    let size = [terrain.width() as usize, terrain.height() as usize];
    let heightmap = Heightmap {
        size,
        spacing: terrain.spacing(),
        heights: terrain.heights(),
    };
    let laid = rasterize(&read.level, &placement, &heightmap);
    if laid.over.iter().all(|top| top.is_nan()) {
        let found = extent(&read.level, &placement);
        let [east, south] = [0, 1].map(|k| (size[k] - 1) as f64 * terrain.spacing()[k]);
        return Err(PlanError::Bad(format!(
            "{}: expected solids on {}, which is {east} m from west to east and {south} m from north to south; found {found}; give `placement` EAST,SOUTH,UP: where the origin of the solids is, in metres from the first sample",
            file.display(),
            input.display(),
        )));
    }
    let above = laid.over.iter().zip(terrain.ground());
    let stood_on =
        above.filter(|(top, ground)| **top > **ground || ground.is_nan() && !top.is_nan());
    let stood_on = stood_on.count();
    let (width, height) = (terrain.width(), terrain.height());
    let mut raised = Terrain::new(width, height, laid.surface, terrain.spacing());
    if terrain.has_ground() {
        let ground = terrain.ground().to_vec();
        raised = raised.and_then(|raised| raised.with_ground_within(ground, f64::INFINITY));
    }
    let raised = raised.and_then(|raised| raised.with_roofs(&laid.top, laid.over));
    let raised = raised.map_err(|error| PlanError::bad(file, error))?;
    ingested.terrain = raised.with_georeference(terrain.georeference().cloned());
    let notes = read
        .notes
        .iter()
        .map(|note| format!("{}: {note}", file.display()));
    ingested.notes.extend(notes);
    ingested.notes.push(format!(
        "{}: hides more than the terrain at {} samples; players stand on it at {stood_on}",
        file.display(),
        laid.raised,
    ));
    let little = hides_little(laid.raised, &laid.patches, ingested.terrain.spacing());
    ingested
        .notes
        .extend(little.map(|words| format!("warning: {}: {words}", file.display())));
    Ok(())
}

/// What a person should know of solids that hide at fewer than a tenth of so many samples as they could: why, and what to do.
fn hides_little(raised: usize, patches: &PatchCount, [dx, dy]: [f64; 2]) -> Option<String> {
    let PatchCount {
        all,
        solid,
        void,
        open,
    } = *patches;
    if all == 0 {
        return Some(
            "hides nothing: no closed body of it rises above the terrain, and faces of open meshes hide nothing there; \
             close them, or look whether `placement` has it too low"
                .to_owned(),
        );
    }
    if 10 * raised >= all {
        return None;
    }
    let part = all - solid - void - open;
    let width = Short(3.0 * dx.max(dy));
    let remedy = if void >= part.max(open) {
        "fill the voids below it (`gdal_fillnodata.py`)".to_owned()
    } else if open > part {
        "what is open below (eaves, stilts, what floats) hides nothing on a heightmap: look whether `placement` has it too \
         high"
            .to_owned()
    } else {
        format!(
            "what is less than {width} m wide hides at few samples or none: give terrain of a finer spacing, such as \
             `gdal_translate -r bilinear -outsize 400% 400% TERRAIN FINER.tif` makes (with `spacing`, a quarter of it)"
        )
    };
    Some(format!(
        "hides at {raised} samples only, since a sample hides where all four squares between it and its neighbours are solid \
         from the ground up: of {all} squares that it rises above the ground in, {solid} are, {part} are not built over \
         whole, {open} are open below and {void} have a void; {remedy}"
    ))
}

/// Where solids of the terrain's own CRS lie.
fn by_crs(
    (file, level): (&Path, &SolidLevel),
    (input, terrain): (&Path, &Terrain),
) -> Result<Placement, PlanError> {
    let fails = |expected: String| {
        PlanError::Bad(format!(
            "{}: expected {expected}; give `placement` EAST,SOUTH,UP: where the origin of the solids is, in metres from the first sample of {}",
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
