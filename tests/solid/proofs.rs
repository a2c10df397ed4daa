//! Bundles of solid levels that are not as they were baked, under right checksums: the rule that finds it, and pairs that are
//! proven again.

use std::path::{Path, PathBuf};

use viewcell::dice::Dice;
use viewcell::format::{Header, Tag, WorldKind, crc32};
use viewcell::query::{Bundle, OwnedBundle};
use viewcell_bake::bundle::verify::Outcome;
use viewcell_bake::bundle::{Proofs, Provenance, prove, verify};
use viewcell_bake::{BakeOptions, Budget, Compression, RepackOptions, Silent, Weight, repack};

use crate::golden::{baked, baked_map, map_of};
use crate::sections::{assemble, parts};

/// One room, in which all see each other.
fn one_room() -> Vec<u8> {
    let map = map_of(&[
        [[-16, -16, -16], [144, 144, 0]],
        [[-16, -16, 128], [144, 144, 144]],
        [[-16, -16, 0], [0, 144, 128]],
        [[128, -16, 0], [144, 144, 128]],
        [[0, -16, 0], [128, 0, 128]],
        [[0, 128, 0], [128, 144, 128]],
    ]);
    baked_map(&map, 48.0, &BakeOptions::default())
}

fn stored(bytes: &[u8], tag: Tag) -> Vec<u8> {
    Bundle::from_bytes(bytes)
        .unwrap()
        .section(tag)
        .unwrap()
        .1
        .to_vec()
}

/// The bundle with other bytes in a section, decompressed, and the checksums and places that belong to it.
fn with(bytes: &[u8], tag: Tag, content: &[u8]) -> Vec<u8> {
    let mut sections = parts(bytes, None);
    let changed = sections.iter_mut().find(|(section, _)| section.tag == tag);
    let (section, stored) = changed.unwrap();
    section.length = content.len() as u64;
    *stored = match section.is_compressed() {
        true => zstd::bulk::compress(content, 3).unwrap(),
        false => content.to_vec(),
    };
    assemble(WorldKind::Solid, &sections)
}

fn with_provenance(bytes: &[u8], change: impl Fn(&mut Provenance)) -> Vec<u8> {
    let text = zstd::bulk::decompress(&stored(bytes, Tag::PROV), 1 << 20).unwrap();
    let mut provenance = serde_json::from_slice(&text).unwrap();
    change(&mut provenance);
    with(bytes, Tag::PROV, &serde_json::to_vec(&provenance).unwrap())
}

fn in_file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.vcb");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// The rules that do not hold.
fn broken(bytes: &[u8]) -> Vec<String> {
    let (_folder, path) = in_file(bytes);
    let report = verify(&path, &mut |_| {}).unwrap();
    report.failed().map(|rule| rule.rule.clone()).collect()
}

fn proofs(bytes: &[u8], pairs: u64) -> Proofs {
    let (_folder, path) = in_file(bytes);
    prove(&path, pairs, &mut |_| {}).unwrap()
}

#[test]
fn statistics_of_a_level_that_are_not_those_of_its_cells_are_found() {
    let level = one_room();
    assert!(broken(&level).is_empty());
    let other = with_provenance(&level, |made| {
        made.statistics.levels[0].visible_samples += 1
    });
    assert_eq!(broken(&other), ["statistics"]);
    assert_eq!(broken(&with(&level, Tag::PAIR, &[0])), ["statistics"]);
}

/// Everybody hidden from everybody, and statistics that say so.
#[test]
fn a_level_in_which_nobody_sees_anybody_is_found() {
    let level = one_room();
    assert_eq!(stored(&level, Tag::PAIR), [1], "all see each other");
    let hidden = with_provenance(&with(&level, Tag::PAIR, &[0]), |made| {
        for level in &mut made.statistics.levels {
            (level.visible_samples, level.hidden_share) = (0, 1.0);
        }
    });
    assert_eq!(broken(&hidden), ["solid-near"]);
    let found = proofs(&hidden, 40);
    assert_eq!(found.pairs, 40);
    assert!(found.proven < 4, "{found:?}");
    let rule = found.rule.unwrap();
    assert_eq!(rule.outcome, Outcome::Failed);
    assert!(rule.fault_count > 20, "{rule:?}");
    assert!(rule.faults[0].found.contains("an eye at "), "{rule:?}");
}

#[test]
fn sections_that_provenance_states_otherwise_are_found() {
    let level = baked(64.0, &BakeOptions::default());
    // As many solids as never were, a cell that is a little larger, a plane that lies a little elsewhere.
    for (tag, at) in [
        (Tag::SOLD, 4),
        (Tag::SOLD, 32),
        (Tag::SBOX, 0),
        (Tag::SOCC, 2784),
    ] {
        let mut other = stored(&level, tag);
        other[at] ^= 1;
        let found = broken(&with(&level, tag, &other));
        assert_eq!(found, ["solid-stated"], "{tag}, byte {at}");
    }
    for (at, words) in [(136, "the length of the input"), (144, "its checksum")] {
        let mut other = stored(&level, Tag::SOLD);
        other[at] ^= 1;
        let stated = with_provenance(&with(&level, Tag::SOLD, &other), |made| {
            let sum = format!("crc32:{:08x}", crc32(&other));
            made.sections.insert("SOLD".to_owned(), sum);
        });
        assert_eq!(broken(&stated), ["solid-stated"], "{words}");
    }
}

