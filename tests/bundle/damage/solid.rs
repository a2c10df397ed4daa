//! Bundles of solid levels that are damaged under right checksums: the rule that finds it.

use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::occluders::{HEADER_LEN as OCCLUDERS, PLANE_LEN, RECORD_LEN};
use viewcell::format::solid::{BOX_LEN, BUCKET_LEN};
use viewcell::format::{Section, Tag, WorldKind};
use viewcell_bake::bundle::verify::{Outcome, rules};

use super::report_of;
use crate::signed::resealed;

/// The golden bundle of two rooms.
struct Level(Vec<u8>);

impl Level {
    fn new() -> Self {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let level = Self(std::fs::read(root.join("tests/golden/v1/solid.vcb")).unwrap());
        assert!(report_of(&level.0).is_sound());
        level
    }

    fn count(&self) -> usize {
        u32::from_le_bytes(self.0[24..28].try_into().unwrap()) as usize
    }

    fn section(&self, tag: Tag) -> (usize, Section) {
        let entries = (0..self.count()).map(|i| HEADER_LEN + i * ENTRY_LEN);
        let mut sections = entries.map(|at| {
            let section = Section::parse(&self.0[at..at + ENTRY_LEN]);
            (at, section.unwrap())
        });
        sections.find(|(_, section)| section.tag == tag).unwrap()
    }

    fn length(&self, tag: Tag) -> usize {
        self.section(tag).1.length as usize
    }

    fn f64(&self, tag: Tag, at: usize) -> f64 {
        let start = self.section(tag).1.offset as usize + at;
        f64::from_le_bytes(self.0[start..start + 8].try_into().unwrap())
    }

    /// Writes bytes into a section, with the checksums that belong to it.
    fn with(mut self, tag: Tag, at: usize, bytes: &[u8]) -> Self {
        let start = self.section(tag).1.offset as usize;
        self.0[start + at..start + at + bytes.len()].copy_from_slice(bytes);
        self.sealed()
    }

    fn sealed(self) -> Self {
        let table = HEADER_LEN..HEADER_LEN + self.count() * ENTRY_LEN;
        let sections: Vec<_> = Section::parse_table(&self.0[table]).collect();
        Self(resealed(self.0, &sections))
    }

    /// The rules that do not hold.
    fn broken(&self) -> Vec<String> {
        let report = report_of(&self.0);
        report.failed().map(|rule| rule.rule.clone()).collect()
    }
}

#[track_caller]
fn trips(level: Level, rule: &str, words: &str) {
    assert_eq!(level.broken(), [rule], "{words}");
}

/// Where an occluder of at least two planes, and the first of its planes, lie in the section.
fn occluder(level: &Level) -> (usize, usize) {
    let start = level.section(Tag::SOCC).1.offset as usize;
    let word = |at: usize| {
        let at = start + at;
        u32::from_le_bytes(level.0[at..at + 4].try_into().unwrap()) as usize
    };
    let count = word(0);
    let record = |i: usize| OCCLUDERS + i * RECORD_LEN;
    let one = (0..count).find(|&i| word(record(i)) == 0 && word(record(i) + 4) >= 6);
    let at = record(one.unwrap());
    (at, record(count) + word(at + 8) * PLANE_LEN)
}

#[test]
fn a_section_that_may_be_left_out_is_found() {
    let mut level = Level::new();
    let (entry, mut section) = level.section(Tag::SLOC);
    section.flags = 0;
    level.0[entry..entry + ENTRY_LEN].copy_from_slice(&section.encode());
    trips(level.sealed(), "solid-sections-present", "SLOC");
}

#[test]
fn fields_of_a_level_that_make_no_sense_are_found() {
    let cells = 1_u32;
    for (at, bytes, words) in [
        (0, &cells.to_le_bytes()[..], "fewer cells than boxes"),
        (12, &[0, 0, 0, 0], "no buckets"),
        (24, &[1], "reserved"),
        (32, &f64::NAN.to_le_bytes(), "the origin"),
        (56, &0.0_f64.to_le_bytes(), "the size of cells"),
        (80, &f64::INFINITY.to_le_bytes(), "the body"),
        (
            128,
            &1e9_f64.to_le_bytes(),
            "the lowest eye above the highest",
        ),
        (148, &[1, 1, 3], "axes"),
        (151, &[3], "units"),
        (160, &f64::NAN.to_le_bytes(), "the middle"),
        (184, &0.0_f64.to_le_bytes(), "the scale"),
    ] {
        trips(Level::new().with(Tag::SOLD, at, bytes), "solid", words);
    }
}

