//! The independent reader in `scripts/`, and what the runtime says of the same files.

use std::fmt::Write as _;
use std::path::Path;

use viewcell::format::sections::{self, When};
use viewcell::format::{Grid, Section, Tag, WorldKind, crc32};
use viewcell::query::{MappedBundle, Quad, Sample};
use viewcell_bake::bundle::verify;
use viewcell_bake::{
    BakeOptions, Budget, Compression, RepackOptions, Silent, Source, Weight, bake_terrain, repack,
};
use viewcell_ingest::world::Terrain;

use crate::golden::{self, GOLDEN};
use crate::reader::{read_bundle, said};

#[test]
fn every_tree_reads_alike() {
    for (name, width, height, _) in GOLDEN {
        let path = golden::path(name);
        let Some(found) = said("trees", &path, &[], "") else {
            return;
        };
        let map = MappedBundle::open(&path).unwrap();
        let terrain = map.terrain().unwrap();
        let grid = Grid::new(width, height).unwrap();
        let mut expected = String::new();
        let mut offset = 0;
        for quad in grid.bake_order() {
            let pvs = terrain.pvs(quad).unwrap();
            let mut blocks = vec![0; grid.blocks()];
            pvs.expand(&mut blocks);
            let bytes: Vec<u8> = blocks.iter().flat_map(|word| word.to_le_bytes()).collect();
            let (checksum, count) = (crc32(&bytes), pvs.count());
            let mut tree = Vec::new();
            let pyramid = golden_pyramid(name);
            viewcell_bake::compress::encode(&pyramid, &blocks, &mut Default::default(), &mut tree);
            let Quad { level, column, row } = quad;
            let length = tree.len();
            writeln!(
                expected,
                "{level} {column} {row} {offset} {length} {count} {checksum:08x}"
            )
            .unwrap();
            offset += length;
        }
        assert!(found == expected, "{name}");
    }
}

/// Pairs of blocks, and the trees above them.
#[test]
fn every_pvs_of_pairs_reads_alike() {
    for (name, width, height, _) in GOLDEN {
        let path = golden::pairs_path(name);
        let Some(found) = said("trees", &path, &[], "") else {
            return;
        };
        let map = MappedBundle::open(&path).unwrap();
        let terrain = map.terrain().unwrap();
        let grid = Grid::new(width, height).unwrap();
        let mut lines = found.lines();
        for quad in grid.bake_order() {
            let pvs = terrain.pvs(quad).unwrap();
            let mut blocks = vec![0; grid.blocks()];
            pvs.expand(&mut blocks);
            let bytes: Vec<u8> = blocks.iter().flat_map(|word| word.to_le_bytes()).collect();
            let Quad { level, column, row } = quad;
            let line = lines.next().unwrap();
            let start = format!("{level} {column} {row} ");
            let end = format!(" {} {:08x}", pvs.count(), crc32(&bytes));
            assert!(
                line.starts_with(&start) && line.ends_with(&end),
                "{name}: {line}"
            );
            assert_eq!(line.contains(" - - "), level < 4);
        }
        assert_eq!(lines.next(), None);
        assert_eq!(said("verify", &path, &[], "").unwrap(), "no faults\n");
    }
}

fn golden_pyramid(name: &str) -> viewcell_bake::compress::ValidPyramid {
    let &(_, width, height, voids) = GOLDEN.iter().find(|golden| golden.0 == name).unwrap();
    crate::common::World::new(width, height, voids).pyramid()
}

#[test]
fn every_pair_reads_alike() {
    let (name, width, height, _) = GOLDEN[1];
    let path = golden::path(name);
    let map = MappedBundle::open(&path).unwrap();
    let terrain = map.terrain().unwrap();
    // One column and row more than there are: outside is hidden.
    let samples: Vec<_> = Grid::new(width + 1, height + 1)
        .unwrap()
        .row_by_row()
        .collect();
    let (mut pairs, mut expected) = (String::new(), String::new());
    for &a in &samples {
        for &b in &samples {
            writeln!(pairs, "{} {} {} {}", a.column, a.row, b.column, b.row).unwrap();
            writeln!(expected, "{}", u8::from(terrain.visible(a, b))).unwrap();
        }
    }
    if let Some(found) = said("visible", &path, &["--pairs", "-"], &pairs) {
        assert!(found == expected, "{} pairs", samples.len().pow(2));
        let one = said("visible", &path, &["5", "5", "6", "5"], "").unwrap();
        let visible = terrain.visible(Sample::new(5, 5), Sample::new(6, 5));
        assert_eq!(one.trim(), u8::from(visible).to_string());
    }
}

