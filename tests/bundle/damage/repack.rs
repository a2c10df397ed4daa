//! A damaged bundle is no source: repacking errs, or survives, and leaves nothing half-written.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::query::MappedBundle;
use viewcell_bake::{
    BakeError, BakeErrorKind, BakeReport, Budget, Compression, RepackOptions, Weight, repack,
};

use super::Parts;
use crate::common::{Silent, World, hills, mix};

/// A folder with a bundle, and what repacking it leaves there.
struct Bench {
    folder: TempDir,
    ways: Vec<Compression>,
}

impl Bench {
    fn new(sound: &[u8]) -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
            ways: vec![Compression::Lossless],
        };
        let whole = bench.repack(sound, &Compression::Lossless).unwrap().bytes;
        let ways = vec![
            Compression::Lossless,
            Compression::Optimal(Budget {
                bytes: whole * 95 / 100,
                weight: Weight::Area,
            }),
        ];
        for way in &ways {
            bench.repack(sound, way).unwrap();
        }
        Self { ways, ..bench }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Repacks; afterwards there is a bundle that opens, or there is nothing.
    fn repack(&self, bytes: &[u8], way: &Compression) -> Result<BakeReport, BakeError> {
        fs::write(self.path("source.vcb"), bytes).unwrap();
        let options = RepackOptions {
            compression: way.clone(),
            threads: 2,
            overwrite: false,
        };
        let made = self.path("made.vcb");
        let result = repack(&self.path("source.vcb"), &made, &options, &Silent);
        let left = match &result {
            Ok(_) => vec!["made.vcb", "made.vcb.timings.json", "source.vcb"],
            Err(_) => vec!["source.vcb"],
        };
        assert_eq!(names(self.folder.path()), left);
        assert!(fs::read(self.path("source.vcb")).unwrap() == bytes);
        if result.is_ok() {
            MappedBundle::open(&made).unwrap().terrain().unwrap();
            fs::remove_file(made).unwrap();
            fs::remove_file(self.path("made.vcb.timings.json")).unwrap();
        }
        result
    }

    /// Errors unless no way of repacking accepts these bytes.
    fn refuses(&self, bytes: &[u8], what: &str) {
        for way in &self.ways {
            match self.repack(bytes, way) {
                Ok(_) => panic!("{what}: repacked"),
                Err(error) => {
                    assert_eq!(error.kind(), BakeErrorKind::Input, "{what}: {error}");
                    assert!(error.to_string().contains("source.vcb"), "{what}: {error}");
                }
            }
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A bundle of each tree code, large enough that a budget bites.
fn each_code() -> [Parts; 3] {
    let codes = [World::bundle, World::pairs, |_: &World| hills()];
    codes.map(|bytes| Parts::of(World::new(30, 27, 6), bytes))
}

#[test]
fn a_bundle_cut_off_anywhere_is_not_repacked() {
    for parts in each_code() {
        let sound = parts.assemble();
        let bench = Bench::new(&sound);
        let front = HEADER_LEN + parts.sections.len() * ENTRY_LEN;
        let behind = (front..sound.len()).step_by(sound.len() / 30);
        for length in (0..front).step_by(17).chain(behind) {
            bench.refuses(&sound[..length], &format!("{length} bytes"));
        }
        bench.refuses(&[&sound[..], &[0]].concat(), "a byte too many");
    }
}

#[test]
fn a_bundle_with_a_changed_byte_in_any_section_is_not_repacked() {
    for parts in each_code() {
        let sound = parts.assemble();
        let bench = Bench::new(&sound);
        let mut at = HEADER_LEN + parts.sections.len() * ENTRY_LEN;
        for (section, stored) in &parts.sections {
            at = at.next_multiple_of(64);
            for within in [0, stored.len() / 2, stored.len() - 1] {
                let mut bytes = sound.clone();
                bytes[at + within] ^= 1 << (within % 8);
                bench.refuses(&bytes, &format!("byte {within} of {}", section.tag));
            }
            at += stored.len();
        }
    }
}

/// Damage that no checksum tells: an error, or a bundle; neither a panic nor half a file.
#[test]
fn lies_under_right_checksums_are_survived_by_repacking() {
    for mut parts in each_code() {
        let bench = Bench::new(&parts.assemble());
        let (mut refused, mut made) = (0, 0);
        for k in 0..parts.sections.len() as u64 * 6 {
            let section = k as usize % parts.sections.len();
            let stored = parts.sections[section].1.clone();
            for change in 0..=k % 3 {
                let drawn = mix(k << 8 | change);
                let at = drawn as usize % stored.len();
                parts.sections[section].1[at] = (drawn >> 40) as u8;
            }
            let way = &bench.ways[k as usize / parts.sections.len() % bench.ways.len()];
            match bench.repack(&parts.assemble(), way) {
                Ok(_) => made += 1,
                Err(error) => {
                    assert_eq!(error.kind(), BakeErrorKind::Input, "{error}");
                    // The output has not been made, and is not what is damaged.
                    let words = error.to_string();
                    assert!(words.contains("source.vcb: "), "{words}");
                    refused += 1
                }
            }
            parts.sections[section].1 = stored;
        }
        assert!(refused > 5 && made > 5, "{refused} {made}");
    }
}
