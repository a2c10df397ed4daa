//! `viewcell render`: a picture of what a bundle says: a terrain, or a level a floor at a time.

use std::path::{Path, PathBuf};

use image::RgbaImage;
use schemars::JsonSchema;
use serde::Serialize;

use viewcell::frontier::FrontierOptions;
use viewcell::query::{CellBundle, TerrainBundle, World};
use viewcell_bake::survey::{self, Difference, Survey, by_cell, cell_difference, seen_by};
use viewcell_view::picture::{self, LevelPages, PAGE_WIDTHS, Page, TerrainPages};

use super::exit::{Failure, Outcome};
use super::output::{FileWorkOptions, of_ending};
use super::query::{self, By, GivenPlace, Opened};
use super::shading::{self, Shading};
use super::work::Work;

/// What `viewcell render --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell render")]
pub struct Document {
    /// The picture.
    #[serde(serialize_with = "crate::output::names")]
    output: PathBuf,
    /// What it shows: its title.
    title: String,
    /// The same in numbers: its second line.
    subtitle: String,
    /// Its width in pixels.
    width: u32,
    /// Its height in pixels.
    height: u32,
}

/// Most pixels a side of a bare map.
const MOST: u32 = PAGE_WIDTHS.1;

pub fn run(args: &Args) -> Outcome {
    check_png(&args.output)?;
    if let Some(width) = args.width {
        check_width(width, args.bare)?;
    }
    let work = args.work_options.begin(&args.bundle, &args.output)?;
    let opened = query::open(&args.bundle)?;
    args.shading.check(&opened)?;
    args.by.check(&opened)?;
    let page = match opened.world() {
        World::Terrain(terrain) => terrain_page(args, &work, &opened, terrain),
        World::Cells(_) | World::Solid(_) => level_page(args, &work, &opened),
    };
    save(args, &work, &page?)
}

/// Encodes and writes a page, or its map alone.
fn save(args: &Args, work: &Work<'_>, page: &Page) -> Outcome {
    let drawn = match (args.bare, args.width.unwrap_or(1200)) {
        (true, _) => bare(args, page)?,
        (false, width) => page.draw(width).map_err(Failure::resource)?,
    };
    let bytes = picture::png(&drawn).map_err(Failure::resource)?;
    work.save(|file| file.write_all(&bytes))?;
    if !args.bare {
        work.tell(page.squeeze().as_slice());
    }
    let document = || Document {
        output: args.output.clone(),
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        width: drawn.width(),
        height: drawn.height(),
    };
    let text = format_args!("{}\n{}", page.title, page.subtitle);
    args.work_options.json.tell(document, text)
}

/// The maps of a page, one below the other, as they are or so many pixels wide.
fn bare(args: &Args, page: &Page) -> Result<RgbaImage, Failure> {
    let Some(panel) = page.panels.first() else {
        return Err(Failure::usage("there is nothing to draw"));
    };
    let (columns, rows) = panel.picture.dimensions();
    let width = args.width.unwrap_or(columns);
    let scale = f64::from(width) / f64::from(columns);
    let height = (f64::from(rows) * scale).round().max(1.0);
    let all = height * page.panels.len() as f64;
    if all > f64::from(MOST) || width > MOST {
        return Err(Failure::usage(format!(
            "--width {width}: the map would be {width} x {all} pixels; expected {MOST} a side at most"
        )));
    }
    picture::check_pixels(width.into(), all as u64).map_err(Failure::resource)?;
    let mut maps = RgbaImage::new(width, all as u32);
    for (i, panel) in page.panels.iter().enumerate() {
        let map = picture::resized(&panel.picture, width, height as u32);
        image::imageops::replace(&mut maps, &map, 0, i as i64 * height as i64);
    }
    Ok(maps)
}

/// Fails unless a page, or a bare map, can be so many pixels wide.
pub fn check_width(width: u32, bare: bool) -> Result<(), Failure> {
    let least = if bare { 1 } else { PAGE_WIDTHS.0 };
    if (least..=MOST).contains(&width) {
        return Ok(());
    }
    let hint = if (1..least).contains(&width) {
        "; narrower ones have no room for a legend"
    } else {
        ""
    };
    Err(Failure::usage(format!(
        "--width {width}: expected {least} to {MOST} pixels{hint}"
    )))
}

/// Fails unless a file's name says that it is a PNG.
pub fn check_png(path: &Path) -> Result<(), Failure> {
    of_ending(path, &[("png", ())], ".png")
}

