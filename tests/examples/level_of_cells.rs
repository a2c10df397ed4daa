//! Reads a Quake-style level, bakes it, and lists what each cell sees.
//!
//! ```sh
//! cargo run --release --example level_of_cells -- assets/cells/rooms.bsp
//! ```

use std::error::Error;
use std::path::PathBuf;

use viewcell::query::MappedBundle;
use viewcell_bake::{CellOptions, Silent, Source, bake_cells};
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};

fn main() -> Result<(), Box<dyn Error>> {
    let Some(input) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("expected a level, such as assets/cells/rooms.bsp".into());
    };
    let level = read_cells(&input, &IngestCellsOptions::default())?;
    for note in &level.notes {
        eprintln!("note: {note}");
    }
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("level.vcb");
    let source = Source::new(&input, level.format, Default::default())?;
    bake_cells(
        &level.graph,
        &source,
        &CellOptions::default(),
        &output,
        &Silent,
    )?;

    let map = MappedBundle::open(&output)?;
    let cells = map.bundle()?.cells()?;
    println!("{} cells", cells.cells());
    for a in 0..cells.cells() {
        let seen = (0..cells.cells()).filter(|&b| cells.visible(a, b)).count();
        // The longest chain of visible steps that a player may need from here.
        let farthest = (0..cells.cells())
            .filter_map(|b| cells.distance(a, b))
            .max();
        println!("cell {a}: sees {seen}, farthest {}", farthest.unwrap_or(0));
    }
    Ok(())
}
