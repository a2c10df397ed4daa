//! Tree code 2: pairs of blocks, against the definition and against single trees.

use proptest::prelude::*;
use viewcell::format::Answer;
use viewcell::format::Sample;
use viewcell::format::blockpair::BlockPair;
use viewcell::format::dictionary::Dictionary;
use viewcell::query::{Leaf, MappedBundle, Quad, TerrainBundle};
use viewcell_bake::bundle::verify;
use viewcell_bake::compress::pairs::{Codebook, Histogram, PairSymbols, transpose};
use viewcell_bake::{RepackOptions, repack};

use crate::common::{Silent, World};

/// Shows `check` a world as single trees and as pairs.
fn both(world: &World, check: impl Fn(&TerrainBundle, &TerrainBundle, &std::path::Path)) {
    let folder = tempfile::tempdir().unwrap();
    let (trees, pairs) = (
        folder.path().join("trees.vcb"),
        folder.path().join("pairs.vcb"),
    );
    world.write(&trees);
    repack(&trees, &pairs, &RepackOptions::default(), &Silent).unwrap();
    let (a, b) = (
        MappedBundle::open(&trees).unwrap(),
        MappedBundle::open(&pairs).unwrap(),
    );
    check(&a.terrain().unwrap(), &b.terrain().unwrap(), &pairs);
}

const SIZES: [(u32, u32, u64); 7] = [
    (1, 1, 0),
    (9, 9, 0),
    (13, 9, 4),
    (8, 8, 2),
    (40, 20, 0),
    (33, 70, 6),
    (5, 37, 3),
];

#[test]
fn pairs_say_what_single_trees_say() {
    for (width, height, voids) in SIZES {
        let world = World::new(width, height, voids);
        both(&world, |trees, pairs, _| {
            let grid = trees.grid();
            assert!(trees.groups().is_none() && pairs.groups().is_some());
            for a in world.samples() {
                for b in world.samples() {
                    assert_eq!(pairs.visible(a, b), world.sees(a, b), "{a:?} {b:?}");
                }
            }
            let (mut expected, mut found) = (vec![1; grid.blocks()], vec![2; grid.blocks()]);
            for from in grid.bake_order() {
                let (one, other) = (trees.pvs(from).unwrap(), pairs.pvs(from).unwrap());
                one.expand(&mut expected);
                other.expand(&mut found);
                assert_eq!(expected, found, "{from:?}");
                assert_eq!(one.count(), other.count());
                assert!(one.quads().eq(other.quads()), "{from:?}");
                assert!(one.samples().eq(other.samples()), "{from:?}");
                for to in grid.bake_order().step_by(3) {
                    assert_eq!(
                        trees.visible_quads(from, to),
                        pairs.visible_quads(from, to),
                        "{from:?} {to:?}"
                    );
                }
            }
            let outside = Quad::new(0, width, 0);
            assert!(pairs.pvs(outside).is_none());
            assert!(!pairs.visible(Sample::new(0, 0), Sample::new(0, height)));
        });
    }
}

#[test]
fn one_way_sight_is_kept_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (trees, pairs) = (
        folder.path().join("trees.vcb"),
        folder.path().join("pairs.vcb"),
    );
    let world = World::new(21, 30, 5).one_way();
    world.write(&trees);
    repack(&trees, &pairs, &RepackOptions::default(), &Silent).unwrap();
    let map = MappedBundle::open(&pairs).unwrap();
    let terrain = map.terrain().unwrap();
    let mut one_way = 0;
    for a in world.samples() {
        for b in world.samples() {
            assert_eq!(terrain.visible(a, b), world.sees(a, b), "{a:?} {b:?}");
            one_way += u32::from(world.sees(a, b) && !world.sees(b, a));
        }
        let mut bits = vec![0; world.grid.blocks()];
        terrain.pvs(a.quad()).unwrap().expand(&mut bits);
        assert_eq!(bits, world.pvs(a));
    }
    assert!(one_way > 1_000, "{one_way}");
    let report = verify(&pairs, &mut |_| {}).unwrap();
    assert!(
        report.is_sound(),
        "{:?}",
        report.failed().collect::<Vec<_>>()
    );
}

