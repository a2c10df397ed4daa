//! Every rule of `verify`, and a damaged file that trips exactly that rule.

use std::path::Path;

use viewcell::format::{Header, Quad, ReadPvs, Section, Tag, Tree, WorldKind};
use viewcell_bake::bundle::verify::{Outcome, Rule, rules};
use viewcell_bake::bundle::{Provenance, Report, verify};
use viewcell_bake::compress::{Scratch, encode};

use crate::common::World;
use crate::sections::{assemble, parts, tags};

mod container;
mod content;
mod graded;
mod pairs;
mod repack;
mod solid;

/// A bundle taken apart.
struct Parts {
    world: World,
    sections: Vec<(Section, Vec<u8>)>,
}

impl Parts {
    /// The world of these tests: with voids, CRS and heights that round, so that every section
    /// is there; and small enough that every pair is checked for symmetry.
    fn new() -> Self {
        let world = World::new(11, 5, 6);
        let parts = Self::of(world, |world| world.bundle());
        let there: Vec<_> = parts
            .sections
            .iter()
            .map(|(section, _)| section.tag)
            .collect();
        let single = |tag: &Tag| ![Tag::DICT, Tag::PAIR, Tag::PIDX].contains(tag);
        let all: Vec<_> = tags(WorldKind::Terrain)
            .into_iter()
            .filter(single)
            .collect();
        assert_eq!(there, all, "every section is there to be damaged");
        parts
    }

    /// The same world in pairs of blocks.
    fn pairs() -> Self {
        let parts = Self::of(World::new(11, 5, 6), World::pairs);
        let there = parts.sections.iter().map(|(section, _)| section.tag);
        assert!(
            there.eq(tags(WorldKind::Terrain)),
            "every section is there to be damaged"
        );
        parts
    }

    fn of(world: World, bytes: impl Fn(&World) -> Vec<u8>) -> Self {
        let sections = parts(&bytes(&world), None);
        Self { world, sections }
    }

    fn position(&self, tag: Tag) -> usize {
        self.sections
            .iter()
            .position(|(section, _)| section.tag == tag)
            .unwrap()
    }

    fn entry(&mut self, tag: Tag) -> &mut Section {
        let position = self.position(tag);
        &mut self.sections[position].0
    }

    fn bytes(&mut self, tag: Tag) -> &mut Vec<u8> {
        let position = self.position(tag);
        &mut self.sections[position].1
    }

    /// Replaces a section's bytes, decompressed.
    fn replace(&mut self, tag: Tag, bytes: &[u8]) {
        let entry = self.entry(tag);
        entry.length = bytes.len() as u64;
        let stored = if entry.is_compressed() {
            zstd::bulk::compress(bytes, 3).unwrap()
        } else {
            bytes.to_vec()
        };
        *self.bytes(tag) = stored;
    }

    fn provenance(&mut self, change: impl FnOnce(&mut Provenance)) {
        let text = zstd::bulk::decompress(self.bytes(Tag::PROV), 1 << 20).unwrap();
        let mut provenance = serde_json::from_slice(&text).unwrap();
        change(&mut provenance);
        self.replace(Tag::PROV, &serde_json::to_vec(&provenance).unwrap());
    }

    /// The bytes of a quad's tree.
    fn tree(&mut self, quad: Quad) -> Vec<u8> {
        let grid = self.world.grid;
        let offset = |parts: &mut Self, quad| {
            let at = 8 * grid.quad_index(quad).unwrap() as usize;
            u64::from_le_bytes(parts.bytes(Tag::TIDX)[at..at + 8].try_into().unwrap()) as usize
        };
        let start = offset(self, quad);
        let end = match grid.next_in_bake_order(quad) {
            Some(next) => offset(self, next),
            None => self.bytes(Tag::TREE).len(),
        };
        self.bytes(Tag::TREE)[start..end].to_vec()
    }

