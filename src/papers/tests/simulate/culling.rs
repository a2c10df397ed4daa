//! Who is sent in a play of a solid level, and what its frames are told to have taken.

use std::cell::Cell;

use viewcell::query::{Bundle, SolidBundle};
use viewcell_papers::simulate::culling::{CullingOptions, Method, cull};
use viewcell_simulate::trace::{HEADER, Trace};

/// Two rooms with a doorway.
const ROOMS: &[u8] = include_bytes!("../../../../tests/golden/v1/solid.vcb");

/// One stands in the one room, two walk along the wall between them.
fn walks() -> Trace {
    let mut lines = HEADER.to_owned() + "\n";
    for tick in 0..40 {
        let (time, y) = (50 * tick, 40 + 4 * tick);
        lines += &format!(
            "{time},0,64,{y},24,0,0,0\n{time},1,448,64,24,0,0,0\n{time},2,400,{y},24,0,0,0\n"
        );
    }
    Trace::read(lines.as_bytes()).unwrap()
}

fn rooms() -> SolidBundle<'static> {
    Bundle::from_bytes(ROOMS).unwrap().solid().unwrap()
}

#[test]
fn the_longest_frame_is_told_by_its_own_figures() {
    let options = CullingOptions {
        method: Method::Watch,
        rtt: 50,
        speed: 120.0,
        hit: 0.0,
        error: 0.0,
        work: 0,
        copies: 1,
    };
    let trace = walks();
    // By a clock of its own each frame is the longest once: figures of all add up.
    let with_longest = |frame: u64| {
        let asked = Cell::new(0);
        let clock = || {
            asked.set(asked.get() + 1);
            let is_over = asked.get() > 2 * frame + 1;
            asked.get() as f64 + if is_over { 1000.0 } else { 0.0 }
        };
        cull(&trace, rooms(), &options, clock).unwrap()
    };
    let frames = with_longest(0).frames;
    assert_eq!(frames, 40);
    let (mut work, mut pairs, mut busy) = (0, 0, 0);
    for frame in 0..frames {
        let found = with_longest(frame);
        assert_eq!(found.longest, 1001.0);
        let longest = found.longest_counts;
        (work, pairs) = (work + longest.work, pairs + longest.pairs);
        busy += u32::from(longest.work > 0);
    }
    let all = with_longest(0).counts;
    assert_eq!((work, pairs), (all.work, all.pairs));
    assert!(
        busy > 1 && pairs == 6 * 40,
        "{busy} busy frames, {pairs} pairs"
    );
}