#[test]
fn a_pvs_prints_as_rows_of_bits() {
    let (name, width, height, _) = GOLDEN[2];
    let path = golden::path(name);
    let map = MappedBundle::open(&path).unwrap();
    let terrain = map.terrain().unwrap();
    let pvs = terrain.pvs(Quad::new(2, 4, 1)).unwrap();
    let Some(found) = said("pvs", &path, &["17", "6", "--quad", "2", "--bits"], "") else {
        return;
    };
    let bit = |column, row| {
        if pvs.contains(Sample::new(column, row)) {
            '1'
        } else {
            '0'
        }
    };
    let expected: Vec<String> = (0..height)
        .map(|row| (0..width).map(|column| bit(column, row)).collect())
        .collect();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    let counts = said("pvs", &path, &["17", "6", "--quad", "2"], "").unwrap();
    let (seen, all) = (pvs.count(), u64::from(width * height));
    assert_eq!(
        counts.trim(),
        format!("{seen} visible, {} hidden, 0 void", all - seen)
    );
}

#[test]
fn faults_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.vcb");
    let sound = std::fs::read(golden::path("1x1")).unwrap();
    let Some(words) = said("verify", &golden::path("1x1"), &[], "") else {
        return;
    };
    assert_eq!(words, "no faults\n");
    for at in (0..sound.len()).step_by(53) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let output = read_bundle("verify", &path, &[], "").unwrap();
        assert_eq!(output.status.code(), Some(1), "byte {at}");
    }
}

/// The hex map in the specification is that of the golden file.
#[test]
fn the_specification_shows_the_golden_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let specification = std::fs::read_to_string(root.join("schemas/BUNDLE.md")).unwrap();
    let golden = std::fs::read(golden::path("1x1")).unwrap();
    let mut shown = 0;
    for line in specification.lines() {
        let Some((offset, rest)) = line.split_once("  ") else {
            continue;
        };
        let (8, Ok(offset)) = (offset.len(), usize::from_str_radix(offset, 16)) else {
            continue;
        };
        let bytes: Vec<u8> = rest
            .split_whitespace()
            .take_while(|word| word.len() == 2)
            .take(16)
            .map(|word| u8::from_str_radix(word, 16).unwrap())
            .collect();
        assert_eq!(bytes, golden[offset..offset + bytes.len()], "{line}");
        shown += bytes.len();
    }
    assert!(shown > 500, "{shown} bytes shown");
}

/// Samples that `VALD` leaves out, though they have a height.
#[test]
fn a_bundle_of_walkable_terrain_reads_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walkable.vcb");
    let height = |i: u32| f64::from(i * 7919 % 13);
    let terrain = Terrain::new(13, 9, (0..117).map(height).collect(), [2.0, 2.0]).unwrap();
    let walkable: Vec<bool> = (0..117).map(|i| i % 3 != 0).collect();
    let terrain = terrain.with_walkable(&walkable).unwrap();
    let options = BakeOptions::default();
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, &options, &path, &Silent).unwrap();
    assert!(verify(&path, &mut |_| {}).unwrap().is_sound());
    let map = MappedBundle::open(&path).unwrap();
    let bundle = map.terrain().unwrap();
    let (mut pairs, mut expected, mut seen) = (String::new(), String::new(), 0);
    for a in bundle.grid().row_by_row() {
        assert_eq!(bundle.height(a), Some(height(a.row * 13 + a.column) as f32));
        for b in bundle.grid().row_by_row() {
            let visible = bundle.visible(a, b);
            let nobody = [a, b].map(|s| (s.row * 13 + s.column) % 3 == 0);
            assert!(!(visible && (nobody[0] || nobody[1])));
            seen += u32::from(visible);
            writeln!(pairs, "{} {} {} {}", a.column, a.row, b.column, b.row).unwrap();
            writeln!(expected, "{}", u8::from(visible)).unwrap();
        }
    }
    assert!(seen > 500, "{seen}");
    let found = said("visible", &path, &["--pairs", "-"], &pairs);
    let Some(found) = found else { return };
    assert!(found == expected);
    assert_eq!(said("verify", &path, &[], "").unwrap(), "no faults\n");
}

