//! The rule on a patch by itself. What it says of a bundle shows when it is applied: the bundle that comes out is held to all
//! rules on bundles.

use std::collections::HashSet;

use super::report::{Faults, Report, Rule, RuleOutcome};
use viewcell::format::{Patch, Tag};
use viewcell_ingest::world::Terrain;

const PATCH: Rule = Rule {
    name: "patch",
    demands: "header, section table and all sections have their checksums, all that a patch needs is there, and its indexes name samples, blocks and quads once each, and pieces in their order",
};

/// Samples of a block.
const BLOCK: u64 = 64;
/// More quads of level 4 and more than that no grid has beyond the number of its blocks: one a level.
const LEVELS: u64 = 32;

/// Checks a patch.
pub(super) fn check(bytes: &[u8]) -> Report {
    let mut faults = Faults::default();
    match Patch::parse(bytes) {
        Ok(patch) => check_places(&patch, &mut faults),
        Err(error) => faults.add(
            "file",
            None,
            "a patch as schemas/PATCH.md describes it",
            format!("this: {error}"),
        ),
    }
    Report {
        bytes: bytes.len() as u64,
        rules: vec![RuleOutcome::of(PATCH, faults)],
    }
}

/// Indexes that lead to pieces, and samples that there may be.
fn check_places(patch: &Patch, faults: &mut Faults) {
    let start = |tag| patch.section(tag).map_or(0, |(section, _)| section.offset);
    let blocks = u64::from(patch.header().blocks);
    let mut seen = HashSet::new();
    for (entry, (sample, height)) in patch.heights().enumerate() {
        let place = format!("section CHTS, entry {entry}");
        let at = start(Tag::CHTS) + 12 * entry as u64;
        if u64::from(sample) >= blocks * BLOCK || !seen.insert(sample) {
            let expected = format!("a sample of {blocks} blocks, once");
            faults.add(&place, at, expected, sample);
        }
        let is_void = height.to_bits() == f64::NAN.to_bits();
        if !is_void && (height.is_nan() || height.abs() > Terrain::MAX_ABS_HEIGHT) {
            faults.add(&place, at + 4, "a height, or the NaN of voids", height);
        }
    }
    let groups: Vec<(u32, u64)> = patch.groups().collect();
    let trees: Vec<(u32, u64)> = patch.trees().collect();
    for (tag, entries, pieces, most) in [
        (Tag::BIDX, groups, patch.pairs(), blocks),
        (Tag::QIDX, trees, patch.tree_bytes(), blocks + LEVELS),
    ] {
        let length = pieces.len() as u64;
        let mut seen = HashSet::new();
        let mut next = 0;
        for (number, (what, begins)) in entries.iter().enumerate() {
            let place = format!("section {tag}, entry {number}");
            let at = start(tag) + 12 * number as u64;
            if u64::from(*what) >= most || !seen.insert(*what) {
                faults.add(&place, at, format!("a number below {most}, once"), what);
            }
            // The first begins at 0, and each later one behind the one before.
            let in_order = if number == 0 {
                *begins == 0
            } else {
                *begins >= next
            };
            if !in_order || *begins >= length {
                let expected = format!("a piece that begins at {next} to {length}");
                faults.add(&place, at + 4, expected, begins);
            }
            next = begins.saturating_add(1);
        }
        if entries.is_empty() && length > 0 {
            let place = format!("section {tag}");
            faults.add(place, start(tag), "an entry of each piece", "none");
        }
    }
}
