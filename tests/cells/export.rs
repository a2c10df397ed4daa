//! Visibility back into levels.

use proptest::prelude::*;
use viewcell_ingest::cells::{IngestCellsOptions, cells_from_bytes};
use viewcell_ingest::export::{external_vis, with_visibility};
use viewcell_ingest::world::BitMatrix;

use crate::builder::{KINDS, Kind, level, lump, wad};
use crate::common::levels;

/// Nothing said.
const ANY: IngestCellsOptions = IngestCellsOptions { map: None };

fn pvs_of(bytes: &[u8]) -> BitMatrix {
    let graph = cells_from_bytes(bytes, &IngestCellsOptions::default());
    let mut pvs = graph.unwrap().graph.pvs.unwrap();
    pvs.set_diagonal();
    pvs
}

/// All else than the visibility stays as it is.
fn only_visibility_changed(kind: Kind, old: &[u8], new: &[u8]) {
    let entry = kind.entry("visibility");
    let (start, length) = lump(old, kind, "visibility");
    let (leaves, leaves_len) = lump(old, kind, "leaves");
    let leaf_len = match kind {
        Kind::Bsp29 | Kind::Bsp30 => 28,
        Kind::Bsp2Rmq => 32,
        Kind::Bsp2 => 44,
        _ => 0,
    };
    // What stood behind a lump that has grown has moved by so much; one that was empty goes to the end.
    let (now, _) = lump(new, kind, "visibility");
    let grown = if now == start && length > 0 {
        new.len() - old.len()
    } else {
        0
    };
    let (first, stride, count) = kind.table();
    let is_entry = |at: usize| {
        let of_table = (first..first + stride * count).contains(&at);
        of_table && (at - first) % stride < 4
    };
    for (at, &byte) in old.iter().enumerate() {
        let in_row_of_leaf = leaf_len > 0
            && (leaves..leaves + leaves_len).contains(&at)
            && (4..8).contains(&((at - leaves) % leaf_len));
        let may_change = (entry..entry + 8).contains(&at)
            || (start..start + length).contains(&at)
            || grown > 0 && is_entry(at)
            || in_row_of_leaf;
        let to = at + if at >= start + length { grown } else { 0 };
        assert!(may_change || byte == new[to], "{kind:?}: byte {at}");
    }
    if grown > 0 {
        let word =
            |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        for at in (0..count)
            .map(|i| first + stride * i)
            .filter(|&at| at != entry)
        {
            let offset = word(old, at);
            let moved = if offset as usize >= start + length {
                grown as u32
            } else {
                0
            };
            assert_eq!(
                word(new, at),
                offset + moved,
                "{kind:?}: entry at byte {at}"
            );
        }
    }
}

/// The file grows by what the lump grows, at most, up to the next multiple of four.
fn no_old_lump_is_left(kind: Kind, old: &[u8], new: &[u8]) {
    let (_, before) = lump(old, kind, "visibility");
    let (_, after) = lump(new, kind, "visibility");
    if before > 0 {
        let growth = after.saturating_sub(before).next_multiple_of(4);
        assert_eq!(
            new.len(),
            old.len() + growth,
            "{kind:?}: {before}, {after} bytes"
        );
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        kind in 0_usize..KINDS.len(), cells in 1_usize..120, seed: u64, rare in 1_u64..60, vised: bool,
    ) {
        let kind = KINDS[kind];
        let old = BitMatrix::from_fn(cells, |a, b| a.abs_diff(b) < 3);
        let bytes = level(kind, cells, vised.then_some(&old));
        let mut state = seed | 1;
        let mut pvs = BitMatrix::from_fn(cells, |_, _| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % rare == 0
        });
        pvs.set_diagonal();
        let written = with_visibility(&bytes, &ANY, &pvs).unwrap();
        prop_assert_eq!(pvs_of(&written), pvs);
        only_visibility_changed(kind, &bytes, &written);
        no_old_lump_is_left(kind, &bytes, &written);
    }
}

