//! Every rule on cell bundles, and a damaged file that trips exactly that rule; and bytes that
//! mean harm.

use proptest::prelude::*;
use viewcell::format::{Section, Tag, WorldKind};
use viewcell::query::Bundle;
use viewcell_bake::bundle::verify::rules;
use viewcell_bake::bundle::{Provenance, Report, verify};
use viewcell_ingest::world::Symmetry;

use crate::bundle::bake;
use crate::golden::corridor;
use crate::sections::{assemble, parts, tags};

/// A bundle taken apart.
struct Parts(Vec<(Section, Vec<u8>)>);

impl Parts {
    fn new() -> Self {
        let sections = parts(&bake(&corridor(), Symmetry::Or, 1), None);
        let there = sections.iter().map(|(section, _)| section.tag);
        let all = tags(WorldKind::Cells);
        assert!(there.eq(all), "every section is there to be damaged");
        Self(sections)
    }

    fn place(&mut self, tag: Tag) -> &mut (Section, Vec<u8>) {
        let found = self.0.iter_mut().find(|(section, _)| section.tag == tag);
        found.unwrap()
    }

    fn bytes(&mut self, tag: Tag) -> &mut Vec<u8> {
        &mut self.place(tag).1
    }

    fn set(&mut self, tag: Tag, at: usize, word: u32) {
        self.bytes(tag)[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// Changes what is in a section that is compressed.
    fn change(&mut self, tag: Tag, change: impl FnOnce(&mut Vec<u8>)) {
        let (section, stored) = self.place(tag);
        let mut bytes = zstd::bulk::decompress(stored, 1 << 20).unwrap();
        change(&mut bytes);
        section.length = bytes.len() as u64;
        *stored = zstd::bulk::compress(&bytes, 3).unwrap();
    }

    fn provenance(&mut self, change: impl FnOnce(&mut Provenance)) {
        self.change(Tag::PROV, |text| {
            let mut provenance = serde_json::from_slice(text).unwrap();
            change(&mut provenance);
            *text = serde_json::to_vec(&provenance).unwrap();
        });
    }

    /// Puts everything together, with the checksums, places and lengths that belong to it.
    fn assemble(&self) -> Vec<u8> {
        let mut sections = self.0.clone();
        for (section, stored) in sections.iter_mut().filter(|(s, _)| !s.is_compressed()) {
            section.length = stored.len() as u64;
        }
        assemble(WorldKind::Cells, &sections)
    }
}

fn report_of(bytes: &[u8]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.vcb");
    std::fs::write(&path, bytes).unwrap();
    verify(&path, &mut |_| {}).unwrap()
}

/// Errors unless exactly the one rule fails, and says what was expected and found.
fn trips(rule: &str, damage: impl FnOnce(&mut Parts)) {
    assert!(
        rules(WorldKind::Cells).any(|known| known.name == rule),
        "{rule}"
    );
    let mut parts = Parts::new();
    damage(&mut parts);
    let report = report_of(&parts.assemble());
    let failed: Vec<_> = report.failed().map(|outcome| &outcome.rule[..]).collect();
    assert_eq!(failed, [rule], "{report:#?}");
    for fault in &report.failed().next().unwrap().faults {
        assert!(
            !fault.place.is_empty() && fault.expected != fault.found,
            "{fault:?}"
        );
    }
}

#[test]
fn a_sound_bundle_passes_every_rule() {
    let report = report_of(&Parts::new().assemble());
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(report.rules.len(), rules(WorldKind::Cells).count());
}

#[test]
fn sections_present() {
    let rule = "cell-sections-present";
    trips(rule, |parts| parts.0.retain(|(s, _)| s.tag != Tag::CDST));
    trips(rule, |parts| parts.place(Tag::CPVS).0.flags = 0);
}

#[test]
fn cells() {
    for (at, word) in [
        (0, 0),
        (4, 11),
        (8, 5),
        (12, 4),
        (16, 15),
        (24, 99),
        (32, 1),
    ] {
        trips("cells", |parts| parts.set(Tag::CELL, at, word));
    }
    // More rows, more nodes, more neighbours than there are.
    for (at, word) in [(4, 10), (20, 99), (28, 7)] {
        trips("cells", |parts| parts.set(Tag::CELL, at, word));
    }
    trips("cells", |parts| parts.bytes(Tag::CPVS).push(0));
    trips("cells", |parts| parts.0.retain(|(s, _)| s.tag != Tag::CBSP));
}

#[test]
fn rows() {
    trips("rows", |parts| parts.set(Tag::CROW, 0, 1));
    trips("rows", |parts| parts.set(Tag::CROW, 36, 9));
}

#[test]
fn pvs() {
    // Cell 2 no longer sees itself; 0 sees 9 alone; a bit behind the last cell; two rows alike.
    trips("cell-pvs", |parts| parts.bytes(Tag::CPVS)[16] &= !4);
    trips("cell-pvs", |parts| parts.bytes(Tag::CPVS)[1] |= 2);
    trips("cell-pvs", |parts| parts.bytes(Tag::CPVS)[1] |= 4);
    trips("cell-pvs", |parts| {
        let pvs = parts.bytes(Tag::CPVS);
        pvs.copy_within(0..8, 8);
    });
}

#[test]
fn distances() {
    trips("distances", |parts| parts.bytes(Tag::CDST)[2] ^= 1);
    trips("distances", |parts| parts.set(Tag::CELL, 16, 5));
    // The same visibility, but distances of another.
    trips("distances", |parts| parts.bytes(Tag::CDST).reverse());
}

#[test]
fn touching_cells() {
    trips("touching-cells", |parts| parts.set(Tag::CADJ, 0, 1));
    trips("touching-cells", |parts| parts.set(Tag::CADJ, 44, 5));
    trips("touching-cells", |parts| parts.set(Tag::CADJ, 44, 0));
    trips("touching-cells", |parts| parts.set(Tag::CADJ, 44, 77));
}

#[test]
fn bsp() {
    // Children: back to the root, to a cell that is not there, the same twice, a second parent.
    for (at, child) in [(28 + 20, 0), (28 + 24, -2 - 10), (24, 1), (24, 2)] {
        trips("bsp", |parts| parts.set(Tag::CBSP, at, child as u32));
    }
    trips("bsp", |parts| parts.set(Tag::CBSP, 8, f32::NAN.to_bits()));
    trips("bsp", |parts| parts.set(Tag::CBSP, 8, 0));
    trips("bsp", |parts| {
        parts.bytes(Tag::CBSP)[..8].copy_from_slice(&f64::INFINITY.to_le_bytes());
    });
}

#[test]
fn boxes() {
    trips("boxes", |parts| {
        parts.set(Tag::CBOX, 0, 99_999_f32.to_bits())
    });
    trips("boxes", |parts| {
        parts.bytes(Tag::CPOS)[..8].copy_from_slice(&f64::NAN.to_le_bytes());
    });
}

#[test]
fn names() {
    trips("names", |parts| {
        parts.change(Tag::CNAM, |text| *text = b"[\"one\"]".into())
    });
    trips("names", |parts| {
        parts.change(Tag::CNAM, |text| text.truncate(9))
    });
    trips("names", |parts| {
        *parts.bytes(Tag::CNAM) = b"no frame".into()
    });
}

#[test]
fn portals() {
    trips("portals", |parts| {
        parts.change(Tag::CPRT, |bytes| bytes[8] = 2)
    });
    trips("portals", |parts| {
        parts.change(Tag::CPRT, |bytes| bytes[12] = 2)
    });
    trips("portals", |parts| {
        parts.change(Tag::CPRT, |bytes| bytes.push(0))
    });
    trips("portals", |parts| {
        parts.change(Tag::CPRT, |bytes| bytes[0] = 200)
    });
}

#[test]
fn provenance() {
    trips("provenance", |parts| {
        parts.change(Tag::PROV, |text| text.truncate(5))
    });
}

#[test]
fn statistics() {
    trips("cell-statistics", |parts| {
        parts.provenance(|told| told.cells.as_mut().unwrap().visible_pairs += 2)
    });
    trips("cell-statistics", |parts| {
        parts.provenance(|told| told.cells.as_mut().unwrap().pairs_by_distance[1] += 2)
    });
    trips("cell-statistics", |parts| {
        parts.provenance(|told| told.cells = None)
    });
}

/// Asks everything that can be asked of bytes. Returns how many answers came.
fn ask_everything(bytes: &[u8]) -> u64 {
    let Ok(bundle) = Bundle::from_bytes(bytes) else {
        return 0;
    };
    let Ok(level) = bundle.cells() else {
        return 0;
    };
    let mut answers = 0;
    let cells = (0..level.cells().min(20)).chain([level.cells(), 65_535, u32::MAX]);
    for a in cells.clone() {
        answers += level.pvs(a).iter().count() as u64 + u64::from(level.pvs(a).count());
        answers += level.neighbours(a).count() as u64;
        answers += u64::from(level.bounds(a).is_some()) + u64::from(level.position(a).is_some());
        for b in cells.clone() {
            answers += u64::from(level.visible(a, b));
            answers += u64::from(level.distance(a, b).unwrap_or(9));
        }
    }
    for x in [0.0, -1.0, 33.0, 1e300, f64::NAN, f64::INFINITY] {
        answers += u64::from(level.locate([x, 1.0, 1.0]).is_some());
    }
    answers
}

#[test]
fn every_prefix_is_refused() {
    let bytes = Parts::new().assemble();
    assert!(ask_everything(&bytes) > 0);
    for length in 0..bytes.len() {
        assert!(Bundle::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn hostile_sections_do_no_harm(
        damage in prop::collection::vec((0_usize..11, any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut parts = Parts::new();
        for (section, at, value) in damage {
            let bytes = &mut parts.0[section].1;
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
        }
        let bytes = parts.assemble();
        ask_everything(&bytes);
        // No panic, no hang.
        report_of(&bytes);
    }
}

#[test]
fn verify_finds_every_flipped_bit() {
    let bytes = Parts::new().assemble();
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(!report_of(&damaged).is_sound(), "byte {at}");
    }
}
