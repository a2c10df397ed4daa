//! Pictures of bundles of solid levels, a floor at a time.

use std::path::Path;

use viewcell::internals::picture::{LevelPages, Page};
use viewcell::internals::runtime::{MappedBundle, SolidBundle};
use viewcell::internals::survey::by_cell;

use super::args::{Args, name};
use super::cells::side;
use super::terrain::survey;
use crate::cli::exit::{Exit, Failure};
use crate::cli::export::work::Work;
use crate::cli::query::{self, cell_at};

/// The page that is asked for; `None` if a signal came before its end.
pub fn page(args: &Args, work: &Work<'_>, map: &MappedBundle) -> Result<Option<Page>, Failure> {
    let path = &args.bundle;
    query::check_by_number(path, &args.by)?;
    let level = query::solid(path, map)?;
    let what = &args.what;
    for (given, option) in [
        (args.quad != 0, "--quad"),
        (what.distance.is_some(), "--distance"),
        (what.lost.is_some(), "--lost"),
    ] {
        if given {
            return Err(Failure::usage(format!(
                "{option}: expected another bundle, found {} of a solid level, of which --pvs, --frontier and \
                 --exposure are drawn",
                path.display()
            )));
        }
    }
    let cell = |place| cell_at(path, &level, place);
    // Places first: a plan takes a moment.
    let pvs = what.pvs.map(cell).transpose()?;
    let players = match what.frontier.as_deref() {
        Some([a, b]) => Some([cell(*a)?, cell(*b)?]),
        _ => None,
    };
    let pages = pages(path, level, side(args))?;
    if let Some(cell) = pvs {
        return Ok(Some(pages.pvs(cell)));
    }
    if let Some(players) = players {
        let page = pages.frontier(players);
        return page
            .map(Some)
            .map_err(|error| Failure::new(Exit::Resource, error));
    }
    if what.exposure {
        let seen = seen_by(work, path, &level)?;
        return Ok(seen.map(|seen| pages.exposure(&seen, &[])));
    }
    Ok(Some(pages.plain()))
}

/// Pages of a solid level, on plans of the usual size or of `side` pixels.
pub fn pages<'a>(
    path: &Path,
    level: SolidBundle<'a>,
    side: u32,
) -> Result<LevelPages<'a>, Failure> {
    LevelPages::of_solid(level, &name(path), side).ok_or_else(|| {
        Failure::bad_input(format!(
            "{}: expected boxes of view cells to draw a plan of, found none that can be drawn; see viewcell verify",
            path.display()
        ))
    })
}

/// How many cells see each cell, itself included; `None` if a signal came before the end.
pub fn seen_by(
    work: &Work<'_>,
    path: &Path,
    level: &SolidBundle<'_>,
) -> Result<Option<Vec<u32>>, Failure> {
    let found = survey(work, path, level.sights())?;
    Ok(found.map(|found| by_cell(level, &found.exposure)))
}
