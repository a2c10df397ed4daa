//! Reads what it is given as a map of a WAD.
#![no_main]

mod levels;

use libfuzzer_sys::fuzz_target;
use viewcell::ingest::cells::CellsOptions;

fuzz_target!(|data: &[u8]| {
    for map in [None, Some("MAP01".to_owned())] {
        levels::read(data, &CellsOptions { map });
    }
});
