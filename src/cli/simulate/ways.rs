//! The ways of players: from a trace, from tracks of GPS receivers, or made up.

use std::fs::{self, File};
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use viewcell::runtime::MappedBundle;
use viewcell::simulate::field::Field;
use viewcell::simulate::fit::fit;
use viewcell::simulate::gpx::{self, Fix};
use viewcell::simulate::motion::motion;
use viewcell::simulate::trace::Trace;

use super::job::Job;
use crate::cli::exit::Failure;

/// Reads a trace.
pub fn csv(path: &Path) -> Result<Trace, Failure> {
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    if file.metadata().is_ok_and(|data| data.is_dir()) {
        return Err(unreadable(path, ErrorKind::IsADirectory.into()));
    }
    Trace::read(BufReader::with_capacity(1 << 16, file))
        .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
}

fn unreadable(path: &Path, error: std::io::Error) -> Failure {
    Failure::io(format!("{}: cannot be read", path.display()), error)
}

/// The ways of the players of one run.
pub fn ways(
    job: &Job,
    map: &MappedBundle,
    field: &Field,
    number: u32,
    jump: f64,
) -> Result<Trace, Failure> {
    let is_gpx = |path: &Path| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("gpx"))
    };
    match job.traces.as_deref() {
        Some(path) if is_gpx(path) => {
            let more = job.more_traces.iter().map(PathBuf::as_path);
            tracks(
                job,
                map,
                field,
                &[path].into_iter().chain(more).collect::<Vec<_>>(),
            )
        }
        Some(_) if !job.more_traces.is_empty() => Err(Failure::usage(
            "--traces: expected one trace, or several tracks in GPX, found several files".into(),
        )),
        Some(path) => csv(path),
        None => {
            let mut options = job.motion(field, number);
            if let Some(path) = &job.like {
                let found = fit(&csv(path)?, jump);
                options.speed = job.walk.unwrap_or(found.speed);
                options.pause = job.pause.unwrap_or(found.pause);
                options.deaths = job.deaths.unwrap_or(found.deaths);
                options.respawn = job.respawn.unwrap_or(found.respawn);
            }
            motion(field, &options)
                .map_err(|error| Failure::bad_input(format!("{}: {error}", job.bundle.display())))
        }
    }
}

/// Tracks of GPS receivers on a terrain, a player each.
fn tracks(job: &Job, map: &MappedBundle, field: &Field, paths: &[&Path]) -> Result<Trace, Failure> {
    let Field::Terrain(terrain) = field else {
        return Err(Failure::usage(format!(
            "--traces {}: expected a terrain for tracks in GPX, found a level in {}",
            paths[0].display(),
            job.bundle.display()
        )));
    };
    let walkers = paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
            gpx::read(&text)
                .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
        })
        .collect::<Result<Vec<Vec<Fix>>, Failure>>()?;
    if walkers.len() < 2 {
        return Err(Failure::bad_input(format!(
            "{}: expected tracks of two players or more, found one: give several files, with a comma \
             between them",
            paths[0].display()
        )));
    }
    if let Some([east, south]) = job.place {
        return Ok(gpx::trace(&walkers, |track, fix| {
            let [x, y] = gpx::from_middle(track, fix);
            [east + x, south + y]
        }));
    }
    let in_degrees = map
        .bundle()
        .ok()
        .and_then(|bundle| bundle.crs())
        .is_some_and(crate::cli::query::in_degrees);
    let (Some([x0, xc, xr, y0, yc, yr]), true) = (terrain.parameters().transform, in_degrees)
    else {
        return Err(Failure::usage(format!(
            "{}: expected a terrain whose coordinate reference system is in degrees; give the place of \
             the middle of each track with --place EAST,SOUTH, in metres from the first sample",
            job.bundle.display()
        )));
    };
    let [dx, dy] = terrain.parameters().spacing;
    let size = xc * yr - xr * yc;
    Ok(gpx::trace(&walkers, |_, fix| {
        let [x, y] = [fix.lonlat[0] - x0, fix.lonlat[1] - y0];
        // Pixels are counted from their corners, samples from the middle of the first.
        let column = (yr * x - xr * y) / size - 0.5;
        let row = (xc * y - yc * x) / size - 0.5;
        [column * dx, row * dy]
    }))
}
