//! Graded bundles that are damaged under right checksums: the rule that finds it.

use super::{Parts, report_of};
use crate::common::{World, flat};
use viewcell::format::Tag;
use viewcell::query::Bundle;

fn parts() -> Parts {
    let parts = Parts::of(World::new(1, 1, 0), |_| flat());
    assert!(report_of(&parts.assemble()).is_sound());
    parts
}

/// The rules that a bundle breaks.
fn broken(parts: &Parts) -> Vec<String> {
    let report = report_of(&parts.assemble());
    let failed = report.failed();
    failed.map(|outcome| outcome.rule.clone()).collect()
}

/// Where the group of a block lies, by its place in the index.
fn group_at(parts: &mut Parts, place: usize) -> usize {
    let index = parts.bytes(Tag::PIDX);
    let offset = index[8 * place..8 * place + 8].try_into().unwrap();
    u64::from_le_bytes(offset) as usize
}

#[test]
fn a_level_that_hides_what_the_one_below_shows_is_found() {
    // Mutual; and lossy, where a level may show more than the one below, but not less.
    for flags in [1, 1 | 4] {
        let mut parts = parts();
        parts.bytes(Tag::GRID)[20] = flags;
        // Block (0, 0) of level 1, behind the nine of level 0: all of it sees all.
        let at = group_at(&mut parts, 9);
        assert_eq!(parts.bytes(Tag::PAIR)[at], 1);
        parts.bytes(Tag::PAIR)[at] = 0;
        let rules = broken(&parts);
        assert!(rules.contains(&"unions".to_owned()), "{rules:?}");
        assert!(rules.contains(&"symmetry".to_owned()), "{rules:?}");
    }
}

#[test]
fn a_group_of_a_level_that_is_not_canonical_is_found() {
    let mut parts = parts();
    let at = group_at(&mut parts, 0);
    parts.bytes(Tag::PAIR)[at + 1] ^= 3;
    assert_eq!(broken(&parts), ["groups"]);
}

#[test]
fn an_index_of_levels_out_of_order_is_found() {
    let mut parts = parts();
    parts.bytes(Tag::PIDX)[8 * 9] ^= 1;
    assert_eq!(broken(&parts), ["pair-index"]);
}

#[test]
fn terrain_of_a_level_that_the_one_below_lacks_is_found() {
    let mut parts = parts();
    // The word of block (0, 0) of level 1.
    parts.bytes(Tag::VALD)[8 * 9] ^= 1;
    assert_eq!(broken(&parts), ["terrain-mask"]);
}

#[test]
fn another_grade_has_other_levels() {
    for (at, value) in [(144, 0), (145, 0x20)] {
        let mut parts = parts();
        parts.bytes(Tag::GRID)[at] = value;
        let bytes = parts.assemble();
        assert!(
            Bundle::from_bytes(&bytes).unwrap().terrain().is_err(),
            "{at}"
        );
        assert_eq!(broken(&parts), ["grid"], "{at}");
    }
}