/// Draw a bundle as a PNG, with a legend
///
/// Give one of --pvs, --frontier, --exposure, --lost and --distance; otherwise the terrain or level itself is
/// drawn. A place is COL,ROW of a terrain, the number of a cell, or X,Y,Z in a solid level, as in `viewcell
/// query`.
///
/// Example: viewcell render level.vcb --pvs 10,20 -o seen.png
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    pub bundle: PathBuf,
    #[command(flatten)]
    pub what: What,
    #[command(flatten)]
    pub by: By,
    /// With --pvs and --lost of a terrain: for squares of 2^LEVEL samples a side instead of samples
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    pub quad: u32,
    /// File to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Width in pixels [default: 1200; with --bare, one pixel per sample of a terrain]
    #[arg(long, value_name = "N")]
    pub width: Option<u32>,
    /// Draw the map alone, without title, legend and scale; the floors of a level one below the other
    #[arg(long)]
    pub bare: bool,
    #[command(flatten)]
    pub shading: Shading,
    #[command(flatten)]
    pub work_options: FileWorkOptions,
}

/// What is drawn.
#[derive(clap::Args)]
#[group(multiple = false)]
pub struct What {
    /// What may be seen from A
    #[arg(long, value_name = "A")]
    pub pvs: Option<GivenPlace>,
    /// A frontier set: how far A and B may walk before they can see each other, and in what order the regions grew
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub frontier: Option<Vec<GivenPlace>>,
    /// How many places see each place
    #[arg(long)]
    pub exposure: bool,
    /// What is hidden here and visible in another bundle of the same input, such as one with a budget
    #[arg(long, value_name = "OTHER")]
    pub lost: Option<PathBuf>,
    /// How many visible steps each cell is from A
    #[arg(long, value_name = "A")]
    pub distance: Option<GivenPlace>,
}

/// The last part of a path, for people.
pub fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The page that is asked for.
fn terrain_page(
    args: &Args,
    work: &Work<'_>,
    opened: &Opened,
    terrain: &TerrainBundle<'_>,
) -> Result<Page, Failure> {
    let path = &args.bundle;
    let pages = terrain_pages(opened, args.shading.heightmap.as_deref())?;
    let what = &args.what;
    if args.quad != 0 && what.pvs.is_none() && what.lost.is_none() {
        let message = "--quad: expected --pvs or --lost with it";
        return Err(Failure::usage(message));
    }
    query::check_level(opened, args.quad)?;
    if what.distance.is_some() {
        return Err(Failure::usage(format!(
            "--distance: expected a level of cells, found the terrain {}; --pvs draws what a place sees",
            path.display()
        )));
    }
    if let Some(place) = what.pvs {
        let position = args.by.position(opened, place)?;
        return Ok(pages.pvs(&opened.terrain_pvs(&position, args.quad)?));
    }
    if let Some([a, b]) = what.frontier.as_deref() {
        let cell = |place| opened.sample(&args.by.position(opened, place)?);
        let players = [cell(*a)?, cell(*b)?];
        let page = pages.frontier(players, &FrontierOptions::default());
        return page.map_err(|error| Failure::usage(format!("{}: {error}", path.display())));
    }
    if what.exposure {
        return Ok(pages.exposure(&survey(work, path, terrain)?.exposure, &[]));
    }
    let Some(other) = &what.lost else {
        return Ok(pages.plain());
    };
    let other_opened = query::open(other)?;
    let paths = [path.as_path(), other.as_path()];
    let found = compare(work, paths, [terrain, &other_opened.terrain()?], args.quad)?;
    let counts: Vec<u32> = found.quads.iter().map(|[revealed, _]| *revealed).collect();
    let counts = survey::spread(terrain, args.quad, &counts);
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
    Ok(pages.losses(&title, &subtitle, &[("", &counts)]))
}

/// Pages of a mapped bundle, shaded from its heightmap if that is at hand.
pub fn terrain_pages<'a>(
    opened: &'a Opened,
    heightmap: Option<&Path>,
) -> Result<TerrainPages<'a>, Failure> {
    let (path, terrain) = (opened.path(), opened.terrain()?);
    check_drawable(path, &terrain)?;
    let has_crs = opened.bundle().crs().is_some_and(|crs| !crs.is_empty());
    let ground = shading::ground(path, &terrain, heightmap)?;
    Ok(TerrainPages::new(terrain, ground, &name(path), has_crs))
}

/// Fails where a picture with a pixel a sample would be too large.
pub fn check_drawable(path: &Path, terrain: &TerrainBundle<'_>) -> Result<(), Failure> {
    let grid = terrain.grid();
    let fits = picture::check_pixels(grid.width().into(), grid.height().into());
    fits.map_err(|error| {
        let error = anyhow::Error::new(error).context(path.display().to_string());
        Failure::resource(error)
    })
}

