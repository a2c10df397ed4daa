//! The page of a bundle of a solid level.

use std::path::Path;

use viewcell::internals::bundle::Info;
use viewcell::internals::picture::grouped;
use viewcell::internals::runtime::{MappedBundle, SolidBundle};
use viewcell::internals::world::Short;

use super::cells::{exposed, exposure, exposures};
use super::common::{self, percent};
use super::document::{Page, Section};
use crate::cli::exit::Failure;
use crate::cli::export::work::Work;
use crate::cli::info::Bytes;
use crate::cli::query;
use crate::cli::render::cells::PLAN_SIDE;
use crate::cli::render::solid::{pages, seen_by};

/// The page; `None` if a signal came before its end.
pub fn page(
    path: &Path,
    work: &Work<'_>,
    map: &MappedBundle,
    info: &Info,
) -> Result<Option<Page>, Failure> {
    let level = query::solid(path, map)?;
    let Some(seen) = seen_by(work, path, &level)? else {
        return Ok(None);
    };
    let cells = u64::from(level.cells());
    let visible: u64 = seen.iter().map(|&count| u64::from(count)).sum();
    // A cell sees itself.
    let visible = visible.saturating_sub(cells);
    let hidden = 1.0 - visible as f64 / (cells * (cells - 1)).max(1) as f64;
    let figures = [
        ("Hidden from a cell", percent(hidden)),
        ("Cells", grouped(cells)),
        ("File", Bytes(info.bytes).to_string()),
    ];
    let figures = figures.map(|(name, value)| (name.to_owned(), value));
    let sections = vec![
        common::making(info, world(&level)),
        Section::new(
            "How exposed cells are",
            "A cell is a box of positions of a player's origin.",
        )
        .chart(exposed(&exposures(&seen))),
        exposure(
            |cell| {
                let [low, high] = level.bounds(cell)?;
                Some(std::array::from_fn(|k| low[k].midpoint(high[k])))
            },
            Some(pages(path, level, PLAN_SIDE)?),
            &seen,
        )?,
    ];
    let page = common::page(path, info, figures.to_vec(), Vec::new(), sections);
    Ok(Some(page))
}

/// What is in the bundle.
fn world(level: &SolidBundle) -> Vec<(String, String)> {
    let of = level.parameters();
    let numbers = |numbers: &[f64]| {
        let words: Vec<String> = numbers.iter().map(|x| Short(*x).to_string()).collect();
        words.join(", ")
    };
    let rows = [
        ("Cells", grouped(of.cells.into())),
        ("Smallest cells", numbers(&of.cell)),
        ("Opaque solids", grouped(of.solids.into())),
        ("Opaque faces of no solid", grouped(of.faces.into())),
        ("Body, from the origin", numbers(of.hull.as_flattened())),
        ("Eye, over the origin", numbers(&[of.eye])),
    ];
    rows.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
