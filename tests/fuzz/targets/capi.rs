//! The C interface on what it is given: from memory, in steps, after the end.
#![no_main]

mod reseal;

use core::ptr::null_mut;
use libfuzzer_sys::fuzz_target;
use viewcell::runtime::capi::*;

fuzz_target!(|data: &[u8]| {
    let bytes = reseal::reseal(data);
    let mut bundle = null_mut();
    let mut message = [0; 64];
    // The bytes and all places outlive the calls.
    unsafe {
        let opened = viewcell_open_memory(
            VIEWCELL_ABI_VERSION,
            bytes.as_ptr(),
            bytes.len(),
            &mut bundle,
            message.as_mut_ptr(),
            message.len(),
        );
        if opened != VIEWCELL_OK {
            assert!(bundle.is_null() && opened < 0 && message.contains(&0));
            return;
        }
        let mut info = core::mem::zeroed::<viewcell_terrain>();
        assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_OK);
        let samples = u64::from(info.width) * u64::from(info.height);
        if samples <= reseal::MOST_SAMPLES {
            ask(bundle, &info);
        }
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        assert_eq!(viewcell_close(bundle), VIEWCELL_CLOSED);
        assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_CLOSED);
    }
});

unsafe fn ask(bundle: *mut viewcell_bundle, info: &viewcell_terrain) {
    let at = |i: u32| viewcell_sample {
        column: i * 7 % (info.width + 1),
        row: i * 5 % (info.height + 1),
    };
    let mut words = vec![0; info.blocks as usize];
    let mut frontier = null_mut();
    unsafe {
        assert_eq!(viewcell_frontier_new(bundle, &mut frontier), VIEWCELL_OK);
        for i in 0..40 {
            let to: Vec<viewcell_sample> = (0..8).map(|k| at(i + 3 * k)).collect();
            let mut visible = [2; 8];
            if viewcell_visible_from(bundle, at(i), 8, to.as_ptr(), visible.as_mut_ptr()) == 0 {
                for (to, visible) in to.iter().zip(visible) {
                    let one = viewcell_visible(bundle, at(i), *to);
                    assert_eq!(one.max(0), i32::from(visible));
                }
            }
            viewcell_pvs(bundle, i % 4, at(i), words.as_mut_ptr(), words.len());
            viewcell_visible_quads(bundle, i % 5, at(i), i % 3, at(2 * i));
            if viewcell_frontier_begin(frontier, at(i), at(11 * i), core::ptr::null()) == 0 {
                while viewcell_frontier_step(frontier, 32) == 0 {}
                viewcell_frontier_contains(frontier, i & 1, at(i));
            }
        }
        assert_eq!(viewcell_frontier_close(frontier), VIEWCELL_OK);
    }
}
