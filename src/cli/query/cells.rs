//! Questions to a level of cells.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::runtime::CellBundle;

use super::{Place, check_cell, pairs};
use crate::cli::exit::{Exit, Outcome};
use crate::cli::output::{self, Json};

/// What `viewcell query visible --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible, cells")]
pub struct CellVisibleDocument {
    /// From which cell.
    a: u32,
    /// To which cell.
    b: u32,
    /// Whether b may be seen from a.
    visible: bool,
}

/// What `viewcell query pvs --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query pvs, cells")]
pub struct CellPvsDocument {
    /// The cell that looks.
    cell: u32,
    /// Number of cells seen, itself among them.
    visible: u32,
    /// Number of cells hidden.
    hidden: u32,
    /// The cells seen, in rising order.
    cells: Vec<u32>,
}

pub fn visible(path: &Path, level: &CellBundle, places: [Place; 2], json: &Json) -> Outcome {
    let a = check_cell(path, level, places[0])?;
    let b = check_cell(path, level, places[1])?;
    let visible = level.visible(a, b);
    if json.json {
        output::print_json(&CellVisibleDocument { a, b, visible })?;
    } else {
        output::print(if visible { "visible" } else { "hidden" })?;
    }
    Ok(Exit::Done)
}

pub fn visible_pairs(level: &CellBundle, file: &Path, json: &Json) -> Outcome {
    pairs::answer_visible(file, json, |line| {
        let [a, b] = pairs::parse_cells(line, level.cells())?;
        Ok(level.visible(a, b))
    })
}

pub fn pvs(path: &Path, level: &CellBundle, a: Place, json: &Json) -> Outcome {
    let cell = check_cell(path, level, a)?;
    let cells: Vec<u32> = level.pvs(cell).iter().collect();
    let visible = cells.len() as u32;
    let hidden = level.cells() - visible;
    if json.json {
        output::print_json(&CellPvsDocument {
            cell,
            visible,
            hidden,
            cells,
        })?;
        return Ok(Exit::Done);
    }
    let share = |count: u32| 100.0 * f64::from(count) / f64::from(level.cells());
    let list: Vec<String> = cells.iter().map(u32::to_string).collect();
    output::print(format_args!(
        "visible  {visible:>12}  {:5.1} %\nhidden   {hidden:>12}  {:5.1} %\ncells    {}",
        share(visible),
        share(hidden),
        list.join(" ")
    ))?;
    Ok(Exit::Done)
}