/// Surveys a bundle, showing progress.
pub fn survey(
    work: &Work<'_>,
    path: &Path,
    terrain: &TerrainBundle<'_>,
) -> Result<Survey, Failure> {
    let all = terrain.grid().samples();
    let run = |go_on: &(dyn Fn(u64) -> bool + Sync)| survey::survey(terrain, go_on);
    work.count("exposure", "viewpoints", all, run, Failure::bad_file(path))
}

/// Compares two bundles, showing progress. Fails where they are of different grids.
pub fn compare(
    work: &Work<'_>,
    paths: [&Path; 2],
    bundles: [&TerrainBundle<'_>; 2],
    level: u32,
) -> Result<Difference, Failure> {
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
    let run = |go_on: &(dyn Fn(u64) -> bool + Sync)| survey::difference(bundles, level, go_on);
    work.count("difference", "quads", quads, run, |(which, damaged)| {
        Failure::bad_file(paths[which])(damaged)
    })
}

/// The longer side of a plan that stands on a page. [Unit: pixels]
pub const PLAN_SIDE: u32 = 1000;

/// The page that is asked for.
fn level_page(args: &Args, work: &Work<'_>, opened: &Opened) -> Result<Page, Failure> {
    let path = &args.bundle;
    let what = &args.what;
    let of_solids = [
        (args.quad != 0, "--quad"),
        (what.distance.is_some(), "--distance"),
        (what.lost.is_some(), "--lost"),
    ];
    let refused = of_solids.into_iter().find(|(given, _)| *given);
    match (opened.world().solid(), refused) {
        (Some(_), Some((_, option))) => {
            return Err(Failure::usage(format!(
                "{option}: expected another bundle, found {} of a solid level, of which --pvs, --frontier and \
                 --exposure are drawn",
                path.display()
            )));
        }
        (None, _) if args.quad != 0 => {
            return Err(Failure::usage(format!(
                "--quad: expected a terrain, found cells in {}",
                path.display()
            )));
        }
        _ => {}
    }
    let cell = |place| opened.cell(&args.by.position(opened, place)?);
    // Places first: a plan takes a moment.
    let pvs = what.pvs.map(cell).transpose()?;
    let distance = what.distance.map(cell).transpose()?;
    let players = match what.frontier.as_deref() {
        Some([a, b]) => Some([cell(*a)?, cell(*b)?]),
        _ => None,
    };
    let pages = level_pages(opened, plan_side(args))?;
    if let Some(cell) = pvs {
        return Ok(pages.pvs(cell));
    }
    if let Some(players) = players {
        return Ok(pages.frontier(players));
    }
    if let Some(from) = distance {
        return Ok(pages.distance(from));
    }
    if what.exposure {
        return Ok(pages.exposure(&seen_by_cells(work, opened)?, &[]));
    }
    let Some(other) = &what.lost else {
        return Ok(pages.plain());
    };
    let level = opened.cells()?;
    let other_opened = query::open(other)?;
    let levels = [&level, &other_opened.cells()?];
    check_same([path, other], levels)?;
    let (cells, visible) = cell_difference(levels);
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
pub fn plan_side(args: &Args) -> u32 {
    match (args.bare, args.width) {
        (true, Some(width)) => width,
        _ => PLAN_SIDE,
    }
}

/// Pages of a level, on plans whose longer side is so long. Fails where the bundle does not know where its cells are.
pub fn level_pages(opened: &Opened, side: u32) -> Result<LevelPages<'_>, Failure> {
    let path = opened.path();
    LevelPages::new(opened.world(), &name(path), side).ok_or_else(|| {
        let words = match opened.world().solid() {
            None => {
                "expected boxes of cells to draw a plan of, found none; viewcell export matrix draws who sees whom \
                 without them"
            }
            Some(_) => {
                "expected boxes of view cells to draw a plan of, found none that can be drawn; see viewcell verify"
            }
        };
        Failure::bad_input(format!("{}: {words}", path.display()))
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

/// How many cells of a level see each cell, itself included.
pub fn seen_by_cells(work: &Work<'_>, opened: &Opened) -> Result<Vec<u32>, Failure> {
    if let Some(level) = opened.world().cells() {
        return Ok(seen_by(level));
    }
    let level = opened.solid()?;
    let found = survey(work, opened.path(), level.sights())?;
    Ok(by_cell(&level, &found.exposure))
}
