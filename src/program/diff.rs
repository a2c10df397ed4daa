//! `viewcell diff`: where the answers of two bundles differ.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use viewcell::query::WorldKind;
use viewcell_bake::bundle::{self, Provenance};
use viewcell_bake::survey::{self, cell_difference};
use viewcell_view::picture::{self, Page};

use super::exit::{Exit, Failure, Outcome};
use super::output::FileWorkOptions;
use super::query::{self, Opened};
use super::render::{
    PLAN_SIDE, check_png, check_same, check_width, compare, level_pages, name, terrain_pages,
};
use super::table::Table;
use super::work::Work;

/// Compare the answers of two bundles of the same world; exit code 1 if they differ
///
/// Prints for each level the share that is hidden in each bundle, the number of pairs that are hidden in A and
/// visible in B, and the number that are visible in A and hidden in B. To see the cost of a budget, compare the
/// lossless bundle with the small one. Of two solid levels those cells are compared that both have: they need the same cell
/// size and the same players.
///
/// Example: viewcell diff level.vcb small.vcb
#[derive(clap::Args)]
pub struct Args {
    /// One bundle
    a: PathBuf,
    /// The other
    b: PathBuf,
    /// Draw, for each place, how many places it sees in only one of the bundles: two maps side by side
    #[arg(short, long, value_name = "PICTURE.png")]
    output: Option<PathBuf>,
    /// With -o, of a terrain: draw it for squares of 2^LEVEL samples a side
    #[arg(long, value_name = "LEVEL", default_value_t = 0, requires = "output")]
    quad: u32,
    /// Width in pixels
    #[arg(long, value_name = "N", default_value_t = 1200, requires = "output")]
    width: u32,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

/// What `viewcell diff --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell diff")]
pub struct Document {
    /// One bundle.
    #[serde(serialize_with = "crate::output::names")]
    a: PathBuf,
    /// The other.
    #[serde(serialize_with = "crate::output::names")]
    b: PathBuf,
    /// `terrain`, `cells` or `solid`.
    kind: String,
    /// Whether both were made from the same input file; absent if one does not name its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_input: Option<bool>,
    /// Options of the bake that differ.
    options: Vec<OptionDifference>,
    /// Whether both give the same answer for every pair.
    equal: bool,
    /// One entry for each level of the viewpoint quad; for cells a single entry, over pairs of different cells; for a solid
    /// level a single one, over all pairs of cells that both bundles have.
    levels: Vec<LevelCounts>,
    /// Of solid levels, which cells are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<CellsInBoth>,
    /// The picture, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    output: Option<PathBuf>,
}

/// Cells of two solid levels. Players in a cell that one bundle lacks see all and are seen by all there.
#[derive(Serialize, JsonSchema)]
pub struct CellsInBoth {
    /// Cells that both bundles have, at the same place.
    both: u32,
    /// Those of A alone.
    only_a: u32,
    /// Those of B alone.
    only_b: u32,
}

/// An option of the bake that differs; absent in a bundle that was made without it.
#[derive(Serialize, JsonSchema)]
pub struct OptionDifference {
    /// Its name.
    option: String,
    /// What A was made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<Value>,
    /// What B was made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<Value>,
}

/// The answers of two bundles for the pairs of a level: of a quad and a sample, or of two cells.
#[derive(Serialize, JsonSchema)]
pub struct LevelCounts {
    /// The level; 0 are single samples, or cells.
    level: u32,
    /// Pairs that both bundles know of.
    pairs: u64,
    /// Share of them that is hidden in A; 0 to 1.
    hidden_share_a: f64,
    /// Share of them that is hidden in B; 0 to 1.
    hidden_share_b: f64,
    /// Pairs that are hidden in A and visible in B.
    hidden_in_a_visible_in_b: u64,
    /// Pairs that are visible in A and hidden in B.
    visible_in_a_hidden_in_b: u64,
}

/// What was found, the page if a picture was asked for, and of solid levels the cells.
type Found = (Vec<LevelCounts>, Option<Page>, Option<CellsInBoth>);

pub fn run(args: &Args) -> Outcome {
    let work = match &args.output {
        Some(path) => {
            check_png(path)?;
            check_width(args.width, false)?;
            args.work_options.begin(&args.a, path)?
        }
        None => Work::unwritten(args.work_options.quiet)?,
    };
    let both = [query::open(&args.a)?, query::open(&args.b)?];
    let kinds = [both[0].kind(), both[1].kind()];
    if kinds[0] != kinds[1] {
        return Err(Failure::bad_input(format!(
            "{} is of {}, {} is of {}; expected bundles of the same world",
            args.a.display(),
            kinds[0],
            args.b.display(),
            kinds[1]
        )));
    }
    let found = match kinds[0] {
        WorldKind::Terrain => of_terrains(args, &work, &both),
        WorldKind::Cells => of_cells(args, &both),
        WorldKind::Solid => of_solids(args, &both),
    };
    let (levels, page, cells) = found?;
    if let Some(page) = page {
        let drawn = page.draw(args.width).map_err(Failure::resource)?;
        let bytes = picture::png(&drawn).map_err(Failure::resource)?;
        work.save(|file| file.write_all(&bytes))?;
        work.tell(page.squeeze().as_slice());
    }
    let made = |path: &Path| Ok::<_, Failure>(bundle::info(path)?.provenance);
    let (made_a, made_b) = (made(&args.a)?, made(&args.b)?);
    let differ =
        |level: &LevelCounts| level.hidden_in_a_visible_in_b + level.visible_in_a_hidden_in_b > 0;
    let document = Document {
        a: args.a.clone(),
        b: args.b.clone(),
        kind: kinds[0].to_string(),
        same_input: made_a
            .as_ref()
            .zip(made_b.as_ref())
            .map(|(a, b)| (&a.input.digest, a.input.bytes) == (&b.input.digest, b.input.bytes)),
        options: options(made_a.as_ref(), made_b.as_ref()),
        equal: !levels.iter().any(differ) && !cells.as_ref().is_some_and(CellsInBoth::differ),
        levels,
        cells,
        output: args.output.clone(),
    };
    let text = Words(&document).to_string();
    args.work_options.json.tell(|| &document, text.trim_end())?;
    Ok(if document.equal { Exit::Done } else { Exit::No })
}

fn of_terrains(args: &Args, work: &Work<'_>, both: &[Opened; 2]) -> Result<Found, Failure> {
    let paths = both.each_ref().map(Opened::path);
    let (a, b) = (both[0].terrain()?, both[1].terrain()?);
    query::check_level(&both[0], args.quad + a.parameters().finest())?;
    let found = compare(work, paths, [&a, &b], args.quad)?;
    let level = |(level, of): (u32, &survey::LevelDifference)| {
        let differ = [of.revealed, of.concealed];
        LevelCounts::new(level, of.pairs, of.hidden_shares(), differ)
    };
    let levels: Vec<LevelCounts> = (0..).zip(&found.levels).map(level).collect();
    if args.output.is_none() {
        return Ok((levels, None, None));
    }
    let pages = terrain_pages(&both[0], None)?;
    let counts = ways(&found.quads).map(|counts| survey::spread(&a, args.quad, &counts));
    let page = drawn(
        args,
        &levels[args.quad as usize],
        &counts,
        |title, subtitle, maps| pages.losses(title, subtitle, maps),
    );
    Ok((levels, Some(page), None))
}

fn of_cells(args: &Args, both: &[Opened; 2]) -> Result<Found, Failure> {
    let paths = both.each_ref().map(Opened::path);
    let (a, b) = (both[0].cells()?, both[1].cells()?);
    check_same(paths, [&a, &b])?;
    let (counts, visible) = cell_difference([&a, &b]);
    let cells = u64::from(a.cells());
    let pairs = cells * (cells - 1);
    let hidden = visible.map(|visible| 1.0 - visible as f64 / pairs.max(1) as f64);
    let level = LevelCounts::of_cells(pairs, hidden, &counts);
    if args.output.is_none() {
        return Ok((vec![level], None, None));
    }
    let pages = level_pages(&both[0], PLAN_SIDE)?;
    let page = drawn(args, &level, &ways(&counts), |title, subtitle, maps| {
        pages.losses(title, subtitle, maps)
    });
    Ok((vec![level], Some(page), None))
}

/// From each place how many are hidden in A alone, and how many in B alone.
fn ways(counts: &[[u32; 2]]) -> [Vec<u32>; 2] {
    [0, 1].map(|way| counts.iter().map(|counts| counts[way]).collect())
}

impl LevelCounts {
    /// By the shares that are hidden in A and in B, and the pairs that are hidden in A alone and in B alone.
    fn new(level: u32, pairs: u64, hidden: [f64; 2], differ: [u64; 2]) -> Self {
        Self {
            level,
            pairs,
            hidden_share_a: hidden[0],
            hidden_share_b: hidden[1],
            hidden_in_a_visible_in_b: differ[0],
            visible_in_a_hidden_in_b: differ[1],
        }
    }

