//! `viewcell bake solid`: a level made of solids becomes a bundle.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Map;

use crate::compression::CompressionArgs;
use crate::exit::{Exit, Failure, Outcome};
use crate::flags::with_flags;
use crate::heightmap::QualityName;
use crate::level::{self, LevelArgs};
use crate::progress::Progress;
use crate::signals::Stop;
use crate::simulate::csv;
use crate::{input, values};
use viewcell_bake::bundle::Statistics;
use viewcell_bake::bundle::grid_of_cells;
use viewcell_bake::prepare::{
    ChoiceError, Choices, ChosenCells, free_memory, notes_of_level, notes_of_places, told_of_solid,
};
use viewcell_bake::visibility;
use viewcell_bake::{BakeOptions, Forecast, Quality, ShardReport, SolidWorld, Source};
use viewcell_ingest::world::Short;
use viewcell_ingest::world::solid::{Aabb, PlaceOptions, Places, PlacesError, find_places};

use super::document::{LONG, taken};
use super::{
    ForecastDocument, VerbOptions, bundle_of, check_output, finish, finish_shard, going_on, stopped,
};

/// Bake a level of solids or a mesh: view cells as small as players, in three dimensions
///
/// Reads brushes of IBSP46, IBSP47 and VBSP, solid leaves of BSP29, 2PSB, BSP2, BSP30 and IBSP38, Quake .map
/// (Standard, Valve 220), OBJ, glTF, GLB and CityJSON, detected from their content. A view cell is a box of
/// positions of a player's origin that can be reached from the level's spawn points. Lengths are in the file's
/// units.
///
/// Example: viewcell bake solid ps9ctf.bsp -o ps9ctf.vcb --cell 32
#[derive(clap::Args)]
pub struct Args {
    /// The level
    input: PathBuf,

    /// The bundle to write [default: the input's name with .vcb, in the current folder]
    #[arg(short, long, value_name = "OUT.vcb")]
    output: Option<PathBuf>,

    /// How much of what could be hidden is hidden, for how much work: chooses --cell and --grade by how much work a sample
    /// of the level is, unless one of them is given
    ///
    /// samples has cells of the usual size, each of which answers for itself. --dry-run tells what each quality takes
    /// here.
    #[arg(long, value_enum, default_value_t, value_name = "QUALITY")]
    quality: QualityName,

    /// Width of the view cells near floors, and their height [default: 32 units of Quake, 1 m of meshes; larger where
    /// --quality chooses so]
    #[arg(long, value_name = "SIZE[,HEIGHT]")]
    cell: Option<Cell>,

    /// Let cells grow with distance: boxes of several cells answer as one if the distance between two is at least RATIO
    /// of their longest sides [default: 32]
    ///
    /// One sees the other if anybody in it does. No visible player is hidden; more counts as visible, in less time and
    /// fewer bytes.
    #[arg(
        long,
        value_name = "RATIO",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "32"
    )]
    grade: Option<u32>,

    /// The box of a player's body, relative to the origin [default: that of the format's game; in meshes 0.6 m
    /// wide and 1.8 m high, with the origin between the feet]
    #[arg(
        long,
        value_name = "MINX,MINY,MINZ,MAXX,MAXY,MAXZ",
        allow_hyphen_values = true
    )]
    hull: Option<Hull>,

    /// Height of the eye above the origin, or lowest and highest, crouched and standing [default: that of the
    /// format's game: 12,26 in Quake III; 22 in Quake, which has no crouching; 1.7 m in meshes]
    #[arg(long, value_name = "LOW[,HIGH]", allow_hyphen_values = true)]
    eye: Option<Eye>,

    /// Positions that players can reach besides the level's spawn points, in the coordinates of queries: a trace
    /// (CSV with the columns t_ms,player,x,y,z and others), or lines of x,y,z
    #[arg(long, value_name = "FILE.csv")]
    reach: Option<PathBuf>,

    /// Number of threads; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,

    /// Overwrite the bundle if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    reading: LevelArgs,
    #[command(flatten)]
    compression: CompressionArgs,
    #[command(flatten)]
    verb_options: VerbOptions,
}

/// SIZE or SIZE,HEIGHT.
#[derive(Clone, Copy)]
struct Cell([f64; 2]);

impl FromStr for Cell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            values::numbers(text).filter(|numbers| numbers.iter().all(|n| values::is_length(*n)));
        match numbers.as_deref() {
            Some(&[size]) => Ok(Self([size, size])),
            Some(&[size, height]) => Ok(Self([size, height])),
            _ => Err("expected SIZE or SIZE,HEIGHT: numbers from 0.0001 to 1e9".to_owned()),
        }
    }
}