#[test]
fn a_terrain_that_is_no_solid_level_is_found() {
    for (at, bytes, words) in [
        (12, &[1][..], "exact"),
        (20, &[1], "sight the same both ways"),
        (32, &2.0_f64.to_le_bytes(), "spacing"),
        (48, &1.0_f64.to_le_bytes(), "eyes"),
        (56, &1.0_f64.to_le_bytes(), "heads"),
        (64, &9.0_f64.to_le_bytes(), "a greatest distance"),
    ] {
        let level = Level::new().with(Tag::GRID, at, bytes);
        let broken = level.broken();
        assert!(
            ["grid", "solid"].contains(&broken[0].as_str()),
            "{words}: {broken:?}"
        );
        assert_eq!(broken.len(), 1, "{words}: {broken:?}");
    }
    // A place that no cell has.
    let level = Level::new();
    let word = level.length(Tag::VALD) - 8;
    let broken = level.with(Tag::VALD, word, &[0xfe; 8]).broken();
    assert_eq!(broken, ["solid"]);
}

#[test]
fn boxes_out_of_their_cells_or_order_are_found() {
    let last = Level::new().length(Tag::SBOX) - BOX_LEN;
    for (at, bytes, words) in [
        (0, &[0xff, 0xff][..], "a least corner above the greatest"),
        (6, &[0xff, 0xff], "a greatest corner out of its cell"),
        (12, &[4], "a level beyond a bucket"),
        (13, &[1], "reserved"),
        (last, &[0; 12], "two in one place"),
    ] {
        trips(
            Level::new().with(Tag::SBOX, at, bytes),
            "solid-cells",
            words,
        );
    }
}

#[test]
fn buckets_that_lead_to_other_cells_are_found() {
    let last = Level::new().length(Tag::SLOC) - BUCKET_LEN;
    for (at, bytes, words) in [
        (0, &[7][..], "another first cell"),
        (4, &[1], "reserved"),
        (last + 8, &[0x55], "cells that are not there"),
    ] {
        let level = Level::new().with(Tag::SLOC, at, bytes);
        trips(level, "solid-locate", words);
    }
}

/// Each is a lie that would hide somebody whom the level shows, or more than its length allows.
#[test]
fn occluders_that_are_no_bodies_within_their_boxes_are_found() {
    let level = Level::new();
    let (record, planes) = occluder(&level);
    let extent = level.f64(Tag::SOCC, 8);
    let [normal, dist] = [0, 24].map(|at| planes + at);
    let turned: Vec<u8> = (0..3)
        .flat_map(|k| (-level.f64(Tag::SOCC, normal + 8 * k)).to_le_bytes())
        .collect();
    let long: Vec<u8> = (0..3)
        .flat_map(|k| (2.0 * level.f64(Tag::SOCC, normal + 8 * k)).to_le_bytes())
        .collect();
    let number = |number: f64| number.to_le_bytes().to_vec();
    for (at, bytes, words) in [
        (0, vec![0], "fewer occluders than there are"),
        (4, vec![1], "fewer planes than there are"),
        (8, number(1.0), "an extent that leaves players out"),
        (8, number(f64::INFINITY), "no extent"),
        (record, vec![3], "a kind"),
        (record + 4, vec![5], "fewer planes than it has"),
        (record + 8, vec![1], "another's planes"),
        (record + 12, vec![1], "reserved"),
        (record + 16, number(-1.0), "a thickness below 0"),
        (record + 24, number(f64::NAN), "a box of no numbers"),
        (
            record + 24,
            number(2.0 * extent),
            "a box that is turned around",
        ),
        (record + 48, number(2.0 * extent), "a box beyond the extent"),
        (
            normal,
            turned,
            "a plane that faces inwards: what is beyond would be opaque",
        ),
        (
            normal,
            long,
            "a normal of length 2: the margin would be half as wide",
        ),
        (dist, number(4.0 * extent), "a plane that bounds nothing"),
        (dist, number(f64::NAN), "a plane of no number"),
    ] {
        let level = Level::new().with(Tag::SOCC, at, &bytes);
        trips(level, "solid-occluders", words);
    }
}

#[test]
fn every_rule_of_solid_levels_is_checked_on_a_sound_one() {
    let report = report_of(&Level::new().0);
    let rules: Vec<&str> = rules(WorldKind::Solid).map(|rule| rule.name).collect();
    let checked: Vec<&str> = report.rules.iter().map(|rule| rule.rule.as_str()).collect();
    assert_eq!(checked, rules);
    assert!(
        report
            .rules
            .iter()
            .all(|rule| rule.outcome == Outcome::Passed)
    );
}
