//! Bakes a heightmap, and asks who sees whom.
//!
//! ```sh
//! cargo run --release --example bake_and_ask -- assets/jacksboro.tif
//! ```

use std::error::Error;
use std::path::PathBuf;

use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::{IngestOptions, read_terrain};

fn main() -> Result<(), Box<dyn Error>> {
    let Some(input) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("expected a heightmap, such as assets/jacksboro.tif".into());
    };
    // A corner of it is enough to look at.
    let reading = IngestOptions {
        crop: Some([0, 0, 64, 64]),
        ..IngestOptions::default()
    };
    let read = read_terrain(&input, &reading)?;
    for note in &read.notes {
        eprintln!("note: {note}");
    }
    let terrain = read.terrain;
    println!("{} x {} samples", terrain.width(), terrain.height());

    let folder = tempfile::tempdir()?;
    let output = folder.path().join("corner.vcb");
    let source = Source::new(&input, read.format, Default::default())?;
    // For players who stand at the samples; the default is for players anywhere between them.
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        ..BakeOptions::default()
    };
    let report = bake_terrain(&terrain, &source, &options, &output, &Silent)?;
    println!("{} bytes", report.bytes);

    // Opening takes the same time whatever the size; a question allocates nothing.
    let map = MappedBundle::open(&output)?;
    let bundle = map.terrain()?;
    let here = Sample::new(terrain.width() / 2, terrain.height() / 2);
    for there in [(0, 0), (10, 20), (63, 5)].map(|(c, r)| Sample::new(c, r)) {
        let sees = if bundle.visible(here, there) {
            "visible"
        } else {
            "hidden"
        };
        println!("{here:?} to {there:?}: {sees}");
    }
    if let Some(pvs) = bundle.pvs(here.quad()) {
        println!("{} samples are visible from {here:?}", pvs.count());
    }
    Ok(())
}