#[test]
fn a_map_of_a_wad_takes_its_reject_back_and_nothing_else_changes() {
    let all = [0_u8; 2];
    // A byte more than three sectors need, and a map whose table is empty.
    let longer = [0xff_u8, 0xff, 0x55];
    let bytes = wad(&[
        ("MAP01", Some(&longer)),
        ("MAP02", Some(&[])),
        ("MAP03", Some(&all)),
        ("MAP04", None),
    ]);
    let map = |name: &str| IngestCellsOptions {
        map: Some(name.into()),
    };
    let graph = |bytes: &[u8], name| cells_from_bytes(bytes, &map(name)).unwrap().graph;
    // Sectors 0 and 1 see each other.
    let pvs = BitMatrix::from_fn(3, |a, b| a == b || a + b == 1);
    let written = with_visibility(&bytes, &map("MAP01"), &pvs).unwrap();
    assert_eq!(graph(&written, "MAP01").pvs, Some(pvs.clone()));
    let changed: Vec<usize> = (0..bytes.len())
        .filter(|&i| bytes[i] != written[i])
        .collect();
    assert_eq!(written.len(), bytes.len());
    assert!(changed.len() <= 2 && changed.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    for name in ["MAP02", "MAP03", "MAP04"] {
        assert!(graph(&written, name) == graph(&bytes, name));
    }

    // Where there is no room, the table goes to the end: only its entry changes.
    let written = with_visibility(&bytes, &map("map02"), &pvs).unwrap();
    assert_eq!(graph(&written, "MAP02").pvs, Some(pvs.clone()));
    let changed = (0..bytes.len()).filter(|&i| bytes[i] != written[i]);
    assert!(changed.count() <= 8 && written.len() > bytes.len());

    let error = with_visibility(&bytes, &map("MAP04"), &pvs).unwrap_err();
    assert!(error.to_string().contains("REJECT of map MAP04"), "{error}");
    let error = with_visibility(&bytes, &ANY, &pvs).unwrap_err();
    assert!(error.to_string().contains("`map`"), "{error}");
    let other = BitMatrix::new(4);
    let error = with_visibility(&bytes, &map("MAP01"), &other).unwrap_err();
    assert!(error.to_string().contains("4 cells"), "{error}");
}

#[test]
fn a_reject_that_two_maps_share_changes_for_one_of_them() {
    let table = [0x55_u8, 0x01];
    let mut bytes = wad(&[("MAP01", Some(&table)), ("MAP02", Some(&table))]);
    // The entry of the second is made that of the first.
    let entries: Vec<usize> = (0..bytes.len() - 8)
        .filter(|&at| bytes[at..].starts_with(b"REJECT\0\0"))
        .map(|name| name - 8)
        .collect();
    assert_eq!(entries.len(), 2);
    bytes.copy_within(entries[0]..entries[0] + 8, entries[1]);
    let options = |name: &str| IngestCellsOptions {
        map: Some(name.into()),
    };
    let pvs = |bytes: &[u8], name| cells_from_bytes(bytes, &options(name)).unwrap().graph.pvs;
    let none = BitMatrix::from_fn(3, |a, b| a == b);
    let written = with_visibility(&bytes, &options("MAP02"), &none).unwrap();
    assert_eq!(pvs(&written, "MAP01"), pvs(&bytes, "MAP01"));
    assert_eq!(pvs(&written, "MAP02"), Some(none));
}

#[test]
fn what_is_heard_is_seen_from_what_is_seen() {
    let pvs = BitMatrix::from_fn(9, |a, b| a.abs_diff(b) < 2);
    let bytes = with_visibility(&level(Kind::Ibsp38, 9, Some(&pvs)), &ANY, &pvs).unwrap();
    let graph = cells_from_bytes(&bytes, &IngestCellsOptions::default())
        .unwrap()
        .graph;
    assert_eq!(
        graph.phs.unwrap(),
        BitMatrix::from_fn(9, |a, b| a.abs_diff(b) < 3)
    );
}

#[test]
fn an_external_vis_holds_name_rows_and_leaves() {
    let pvs = BitMatrix::from_fn(9, |a, b| a.abs_diff(b) < 2);
    let old = level(Kind::Bsp29, 9, None);
    let vis = external_vis(&old, "corridor.bsp", &pvs).unwrap();
    assert_eq!(&vis[..13], b"corridor.bsp\0");
    let number = |at: usize| u32::from_le_bytes(vis[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(number(32), vis.len() - 36);
    let rows = number(36);
    let leaves = number(40 + rows);
    assert_eq!(44 + rows + leaves, vis.len());
    // The same as in a copy of the level.
    let copy = with_visibility(&old, &ANY, &pvs).unwrap();
    let part = |name| {
        let (start, length) = lump(&copy, Kind::Bsp29, name);
        &copy[start..start + length]
    };
    assert_eq!(&vis[40..40 + rows], part("visibility"));
    assert_eq!(&vis[44 + rows..], part("leaves"));
    for kind in [Kind::Bsp2, Kind::Ibsp38] {
        let error = external_vis(&level(kind, 9, None), "corridor.bsp", &pvs).unwrap_err();
        assert!(error.to_string().contains("BSP29"), "{error}");
    }
    let error = with_visibility(&level(Kind::Bsp29, 8, None), &ANY, &pvs).unwrap_err();
    assert!(error.to_string().contains("9 cells"), "{error}");
}

#[test]
fn real_levels_take_their_own_and_other_visibility_back() {
    let Some(folder) = levels() else { return };
    for (kind, name) in [
        (Kind::Bsp29, "q1-bsp29/e1m1.bsp"),
        (Kind::Bsp29, "q1-bsp29/light_general.bsp"),
        (Kind::Bsp2Rmq, "q1-2psb/q1_detail_fence.bsp"),
        (Kind::Bsp2, "q1-bsp2/dm4.bsp"),
        (Kind::Bsp30, "hl-bsp30/lqdm11.bsp"),
        (Kind::Ibsp38, "q2-ibsp38/e1m1.bsp"),
        (Kind::Ibsp38, "q2-ibsp38/q2_areaportals.bsp"),
        (Kind::Ibsp46, "q3-ibsp46/stormkeep.bsp"),
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let pvs = pvs_of(&bytes);
        let again = with_visibility(&bytes, &ANY, &pvs).unwrap();
        assert_eq!(pvs_of(&again), pvs, "{name}");
        only_visibility_changed(kind, &bytes, &again);
        let either = pvs.or_with_transpose();
        let written = with_visibility(&bytes, &ANY, &either).unwrap();
        assert_eq!(pvs_of(&written), either, "{name}");
        only_visibility_changed(kind, &bytes, &written);
        no_old_lump_is_left(kind, &bytes, &written);
        let rest = |bytes: &[u8]| {
            let graph = cells_from_bytes(bytes, &IngestCellsOptions::default())
                .unwrap()
                .graph;
            (graph.tree, graph.bounds)
        };
        assert!(rest(&bytes) == rest(&written), "{name}");
    }
}
