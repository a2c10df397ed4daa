//! The pages of levels: of cells, and of solids.

use crate::exit::Failure;
use crate::info::{self, Bytes};
use crate::query::Opened;
use crate::render::{PLAN_SIDE, level_pages, name, seen_by_cells};
use crate::table::{Table, percent};
use crate::work::Work;
use viewcell::query::{Place, World};
use viewcell_bake::bundle::{CellStatistics, Info};
use viewcell_view::picture::{Bars, Chart, Curve, LevelPages, Series, frequencies, grouped};

use super::{Page, Section, finished_page, making, named};

/// Most cells in a list of extremes.
const CELLS: usize = 5;

/// The page.
pub fn page(opened: &Opened, work: &Work<'_>, info: &Info) -> Result<Page, Failure> {
    let (path, world) = (opened.path(), opened.world());
    let seen = seen_by_cells(work, opened)?;
    let statistics = info
        .provenance
        .as_ref()
        .and_then(|made| made.cells.as_ref());
    let cells = world.places();
    let pairs = cells * cells.saturating_sub(1);
    let visible: u64 = seen.iter().map(|&count| u64::from(count)).sum();
    // A cell sees itself.
    let visible = visible.saturating_sub(cells);
    let hidden = 1.0 - visible as f64 / pairs.max(1) as f64;
    let mut figures = vec![
        ("Hidden from a cell", percent(hidden)),
        ("Cells", grouped(cells)),
        ("File", Bytes(info.bytes).to_string()),
    ];
    let (apart, pages) = match world.cells() {
        Some(level) => {
            let steps = level.parameters().greatest_distance;
            figures.push(("Farthest apart", format!("{steps} steps")));
            let pages = LevelPages::new(world, &name(path), PLAN_SIDE);
            (distances(statistics, &seen), pages)
        }
        None => {
            let words = "A cell is a box of positions of a player's origin.";
            let section = Section::new("How exposed cells are", words);
            let section = section.chart(exposed(&exposures(&seen)));
            let pages = level_pages(opened, PLAN_SIDE)?;
            (section, Some(pages))
        }
    };
    let sections = vec![making(info), apart, exposure(world, pages, &seen)?];
    Ok(finished_page(
        path,
        info,
        named(figures),
        warnings(info, statistics),
        sections,
    ))
}

fn warnings(info: &Info, statistics: Option<&CellStatistics>) -> Vec<String> {
    let mut warnings = Vec::new();
    let symmetry = info.cells.as_ref().map(|about| about.symmetry.as_str());
    let one_way = statistics.map_or(0, |of| of.one_way_pairs);
    if one_way > 0 {
        let pairs = grouped(one_way);
        warnings.push(match symmetry {
            Some("or") => format!(
                "In the input {pairs} pairs of cells see each other one way only; here they see \
                 each other."
            ),
            Some("and") => format!(
                "In the input {pairs} pairs of cells see each other one way only; here they are \
                 hidden, which an engine may draw."
            ),
            _ => format!(
                "{pairs} pairs of cells see each other one way only: players in a frontier set may \
                 see each other."
            ),
        });
    }
    if statistics.is_some_and(|of| of.unreachable_pairs > 0) {
        warnings.push("No chain of visible steps connects some pairs of cells.".into());
    }
    warnings
}

/// How far cells are apart, and how exposed they are.
fn distances(statistics: Option<&CellStatistics>, seen: &[u32]) -> Section {
    let title = "How far apart cells are";
    let words = "Pairs of cells by how many visible steps lead from one to the other (the extended \
                 PVS of Steed and Angus); and how many cells see a cell.";
    let exposures = exposures(seen);
    let exposed = exposed(&exposures);
    let Some(of) = statistics else {
        return Section::new(title, words).chart(exposed);
    };
    let pairs: Vec<u64> = of.pairs_by_distance.clone();
    let all = pairs.iter().sum::<u64>() + of.unreachable_pairs;
    let share = |pairs: u64| pairs as f64 / all.max(1) as f64;
    let names: Vec<String> = (1..=pairs.len()).map(|steps| steps.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let bars = [Bars {
        name: "pairs".into(),
        values: pairs.iter().map(|&pairs| 100.0 * share(pairs)).collect(),
    }];
    Section::new(title, words)
        .chart(Chart::new(
            "Pairs, by distance",
            ["visible steps", "% of pairs"],
            Series::Bars(&names, &bars),
        ))
        .chart(exposed)
        .table("", info::distances(of))
}

/// Which share of cells is seen from which share.
fn exposures(seen: &[u32]) -> Vec<Curve> {
    let cells = seen.len().max(1) as f64;
    let shares = seen
        .iter()
        .map(|count| 100.0 * f64::from(*count) / cells)
        .collect();
    frequencies(&[("cells", shares)])
}

/// A chart of that.
fn exposed(exposures: &[Curve]) -> Chart<'_> {
    Chart::new(
        "How exposed cells are",
        ["seen from, % of the cells", "% of cells"],
        Series::Curves(exposures),
    )
}

/// Which cells most cells see, and fewest, with a plan where it is known where they are.
fn exposure(
    world: &World<'_>,
    pages: Option<LevelPages<'_>>,
    seen: &[u32],
) -> Result<Section, Failure> {
    let mut cells: Vec<u32> = (0..seen.len() as u32).collect();
    // The sort is stable: of equals the first comes first.
    cells.sort_by_key(|cell| seen[*cell as usize]);
    let least: Vec<u32> = cells.iter().copied().take(CELLS).collect();
    cells.sort_by_key(|cell| u32::MAX - seen[*cell as usize]);
    let most: Vec<u32> = cells.iter().copied().take(CELLS).collect();
    let row = |cell: &u32| {
        let count = seen[*cell as usize];
        let middle = world.middle(Place::Cell(*cell));
        let middle = middle.map(|[x, y, z]| format!("{x:.0}, {y:.0}, {z:.0}"));
        vec![
            cell.to_string(),
            middle.unwrap_or("-".into()),
            grouped(count.into()),
            percent(f64::from(count) / seen.len() as f64),
        ]
    };
    let head = ["Cell", "Middle of its box", "Seen by", "Share"];
    let section = Section::new("Exposure", "How many cells see each cell, itself included.");
    let section = match pages {
        Some(pages) => {
            let names: Vec<String> = most.iter().map(u32::to_string).collect();
            let marks: Vec<(u32, &str)> = most
                .iter()
                .copied()
                .zip(names.iter().map(String::as_str))
                .collect();
            section.picture(&pages.exposure(seen, &marks))?
        }
        None => section,
    };
    Ok(section
        .table("Most exposed", Table::new(2, &head, most.iter().map(row)))
        .table("Most hidden", Table::new(2, &head, least.iter().map(row))))
}
