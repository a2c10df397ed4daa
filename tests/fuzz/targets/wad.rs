//! Reads what it is given as a map of a WAD.
#![no_main]

mod levels;

use libfuzzer_sys::fuzz_target;
use viewcell_ingest::cells::IngestCellsOptions;

fuzz_target!(|data: &[u8]| {
    for map in [None, Some("MAP01".to_owned())] {
        levels::read(data, &IngestCellsOptions { map });
    }
});