#[test]
fn repacked_bundles_hold_every_rule() {
    for (width, height, voids) in SIZES {
        both(&World::new(width, height, voids), |_, _, path| {
            let report = verify(path, &mut |_| {}).unwrap();
            let failed: Vec<_> = report.failed().collect();
            assert!(report.is_sound(), "{width} x {height}, {voids}: {failed:?}");
        });
    }
}

#[test]
fn repacking_what_is_repacked_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    World::new(40, 33, 7).write(&path("trees.vcb"));
    let options = |threads| RepackOptions {
        threads,
        ..RepackOptions::default()
    };
    repack(&path("trees.vcb"), &path("1.vcb"), &options(1), &Silent).unwrap();
    repack(&path("trees.vcb"), &path("3.vcb"), &options(3), &Silent).unwrap();
    repack(&path("1.vcb"), &path("again.vcb"), &options(2), &Silent).unwrap();
    let bytes = |name: &str| std::fs::read(path(name)).unwrap();
    assert_eq!(bytes("1.vcb"), bytes("3.vcb"));
    assert_eq!(bytes("1.vcb"), bytes("again.vcb"));
}

#[test]
fn a_damaged_bundle_is_not_repacked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let world = World::new(20, 20, 0);
    world.write(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let output = folder.path().join("b.vcb");
    let error = repack(&path, &output, &RepackOptions::default(), &Silent).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    assert!(!output.exists());
}

/// Rows of a pair with areas of all sizes: a few rectangles of viewpoints by rectangles of
/// targets, set or cleared.
fn rows() -> impl Strategy<Value = [u64; 64]> {
    let mask = (0..8u32, 0..8u32, 1..=8u32, 1..=8u32).prop_map(|(c, r, w, h)| {
        let side = |at: u32, length: u32| at..8.min(at + length);
        side(r, h)
            .flat_map(|row| side(c, w).map(move |column| 1u64 << (row * 8 + column)))
            .fold(0, |mask, bit| mask | bit)
    });
    prop::collection::vec((mask.clone(), mask, prop::bool::weighted(0.6)), 0..12).prop_map(|all| {
        let mut rows = [0; 64];
        for (viewpoints, targets, set) in all {
            for (v, row) in rows.iter_mut().enumerate() {
                if viewpoints >> v & 1 == 1 {
                    *row = if set { *row | targets } else { *row & !targets };
                }
            }
        }
        rows
    })
}

/// Terrain of a block: often all of it.
fn terrain() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(!0), 1 => any::<u64>(), 1 => Just(0x0F0F), 1 => Just(0)]
}

/// What these viewpoints see together, and which viewpoints see any of these targets.
fn united(rows: &[u64; 64], from: u64) -> [u64; 2] {
    let (mut seen, mut back) = (0, 0);
    for (v, row) in rows.iter().enumerate() {
        seen |= if from >> v & 1 == 1 { *row } else { 0 };
        back |= u64::from(row & from != 0) << v;
    }
    [seen, back]
}

