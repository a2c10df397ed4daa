//! GeoTIFFs of every kind that GDAL writes, as `scripts/check geotiffs` makes them, against what GDAL reads in them.

use std::io::Write;
use std::path::{Path, PathBuf};

use viewcell_ingest::IngestErrorKind::Bad;
use viewcell_ingest::IngestOptions;

use super::{read, read_plainly, refused};

/// The files that a list in a folder names, a line each.
fn listed(folder: &Path, list: &str) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(folder.join(list)).unwrap();
    text.lines().map(|line| folder.join(line)).collect()
}

#[test]
fn every_geotiff_that_gdal_writes_is_read_as_gdal_reads_it_or_refused() {
    let Some(folder) = std::env::var_os("VIEWCELL_GEOTIFFS").map(PathBuf::from) else {
        // Straight to stderr: what a test that passes prints is not shown.
        let words = "skipped: GeoTIFFs of every kind, which scripts/check geotiffs makes";
        writeln!(std::io::stderr(), "{words}").ok();
        return;
    };
    // One band a file, in the order of the list.
    let bytes = std::fs::read(folder.join("all.bin")).unwrap();
    let theirs: Vec<f64> = bytes
        .chunks_exact(8)
        .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    let paths = listed(&folder, "read.txt");
    let bands = theirs.chunks_exact(theirs.len() / paths.len());
    assert_eq!(bands.len(), paths.len());
    for (path, theirs) in paths.iter().zip(bands) {
        let terrain = read_plainly(path).terrain;
        let name = path.display();
        assert!(terrain.heights() == theirs, "{name}: other heights");
        assert_eq!(terrain.spacing(), [30.0, 30.0], "{name}");
        let crop = Some([17, 9, 40, 33]);
        let options = IngestOptions {
            crop,
            ..Default::default()
        };
        let part = read(path, &options).terrain;
        for row in 0..33 {
            let here = &part.heights()[row * 40..][..40];
            let there = &theirs[(row + 9) * terrain.width() as usize + 17..][..40];
            assert!(
                here == there,
                "{name}: other heights in row {row} of a part"
            );
        }
    }
    for path in listed(&folder, "refused.txt") {
        let error = refused(&path, &IngestOptions::default(), Bad);
        assert_eq!(error.place(), Some("tag 259 (Compression)"), "{error}");
        assert_eq!(error.found(), "LERC (34887)", "{error}");
        assert!(error.remedy().contains("gdal_translate"), "{error}");
    }
    println!("{} files are read as GDAL reads them", paths.len());
}
