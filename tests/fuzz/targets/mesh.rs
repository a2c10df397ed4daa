//! Reads a closed mesh of whatever form its first bytes say: Wavefront OBJ or glTF 2.0.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use viewcell_ingest::ground::read_mesh;

fuzz_target!(|data: &[u8]| {
    let memory = PathBuf::from("/dev/shm");
    let folder = match memory.is_dir() {
        true => memory,
        false => std::env::temp_dir(),
    };
    let path = folder.join(format!("viewcell-fuzz-{}.mesh", std::process::id()));
    std::fs::write(&path, data).expect("room for a small file");
    let _ = read_mesh(&path);
    std::fs::remove_file(&path).expect("a file that was written");
});