/// Levels of cells that grow with distance, as they are and within a budget.
#[test]
fn every_answer_of_a_graded_bundle_reads_alike() {
    let whole = golden::path("70x45-graded");
    graded_reads_alike(&whole);
    let folder = tempfile::tempdir().unwrap();
    let lossy = folder.path().join("lossy.vcb");
    let bytes = std::fs::metadata(&whole).unwrap().len() * 9 / 10;
    let weight = Weight::Area;
    let options = RepackOptions {
        compression: Compression::Optimal(Budget { bytes, weight }),
        ..RepackOptions::default()
    };
    repack(&whole, &lossy, &options, &Silent).unwrap();
    graded_reads_alike(&lossy);
}

fn graded_reads_alike(path: &Path) {
    let map = MappedBundle::open(path).unwrap();
    let terrain = map.terrain().unwrap();
    let mut dice = viewcell::dice::Dice(11);
    let mut pairs = String::new();
    let mut expected = String::new();
    for _ in 0..300 {
        let [a, b] = [0, 1].map(|_| Sample::new(dice.roll(70), dice.roll(45)));
        writeln!(pairs, "{} {} {} {}", a.column, a.row, b.column, b.row).unwrap();
        writeln!(expected, "{}", u8::from(terrain.visible(a, b))).unwrap();
    }
    let Some(found) = said("visible", path, &["--pairs", "-"], &pairs) else {
        return;
    };
    assert!(found == expected);
    for (level, column, row) in [(0, 40, 20), (2, 33, 8), (4, 16, 32), (6, 0, 0), (7, 0, 0)] {
        let quad = Quad::new(level, column >> level, row >> level);
        let words = [column, row, level].map(|number: u32| number.to_string());
        let found = said(
            "pvs",
            path,
            &[&words[0], &words[1], "--quad", &words[2]],
            "",
        )
        .unwrap();
        let visible = terrain.pvs(quad).unwrap().count();
        assert!(
            found.starts_with(&format!("{visible} visible,")),
            "{quad:?}: {found}"
        );
    }
    let found = said("verify", path, &[], "");
    assert!(found.is_some_and(|found| !found.contains("expected")));
}

/// The tables of sections in the specifications are the one that writers, readers and `verify` go by.
#[test]
fn the_specifications_have_the_table_of_sections() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, head, kind) in [
        ("BUNDLE.md", "### 2.2 ", Some(WorldKind::Terrain)),
        ("BUNDLE.md", "### 4.1 ", Some(WorldKind::Cells)),
        ("PATCH.md", "## 2. ", None),
    ] {
        let text = std::fs::read_to_string(root.join("schemas").join(page)).unwrap();
        let table = text.split(head).nth(1).unwrap();
        let table = table.split("\n|---").nth(1).unwrap().lines().skip(1);
        let told = table
            .map_while(|line| line.strip_prefix("| `"))
            .map(|line| {
                let columns: Vec<&str> = line.split('|').map(str::trim).collect();
                let is_cold = columns[2] == "yes" || columns[2].contains("zstd");
                let when = columns[2..4].contains(&"always");
                (line[..4].to_owned(), columns[1] == "yes", is_cold, when)
            });
        // Those are in bundles of every kind.
        let own = sections::of(kind).filter(|of| ![Tag::SIGN, Tag::PCRC].contains(&of.tag));
        let held = own.map(|of| {
            let [required, cold] = [Section::REQUIRED, Section::ZSTD].map(|f| of.flags & f != 0);
            let is_always = matches!(of.when(kind), When::Always);
            (of.tag.to_string(), required, cold, is_always)
        });
        assert_eq!(told.collect::<Vec<_>>(), held.collect::<Vec<_>>(), "{page}");
    }
}
