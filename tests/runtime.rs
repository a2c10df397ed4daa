//! The runtime by itself: this test builds without any feature.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use viewcell::runtime::{Bundle, Quad, Sample, Visibility};

/// Counts this thread's allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// Every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const GOLDEN: &[u8] = include_bytes!("golden/v1/13x9-voids.vcb");

#[test]
fn nothing_is_allocated_from_opening_to_answers() {
    let mut bitmap = [0; 4];
    drop(Box::new(1));
    let before = ALLOCATIONS.get();
    assert!(before > 0, "allocations are counted");
    let terrain = Bundle::from_bytes(GOLDEN).unwrap().terrain().unwrap();
    let grid = terrain.grid();
    let mut seen = 0;
    for a in grid.row_by_row() {
        for b in grid.row_by_row() {
            seen += u64::from(terrain.visible(a, b));
        }
        let pvs = terrain.pvs(a.quad()).unwrap();
        seen -= pvs.count();
        pvs.expand(&mut bitmap);
        assert_eq!(pvs.samples().count() as u64, pvs.count());
        assert!(pvs.quads().count() <= 4);
        let root = terrain.visible_quads(a.quad(), grid.root());
        assert!(root != Visibility::Hidden || pvs.count() == 0);
    }
    assert_eq!(seen, 0);
    assert_eq!(ALLOCATIONS.get(), before);
}

#[test]
fn what_is_outside_is_hidden() {
    let terrain = Bundle::from_bytes(GOLDEN).unwrap().terrain().unwrap();
    let inside = Sample::new(5, 5);
    assert!(terrain.visible(inside, inside));
    assert!(!terrain.visible(inside, Sample::new(13, 0)));
    assert!(!terrain.visible(Sample::new(0, 9), inside));
    let nowhere = Quad::new(2, 4, 0);
    assert_eq!(
        terrain.visible_quads(inside.quad(), nowhere),
        Visibility::Hidden
    );
    assert_eq!(
        terrain.visible_quads(nowhere, inside.quad()),
        Visibility::Hidden
    );
    assert!(terrain.pvs(nowhere).is_none());
}
