//! `viewcell_bake`: a level of cells, a terrain, another bundle of it, and errors that can be told apart.

use std::error::Error;

use viewcell_bake::{
    BakeError, BakeErrorKind, BakeOptions, CellOptions, RepackOptions, Silent, Source, bake_cells,
    bake_terrain, repack, verify,
};
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestErrorKind, IngestOptions, read_terrain};
use viewcell_outside::{Outcome, folder, wall};

fn main() -> Outcome {
    let folder = folder()?;
    let (input, rooms) = (folder.join("rooms.json"), folder.join("rooms.vcb"));
    std::fs::write(&input, r#"{"cells": 3, "pvs": [[1], [2], []]}"#)?;
    let level = read_cells(&input, &IngestCellsOptions::default())?;
    let source = Source::new(&input, level.format, Default::default())?;
    let mut options = CellOptions::default();
    options.overwrite = true;
    bake_cells(&level.graph, &source, &options, &rooms, &Silent)?;
    assert!(verify(&rooms, &mut |_| {})?.is_sound());

    let (wall, other) = (wall("bake.vcb")?, folder.join("repacked.vcb"));
    let mut options = RepackOptions::default();
    options.overwrite = true;
    repack(&wall, &other, &options, &Silent)?;
    let error = repack(&folder.join("gone.vcb"), &other, &options, &Silent).unwrap_err();
    assert_eq!(error.kind(), BakeErrorKind::Io);
    assert!(is_because_of_a_file(&error), "{error:?}");
    assert!(verify(&other, &mut |_| {})?.is_sound());

    // Errors say which class they are of, and what they are because of.
    let missing = read_terrain(&folder.join("missing.asc"), &IngestOptions::default()).unwrap_err();
    assert_eq!(missing.kind(), IngestErrorKind::Read);
    let flat = Terrain::new(2, 2, vec![0.0; 4], [1.0, 1.0])?;
    let mut options = BakeOptions::default();
    let nowhere = folder.join("no such folder/flat.vcb");
    let source = Source::of_terrain(&flat);
    let error = bake_terrain(&flat, &source, &options, &nowhere, &Silent).unwrap_err();
    assert_eq!(error.kind(), BakeErrorKind::Io);
    options.eye_height = f64::NAN;
    let error = bake_terrain(&flat, &source, &options, &nowhere, &Silent).unwrap_err();
    assert!(
        matches!(
            error,
            BakeError::Option {
                option: "eye_height",
                ..
            }
        ),
        "{error}"
    );
    Ok(())
}

/// Whether the system is among the causes of an error.
fn is_because_of_a_file(error: &(dyn Error + 'static)) -> bool {
    error.is::<std::io::Error>() || error.source().is_some_and(is_because_of_a_file)
}