/// LOW or LOW,HIGH.
#[derive(Clone, Copy)]
struct Eye([f64; 2]);

impl FromStr for Eye {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = values::numbers(text);
        let numbers = numbers.filter(|numbers| numbers.iter().all(|n| values::is_coordinate(*n)));
        match numbers.as_deref() {
            Some(&[height]) => Ok(Self([height, height])),
            Some(&[low, high]) if low <= high => Ok(Self([low, high])),
            _ => {
                Err("expected UP or LOW,HIGH: numbers from -1e9 to 1e9, the lower first".to_owned())
            }
        }
    }
}

/// The box of a player's body: six numbers.
#[derive(Clone, Copy)]
pub struct Hull(pub Aabb);

impl FromStr for Hull {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = "expected MINX,MINY,MINZ,MAXX,MAXY,MAXZ: six numbers from -1e9 to 1e9, each minimum below its \
                     maximum";
        let numbers = values::numbers(text);
        let numbers = numbers.filter(|numbers| numbers.iter().all(|n| values::is_coordinate(*n)));
        match numbers.as_deref() {
            Some(&[a, b, c, d, e, f]) if a < d && b < e && c < f => Ok(Self(Aabb {
                min: [a, b, c],
                max: [d, e, f],
            })),
            _ => Err(fault.to_owned()),
        }
    }
}

impl Args {
    /// Where the bundle goes.
    fn bundle(&self) -> Result<PathBuf, Failure> {
        bundle_of(self.output.as_ref(), &self.input)
    }

    /// Whether the quality chooses the view cells.
    fn is_chosen(&self) -> bool {
        self.cell.is_none() && self.grade.is_none()
    }
}

/// The failure where a level has no view cells.
pub fn no_places(input: &Path, error: &PlacesError) -> Failure {
    let hint = match error {
        PlacesError::NoSpawn | PlacesError::Buried(_) => "; give positions of players with --reach",
        _ => "; see --cell",
    };
    let text = error.to_string();
    let text = text
        .replace("`size`", "--cell")
        .replace("`reach`", "--reach");
    let words = anyhow::anyhow!("{}: {text}{hint}", input.display());
    if error.is_of_size() {
        Failure::resource(words)
    } else {
        Failure::new(Exit::BadInput, words)
    }
}

/// The failure where none can be chosen.
fn no_cells(input: &Path, error: ChoiceError) -> Failure {
    match error {
        ChoiceError::Places(error) => no_places(input, &error),
        ChoiceError::Bake(error) => error.into(),
    }
}

