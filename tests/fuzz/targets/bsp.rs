//! Reads what it is given as a level in one of the BSP formats.
#![no_main]

mod levels;

use libfuzzer_sys::fuzz_target;
use viewcell_ingest::cells::IngestCellsOptions;

fuzz_target!(|data: &[u8]| levels::read(data, &IngestCellsOptions::default()));
