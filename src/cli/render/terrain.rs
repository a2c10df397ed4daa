//! Pictures of terrain bundles.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use viewcell::internals::picture::{self, Page, TerrainPages};
use viewcell::internals::runtime::frontier::FrontierOptions;
use viewcell::internals::runtime::{MappedBundle, TerrainBundle};
use viewcell::internals::survey::{self, Difference, Survey};

use super::args::{Args, name};
use crate::cli::exit::{Exit, Failure};
use crate::cli::export::work::Work;
use crate::cli::query::{self, check_level, quad_over};

/// The page that is asked for; `None` if a signal came before its end.
pub fn page(args: &Args, work: &Work<'_>, map: &MappedBundle) -> Result<Option<Page>, Failure> {
    let path = &args.bundle;
    let terrain = query::terrain(path, map)?;
    let pages = pages(path, map, terrain)?;
    let what = &args.what;
    if args.quad != 0 && what.pvs.is_none() && what.lost.is_none() {
        let message = "--quad: expected --pvs or --lost beside it, which it is of";
        return Err(Failure::usage(message.into()));
    }
    check_level(path, &terrain, args.quad)?;
    if what.distance.is_some() {
        return Err(Failure::usage(format!(
            "--distance: expected a level of cells, found the terrain {}; --pvs draws what a place sees",
            path.display()
        )));
    }
    if let Some(place) = what.pvs {
        let place = args.by.position(path, map, &terrain, place)?;
        let quad = quad_over(path, &terrain, place, args.quad)?;
        let pvs = terrain.pvs(quad).ok_or_else(|| damaged(path))?;
        return Ok(Some(pages.pvs(&pvs)));
    }
    if let Some([a, b]) = what.frontier.as_deref() {
        let cell = |place| {
            let place = args.by.position(path, map, &terrain, place)?;
            Ok::<_, Failure>(place.cell)
        };
        let players = [cell(*a)?, cell(*b)?];
        let page = pages.frontier(players, &FrontierOptions::default());
        let page = page.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        return Ok(Some(page));
    }
    if what.exposure {
        let survey = survey(work, path, &terrain)?;
        return Ok(survey.map(|survey| pages.exposure(&survey.exposure, &[])));
    }
    let Some(other) = &what.lost else {
        return Ok(Some(pages.plain()));
    };
    let other_map = query::open(other)?;
    let other_terrain = query::terrain(other, &other_map)?;
    let paths = [path.as_path(), other.as_path()];
    let found = compare(work, paths, [&terrain, &other_terrain], args.quad)?;
    Ok(found.map(|found| {
        let counts: Vec<u32> = found.quads.iter().map(|[revealed, _]| *revealed).collect();
        let counts = survey::spread(&terrain, args.quad, &counts);
        let level = &found.levels[args.quad as usize];
        let hidden = level.pairs - level.visible[0];
        let share = 100.0 * level.revealed as f64 / hidden.max(1) as f64;
        let title = format!("Hidden in {} and visible in {}", name(path), name(other));
        let subtitle = format!(
            "{share:.2} % of what is hidden from {}; the other way round {} pairs",
            match args.quad {
                0 => "a sample".to_owned(),
                level => format!("{0} × {0} samples", 1_u64 << level),
            },
            level.concealed
        );
        pages.losses(&title, &subtitle, &[("", &counts)])
    }))
}

/// Pages of a mapped bundle.
pub fn pages<'a>(
    path: &Path,
    map: &'a MappedBundle,
    terrain: TerrainBundle<'a>,
) -> Result<TerrainPages<'a>, Failure> {
    let bundle = map
        .bundle()
        .map_err(|error| query::cannot_open(path, error))?;
    check_drawable(path, &terrain)?;
    let has_crs = bundle.crs().is_some_and(|crs| !crs.is_empty());
    Ok(TerrainPages::new(terrain, &name(path), has_crs))
}

/// Fails where a picture with a pixel a sample would be too large.
pub fn check_drawable(path: &Path, terrain: &TerrainBundle<'_>) -> Result<(), Failure> {
    let grid = terrain.grid();
    let fits = picture::check_pixels(grid.width().into(), grid.height().into());
    fits.map_err(|error| {
        let error = anyhow::Error::new(error).context(path.display().to_string());
        Failure::new(Exit::Resource, error)
    })
}

/// Surveys a bundle, showing progress; `None` if a signal came before the end.
pub fn survey(
    work: &Work<'_>,
    path: &Path,
    terrain: &TerrainBundle<'_>,
) -> Result<Option<Survey>, Failure> {
    let all = terrain.grid().samples();
    let survey = with_progress(work, "exposure", "viewpoints", all, |go_on| {
        survey::survey(terrain, go_on)
    });
    survey.map_err(|damaged| Failure::bad_input(format!("{}: {damaged}", path.display())))
}

/// Compares two bundles, showing progress; `None` if a signal came before the end. Fails where
/// they are of different grids.
pub fn compare(
    work: &Work<'_>,
    paths: [&Path; 2],
    bundles: [&TerrainBundle<'_>; 2],
    level: u32,
) -> Result<Option<Difference>, Failure> {
    let [of_a, of_b] = bundles.map(TerrainBundle::grid);
    if of_a != of_b {
        return Err(Failure::bad_input(format!(
            "{} has {} x {} samples and {} has {} x {}; expected bundles of the same terrain",
            paths[0].display(),
            of_a.width(),
            of_a.height(),
            paths[1].display(),
            of_b.width(),
            of_b.height()
        )));
    }
    let quads = of_a.quad_count();
    let found = with_progress(work, "difference", "quads", quads, |go_on| {
        survey::difference(bundles, level, go_on)
    });
    found.map_err(|(which, damaged)| {
        Failure::bad_input(format!("{}: {damaged}", paths[which].display()))
    })
}

/// Runs what tells how much of `all` is done, with the threads and the progress of the work; says
/// so if a signal ended it.
fn with_progress<T: Send, E: Send>(
    work: &Work<'_>,
    name: &'static str,
    unit: &'static str,
    all: u64,
    run: impl FnOnce(&(dyn Fn(u64) -> bool + Sync)) -> Result<Option<T>, E> + Send,
) -> Result<Option<T>, E> {
    work.progress.begin(name, unit, all);
    let done = AtomicU64::new(0);
    let go_on = |more| {
        let before = done.fetch_add(more, Ordering::Relaxed);
        work.progress.reach(before + more);
        !work.stop.asked()
    };
    let found = work.pool.install(|| run(&go_on));
    work.progress.finish();
    found
}

fn damaged(path: &Path) -> Failure {
    Failure::bad_input(format!(
        "{}: the PVS of this place is damaged; see what viewcell verify says, and bake again",
        path.display()
    ))
}
