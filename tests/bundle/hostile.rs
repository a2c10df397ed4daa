//! Bytes that mean harm: an error or a wrong answer, never a panic, a hang or a read out of
//! bounds; and `verify` finds every flipped bit.

use std::io::{Seek, SeekFrom, Write};

use proptest::prelude::*;
use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::{
    Answer, Grid, Header, Quad, ReadPvs, Sample, Tag, Tree, Valid, WorldKind, crc32,
};
use viewcell::query::{Bundle, Leaf, OpenError};
use viewcell_bake::bundle::{info, verify};

use crate::common::{World, flat, mix};

/// Small bundles, one a tree code, that have every section between them.
fn small() -> [Vec<u8>; 3] {
    let world = World::new(9, 3, 3);
    let bundles = [world.bundle(), world.pairs(), flat()];
    let tags = bundles.each_ref().map(|bytes| {
        let bundle = Bundle::from_bytes(bytes).unwrap();
        bundle
            .sections()
            .map(|section| section.tag)
            .collect::<Vec<_>>()
    });
    assert_eq!(tags[0].len(), 9);
    let all = [crate::sections::tags(WorldKind::Terrain), vec![Tag::PCRC]].concat();
    assert_eq!(tags[1], all);
    assert!(tags[2].contains(&Tag::PAIR) && !tags[2].contains(&Tag::TREE));
    bundles
}

/// On any bytes, going down to a sample and walking the whole PVS say the same.
fn each_pvs_gives_one_answer(bytes: &[u8]) {
    let Ok(terrain) = Bundle::from_bytes(bytes).and_then(|bundle| bundle.terrain()) else {
        return;
    };
    let grid = terrain.grid();
    if grid.samples() > 1_000 {
        return;
    }
    let mut words = vec![0; grid.blocks()];
    for quad in grid.bake_order() {
        let Some(pvs) = terrain.pvs(quad) else {
            continue;
        };
        pvs.expand(&mut words);
        for sample in grid.row_by_row() {
            let (word, bit) = grid.block_bit(sample);
            let visible = words[word] >> bit & 1 == 1;
            assert_eq!(pvs.contains(sample), visible, "{quad:?} {sample:?}");
        }
    }
}

/// Two blocks that say different things of each other: the second's group is not where it was.
#[test]
fn a_pvs_gives_one_answer_where_two_blocks_differ() {
    let sound = World::new(20, 10, 0).pairs();
    let index = Bundle::from_bytes(&sound).unwrap();
    let index = index.section(Tag::PIDX).unwrap().0;
    let [start, end] = [index.offset, index.offset + index.length].map(|at| at as usize);
    for at in start..end {
        for bit in 0..8 {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << bit;
            each_pvs_gives_one_answer(&bytes);
        }
    }
}

/// Asks everything that can be asked of bytes. Returns how many answers came.
fn ask_everything(bytes: &[u8]) -> u64 {
    let Ok(bundle) = Bundle::from_bytes(bytes) else {
        return 0;
    };
    let mut answers = bundle.sections().count() as u64;
    answers += bundle.crs().map_or(0, |crs| crs.len() as u64);
    let tags = crate::sections::tags(WorldKind::Terrain).into_iter();
    answers += tags.filter(|&tag| bundle.section(tag).is_some()).count() as u64;
    let Ok(terrain) = bundle.terrain() else {
        return answers;
    };
    let grid = terrain.grid();
    // A liar may declare a grid of any size that its sections fit; corners are asked for, and
    // a sprinkling of places between.
    let sides = |limit: u32| [0, 1, limit / 2, limit - 1, limit, u32::MAX];
    let samples = || {
        sides(grid.width())
            .into_iter()
            .flat_map(move |column| sides(grid.height()).map(|row| Sample::new(column, row)))
    };
    let mut buffer = vec![0; 8];
    for a in samples() {
        answers += u64::from(terrain.height(a).is_some());
        for b in samples() {
            answers += u64::from(terrain.visible(a, b));
            // Near enough that samples are asked for, and quads.
            for reach in [[0.0, 3.0], [9.0, 40.0], [f64::NAN, 1e300]] {
                answers += u64::from(terrain.visible_within(a, b, reach));
            }
        }
        for level in (0..=grid.levels()).chain([31, 32, u32::MAX]) {
            let shift = level.min(31);
            let quad = Quad::new(level, a.column >> shift, a.row >> shift);
            answers += u64::from(terrain.visible_quads(a.quad(), quad) == Answer::Visible);
            answers += u64::from(terrain.visible_quads(quad, a.quad()) == Answer::Visible);
            if let Some(pvs) = terrain.pvs(quad) {
                answers += pvs.count() + u64::from(pvs.contains(a));
                answers += pvs
                    .quads()
                    .filter(|leaf| matches!(leaf, Leaf::Block(..)))
                    .count() as u64;
                answers += pvs.samples().take(1_000).count() as u64;
                pvs.expand(&mut buffer);
                pvs.expand(&mut []);
            }
        }
    }
    for metres in [0.0, -1.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        answers += u64::from(terrain.locate(metres, 3.0).is_some());
        answers += u64::from(terrain.locate_georeferenced(3.0, metres).is_some());
    }
    answers
}