/// As of terrains, of which 0 to 2 pass: in parts of provenance from which nothing follows.
#[test]
fn flipped_bits_under_right_checksums_are_found() {
    let level = baked(64.0, &BakeOptions::default());
    let sections: Vec<_> = Bundle::from_bytes(&level).unwrap().sections().collect();
    let total: u64 = sections.iter().map(|section| section.stored_length).sum();
    let mut dice = Dice(65);
    let mut passed = Vec::new();
    const FLIPPED: usize = 240;
    for _ in 0..FLIPPED {
        let mut at = dice.bits() % total;
        let section = sections.iter().find(|section| {
            let here = at < section.stored_length;
            at -= if here { 0 } else { section.stored_length };
            here
        });
        let section = section.unwrap();
        let mut level = level.clone();
        let [start, end] = [section.offset, section.end().unwrap()].map(|at| at as usize);
        level[start + at as usize] ^= 1 << dice.roll(8);
        let entry = 64 + 40 * sections.iter().position(|of| of == section).unwrap();
        let sum = crc32(&level[start..end]).to_le_bytes();
        level[entry + 32..entry + 36].copy_from_slice(&sum);
        let sum = crc32(&level[64..64 + 40 * sections.len()]).to_le_bytes();
        level[32..36].copy_from_slice(&sum);
        let sum = Header::checksum_of(level.first_chunk().unwrap()).to_le_bytes();
        level[60..64].copy_from_slice(&sum);
        if broken(&level).is_empty() {
            passed.push((section.tag, at));
        }
    }
    assert!(passed.len() <= 2 * FLIPPED / 120, "{passed:?}");
}

#[test]
fn hidden_pairs_of_sound_levels_are_proven_again() {
    let graded = BakeOptions {
        grade: 4,
        ..BakeOptions::default()
    };
    for options in [BakeOptions::default(), graded] {
        let level = baked(32.0, &options);
        assert!(broken(&level).is_empty());
        let found = proofs(&level, 400);
        // From the door all is seen: there is nothing to draw.
        assert!((380..=400).contains(&found.pairs), "{found:?}");
        assert_eq!(found.proven + found.open, found.pairs);
        assert!(found.open < 8, "{found:?}");
        let rule = found.rule.unwrap();
        assert_eq!(rule.outcome, Outcome::Passed, "{rule:?}");
        // The same each time.
        assert_eq!(proofs(&level, 400).proven, found.proven);
    }
}

/// A budget makes visible what was hidden, and nothing else.
#[test]
fn hidden_pairs_of_a_smaller_bundle_are_proven_again() {
    let (folder, path) = in_file(&baked(32.0, &BakeOptions::default()));
    let small = folder.path().join("small.vcb");
    let length = std::fs::metadata(&path).unwrap().len();
    let options = RepackOptions {
        compression: Compression::Optimal(Budget {
            bytes: length * 9 / 10,
            weight: Weight::Area,
        }),
        ..RepackOptions::default()
    };
    repack(&path, &small, &options, &Silent).unwrap();
    assert!(verify(&small, &mut |_| {}).unwrap().is_sound());
    let found = prove(&small, 200, &mut |_| {}).unwrap();
    assert!((180..=200).contains(&found.pairs), "{found:?}");
    assert_eq!(found.proven + found.open, found.pairs);
    assert!(found.open < 4, "{found:?}");
}

/// A wall that is not there: whoever is hidden by it is in sight.
#[test]
fn pairs_without_an_occluder_between_them_are_found() {
    let level = baked(32.0, &BakeOptions::default());
    let open = baked_map(
        &map_of(&[
            [[-16, -16, -16], [544, 272, 0]],
            [[-16, -16, 128], [544, 272, 144]],
        ]),
        32.0,
        &BakeOptions::default(),
    );
    let extent = |bytes: &[u8]| bytes[8..16].to_vec();
    // The extent stays, since players are where they were.
    let mut few = stored(&open, Tag::SOCC);
    few[8..16].copy_from_slice(&extent(&stored(&level, Tag::SOCC)));
    let found = proofs(&with(&level, Tag::SOCC, &few), 100);
    assert!(found.proven + found.open < 50, "{found:?}");
    assert_eq!(found.rule.unwrap().outcome, Outcome::Failed);
}

#[test]
fn what_holds_nothing_that_hides_proves_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let error = prove(&root.join("tests/golden/v1/level.vcb"), 9, &mut |_| {}).unwrap_err();
    let words = error.to_string();
    assert!(
        words.contains("level.vcb: expected") && words.contains("a level of cells"),
        "{words}"
    );
    let level = baked(64.0, &BakeOptions::default());
    let (_folder, path) = in_file(&with(&level, Tag::SOCC, &[]));
    let words = prove(&path, 9, &mut |_| {}).unwrap_err().to_string();
    assert!(words.contains("without occluders"), "{words}");
    assert!(OwnedBundle::open(&path).unwrap().world().solid().is_some());
}
