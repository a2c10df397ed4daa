//! What tools do with a bundle's file: check it with every rule, and say what it is.
#![no_main]

mod reseal;

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use viewcell_bake::bundle::{info, verify};

fuzz_target!(|data: &[u8]| {
    let bytes = reseal::reseal(data);
    let memory = PathBuf::from("/dev/shm");
    let folder = match memory.is_dir() {
        true => memory,
        false => std::env::temp_dir(),
    };
    let path = folder.join(format!("viewcell-fuzz-{}.vcb", std::process::id()));
    std::fs::write(&path, &bytes).expect("room for a small file");
    let checked = verify(&path, &mut |_| {});
    let said = info(&path);
    std::fs::remove_file(&path).expect("a file that was written");
    // What every rule lets pass can be asked what it is.
    if checked.is_ok_and(|report| report.is_sound()) {
        assert!(said.is_ok());
    }
});
