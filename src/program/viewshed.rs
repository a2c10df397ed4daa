//! `viewcell viewshed`: what single observers see of a heightmap, without a bake.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use viewcell::query::Sample;
use viewcell_bake::survey::{Counts, Lookout, Observer, places, sample_at, total_viewshed};
use viewcell_bake::visibility::{Bodies, HeightField, Simd, Viewshed};
use viewcell_bake::{BakeOptions, VisibilityMode, check_height};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{ObserverRow, ObserverTable, PlaceUnit, read_observers};
use viewcell_view::picture::{
    self, Ground, MAX_BANDS, PackedBand, Pixel, RasterLayout, Viewpoint, write_map,
};

use super::exit::{Failure, Outcome};
use super::heightmap::{Heightmap, SightArgs, SightDocument};
use super::output::{check_not_input, of_ending};
use super::places::PlaceArgs;
use super::values;
use super::work::{Range, RasterDocument, Work, WorkOptions};

/// What single observers see of a heightmap, without a bake
///
/// Sight is exact, from sample to sample: the same as that of viewcell query pvs of a bundle with --visibility exact and
/// --quality samples. A place is COL,ROW, or with --xy X,Y.
///
/// With --kind all every place is an observer, and no other is named. Houses and trees hide as they do in a bake: --ground gives
/// what observers stand on below a surface, --solids buildings that stand on the terrain.
///
/// The file has a line, or a point, for each observer. Columns of positions are x and y (coordinates of the heightmap), lon
/// and lat, column and row, or east and south in metres. Others may be there: name; eye, player (heights in metres);
/// radius, min_radius (metres); azimuth_from, azimuth_to (degrees clockwise from north); tilt_from, tilt_to (degrees above
/// the horizontal). Names of ArcGIS, such as OFFSETA, and of the QGIS plugin Visibility Analysis, such as observ_hgt, are
/// read, too; a note names columns that are not. What a line does not say, options do.
///
/// Example: viewcell viewshed level.tif --at 10,20 -o seen.tif
#[derive(clap::Args)]
pub struct Args {
    /// Observers: a table in CSV, or points in GeoJSON
    #[arg(long, value_name = "FILE.csv|.geojson")]
    observers: Option<PathBuf>,
    /// Where observers are
    #[arg(
        long,
        value_name = "PLACE",
        num_args = 1..,
        conflicts_with = "observers",
        value_parser = place
    )]
    at: Vec<Coordinates>,
    /// Places are X,Y in the heightmap's coordinate reference system: LON,LAT where that is degrees
    #[arg(long)]
    xy: bool,
    /// What is written
    #[arg(long, value_enum, value_name = "KIND", default_value_t = OutputKind::Any)]
    kind: OutputKind,
    /// File to write: a GeoTIFF with overviews, in which 255 (of numbers 4294967295) is no data; or a picture
    #[arg(short, long, value_name = "OUT.tif|.png")]
    output: PathBuf,
    /// Height of the heads that are looked for, in metres above ground
    #[arg(long, value_name = "METRES", default_value_t = 1.8, value_parser = values::finite)]
    player_height: f64,
    /// Height of the eye in metres above ground; if not given, the player height
    #[arg(long, value_name = "METRES", value_parser = values::finite)]
    eye_height: Option<f64>,
    /// Look only between two azimuths: degrees clockwise from north, the top of the raster
    #[arg(long, value_name = "FROM,TO", value_parser = values::two)]
    azimuth: Option<[f64; 2]>,
    /// Look only between two angles to the top of a head: degrees above the horizontal
    #[arg(long, value_name = "FROM,TO", value_parser = values::two)]
    tilt: Option<[f64; 2]>,
    #[command(flatten)]
    work_options: WorkOptions,
    #[command(flatten)]
    sight: SightArgs,
    #[command(flatten)]
    places: PlaceArgs,
    #[command(flatten)]
    heightmap: Heightmap,
}

/// Two numbers of `--at`.
type Coordinates = [f64; 2];