    /// Replaces trees; index and statistics follow.
    fn replace_trees(&mut self, change: impl Fn(Quad, Vec<u8>) -> Vec<u8>) {
        let grid = self.world.grid;
        let (mut trees, mut index) = (Vec::new(), vec![0; 8 * grid.quad_count() as usize]);
        let mut statistics =
            viewcell_bake::bundle::Statistics::new(grid, self.world.pyramid().samples());
        let mask = self.bytes(Tag::VALD).clone();
        let valid = viewcell::format::Valid::from_blocks(grid, &mask);
        for quad in grid.bake_order() {
            let at = 8 * grid.quad_index(quad).unwrap() as usize;
            index[at..at + 8].copy_from_slice(&(trees.len() as u64).to_le_bytes());
            let tree = self.tree(quad);
            let tree = change(quad, tree);
            let visible = Tree::parse(valid, &tree).map_or(0, |tree| tree.count());
            statistics.record(quad, valid.has_quad(quad), visible, tree.len());
            trees.extend(tree);
        }
        self.replace(Tag::TREE, &trees);
        self.replace(Tag::TIDX, &index);
        self.provenance(|provenance| provenance.statistics = statistics);
    }

    /// Changes PVSs as block bitmaps.
    fn replace_pvs(&mut self, change: impl Fn(Quad, &mut [u64])) {
        let pyramid = self.world.pyramid();
        let mask = self.bytes(Tag::VALD).clone();
        let valid = viewcell::format::Valid::from_blocks(self.world.grid, &mask);
        self.replace_trees(|quad, tree| {
            let mut pvs = vec![0; pyramid.grid().blocks()];
            Tree::parse(valid, &tree).unwrap().expand(&mut pvs);
            change(quad, &mut pvs);
            let mut tree = Vec::new();
            encode(&pyramid, &pvs, &mut Scratch::default(), &mut tree);
            tree
        });
    }

    /// Puts everything together, with the checksums, places and lengths that belong to it.
    fn assemble(&self) -> Vec<u8> {
        assemble(WorldKind::Terrain, &self.sections)
    }
}

/// Gives the header its checksum.
fn reseal_header(bytes: &mut [u8]) {
    let checksum = Header::checksum_of(bytes.first_chunk().unwrap());
    bytes[60..64].copy_from_slice(&checksum.to_le_bytes());
}

fn report_of(bytes: &[u8]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.vcb");
    std::fs::write(&path, bytes).unwrap();
    verify(&path, &mut |_| {}).unwrap()
}

/// Errors unless exactly the one rule fails, and says where, what was expected and found.
fn trips(bytes: &[u8], rule: &str) {
    assert!(
        rules(WorldKind::Terrain).any(|known: Rule| known.name == rule),
        "{rule}"
    );
    let report = report_of(bytes);
    let failed: Vec<_> = report
        .failed()
        .map(|outcome| outcome.rule.as_str())
        .collect();
    assert_eq!(failed, [rule], "{report:#?}");
    let outcome = report.failed().next().unwrap();
    assert!(outcome.fault_count >= 1 && !outcome.faults.is_empty());
    for fault in &outcome.faults {
        assert!(
            !fault.place.is_empty() && fault.expected != fault.found,
            "{fault:?}"
        );
    }
}

#[test]
fn a_sound_bundle_passes_every_rule() {
    for (width, height, voids) in [(11, 5, 6), (1, 1, 0), (40, 20, 0), (33, 17, 4)] {
        let report = report_of(&World::new(width, height, voids).bundle());
        assert!(report.is_sound(), "{report:#?}");
        assert_eq!(report.rules.len(), rules(WorldKind::Terrain).count());
    }
    assert!(report_of(&Parts::new().assemble()).is_sound());
    assert!(report_of(&Parts::pairs().assemble()).is_sound());
}

#[test]
fn a_rule_that_relies_on_a_broken_one_is_skipped() {
    let mut parts = Parts::new();
    parts.bytes(Tag::GRID)[12] = 9;
    let report = report_of(&parts.assemble());
    let outcome = |name: &str| {
        report
            .rules
            .iter()
            .find(|o| o.rule == name)
            .unwrap()
            .outcome
    };
    assert_eq!(outcome("section-checksums"), Outcome::Passed);
    assert_eq!(outcome("grid"), Outcome::Failed);
    assert_eq!(outcome("trees"), Outcome::Skipped);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_that_names_it() {
    let error = verify(Path::new("no/such.vcb"), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("no/such.vcb"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    assert!(verify(folder.path(), &mut |_| {}).is_err());
}