    /// Of a level, by the shares that are hidden, and from each cell how many cells differ.
    fn of_cells(pairs: u64, hidden: [f64; 2], counts: &[[u32; 2]]) -> Self {
        let sum = |way: usize| counts.iter().map(|counts| u64::from(counts[way])).sum();
        Self::new(0, pairs, hidden, [sum(0), sum(1)])
    }
}

impl CellsInBoth {
    fn differ(&self) -> bool {
        self.only_a + self.only_b > 0
    }
}

fn of_solids(args: &Args, both: &[Opened; 2]) -> Result<Found, Failure> {
    if args.output.is_some() {
        return Err(Failure::usage(
            "--output: expected terrains or levels of cells to draw how they differ, found solid levels; leave it out",
        ));
    }
    let (a, b) = (both[0].solid()?, both[1].solid()?);
    let Some(both) = survey::common_cells([&a, &b]) else {
        return Err(Failure::bad_input(format!(
            "{} and {}: expected view cells of the same size, for the same players (body, eye, axes), found others; bake both \
             with the same options",
            args.a.display(),
            args.b.display()
        )));
    };
    let (counts, visible) = survey::solid_difference([&a, &b], &both);
    let pairs = (both.len() as u64).pow(2);
    let hidden = visible.map(|visible| match pairs {
        0 => 0.0,
        _ => 1.0 - visible as f64 / pairs as f64,
    });
    let level = LevelCounts::of_cells(pairs, hidden, &counts);
    let count = both.len() as u32;
    let cells = CellsInBoth {
        both: count,
        only_a: a.cells() - count,
        only_b: b.cells() - count,
    };
    Ok((vec![level], None, Some(cells)))
}

/// The page of a level, by what draws maps of a title, a second line and captions.
fn drawn(
    args: &Args,
    level: &LevelCounts,
    [revealed, concealed]: &[Vec<u32>; 2],
    draw: impl FnOnce(&str, &str, &[(&str, &[u32])]) -> Page,
) -> Page {
    let (a, b) = (name(&args.a), name(&args.b));
    let from = match level.level {
        0 => "each place".to_owned(),
        level => format!("{0} × {0} samples", 1_u64 << level),
    };
    let title = format!("How {a} and {b} differ");
    let subtitle = format!(
        "hidden from {from}: {:.2} % in {a}, {:.2} % in {b}",
        100.0 * level.hidden_share_a,
        100.0 * level.hidden_share_b
    );
    let hidden = format!("hidden in {a}, visible in {b}");
    let visible = format!("visible in {a}, hidden in {b}");
    draw(
        &title,
        &subtitle,
        &[(&hidden, revealed), (&visible, concealed)],
    )
}

/// Options that one bundle was made with and the other was not.
fn options(a: Option<&Provenance>, b: Option<&Provenance>) -> Vec<OptionDifference> {
    let (Some(a), Some(b)) = (a, b) else {
        return Vec::new();
    };
    let names: BTreeSet<&String> = a.options.keys().chain(b.options.keys()).collect();
    let differ = names
        .into_iter()
        .filter(|name| a.options.get(*name) != b.options.get(*name));
    differ
        .map(|name| OptionDifference {
            option: name.clone(),
            a: a.options.get(name).cloned(),
            b: b.options.get(name).cloned(),
        })
        .collect()
}

/// A comparison, for people.
struct Words<'a>(&'a Document);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.0;
        writeln!(f, "A            {}", document.a.display())?;
        writeln!(f, "B            {}", document.b.display())?;
        let input = match document.same_input {
            Some(true) => "the same",
            Some(false) => "another: A and B were made from different files",
            None => "unknown: a bundle does not say what it was made from",
        };
        writeln!(f, "input        {input}")?;
        for OptionDifference { option, a, b } in &document.options {
            let value = |value: &Option<Value>| value.as_ref().map_or("-".into(), Value::to_string);
            writeln!(
                f,
                "option       {option}: {} in A, {} in B",
                value(a),
                value(b)
            )?;
        }
        if let Some(cells) = &document.cells {
            let CellsInBoth {
                both,
                only_a,
                only_b,
            } = cells;
            writeln!(
                f,
                "cells        {both} in both, {only_a} in A alone, {only_b} in B alone"
            )?;
        }
        let head = [
            "Level",
            "hidden in A",
            "hidden in B",
            "hidden in A, visible in B",
            "visible in A, hidden in B",
        ];
        let share = |share: f64| format!("{:.3} %", 100.0 * share);
        let rows = document.levels.iter().map(|level| {
            vec![
                level.level.to_string(),
                share(level.hidden_share_a),
                share(level.hidden_share_b),
                level.hidden_in_a_visible_in_b.to_string(),
                level.visible_in_a_hidden_in_b.to_string(),
            ]
        });
        write!(f, "\n{}", Table::new(0, &head, rows))?;
        f.write_str(if document.equal {
            "\nboth give the same answer for every pair"
        } else {
            "\nthey differ"
        })?;
        f.write_char('\n')
    }
}