#[test]
fn every_prefix_is_refused() {
    for bytes in small() {
        for length in 0..bytes.len() {
            let error = Bundle::from_bytes(&bytes[..length]).unwrap_err();
            assert!(matches!(error, OpenError::Format { .. }), "{error}");
        }
        assert!(ask_everything(&bytes) > 0);
    }
}

#[test]
fn every_prefix_that_says_it_is_whole_is_survived() {
    for bytes in small() {
        for length in HEADER_LEN..bytes.len() {
            let mut prefix = bytes[..length].to_vec();
            prefix[16..24].copy_from_slice(&(length as u64).to_le_bytes());
            reseal(&mut prefix);
            ask_everything(&prefix);
        }
    }
}

#[test]
fn trailing_bytes_are_refused() {
    let [bytes, ..] = small();
    for extra in [1, 64, 4096] {
        let longer = [bytes.as_slice(), &vec![0; extra]].concat();
        let error = Bundle::from_bytes(&longer).unwrap_err().to_string();
        assert!(
            error.contains(&format!("expected {} bytes", bytes.len())),
            "{error}"
        );
    }
}

#[test]
fn every_flipped_bit_is_survived_and_found() {
    for bundle in small() {
        flip_every_bit(&bundle);
    }
}

fn flip_every_bit(sound: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.vcb");
    std::fs::write(&path, sound).unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut put = |at: usize, byte: u8| {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut bytes = sound.to_vec();
            bytes[at] ^= 1 << bit;
            ask_everything(&bytes);
            put(at, bytes[at]);
            let report = verify(&path, &mut |_| {}).unwrap();
            assert!(!report.is_sound(), "bit {bit} of byte {at}");
            // Errors or not, but returns.
            let _ = info(&path);
        }
        put(at, sound[at]);
    }
}

