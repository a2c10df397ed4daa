//! A warm tick allocates nothing, and memory grows with the regions, not with their pairs' square.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use viewcell::interest::Bounds;
use viewcell_papers::interest::matching::{Grid, Interest, Kind};

use crate::common::Dice;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: handed on as it came.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: handed on as it came.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: handed on as it came.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn world(
    entities: usize,
) -> (
    Interest<Grid>,
    Vec<(viewcell_papers::interest::matching::Region, [f32; 3])>,
) {
    let mut dice = Dice(3);
    let mut interest = Interest::new();
    let side = (8.0 * entities as f32).cbrt();
    let mut regions = Vec::new();
    for _ in 0..entities {
        let at = [(); 3].map(|()| dice.fraction() * side);
        let bounds = Bounds::around(at, [0.5; 3]).unwrap();
        for kind in [Kind::Update, Kind::Subscription] {
            regions.push((interest.insert(kind, bounds).unwrap(), at));
        }
    }
    interest.tick();
    (interest, regions)
}

#[test]
fn a_warm_tick_allocates_nothing() {
    for sweeps in [false, true] {
        let (mut interest, regions) = world(2000);
        let mut events = 0;
        // To and fro, so that after two rounds every state has been there.
        for round in 0..40 {
            let before = COUNT.get();
            for (number, (region, at)) in regions.iter().enumerate() {
                let step = ((number + round) % 4) as f32 * 0.4;
                let to = [at[0] + step, at[1] - step, at[2]];
                let bounds = Bounds::around(to, [0.5; 3]).unwrap();
                interest.move_to(*region, bounds).unwrap();
            }
            events += if sweeps {
                let events = interest.sweep();
                events.began.len() + events.ceased.len()
            } else {
                let changes = interest.tick();
                changes.began.len() + changes.ceased.len()
            };
            let allocated = COUNT.get() - before;
            assert!(round < 20 || allocated == 0, "{allocated} in round {round}");
        }
        assert!(events > 1000);
    }
}

#[test]
fn memory_is_linear() {
    let per_entity = |entities| world(entities).0.bytes() as f64 / entities as f64;
    let (few, many) = (per_entity(2000), per_entity(32_000));
    assert!(
        many < 1.5 * few && few < 1000.0,
        "{few} and {many} bytes an entity"
    );
}
