//! Reads what it is given as a level: a portal file.
#![no_main]

mod levels;

use libfuzzer_sys::fuzz_target;
use viewcell_ingest::cells::IngestCellsOptions;

fuzz_target!(|data: &[u8]| levels::read(data, &IngestCellsOptions::default()));