/// Makes table and header fit the bytes, so that damage behind them is met.
fn reseal(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    if let Some(table) = bytes.get(HEADER_LEN..HEADER_LEN + count.min(1_000) * ENTRY_LEN) {
        let checksum = crc32(table);
        bytes[32..36].copy_from_slice(&checksum.to_le_bytes());
    }
    let checksum = Header::checksum_of(bytes.first_chunk().unwrap());
    bytes[60..64].copy_from_slice(&checksum.to_le_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn lies_under_right_checksums_are_survived(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_front in any::<bool>(),
        code in 0..3usize,
    ) {
        let mut bytes = small_cached(code).to_vec();
        let limit = if in_front { HEADER_LEN + 12 * ENTRY_LEN + 64 } else { bytes.len() };
        for (index, value) in changes {
            bytes[8 + index.index(limit - 8)] = value;
        }
        reseal(&mut bytes);
        ask_everything(&bytes);
        // The levels of a graded bundle may contradict each other; a walk and a question ask others.
        if code < 2 {
            each_pvs_gives_one_answer(&bytes);
        }
    }

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(ask_everything(&bytes), 0);
        let mut dressed = small_cached(0)[..HEADER_LEN].to_vec();
        dressed.extend(&bytes);
        let length = dressed.len() as u64;
        dressed[16..24].copy_from_slice(&length.to_le_bytes());
        reseal(&mut dressed);
        ask_everything(&dressed);
    }

    /// On any bytes at all, going down to a sample and walking the whole tree say the same.
    #[test]
    fn random_trees_give_one_answer(
        width in 1u32..70,
        height in 1u32..70,
        head in prop_oneof![Just(vec![]), (0u8..40).prop_map(|head| vec![head])],
        body in prop::collection::vec(any::<u8>(), 0..120),
        mask in prop::collection::vec(any::<u8>(), 0..700),
        voids in any::<bool>(),
    ) {
        let grid = Grid::new(width, height).unwrap();
        let valid = if voids { Valid::from_blocks(grid, &mask) } else { Valid::everywhere(grid) };
        let bytes = [head, body].concat();
        if let Some(tree) = Tree::parse(valid, &bytes) {
            let mut walked = vec![0; grid.blocks()];
            tree.expand(&mut walked);
            let mut swept = tree.leaves().filter(|leaf| !matches!(leaf, Leaf::Hidden(_)));
            tree.sweep(|leaf| {
                let terrain = valid.block(leaf.quad().column, leaf.quad().row);
                if grid.has_quad(leaf.quad()) {
                    let leaf = match leaf {
                        Leaf::Block(quad, bits) => Leaf::Block(quad, bits & terrain),
                        leaf => leaf,
                    };
                    assert_eq!(Some(leaf), swept.next());
                }
                true
            });
            prop_assert_eq!(swept.next(), None);
            let mut count = 0;
            for sample in grid.row_by_row() {
                let (word, bit) = grid.block_bit(sample);
                let visible = walked[word] >> bit & 1 == 1;
                count += u64::from(visible);
                prop_assert_eq!(tree.contains(sample), visible, "{:?}", sample);
                prop_assert_eq!(tree.state(sample.quad()) == Answer::Visible, visible);
            }
            prop_assert_eq!(tree.count(), count);
            let covered: u64 = tree
                .leaves()
                .map(|leaf| Valid::everywhere(grid).count(leaf.quad()))
                .sum();
            prop_assert_eq!(covered, grid.samples());
        }
    }
}

fn small_cached(code: usize) -> &'static [u8] {
    static SMALL: std::sync::OnceLock<[Vec<u8>; 3]> = std::sync::OnceLock::new();
    &SMALL.get_or_init(small)[code]
}

#[test]
fn a_greatest_grid_declared_in_a_small_file_is_refused() {
    let [mut bytes, ..] = small();
    let grid = Bundle::from_bytes(&bytes)
        .unwrap()
        .section(Tag::GRID)
        .unwrap()
        .0
        .offset as usize;
    bytes[grid..grid + 4].copy_from_slice(&65_536u32.to_le_bytes());
    bytes[grid + 4..grid + 8].copy_from_slice(&65_536u32.to_le_bytes());
    bytes[grid + 8..grid + 12].copy_from_slice(&17u32.to_le_bytes());
    let error = Bundle::from_bytes(&bytes)
        .unwrap()
        .terrain()
        .unwrap_err()
        .to_string();
    assert!(error.contains("VALD") && error.contains("bytes"), "{error}");
}

#[test]
fn a_tree_of_nothing_but_nodes_ends() {
    // Every code unknown, and far fewer nodes than they ask for; then far more.
    let grid = Grid::new(4_096, 4_096).unwrap();
    for nodes in [1u32, 100, 20_000] {
        let (head, length) = viewcell::format::bytes::write_varint(2 + nodes);
        let mut bytes = head[..length].to_vec();
        bytes.resize(length + nodes as usize, 0xAA);
        let tree = Tree::parse(Valid::everywhere(grid), &bytes).unwrap();
        assert_eq!(tree.count(), grid.samples(), "what is missing is visible");
        assert!(tree.leaves().count() <= 4 * nodes as usize + 1);
        assert!(tree.contains(Sample::new((mix(u64::from(nodes)) % 4_096) as u32, 7)));
    }
}
