//! Pictures of cell bundles.

use std::path::Path;

use viewcell::internals::picture::{LevelPages, Page};
use viewcell::internals::runtime::{CellBundle, MappedBundle};
use viewcell::internals::survey::{cell_difference, seen_by};

use super::args::{Args, name};
use crate::cli::exit::{Exit, Failure};
use crate::cli::query::{self, check_cell};

/// The longer side of a plan that stands on a page. [Unit: pixels]
pub const PLAN_SIDE: u32 = 1000;

/// The page that is asked for.
pub fn page(args: &Args, map: &MappedBundle) -> Result<Page, Failure> {
    let path = &args.bundle;
    query::check_by_number(path, &args.by)?;
    let level = query::cells(path, map)?;
    if args.quad != 0 {
        return Err(Failure::usage(format!(
            "--quad: expected a terrain, found cells in {}",
            path.display()
        )));
    }
    let what = &args.what;
    let cell = |place| check_cell(path, &level, place);
    // Places first: a plan takes a moment.
    let pvs = what.pvs.map(cell).transpose()?;
    let distance = what.distance.map(cell).transpose()?;
    let players = match what.frontier.as_deref() {
        Some([a, b]) => Some([cell(*a)?, cell(*b)?]),
        _ => None,
    };
    let pages = pages(path, level, side(args))?;
    if let Some(cell) = pvs {
        return Ok(pages.pvs(cell));
    }
    if let Some(players) = players {
        let page = pages.frontier(players);
        return page.map_err(|error| Failure::new(Exit::Resource, error));
    }
    if let Some(from) = distance {
        return Ok(pages.distance(from));
    }
    if what.exposure {
        return Ok(pages.exposure(&seen_by(&level), &[]));
    }
    let Some(other) = &what.lost else {
        return Ok(pages.plain());
    };
    let other_map = query::open(other)?;
    let other_level = query::cells(other, &other_map)?;
    check_same([path, other], [&level, &other_level])?;
    let (cells, visible) = cell_difference([&level, &other_level]);
    let sum = |which: usize| cells.iter().map(|c| u64::from(c[which])).sum::<u64>();
    let pairs = u64::from(level.cells()) * u64::from(level.cells().saturating_sub(1));
    let share = 100.0 * sum(0) as f64 / (pairs - visible[0]).max(1) as f64;
    let title = format!("Hidden in {} and visible in {}", name(path), name(other));
    let subtitle = format!(
        "{share:.2} % of what is hidden from a cell; the other way round {} pairs",
        sum(1)
    );
    let counts: Vec<u32> = cells.iter().map(|counts| counts[0]).collect();
    Ok(pages.losses(&title, &subtitle, &[("", &counts)]))
}

/// The longer side of the plan that is asked for. [Unit: pixels]
pub fn side(args: &Args) -> u32 {
    match (args.bare, args.width) {
        (true, Some(width)) => width,
        _ => PLAN_SIDE,
    }
}

/// Pages of a level. Fails where the bundle does not know where its cells are.
pub fn pages<'a>(path: &Path, level: CellBundle<'a>, side: u32) -> Result<LevelPages<'a>, Failure> {
    LevelPages::new(level, &name(path), side).ok_or_else(|| {
        Failure::bad_input(format!(
            "{}: expected boxes of cells to draw a plan of, found none; viewcell export matrix \
             draws who sees whom without them",
            path.display()
        ))
    })
}

/// Fails unless two levels have as many cells.
pub fn check_same(paths: [&Path; 2], levels: [&CellBundle<'_>; 2]) -> Result<(), Failure> {
    let [of_a, of_b] = levels.map(CellBundle::cells);
    if of_a == of_b {
        return Ok(());
    }
    Err(Failure::bad_input(format!(
        "{} has {of_a} cells and {} has {of_b}; expected bundles of the same level",
        paths[0].display(),
        paths[1].display()
    )))
}