pub fn run(args: &Args) -> Outcome {
    let long = &args.verb_options.long;
    let output = long.output(args.bundle()?);
    if long.shard.is_some() && args.compression.is_lossy() {
        return Err(Failure::usage(
            "--budget: expected a whole bundle, found --shard; give it to viewcell merge",
        ));
    }
    if !long.dry_run {
        check_output(&args.input, args.force, long.resume, &output)?;
    }
    // A dry run leaves nothing behind: a signal ends it at once.
    let stop = if long.dry_run {
        Stop::default()
    } else {
        Stop::listen()?
    };
    let progress = Progress::new(&args.verb_options.voice, stop.clone());
    let mut ingested = args.reading.read(&args.input)?;
    let mut notes = std::mem::take(&mut ingested.notes);
    let level = &ingested.level;
    let mut place_options = PlaceOptions::of(level);
    place_options.memory = free_memory();
    place_options.player =
        (level.player).with(args.hull.map(|Hull(hull)| hull), args.eye.map(|eye| eye.0));
    if let Some(Cell([size, height])) = args.cell {
        (place_options.size, place_options.height) = (size, height);
    }
    if let Some(file) = &args.reach {
        let reach = reached(file)?.into_iter();
        place_options.reach = reach.map(|at| level.frame.to_level(at)).collect();
    }
    let of_level = notes_of_level(level, &place_options.player);
    notes.extend(of_level.iter().map(|note| with_flags(note)));
    // What a reader made of the file is told before the work, which may be long.
    let told = notes.len();
    args.verb_options.voice.tell_notes(&notes);
    let usual = place_options.size;
    let quality = args.is_chosen().then(|| args.quality.quality());
    let mut choices = Choices::new(place_options.clone());
    let unnamed = level::source(&args.input, &ingested, Map::new());
    progress.begin("places", "steps", 1);
    let found = match quality {
        Some(quality) => choices
            .of(quality, level, &unnamed, &progress)
            .map(|chosen| BakedCells::chosen(&chosen, quality)),
        None => find_places(level, &place_options)
            .map_err(ChoiceError::Places)
            .map(|found| BakedCells {
                options: place_options,
                found,
                grade: args.grade.unwrap_or(0),
                named: None,
                forecast: None,
            }),
    };
    progress.complete();
    let cells = stop.unless_asked(found.map_err(|error| no_cells(&args.input, error)))?;
    let of_places = notes_of_places(level, &cells.found);
    notes.extend(of_places.iter().map(|note| with_flags(note)));
    args.verb_options.voice.tell_notes(&notes[told..]);
    let places = &cells.found.cells;
    let mut told_options = told_of_solid(&args.reading.options(), &cells.options);
    if let Some(name) = cells.named {
        told_options.insert("quality".into(), name.into());
    }
    let grid = grid_of_cells(places.len() as u32).grid();
    let mut options = BakeOptions {
        grade: cells.grade,
        threads: args.threads,
        simd: visibility::Simd::Auto,
        memory: free_memory(),
        overwrite: args.force,
        keep: long.keep(),
        compression: args.compression.read((grid.width(), grid.height()))?,
        ..BakeOptions::default()
    };
    let source = level::source(&args.input, &ingested, told_options);
    let world = SolidWorld {
        level,
        places,
        player: &cells.options.player,
    };
    let mut foresight = Foresight {
        world,
        source: &source,
        options: &options,
        input: &args.input,
        cells: &cells,
        choices,
        progress: &progress,
    };
    if long.dry_run {
        return dry_run(&mut foresight, args);
    }
    // What is usual needs no word.
    let quality = quality.filter(|_| cells.grade > 0 || cells.options.size != usual);
    if !long.resume
        && long.shard.is_none()
        && let Some(note) = stop.unless_asked(said_first(&mut foresight, quality))?
    {
        args.verb_options
            .voice
            .tell_notes(std::slice::from_ref(&note));
        notes.push(note);
    }
    let baked = match long.shard {
        None => going_on(&mut options, &args.verb_options.voice, |options| {
            viewcell_bake::bake_solid(world, &source, options, &output, &progress)
                .map(|report| Baked::Bundle(report.statistics))
        }),
        Some(part) => going_on(&mut options, &args.verb_options.voice, |options| {
            viewcell_bake::bake_solid_shard(world, &source, options, part, &output, &progress)
                .map(Baked::Shard)
        }),
    };
    progress.finish();
    let baked = match baked.map_err(Failure::from) {
        Err(failure) if stop.asked() => return Err(stopped(&failure, &stop)),
        other => other?,
    };
    let VerbOptions { voice, json, .. } = &args.verb_options;
    match baked {
        Baked::Shard(report) => finish_shard(report, output, notes, &args.verb_options),
        Baked::Bundle(statistics) => {
            if let Some(note) = hides_little(&statistics) {
                voice.tell_notes(std::slice::from_ref(&note));
                notes.push(note);
            }
            finish(output, notes, voice, json)
        }
    }
}

/// What a bake made.
enum Baked {
    Bundle(Statistics),
    Shard(ShardReport),
}

/// Levels that hide less of their pairs of cells are mostly looked at from outside.
const LITTLE: f64 = 0.02;
/// Smaller levels may be one room. [Unit: view cells]
const ROOM: u64 = 256;

/// The warning of a bundle that hides next to nothing.
fn hides_little(statistics: &Statistics) -> Option<String> {
    let hidden = statistics.levels.first()?.hidden_share;
    (hidden < LITTLE && statistics.samples >= ROOM).then(|| {
        format!(
            "warning: {:.1} % of the pairs of view cells are hidden. Is this one open space, or are players outside of \
             the walls? The cells are those that can be reached from spawn points and --reach; a mesh may be in other \
             axes or units (--from). Of a town bake the ground with its houses: bake terrain --solids",
            100.0 * hidden
        )
    })
}

/// The view cells that are baked.
struct BakedCells {
    options: PlaceOptions,
    found: Places,
    grade: u32,
    /// The quality that the bundle names.
    named: Option<&'static str>,
    /// What a lossless bake of them takes, if that is known.
    forecast: Option<Forecast>,
}

impl BakedCells {
    fn chosen(chosen: &ChosenCells, quality: Quality) -> Self {
        Self {
            named: chosen.named(quality),
            options: chosen.options.clone(),
            found: chosen.places.clone(),
            grade: chosen.grade,
            forecast: Some(chosen.forecast),
        }
    }
}

/// What is foreseen of a level.
struct Foresight<'a> {
    world: SolidWorld<'a>,
    source: &'a Source,
    options: &'a BakeOptions,
    input: &'a Path,
    cells: &'a BakedCells,
    choices: Choices,
    progress: &'a Progress,
}

