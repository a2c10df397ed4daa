//! Damage to pairs of blocks, with checksums that belong to it.

use viewcell::format::{Section, Tag};

use super::{Parts, report_of, trips};
use crate::common::World;

#[test]
fn sections_of_the_tree_code() {
    for tag in [Tag::DICT, Tag::PAIR, Tag::PIDX] {
        let mut parts = Parts::pairs();
        let position = parts.position(tag);
        parts.sections.remove(position);
        trips(&parts.assemble(), "grid");
        let mut parts = Parts::pairs();
        parts.entry(tag).flags |= Section::ZSTD;
        trips(&parts.assemble(), "sections-present");
    }
    let mut parts = Parts::pairs();
    parts.bytes(Tag::GRID)[16] = 1;
    trips(&parts.assemble(), "grid");
    let mut parts = Parts::pairs();
    let mut index = parts.bytes(Tag::PIDX).clone();
    index.pop();
    parts.replace(Tag::PIDX, &index);
    trips(&parts.assemble(), "grid");
}

#[test]
fn pair_index() {
    for (at, bit) in [(0, 1), (9, 0x40)] {
        let mut parts = Parts::pairs();
        parts.bytes(Tag::PIDX)[at] ^= bit;
        trips(&parts.assemble(), "pair-index");
    }
}

#[test]
fn groups() {
    let mut parts = Parts::pairs();
    let mut pairs = parts.bytes(Tag::PAIR).clone();
    pairs.push(0);
    parts.replace(Tag::PAIR, &pairs);
    trips(&parts.assemble(), "groups");
    // The place of a record, and a head in more bytes than it takes.
    let mut parts = Parts::pairs();
    let pairs = parts.bytes(Tag::PAIR);
    assert_eq!(
        pairs[..4],
        [3, 2 | 2 << 2, 0, 2],
        "a head, a node, two records here"
    );
    pairs[4] = 1;
    trips(&parts.assemble(), "groups");
}

#[test]
fn dictionary() {
    // A symbol that nobody uses.
    let mut parts = Parts::pairs();
    let mut dictionary = parts.bytes(Tag::DICT).clone();
    dictionary[8] += 1;
    dictionary.extend([0x34, 0x12]);
    parts.replace(Tag::DICT, &dictionary);
    trips(&parts.assemble(), "dictionary");
    // Another length than it says.
    let mut parts = Parts::pairs();
    parts.bytes(Tag::DICT)[8] += 1;
    trips(&parts.assemble(), "dictionary");
}

/// Any byte of the sections of pairs matters.
#[test]
fn every_byte_of_the_pairs_is_looked_at() {
    let world = World::new(11, 5, 6);
    assert!(world.pairs().len() > 1_000);
    for tag in [Tag::PAIR, Tag::PIDX, Tag::DICT] {
        let length = Parts::pairs().bytes(tag).len();
        for at in (0..length).step_by(3) {
            let mut parts = Parts::pairs();
            parts.bytes(tag)[at] ^= 0x10;
            assert!(
                !report_of(&parts.assemble()).is_sound(),
                "byte {at} of {tag}"
            );
        }
    }
}
