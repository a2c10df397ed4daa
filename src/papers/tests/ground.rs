//! The made-up terrain is of the description that the thesis gives of its own, and small in memory.

use viewcell_layered::{Columns, Layered};
use viewcell_papers::ground::PAPER_NODES;
use viewcell_papers::ground::{SOILS, paper_terrain};

#[test]
fn the_made_up_terrain_is_as_the_thesis_describes_its_own() {
    let ground = paper_terrain().unwrap();
    let frame = ground.frame();
    assert_eq!((frame.width(), frame.height()), (1024, 1024));
    assert_eq!(frame.patches().len(), 1, "a single patch");
    assert_eq!(frame.materials().len(), usize::from(SOILS));
    let stack = &ground.stacks()[0];
    let single = |slice: &i32| {
        stack
            .slice(*slice)
            .is_none_or(|tree| tree.uniform().is_some())
    };
    assert_eq!(
        (0..100).filter(single).count(),
        33,
        "slices of a single node, of 100"
    );
    assert!(
        ground.nodes().abs_diff(PAPER_NODES) < PAPER_NODES / 100,
        "{}",
        ground.nodes()
    );
    let places = (0..1024)
        .step_by(5)
        .flat_map(|y| (0..1024).step_by(5).map(move |x| (x, y)));
    let mut tops: Vec<_> = places.filter_map(|(x, y)| ground.top(x, y)).collect();
    tops.sort_unstable();
    tops.dedup();
    assert_eq!(tops.len(), 13, "heights at the surface");

    // The thesis's program took 750 MB.
    let columns = Columns::of(&ground);
    for bytes in [ground.bytes(), columns.bytes()] {
        assert!(bytes <= 12_000_000, "{bytes}");
    }
}
