//! Reads a trace of players, and writes what it read: it reads the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viewcell_simulate::trace::Trace;

fuzz_target!(|data: &[u8]| {
    let Ok(trace) = Trace::read(data) else {
        return;
    };
    let [first, last] = trace.span();
    assert!(first <= last && trace.players.len() >= 2);
    assert_eq!(Trace::read(trace.write().as_bytes()), Ok(trace));
});