fn place(text: &str) -> Result<Coordinates, String> {
    values::two(text).map_err(|_| {
        "expected two numbers with a comma and no blank between them: COL,ROW, or with --xy X,Y"
            .into()
    })
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum OutputKind {
    /// 1 where any observer sees a sample, 0 elsewhere
    Any,
    /// The number of observers that see a sample
    Count,
    /// A band for each observer, in the order of the file, with its name: 1 where it sees a sample, 0 elsewhere
    Each,
    /// The number of places that see a sample, the total viewshed of the terrain: every place is an observer
    All,
}

/// What an observer sees.
#[derive(Serialize, JsonSchema)]
struct Seen {
    /// Its name; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Column and row of the sample on which it stands.
    sample: [u32; 2],
    /// Number of samples that it sees, its own among them.
    visible: u64,
}

/// What `viewcell viewshed --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell viewshed")]
pub struct Document {
    #[serde(flatten)]
    written: RasterDocument,
    /// What is written of the observers together.
    kind: OutputKind,
    /// Number of samples that any observer sees.
    visible: u64,
    /// Number of samples that none sees, voids not counted.
    hidden: u64,
    /// By how many observers a place is seen.
    seen_by: Range,
    /// What each observer sees, in their order; none where every place is one.
    observers: Vec<Seen>,
    #[serde(flatten)]
    sight: SightDocument,
    /// Notes about the input.
    notes: Vec<String>,
}

pub fn run(args: &Args) -> Outcome {
    let input = &args.heightmap.input;
    let kind = args.kind;
    let is_map = is_map(&args.output)?;
    let is_named = args.observers.is_some() || !args.at.is_empty();
    let is_all = kind == OutputKind::All;
    if is_all == is_named || is_all && args.azimuth.or(args.tilt).is_some() {
        return Err(Failure::usage(
            "expected observers, by --at or --observers; or --kind all, in which every place is one and looks all around",
        ));
    }
    if kind == OutputKind::Each && !is_map {
        return Err(Failure::usage(format!(
            "--kind each: expected a name that ends in .tif, which has bands, found {}; give --kind count or any for a picture",
            args.output.display()
        )));
    }
    check_height("player_height", args.player_height)?;
    check_height("eye_height", args.eye_height.unwrap_or(args.player_height))?;
    let work = args.work_options.begin(input, &args.output)?;
    if let Some(file) = &args.observers {
        check_not_input(file, &args.output)?;
    }
    // A fault in a small file is told before a large one is read.
    let ObserverTable { rows, notes, crs } = args.rows()?;
    let mut ingested = args.heightmap.read()?;
    args.check_crs(&ingested.terrain, crs.as_deref())?;
    ingested.notes.extend(notes);
    let reading = &args.heightmap.reading;
    args.places.apply(&mut ingested, input, reading)?;
    // The places that a bake would ask for.
    let asked = BakeOptions {
        eye_height: args.eye_height.unwrap_or(args.player_height),
        player_height: args.player_height,
        mode: VisibilityMode::Exact,
        inside: args.places.inside,
        ..BakeOptions::default()
    };
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let terrain = &*asked.asked_for(&ingested.terrain, &name)?;
    let sight = args.sight.over(terrain, input, reading)?;
    let observers = args.place(&rows, terrain, &sight)?;
    if !is_map {
        let pixels = picture::check_pixels(terrain.width().into(), terrain.height().into());
        pixels.map_err(Failure::resource)?;
    }
    if kind == OutputKind::Each && observers.len() > MAX_BANDS as usize {
        return Err(Failure::usage(format!(
            "--kind each: expected at most {MAX_BANDS} observers, found {}; split the file, or give --kind count",
            observers.len()
        )));
    }
    work.tell(&ingested.notes);
    let lowered = sight.curvature.map(|earth| earth.lower(terrain));
    let lowered = lowered.transpose().map_err(Failure::bad_file(input))?;
    let seen = lowered.as_ref().unwrap_or(terrain);
    let places = places(terrain);
    let found = if is_all {
        args.look_from_all(&work, seen, &sight)?
    } else {
        let lookout = Lookout::new(terrain, seen, sight.curvature);
        look(&work, &lookout, &places, &observers, kind)?
    };

    let names: Vec<String> = rows.iter().map(|row| args.band(row)).collect();
    let count = observers.len();
    let description = match kind {
        OutputKind::Any => format!("seen by any of {count} observers: 1, not seen: 0"),
        OutputKind::Count => format!("by how many of {count} observers a sample is seen"),
        OutputKind::Each => format!("seen by each of {count} observers: 1, not seen: 0"),
        OutputKind::All => "by how many places a place is seen, itself included".into(),
    };
    let tally = found.counts.tally(&places);
    let seen = observers.iter().zip(&rows).zip(&found.visible);
    let seen = seen.map(|((observer, row), visible)| Seen {
        name: row.name.clone(),
        sample: [observer.sample.0, observer.sample.1],
        visible: *visible,
    });
    let seen: Vec<Seen> = seen.collect();
    if is_map {
        save_map(&work, terrain, kind, found, &places, &description, &names)?;
    } else {
        save_picture(&work, terrain, kind, &found.counts.numbers(), &observers)?;
    }

    let (visible, hidden) = (tally.visible, tally.places - tally.visible);
    let share = |count: u64| 100.0 * count as f64 / tally.places.max(1) as f64;
    let seen_by = Range::known(
        tally.least.into(),
        tally.greatest.into(),
        tally.sum as f64 / tally.places.max(1) as f64,
    );
    let text = if is_all {
        let (width, height) = (terrain.width(), terrain.height());
        format!(
            "{width} x {height} samples, each seen by {}",
            seen_by.words("", 0)
        )
    } else {
        format!(
            "observers {count:>11}\nvisible  {visible:>12}  {:5.1} %\nhidden   {hidden:>12}  {:5.1} %",
            share(visible),
            share(hidden)
        )
    };
    let (width, height) = (terrain.width(), terrain.height());
    let voids = terrain.samples() as u64 - tally.places;
    let document = Document {
        written: RasterDocument::new(&args.output, width, height, voids),
        kind,
        visible,
        hidden,
        seen_by,
        observers: seen,
        sight,
        notes: ingested.notes.clone(),
    };
    args.work_options.json.tell(|| document, text)
}

/// Whether a file is to be a map, by its name; else it is a picture.
fn is_map(path: &Path) -> Result<bool, Failure> {
    let endings = [("png", false), ("tif", true), ("tiff", true)];
    of_ending(path, &endings, ".tif or .png")
}

impl Args {
    /// The observers, as a file or the command line has them.
    fn rows(&self) -> Result<ObserverTable, Failure> {
        let unit = if self.xy {
            PlaceUnit::Map
        } else {
            PlaceUnit::Samples
        };
        let Some(file) = &self.observers else {
            let rows = self.at.iter().map(|at| ObserverRow {
                origin: format!("--at {},{}", at[0], at[1]),
                name: None,
                place: (*at, unit),
                eye: None,
                head: None,
                radius: [None; 2],
                azimuth: [None; 2],
                tilt: [None; 2],
            });
            return Ok(ObserverTable {
                rows: rows.collect(),
                ..ObserverTable::default()
            });
        };
        if unit != PlaceUnit::Samples {
            return Err(Failure::usage(
                "--xy: expected --at with them, found --observers; its columns say what positions are",
            ));
        }
        Ok(read_observers(file)?)
    }

    /// Positions are not transformed: fails where the file of observers names another coordinate reference system than
    /// the heightmap.
    fn check_crs(&self, terrain: &Terrain, crs: Option<&str>) -> Result<(), Failure> {
        let own = terrain.georeference().filter(|place| place.has_crs());
        let (Some(file), Some(found), Some(own)) = (&self.observers, crs, own) else {
            return Ok(());
        };
        let is_code = |crs: &str| crs.starts_with("EPSG:");
        if found == own.crs || !is_code(found) || !is_code(&own.crs) {
            return Ok(());
        }
        Err(Failure::bad_input(format!(
            "{}: crs: expected {}, as the heightmap has, found {found}; transform the points: ogr2ogr -t_srs {} OUT.geojson {}",
            file.display(),
            own.crs,
            own.crs,
            file.display()
        )))
    }

    /// The observers on the terrain.
    fn place(
        &self,
        rows: &[ObserverRow],
        terrain: &Terrain,
        sight: &SightDocument,
    ) -> Result<Vec<Observer>, Failure> {
        let fail = |row: &ObserverRow, words: String| match &self.observers {
            Some(file) => {
                Failure::bad_input(format!("{}: {}: {words}", file.display(), row.origin))
            }
            None => Failure::usage(format!("{}: {words}", row.origin)),
        };
        let place = |row: &ObserverRow| {
            let sample = sample_at(terrain, row.place).map_err(|words| fail(row, words))?;
            if !terrain.has_place(sample.0, sample.1) {
                let (column, line) = sample;
                let found = if terrain.ground_at(column, line).is_nan() {
                    "expected a place with ground, found a void"
                } else if self.places.ground.is_some() && !self.places.inside {
                    "expected a place where somebody can be, found one that is not walkable, or that the surface covers,"
                } else {
                    "expected a place where somebody can be, found one that is not walkable"
                };
                let words = format!(
                    "{found} at sample {column},{line}; move the observer, or leave it out"
                );
                return Err(fail(row, words));
            }
            let [from, to] = self.azimuth.unwrap_or([0.0, 360.0]);
            let [low, high] = self.tilt.unwrap_or([-90.0, 90.0]);
            let sector = [row.azimuth[0].unwrap_or(from), row.azimuth[1].unwrap_or(to)];
            let head = row.head.unwrap_or(self.player_height);
            let bodies = Bodies {
                eye: row.eye.or(self.eye_height).unwrap_or(head),
                head,
            };
            let observer = Observer {
                sample,
                bodies,
                radius: [
                    row.radius[0].unwrap_or(0.0),
                    row.radius[1]
                        .or(sight.max_distance)
                        .unwrap_or(f64::INFINITY),
                ],
                sector: Some(sector),
                tilt: [row.tilt[0].unwrap_or(low), row.tilt[1].unwrap_or(high)],
            };
            observer.check().map_err(|words| fail(row, words))?;
            Ok(observer)
        };
        rows.iter().map(place).collect()
    }

    /// Counts what all places see of a terrain, which is lowered on a round earth.
    fn look_from_all(
        &self,
        work: &Work<'_>,
        terrain: &Terrain,
        sight: &SightDocument,
    ) -> Result<Found, Failure> {
        let (width, height) = (terrain.width(), terrain.height());
        if !HeightField::fits(width, height) {
            return Err(Failure::resource(anyhow::anyhow!(
                "{}: --kind all: expected some 220 million samples at most, found {width} x {height}; give --crop",
                self.heightmap.input.display()
            )));
        }
        let level = Simd::Auto.level();
        let level = level.ok_or_else(|| Failure::usage("this processor is not known"))?;
        let bodies = Bodies {
            eye: self.eye_height.unwrap_or(self.player_height),
            head: self.player_height,
        };
        let far = sight.max_distance.unwrap_or(f64::INFINITY);
        let run = |go_on: &(dyn Fn(u64) -> bool + Sync)| {
            let counts = total_viewshed(terrain, bodies, far, level, go_on);
            Ok::<_, std::convert::Infallible>(counts)
        };
        let all = terrain.samples() as u64;
        let counts = work.count(
            "total viewshed",
            "viewpoints",
            all,
            run,
            |never| match never {},
        )?;
        Ok(Found {
            counts: Counts::Many(counts),
            visible: Vec::new(),
            bands: Vec::new(),
            band_of: Vec::new(),
        })
    }

    /// The name of an observer's band.
    fn band(&self, row: &ObserverRow) -> String {
        let name = row.name.clone();
        name.unwrap_or_else(|| row.origin.trim_start_matches("--at ").to_owned())
    }
}

/// What observers see.
struct Found {
    /// By how many each sample is seen, row by row.
    counts: Counts,
    /// How many samples each observer sees.
    visible: Vec<u64>,
    /// A band for each, if that is asked for; the same observers share one.
    bands: Vec<PackedBand>,
    /// Which band is whose.
    band_of: Vec<usize>,
}

fn look(
    work: &Work<'_>,
    lookout: &Lookout<'_>,
    places: &[bool],
    observers: &[Observer],
    kind: OutputKind,
) -> Result<Found, Failure> {
    let columns = lookout.terrain().width();
    let make = |_: usize, shed: Viewshed| {
        let band = (kind == OutputKind::Each).then(|| {
            let mut counts = Counts::new(places.len(), 1);
            counts.add(&shed, columns, 1);
            PackedBand::of_bytes(columns, &counts.into_marks(places, u8::NO_DATA))
        });
        (shed, band)
    };
    let run = |go_on: &(dyn Fn(u64) -> bool + Sync)| {
        let mut found = Found {
            counts: Counts::new(places.len(), observers.len()),
            visible: vec![0; observers.len()],
            bands: Vec::new(),
            band_of: vec![0; observers.len()],
        };
        let whole = lookout.look_all(observers, go_on, make, |group, (shed, band)| {
            let seen = found.counts.add(&shed, columns, group.len() as u32);
            for observer in group {
                found.visible[*observer] = seen;
                found.band_of[*observer] = found.bands.len();
            }
            found.bands.extend(band);
        });
        Ok::<_, std::convert::Infallible>(whole.then_some(found))
    };
    let all = observers.len() as u64;
    work.count("viewsheds", "observers", all, run, |never| match never {})
}

fn save_map(
    work: &Work<'_>,
    terrain: &Terrain,
    kind: OutputKind,
    found: Found,
    places: &[bool],
    description: &str,
    names: &[String],
) -> Result<(), Failure> {
    let whole = [description.to_owned()];
    let nodata = match kind {
        OutputKind::Any | OutputKind::Each => u8::NO_DATA.into(),
        OutputKind::Count | OutputKind::All => u32::NO_DATA,
    };
    let layout = RasterLayout {
        width: terrain.width(),
        height: terrain.height(),
        description,
        bands: if kind == OutputKind::Each {
            names
        } else {
            &whole
        },
        nodata: &nodata.to_string(),
        spacing: terrain.spacing(),
        georeference: terrain.georeference(),
    };
    let width = terrain.width();
    work.save(|file| match kind {
        OutputKind::Any => {
            let pixels = found.counts.into_marks(places, u8::NO_DATA);
            write_map::<u8>(file, &layout, &[&PackedBand::of_bytes(width, &pixels)])
        }
        OutputKind::Count | OutputKind::All => {
            let counts = found.counts.numbers();
            let counts = counts.iter().zip(places);
            let pixels: Vec<u32> = counts
                .map(|(count, is)| if *is { *count } else { u32::NO_DATA })
                .collect();
            write_map::<u32>(file, &layout, &[&PackedBand::of_numbers(width, &pixels)])
        }
        OutputKind::Each => {
            let bands: Vec<&PackedBand> = found.band_of.iter().map(|i| &found.bands[*i]).collect();
            write_map::<u8>(file, &layout, &bands)
        }
    })
}

/// Observers beyond these are not marked: their rings would hide the map.
const MOST_MARKS: usize = 100;

fn save_picture(
    work: &Work<'_>,
    terrain: &Terrain,
    kind: OutputKind,
    counts: &[u32],
    observers: &[Observer],
) -> Result<(), Failure> {
    let places = terrain.heights().iter().zip(terrain.places());
    let heights: Vec<f32> = places
        .map(|(height, is)| if is { *height as f32 } else { f32::NAN })
        .collect();
    let ground = Ground::of_heights(terrain.width(), &heights, terrain.spacing());
    let drawn = match kind {
        OutputKind::Count => picture::counts_image(&ground, counts),
        OutputKind::All => picture::exposure_image(&ground, counts),
        OutputKind::Any | OutputKind::Each => {
            let seen: Vec<bool> = counts.iter().map(|count| *count > 0).collect();
            picture::viewshed_image(&ground, &seen)
        }
    };
    let marks: Vec<Viewpoint> = observers
        .iter()
        .filter(|_| observers.len() <= MOST_MARKS)
        .map(|observer| Viewpoint::at(Sample::new(observer.sample.0, observer.sample.1)))
        .collect();
    let bytes = picture::marked_png(&drawn, &marks).map_err(Failure::resource)?;
    work.save(|file| file.write_all(&bytes))
}
