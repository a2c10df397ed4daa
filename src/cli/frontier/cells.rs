//! `viewcell frontier`, of a level of cells.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::runtime::CellBundle;
use viewcell::internals::world::ones;

use super::{Args, Construction, NO_SET, sizes};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{Stdout, say};
use crate::cli::query::pairs;

/// What `viewcell frontier --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell frontier, cells")]
pub struct Document {
    /// One player's cell.
    a: u32,
    /// The other's.
    b: u32,
    /// Whether one can see the other, so that both regions are empty.
    visible: bool,
    /// Number of cells in the region of a.
    size_a: u64,
    /// Number of cells in the region of b.
    size_b: u64,
    /// `published`, `tightened`, `grown` or `widened`; of a solid level `quads`, of the numbers of its cells.
    construction: &'static str,
    /// The cells of the region of a, in rising order; absent with --pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    region_a: Option<Vec<usize>>,
    /// The cells of the region of b, in rising order; absent with --pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    region_b: Option<Vec<usize>>,
}

impl Document {
    /// Of regions, both of which are empty where one sees the other.
    pub fn new(
        [a, b]: [u32; 2],
        visible: bool,
        construction: &'static str,
        [ab, ba]: [Vec<usize>; 2],
    ) -> Self {
        Self {
            a,
            b,
            visible,
            size_a: ab.len() as u64,
            size_b: ba.len() as u64,
            construction,
            region_a: Some(ab),
            region_b: Some(ba),
        }
    }

    /// The sizes alone.
    pub fn without_regions(self) -> Self {
        Self {
            region_a: None,
            region_b: None,
            ..self
        }
    }
}

pub fn run(args: &Args, level: &CellBundle<'_>) -> Outcome {
    if args.output.is_some() {
        return Err(Failure::usage(format!(
            "-o: expected a terrain to draw, found cells in {}; --members writes a list",
            args.pair.bundle.display()
        )));
    }
    let construction = args.construction.unwrap_or_default();
    if construction.needs_neighbours() && !level.has_neighbours() {
        return Err(Failure::usage(format!(
            "--construction {}: {} does not know which cells touch; bake the level with --portals",
            construction.name(),
            args.pair.bundle.display()
        )));
    }
    let mut memory = vec![0; construction.words(level.cells())];
    match &args.pair.pairs {
        Some(file) => answer_all(level, construction, file, &mut memory),
        None => {
            let pair = args.pair.cells(level)?;
            let document = build(level, construction, pair, &mut memory)?;
            show(args, level.cells(), &document)
        }
    }
}

fn build(
    level: &CellBundle<'_>,
    construction: Construction,
    [a, b]: [u32; 2],
    memory: &mut [u64],
) -> Result<Document, Failure> {
    let frontier = level
        .frontier(a, b, construction, memory)
        .map_err(|error| Failure::new(Exit::Resource, error))?;
    let visible = level.visible(a, b) || level.visible(b, a);
    let [ab, ba]: [Vec<usize>; 2] = match &frontier {
        Some(frontier) => [frontier.ab, frontier.ba].map(|region| ones(region).collect()),
        None => [Vec::new(), Vec::new()],
    };
    Ok(Document::new(
        [a, b],
        visible,
        construction.name(),
        [ab, ba],
    ))
}

/// Prints a set, and writes its members; of a level of so many cells.
pub fn show(args: &Args, cells: u32, document: &Document) -> Outcome {
    let regions = [("a", &document.region_a), ("b", &document.region_b)];
    if let Some(path) = &args.members {
        let mut text = String::new();
        for (name, region) in regions {
            for cell in region.iter().flatten() {
                // Writing into a String does not fail.
                let _ = writeln!(text, "{name} {cell}");
            }
        }
        bundle::save(path, text.as_bytes(), args.force)?;
        say(format_args!("written: {}", path.display()));
    }
    if document.visible {
        say(NO_SET);
    }
    let sizes = sizes([document.size_a, document.size_b], cells.into());
    args.pair.json.tell(|| document, sizes)
}

fn answer_all(
    level: &CellBundle<'_>,
    construction: Construction,
    file: &Path,
    memory: &mut [u64],
) -> Outcome {
    let mut stdout = Stdout::lock();
    pairs::answer_lines(file, &mut stdout, |line, words| {
        let pair = pairs::parse_cells(line, level.cells())?;
        let document = build(level, construction, pair, memory);
        let document = document.map_err(|_| "no memory for a frontier".to_owned())?;
        let document = document.without_regions();
        serde_json::to_writer(&mut *words, &document).map_err(|error| error.to_string())?;
        words.push(b'\n');
        Ok(())
    })?;
    stdout.finish()?;
    Ok(Exit::Done)
}