proptest! {
    /// The tree of a pair says what the bits say, wherever there is terrain, before it has bytes
    /// and after, by whole and bit by bit, whatever the codes are.
    #[test]
    fn a_pair_comes_back(rows in rows(), viewpoints in terrain(), targets in terrain(), skewed in rows()) {
        let mut pair = PairSymbols::default();
        let sight = pair.analyse(&rows, viewpoints, targets);
        let there = |v: usize, t: usize| viewpoints >> v & targets >> t & 1 == 1;
        let pairs = || (0..64).flat_map(|v| (0..64).map(move |t| (v, t)));
        let seen = pairs().filter(|&(v, t)| there(v, t) && rows[v] >> t & 1 == 1).count();
        let all = pairs().filter(|&(v, t)| there(v, t)).count();
        let expected = match seen {
            0 => Answer::Hidden,
            n if n == all => Answer::Visible,
            _ => Answer::Mixed,
        };
        prop_assert_eq!(sight, expected);

        // Codes made for other symbols: numbers of one byte, of two, and none.
        let mut other = PairSymbols::default();
        other.analyse(&skewed, !0, !0);
        let mut histogram = Histogram::default();
        (0..9).for_each(|_| histogram.count(other.pair()));
        for counted in [false, true] {
            if counted {
                (0..5).for_each(|_| histogram.count(pair.pair()));
            }
            let codebook = Codebook::new(&histogram);
            let section = codebook.section();
            prop_assert_eq!(Codebook::parse(&section).unwrap().section(), section.clone());
            let mut bytes = Vec::new();
            codebook.write(pair.pair(), &mut bytes);
            let length = bytes.len();
            bytes.extend([0xA5; 9]);
            let record = BlockPair::new(Dictionary::parse(&section).unwrap(), &bytes);
            prop_assert_eq!(record.length(), length);
            let mut read = PairSymbols::default();
            read.read(&record);
            prop_assert_eq!(&read, &pair);
            let found = record.rows();
            for from in [1u64, 1 << 63, 0x0303, 0x0F0F_0000_0000, viewpoints, targets, !0] {
                let [seen, back] = united(&found, from);
                prop_assert_eq!(record.seen(from, false), seen);
                prop_assert_eq!(record.seen(from, true), back);
                for to in [1u64, 1 << 63, 0xC0C0_0000, 0x3C00, viewpoints, targets, !0] {
                    prop_assert_eq!(record.sees_any(from, to), seen & to != 0);
                }
            }
            prop_assert_eq!(found, pair.pair().rows());
            for (v, t) in pairs().filter(|&(v, t)| there(v, t)) {
                prop_assert_eq!(found[v] >> t & 1, rows[v] >> t & 1);
                let place = |i: usize| (i as u32 % 8, i as u32 / 8);
                prop_assert_eq!(record.sees(place(v), place(t)), rows[v] >> t & 1 == 1);
            }
        }
    }

    /// Any bytes give answers, and never hidden for want of bytes.
    #[test]
    fn any_bytes_are_a_pair(bytes in prop::collection::vec(any::<u8>(), 0..80), dictionary in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut histogram = Histogram::default();
        let mut pair = PairSymbols::default();
        pair.analyse(&[0x1234_5678_9ABC_DEF0; 64], !0, !0);
        (0..9).for_each(|_| histogram.count(pair.pair()));
        let section = Codebook::new(&histogram).section();
        let codes = Dictionary::parse(&dictionary).or(Dictionary::parse(&section)).unwrap();
        let record = BlockPair::new(codes, &bytes);
        let rows = record.rows();
        for (v, row) in rows.iter().enumerate() {
            for t in 0..64usize {
                let place = |i: usize| (i as u32 % 8, i as u32 / 8);
                prop_assert_eq!(record.sees(place(v), place(t)), row >> t & 1 == 1);
            }
        }
        for from in [1u64, 1 << 63, 0x0303, 0x0F0F_0000_0000, !0] {
            let [seen, back] = united(&rows, from);
            prop_assert_eq!(record.seen(from, false), seen);
            prop_assert_eq!(record.seen(from, true), back);
            for to in [1u64, 1 << 63, 0x3C00, !0] {
                prop_assert_eq!(record.sees_any(from, to), seen & to != 0);
            }
        }
        prop_assert_eq!(BlockPair::new(codes, &[]).rows(), [!0; 64]);
    }

    #[test]
    fn rows_become_columns(rows in prop::array::uniform32(any::<u64>())) {
        let mut bits = [0; 64];
        bits[..32].copy_from_slice(&rows);
        let mut columns = bits;
        transpose(&mut columns);
        for (i, column) in columns.iter().enumerate() {
            for (j, row) in bits.iter().enumerate() {
                prop_assert_eq!(column >> j & 1, row >> i & 1);
            }
        }
    }
}

/// The leaves cover the grid once each.
#[test]
fn leaves_cover_the_grid() {
    let world = World::new(50, 41, 6);
    both(&world, |_, pairs, _| {
        let pvs = pairs.pvs(Quad::new(1, 7, 9)).unwrap();
        let mut seen = vec![0; world.grid.samples() as usize];
        for leaf in pvs.quads() {
            let quad = leaf.quad();
            for sample in world.samples() {
                let within = Quad::new(
                    quad.level,
                    sample.column >> quad.level,
                    sample.row >> quad.level,
                ) == quad;
                if within {
                    seen[(sample.row * 50 + sample.column) as usize] += 1;
                    if !matches!(leaf, Leaf::Block(..)) && !world.is_void(sample) {
                        assert_eq!(pvs.contains(sample), matches!(leaf, Leaf::Visible(_)));
                    }
                }
            }
        }
        assert!(seen.iter().all(|&times| times == 1));
    });
}
