//! Which view cells the named qualities choose.

use viewcell_bake::{Quality, VisibilityMode};

#[test]
fn boxes_are_the_coarser_the_less_the_quality_allows() {
    let sizes = |quality: Quality| -> Vec<(u32, u32)> {
        let sizes = quality.boxes();
        sizes.iter().map(|of| (of.doubled, of.grade)).collect()
    };
    assert_eq!(sizes(Quality::Samples), [(0, 0)]);
    assert_eq!(sizes(Quality::Best)[..3], [(0, 0), (0, 64), (0, 32)]);
    assert_eq!(
        sizes(Quality::Good)[..4],
        [(0, 0), (0, 32), (1, 32), (2, 32)]
    );
    assert_eq!(sizes(Quality::Draft)[..2], [(1, 16), (2, 16)]);
    assert!(Quality::ALL.is_sorted_by(|a, b| a.work() < b.work()));
}

#[test]
fn cells_grow_with_the_terrain_and_shrink_with_quality() {
    let mode = VisibilityMode::Conservative;
    let finest = |quality: Quality, side: u32| quality.cells(side, side, mode).finest;
    for (side, draft, good) in [
        (513, 1, 0),
        (1025, 2, 0),
        (2049, 2, 1),
        (4097, 3, 2),
        (8193, 4, 3),
    ] {
        assert_eq!(finest(Quality::Draft, side), draft, "{side}");
        assert_eq!(finest(Quality::Good, side), good, "{side}");
        assert!(finest(Quality::Best, side) <= good, "{side}");
        assert_eq!(finest(Quality::Samples, side), 0);
    }
    let small = Quality::Good.cells(403, 344, mode);
    assert_eq!(small, Quality::Samples.cells(403, 344, mode));
    assert_eq!(Quality::Good.cells(513, 514, mode).grade, 0);
    assert_eq!(Quality::Good.cells(1025, 1025, mode).grade, 16);
}
