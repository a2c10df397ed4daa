//! Reads a demo of QuakeWorld. Of one that is read, the trace reads back from CSV to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viewcell_simulate::{demo, trace::Trace};

fuzz_target!(|data: &[u8]| match demo::read(data) {
    Ok(demo) => assert_eq!(Trace::read(demo.trace.write().as_bytes()), Ok(demo.trace)),
    Err(error) => assert!(error.byte <= data.len() as u64),
});