impl Foresight<'_> {
    /// What the bake takes.
    fn own(&self) -> Result<Forecast, Failure> {
        let Self {
            world,
            source,
            options,
            progress,
            ..
        } = *self;
        Ok(match self.cells.forecast {
            Some(lossless) => lossless.compressed(&options.compression),
            None => viewcell_bake::forecast_solid(world, source, options, progress)?,
        })
    }

    /// The size and grade of the cells of a quality, and what they take; `None` if they are too many.
    fn of(&mut self, quality: Quality) -> Result<Option<(f64, u32, Forecast)>, Failure> {
        let level = self.world.level;
        match self.choices.of(quality, level, self.source, self.progress) {
            Ok(chosen) => {
                let forecast = chosen.forecast.compressed(&self.options.compression);
                Ok(Some((chosen.options.size, chosen.grade, forecast)))
            }
            Err(ChoiceError::Places(error)) if error.is_of_size() => Ok(None),
            Err(error) => Err(no_cells(self.input, error)),
        }
    }

    /// What other qualities take, in words.
    fn others(&mut self, qualities: &[Quality]) -> Result<String, Failure> {
        let mut said = Vec::new();
        for &quality in qualities {
            if let Some((.., forecast)) = self.of(quality)? {
                said.push(format!("--quality {} {}", quality.name(), taken(&forecast)));
            }
        }
        Ok(said.join(", "))
    }
}

/// View cells from which on a level with cells of a size given by hand may take an hour: each pair takes up to 4 µs.
const MANY_CELLS: usize = 30_000;

/// What is said before the work: which view cells the quality has chosen, unless they are the usual ones, what they take here
/// and what others would; or, of usual ones and of those given by hand, if they take more than an hour, what takes less.
fn said_first(
    foresight: &mut Foresight,
    quality: Option<Quality>,
) -> Result<Option<String>, Failure> {
    let cells = foresight.cells;
    // Of few cells given by hand no forecast is made.
    let is_short = cells.forecast.is_none() && cells.found.cells.len() < MANY_CELLS;
    if quality.is_none() && is_short {
        return Ok(None);
    }
    let own = foresight.own()?;
    Ok(match quality {
        Some(quality) => {
            let others: Vec<Quality> = [Quality::Draft, Quality::Good, Quality::Best]
                .into_iter()
                .filter(|&other| other != quality)
                .collect();
            Some(format!(
                "--quality {}: cells of {}, boxes of them far away (--grade={}): some {}; {}",
                quality.name(),
                Short(cells.options.size),
                cells.grade,
                taken(&own),
                foresight.others(&others)?
            ))
        }
        None if own.cpu_seconds < LONG => None,
        None => Some(format!(
            "warning: this takes some {}; {}",
            taken(&own),
            foresight.others(&[Quality::Draft, Quality::Good])?
        )),
    })
}

/// Tells what a bake will take; and, where the quality chooses the cells, what others would.
fn dry_run(foresight: &mut Foresight, args: &Args) -> Outcome {
    let own = foresight.own()?;
    let mut document = ForecastDocument::new(&own);
    let qualities = if args.is_chosen() {
        &Quality::ALL[..]
    } else {
        &[]
    };
    for &quality in qualities {
        if let Some((size, grade, forecast)) = foresight.of(quality)? {
            document.add_boxes(quality, size, grade, &forecast);
        }
    }
    foresight.progress.finish();
    let cells = format!("{} view cells, ", foresight.world.places.len());
    document.tell(&cells, &args.verb_options.json)
}

/// Positions of a trace, or of lines of three numbers, which may have a line of names above them.
pub fn reached(file: &Path) -> Result<Vec<[f64; 3]>, Failure> {
    let text = input::read_text(file, input::LARGE)?;
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or("");
    if first.contains("t_ms") {
        let trace = csv(file)?;
        let alive = trace.players.iter().flatten().filter(|spot| !spot.dead);
        return Ok(alive.map(|spot| spot.at).collect());
    }
    let is_header = |line: &str| {
        let names = line
            .split(',')
            .map(|name| name.trim().trim_matches('"').to_ascii_lowercase());
        names.eq(["x", "y", "z"])
    };
    let mut points = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || number == 1 && is_header(line) {
            continue;
        }
        match values::numbers(line).as_deref() {
            Some(&[x, y, z]) => points.push([x, y, z]),
            _ => {
                return Err(Failure::bad_input(format!(
                    "{}: line {number}: expected x,y,z: three finite numbers, found {line:?}",
                    file.display()
                )));
            }
        }
    }
    Ok(points)
}
