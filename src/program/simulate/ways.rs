//! Paths of players: from a trace, from a demo, from tracks of GPS receivers, or made up; and `viewcell simulate fit`:
//! how those of a trace move, to be made up in other numbers.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Failure, Outcome};
use crate::output::{Json, say};
use crate::query::Opened;
use crate::{input, values};
use viewcell::query::MotionLimits;
use viewcell_simulate::demo;
use viewcell_simulate::field::Field;
use viewcell_simulate::fit::{Fit, fit as fit_trace, limits_of_trace};
use viewcell_simulate::gpx::{self, Fix};
use viewcell_simulate::motion::motion;
use viewcell_simulate::trace::Trace;

use super::job::Job;

/// Bytes of a demo. Servers stop at 20 MB unless told otherwise; what is read takes up to eleven times
/// as much memory.
const LONGEST_DEMO: u64 = 256 << 20;

/// Reads a trace of CSV, or a demo of QuakeWorld.
pub fn recorded(path: &Path) -> Result<Trace, Failure> {
    match extension(path).as_deref() {
        Some("mvd") => recorded_by_server(path),
        Some("qwd" | "dem") => Err(Failure::bad_input(format!(
            "{}: expected the positions of all players, found a demo recorded by one player, which \
             holds only whom that player saw; give the server's demo (.mvd)",
            path.display()
        ))),
        Some("gz" | "bz2" | "zip") => Err(Failure::bad_input(format!(
            "{}: expected a trace (.csv) or a demo (.mvd), found a packed file; unpack it",
            path.display()
        ))),
        _ => csv(path),
    }
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Reads a trace of CSV.
pub fn csv(path: &Path) -> Result<Trace, Failure> {
    let file = input::open(path, input::LARGE)?;
    Trace::read(BufReader::with_capacity(1 << 16, file)).map_err(Failure::bad_file(path))
}

/// Reads a demo of QuakeWorld that a server has recorded.
fn recorded_by_server(path: &Path) -> Result<Trace, Failure> {
    let bytes = input::read(path, LONGEST_DEMO)?;
    let demo = demo::read(&bytes).map_err(Failure::bad_file(path))?;
    if !demo.is_whole {
        say(format_args!(
            "{}: the demo ends at byte {} without its end mark: it was cut short, and only the \
             part before is played",
            path.display(),
            bytes.len()
        ));
    }
    Ok(demo.trace)
}

/// The paths of the players of one run.
pub fn ways(
    job: &Job,
    opened: &Opened,
    field: &Field,
    number: u32,
    [eye, jump]: [f64; 2],
) -> Result<Trace, Failure> {
    let is_gpx = |path: &Path| extension(path).as_deref() == Some("gpx");
    match job.traces.as_deref() {
        Some(path) if is_gpx(path) => {
            let more = job.more_traces.iter().map(PathBuf::as_path);
            tracks(
                job,
                opened,
                field,
                &[path].into_iter().chain(more).collect::<Vec<_>>(),
            )
        }
        Some(path) if job.place.is_some() => Err(Failure::usage(format!(
            "--place: expected tracks in GPX, found {}; leave it out",
            path.display()
        ))),
        Some(_) if !job.more_traces.is_empty() => Err(Failure::usage(
            "--traces: expected one trace, or several tracks in GPX, found several files",
        )),
        Some(path) => recorded(path),
        None => {
            let mut options = job.motion(field, number);
            if let Some(path) = &job.like {
                let found = fit_trace(&recorded(path)?, jump);
                options.speed = job.walk.unwrap_or(found.speed);
                options.pause = job.pause.unwrap_or(found.pause);
                options.deaths = job.deaths.unwrap_or(found.deaths);
                options.respawn = job.respawn.unwrap_or(found.respawn);
            }
            let mut trace = motion(field, &options).map_err(Failure::bad_file(&job.bundle))?;
            // The points that players walk between are those of their eyes; in a trace are origins.
            let points = trace.players.iter_mut().flatten();
            points.for_each(|point| point.at[2] -= eye);
            Ok(trace)
        }
    }
}

/// Tracks of GPS receivers on a terrain, a player each.
fn tracks(job: &Job, opened: &Opened, field: &Field, paths: &[&Path]) -> Result<Trace, Failure> {
    let Some(terrain) = field.terrain() else {
        return Err(Failure::usage(format!(
            "--traces {}: expected a terrain for tracks in GPX, found a level in {}",
            paths[0].display(),
            job.bundle.display()
        )));
    };
    let walkers = paths
        .iter()
        .map(|path| {
            let text = input::read_text(path, input::LARGE)?;
            gpx::read(&text).map_err(Failure::bad_file(path))
        })
        .collect::<Result<Vec<Vec<Fix>>, Failure>>()?;
    if walkers.len() < 2 {
        return Err(Failure::bad_input(format!(
            "{}: expected tracks of two players or more, found one: give several files, separated \
             by commas",
            paths[0].display()
        )));
    }
    if let Some([east, south]) = job.place {
        return Ok(gpx::trace(&walkers, |track, fix| {
            let [x, y] = gpx::from_middle(track, fix);
            [east + x, south + y]
        }));
    }
    let in_degrees = opened.bundle().crs().is_some_and(crate::query::in_degrees);
    let (Some([x0, xc, xr, y0, yc, yr]), true) = (terrain.parameters().transform, in_degrees)
    else {
        return Err(Failure::usage(format!(
            "{}: expected a terrain whose coordinate reference system is in degrees; give the place of \
             the middle of each track with --place EAST,SOUTH, in metres from the first sample",
            job.bundle.display()
        )));
    };
    let [dx, dy] = terrain.parameters().cell_spacing;
    let [east, south] = terrain.parameters().sample_spacing();
    let size = xc * yr - xr * yc;
    Ok(gpx::trace(&walkers, |_, fix| {
        let [x, y] = [fix.lonlat[0] - x0, fix.lonlat[1] - y0];
        // Pixels are those of view cells and are counted from their corners, metres from the middle of the first sample
        // of the heightmap.
        let column = (yr * x - xr * y) / size;
        let row = (xc * y - yc * x) / size;
        [column * dx - east / 2.0, row * dy - south / 2.0]
    }))
}

/// Print how players of a trace move, as options for generated motion
///
/// Average speed, stops and deaths, and their durations. `viewcell simulate BUNDLE --like TRACE --players 256`
/// uses them.
///
/// Example: viewcell simulate fit play.csv
#[derive(clap::Args)]
pub struct FitArgs {
    /// Movements of players: a trace in CSV, or a demo of a QuakeWorld server (.mvd)
    trace: PathBuf,
    /// Players faster than this have not walked, but died or used a teleporter
    #[arg(long, value_name = "V", default_value_t = 2000.0, value_parser = values::positive)]
    jump: f64,
    /// Frames per second at which --speed of the look-ahead is measured
    #[arg(long, default_value = "20", value_parser = values::positive)]
    hz: f64,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell simulate fit --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell simulate fit")]
pub struct FitDocument {
    /// Players of the trace.
    players: usize,
    /// How long it is, in seconds.
    seconds: f64,
    /// Average speed of moving players, in metres or units a second: `walk` of --motion.
    walk: f64,
    /// For how many seconds they stop: `pause` of it.
    pause: f64,
    /// How often per minute of life each dies: `deaths` of it.
    deaths: f64,
    /// For how many seconds they stay dead: `respawn` of it.
    respawn: f64,
    /// The share of their life in which they move.
    moving: f64,
    /// Maximum speed of players, horizontally and vertically, in metres or units a second: the greater is --speed
    /// of the look-ahead.
    speed: [f64; 2],
    /// Greatest sudden change of their velocity: the greater is `impulse` of --speed.
    impulse: [f64; 2],
    /// Greatest error of positions, in metres or units.
    error: [f64; 2],
}

impl FitDocument {
    pub fn new(fit: &Fit, limits: &MotionLimits) -> Self {
        Self {
            players: fit.players,
            seconds: fit.seconds,
            walk: fit.speed,
            pause: fit.pause,
            deaths: fit.deaths,
            respawn: fit.respawn,
            moving: fit.moving,
            speed: limits.speed,
            impulse: limits.impulse,
            error: limits.error,
        }
    }
}

pub fn fit(args: &FitArgs) -> Outcome {
    let trace = recorded(&args.trace)?;
    let fit = fit_trace(&trace, args.jump);
    let limits = limits_of_trace(&trace, args.jump, args.hz);
    let text = format!(
        "{} players, {:.0} s, who move {:.0} % of their life\n\
         --motion objectives,walk={:.1},pause={:.2},deaths={:.2},respawn={:.2}\n\
         look-ahead: --speed {:.1},impulse={:.1}",
        fit.players,
        fit.seconds,
        100.0 * fit.moving,
        fit.speed,
        fit.pause,
        fit.deaths,
        fit.respawn,
        limits.speed[0].max(limits.speed[1]),
        limits.impulse[0].max(limits.impulse[1])
    );
    args.json.tell(|| FitDocument::new(&fit, &limits), text)
}
