//! Opens a ground file and reads all of it; what is read is written again as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viewcell_layered::{GroundFile, Path, encode};

fuzz_target!(|data: &[u8]| {
    let Ok(file) = GroundFile::open(data) else {
        return;
    };
    for patch in 0..file.frame().patches().len().min(64) {
        let slices = file.slices(patch);
        for slice in slices.clone().take(4).chain([slices.end]) {
            if let Ok(Some(tree)) = file.slice(patch, slice) {
                assert!(tree.is_pruned());
                tree.branch_text(Path::ROOT);
            }
        }
    }
    if let Ok(ground) = file.load() {
        let again = encode(&ground);
        let again = GroundFile::open(&again).and_then(|file| file.load());
        assert_eq!(again.expect("a file of our own").stacks(), ground.stacks());
    }
});
