//! `viewcell experiment compression` of a level: van de Panne and Stewart's merging of rows and
//! columns, beside the bundle's rows.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::experiment::{MergingRow, compare_merging};

use crate::cli::exit::{Exit, Outcome};
use crate::cli::output;
use crate::cli::query;

/// What `viewcell experiment compression --json` prints of a level.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment compression of a level")]
pub struct Document {
    /// Cells.
    cells: u32,
    /// Bytes of all pairs, a bit each.
    matrix_bytes: u64,
    /// What each method comes to.
    rows: Vec<MergingRow>,
}

/// Percent of what is hidden that may be given away.
const LOSSES: [f64; 3] = [0.1, 1.0, 5.0];

/// Sections that hold who sees whom.
const STORED: [&str; 2] = ["CPVS", "CROW"];

pub fn run(path: &Path, json: bool) -> Outcome {
    let map = query::open(path)?;
    let level = query::cells(path, &map)?;
    let info = bundle::info(path)?;
    let sections = info.sections.iter();
    let stored = sections.filter(|section| STORED.contains(&section.tag.as_str()));
    let stored = stored.map(|section| section.uncompressed_bytes).sum();
    let cells = level.cells();
    let document = Document {
        cells,
        matrix_bytes: (u64::from(cells) * u64::from(cells)).div_ceil(8),
        rows: compare_merging(&level, stored, &LOSSES),
    };
    if json {
        output::print_json(&document)?;
        return Ok(Exit::Done);
    }
    let mut text = format!(
        "{cells} cells, {} bytes at a bit a pair\nmethod    rows  columns      bytes  % given away  ns to ask\n",
        document.matrix_bytes
    );
    for row in &document.rows {
        text.push_str(&format!(
            "{:<8} {:>5} {:>8} {:>10} {:>13.2} {:>10.1}\n",
            row.method, row.rows, row.columns, row.bytes, row.given_away, row.ask_ns
        ));
    }
    output::print(text.trim_end())?;
    Ok(Exit::Done)
}
