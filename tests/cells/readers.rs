//! Every reader on levels that the tests build, sound and damaged: never a panic, and errors that
//! name the lump and the byte.

use proptest::prelude::*;
use viewcell_ingest::cells::{IngestCellsOptions, IngestedCells, cells_from_bytes};
use viewcell_ingest::world::{BitMatrix, CellGraph};
use viewcell_ingest::{IngestError, IngestErrorKind};

use crate::builder::{KINDS, Kind, level, lump, wad};

fn read(bytes: &[u8]) -> Result<IngestedCells, IngestError> {
    cells_from_bytes(bytes, &IngestCellsOptions::default())
}

fn read_map(bytes: &[u8], map: &str) -> Result<IngestedCells, IngestError> {
    let map = Some(map.to_owned());
    cells_from_bytes(bytes, &IngestCellsOptions { map })
}

/// The error of a level that must be refused, which names a place.
fn refused(bytes: &[u8], words: &[&str]) {
    let error = match read(bytes) {
        Ok(level) => panic!("read as {level:?}, not refused for {words:?}"),
        Err(error) => error,
    };
    assert!(error.place().is_some(), "{error}");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

/// Each cell sees the next three, and no other way round.
fn ahead(cells: usize) -> BitMatrix {
    BitMatrix::from_fn(cells, |a, b| (a..a + 4).contains(&b))
}

fn put(bytes: &mut [u8], at: usize, number: i32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

#[test]
fn every_format_reads_back_what_was_written() {
    for kind in KINDS {
        for cells in [1, 7, 8, 9, 64, 65, 300] {
            let pvs = ahead(cells);
            let read = read(&level(kind, cells, Some(&pvs))).unwrap();
            assert_eq!(read.format, kind.name());
            assert_eq!(read.notes, [""; 0], "{kind:?}");
            let graph = read.graph;
            assert_eq!(graph.cells, cells, "{kind:?}");
            assert_eq!(graph.pvs.as_ref(), Some(&pvs), "{kind:?}");
            let has_phs = matches!(kind, Kind::Ibsp38 | Kind::Vbsp | Kind::VbspOld);
            assert_eq!(graph.phs, has_phs.then_some(pvs), "{kind:?}");
            for cell in 0..cells {
                let x = 16.0 * cell as f64 + 3.0;
                assert_eq!(graph.locate([x, 1.0, 1.0]), Some(cell as u32), "{kind:?}");
                let [low, high] = graph.bounds.as_ref().unwrap()[cell];
                assert_eq!(
                    [low[0], high[0]],
                    [16.0 * cell as f32, 16.0 * cell as f32 + 16.0]
                );
            }
            assert_eq!(graph.locate([-1.0, 1.0, 1.0]), None, "{kind:?}");
            assert_eq!(
                graph.locate([16.0 * cells as f64, 1.0, 1.0]),
                None,
                "{kind:?}"
            );
        }
    }
}

#[test]
fn missing_visibility_is_not_empty_visibility() {
    for kind in KINDS {
        let read = read(&level(kind, 5, None)).unwrap();
        assert_eq!(read.graph.pvs, None, "{kind:?}");
        assert_eq!(read.graph.cells, 5, "{kind:?}");
        assert!(read.notes[0].contains("no visibility data"), "{kind:?}");
        let nobody = BitMatrix::new(5);
        let read = self::read(&level(kind, 5, Some(&nobody))).unwrap();
        assert_eq!(read.graph.pvs, Some(nobody), "{kind:?}");
    }
}

#[test]
fn leaves_of_one_row_are_one_cell() {
    let mut bytes = level(Kind::Bsp29, 6, Some(&ahead(6)));
    let (leaves, _) = lump(&bytes, Kind::Bsp29, "leaves");
    // Leaf 3, of cell 2, gets the row of leaf 2.
    let row = bytes[leaves + 2 * 28 + 4..][..4].to_vec();
    bytes[leaves + 3 * 28 + 4..][..4].copy_from_slice(&row);
    let graph = read(&bytes).unwrap().graph;
    assert_eq!(graph.cells, 5);
    assert_eq!(graph.locate([40.0, 1.0, 1.0]), Some(1));
    let pvs = graph.pvs.unwrap();
    assert_eq!(pvs.ones(0).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_leaf_without_a_row_sees_everything() {
    let mut bytes = level(Kind::Bsp29, 6, Some(&ahead(6)));
    let (leaves, _) = lump(&bytes, Kind::Bsp29, "leaves");
    put(&mut bytes, leaves + 3 * 28 + 4, -1);
    let read = read(&bytes).unwrap();
    assert!(read.notes[0].contains("see everything"), "{:?}", read.notes);
    assert_eq!(read.graph.pvs.unwrap().ones(2).count(), 6);
}

#[test]
fn every_prefix_is_refused_or_read_with_less() {
    for kind in KINDS {
        let bytes = level(kind, 9, Some(&ahead(9)));
        for length in 0..bytes.len() {
            // No panic; the last lumps may be ones that nobody reads.
            let _ = read(&bytes[..length]);
        }
        let (leaves, _) = lump(&bytes, kind, "leaves");
        refused(&bytes[..leaves + 1], &["byte "]);
    }
}

#[test]
fn lumps_that_do_not_fit_are_named() {
    for kind in KINDS {
        let bytes = level(kind, 9, Some(&ahead(9)));
        for name in ["planes", "visibility", "nodes", "leaves"] {
            let entry = kind.entry(name);
            for (at, number) in [
                (entry, -1),
                (entry, i32::MAX),
                (entry, bytes.len() as i32),
                (entry + 4, -5),
                (entry + 4, i32::MAX),
            ] {
                let mut damaged = bytes.clone();
                put(&mut damaged, at, number);
                refused(&damaged, &[&format!("lump {name}"), "byte "]);
            }
        }
        for name in ["planes", "nodes", "leaves"] {
            let mut damaged = bytes.clone();
            let (_, length) = lump(&bytes, kind, name);
            put(&mut damaged, kind.entry(name) + 4, length as i32 - 1);
            refused(
                &damaged,
                &[&format!("lump {name}"), "whole number of records"],
            );
        }
    }
}

#[test]
fn lumps_in_another_order_are_refused_or_read() {
    for kind in KINDS {
        let bytes = level(kind, 9, Some(&ahead(9)));
        let names = ["planes", "visibility", "nodes", "leaves"];
        for a in names {
            for b in names {
                let mut shuffled = bytes.clone();
                let (a, b) = (kind.entry(a), kind.entry(b));
                shuffled[a..a + 8].copy_from_slice(&bytes[b..b + 8]);
                shuffled[b..b + 8].copy_from_slice(&bytes[a..a + 8]);
                // No panic, no hang.
                let _ = read(&shuffled);
            }
        }
    }
}

#[test]
fn rows_that_run_out_of_the_lump_are_refused() {
    for kind in [Kind::Bsp29, Kind::Ibsp38, Kind::Vbsp] {
        let bytes = level(kind, 40, Some(&ahead(40)));
        let (start, length) = lump(&bytes, kind, "visibility");
        let mut short = bytes.clone();
        put(&mut short, kind.entry("visibility") + 4, length as i32 - 1);
        refused(
            &short,
            &["lump visibility", &format!("byte {}", start + length - 1)],
        );

        // A run of none would go on for ever.
        let mut empty = bytes.clone();
        let zero = (start + length - 60..start + length)
            .find(|&at| bytes[at] == 0 && bytes[at + 1] == 1)
            .unwrap();
        empty[zero + 1] = 0;
        refused(&empty, &["lump visibility", "run of none"]);
    }
}

#[test]
fn runs_past_the_row_are_cut_off_with_a_note() {
    for kind in [Kind::Bsp29, Kind::Ibsp38] {
        let pvs = BitMatrix::from_fn(40, |a, b| a == b && a < 8);
        let mut bytes = level(kind, 40, Some(&pvs));
        let (start, length) = lump(&bytes, kind, "visibility");
        // The last row is five runs of one zero each.
        bytes[start + length - 1] = 200;
        let read = read(&bytes).unwrap();
        assert!(read.notes[0].contains("past their end"), "{:?}", read.notes);
        assert_eq!(read.graph.pvs.unwrap(), pvs, "{kind:?}");
    }
}

#[test]
fn offsets_of_rows_outside_the_lump_are_refused() {
    let mut bytes = level(Kind::Bsp29, 6, Some(&ahead(6)));
    let (leaves, _) = lump(&bytes, Kind::Bsp29, "leaves");
    put(&mut bytes, leaves + 3 * 28 + 4, 1 << 20);
    refused(&bytes, &["lump leaves", "offset 1048576 in leaf 3"]);
    let bytes = level(Kind::Ibsp38, 6, Some(&ahead(6)));
    let (start, _) = lump(&bytes, Kind::Ibsp38, "visibility");
    for offset in [-1, 0, 4, 51, 1 << 20] {
        let mut damaged = bytes.clone();
        put(&mut damaged, start + 4 + 8 * 2, offset);
        refused(
            &damaged,
            &["lump visibility", &format!("byte {}", start + 20)],
        );
    }
}

#[test]
fn nodes_in_circles_or_out_of_range_are_refused() {
    for kind in KINDS {
        let bytes = level(kind, 9, Some(&ahead(9)));
        let (nodes, length) = lump(&bytes, kind, "nodes");
        let size = length / 10;
        let short = matches!(kind, Kind::Bsp29 | Kind::Bsp30);
        let set = |node: usize, child: i32| {
            let mut damaged = bytes.clone();
            let at = nodes + node * size + 4;
            if short {
                damaged[at..at + 2].copy_from_slice(&(child as i16).to_le_bytes());
            } else {
                put(&mut damaged, at, child);
            }
            damaged
        };
        refused(&set(5, 2), &["lump nodes", "a second time"]);
        refused(&set(5, 5), &["lump nodes", "a second time"]);
        refused(&set(5, 10), &["lump nodes"]);
        refused(
            &set(5, -11),
            &["lump nodes", &format!("byte {}", nodes + 5 * size)],
        );
        let mut damaged = bytes.clone();
        put(&mut damaged, nodes + 3 * size, 99);
        refused(&damaged, &["lump nodes", "a plane below 10", "99"]);
        put(&mut damaged, nodes + 3 * size, -1);
        refused(&damaged, &["lump nodes", "a plane below 10"]);
    }
}

#[test]
fn planes_that_are_no_planes_are_refused() {
    for kind in KINDS {
        let bytes = level(kind, 9, Some(&ahead(9)));
        let (planes, length) = lump(&bytes, kind, "planes");
        let size = length / 10;
        for (field, number) in [(0, f32::NAN), (0, 0.0), (4, f32::INFINITY), (12, f32::NAN)] {
            let mut damaged = bytes.clone();
            let at = planes + 4 * size + field;
            damaged[at..at + 4].copy_from_slice(&number.to_le_bytes());
            refused(&damaged, &["finite plane", "node 4"]);
        }
    }
}

#[test]
fn numbers_of_cells_beyond_all_bounds_are_refused_without_memory() {
    for kind in [Kind::Ibsp38, Kind::Ibsp46, Kind::Vbsp] {
        let bytes = level(kind, 9, Some(&ahead(9)));
        let (start, _) = lump(&bytes, kind, "visibility");
        for (cells, words) in [
            (0, "at least one cell"),
            (-1, "0 or more"),
            (70_000, "at most 65536"),
            (i32::MAX, "at most 65536"),
            (60_000, "bytes"),
        ] {
            let mut damaged = bytes.clone();
            put(&mut damaged, start, cells);
            refused(&damaged, &["lump visibility", words]);
        }
    }
    for cells in [0, -1, 10, 70_000] {
        let mut bytes = level(Kind::Bsp29, 9, Some(&ahead(9)));
        let (models, _) = lump(&bytes, Kind::Bsp29, "models");
        put(&mut bytes, models + 52, cells);
        refused(&bytes, &["lump "]);
    }
    // 70,000 leaves, each a cell, in 44 bytes each.
    let bytes = level(Kind::Bsp2, 70_000, None);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.kind(), IngestErrorKind::Resource, "{error}");
}

#[test]
fn leaves_that_name_cells_that_are_not_there_are_refused() {
    for (kind, cluster) in [(Kind::Ibsp38, 4), (Kind::Ibsp46, 0), (Kind::Vbsp, 4)] {
        let mut bytes = level(kind, 9, Some(&ahead(9)));
        let (leaves, length) = lump(&bytes, kind, "leaves");
        let size = length / 10;
        bytes[leaves + 2 * size + cluster] = 9;
        refused(&bytes, &["lump leaves", "a cell below 9", "9"]);
    }
}

/// Headers of Blue Shift and Left 4 Dead 2 are in another order, and say the same; what is exported has it, too.
#[test]
fn headers_in_another_order_are_read_and_written() {
    let expected = ahead(9);
    for kind in [Kind::Bsp30, Kind::Vbsp] {
        let mut bytes = level(kind, 9, Some(&expected));
        if kind == Kind::Vbsp {
            bytes[4] = 21;
            for entry in bytes[8..8 + 64 * 16].chunks_exact_mut(16) {
                entry[..12].rotate_right(4);
            }
        } else {
            // Without entities there is nothing to tell it by.
            let at = bytes.len() as i32;
            bytes.extend(b"{\n\"classname\" \"worldspawn\"\n}\n");
            let length = bytes.len() as i32 - at;
            bytes.copy_within(12..20, 4);
            put(&mut bytes, 12, at);
            put(&mut bytes, 16, length);
        }
        let found = read(&bytes).unwrap().graph;
        assert_eq!(found.pvs.as_ref(), Some(&expected), "{kind:?}");
        let none = BitMatrix::from_fn(9, |a, b| a == b);
        let options = IngestCellsOptions::default();
        let written = viewcell_ingest::export::with_visibility(&bytes, &options, &none).unwrap();
        assert_eq!(read(&written).unwrap().graph.pvs, Some(none), "{kind:?}");
    }
}

#[test]
fn other_files_are_told_apart() {
    refused(b"", &["a level"]);
    refused(b"no", &["a level"]);
    refused(b"IBSP\x2d\0\0\0", &["IBSP of version 45"]);
    refused(b"VBSP\x10\0\0\0", &["version 16"]);
    refused(b"WAD2\0\0\0\0\0\0\0\0", &["a WAD of textures"]);
    let mut packed = level(Kind::Vbsp, 9, Some(&ahead(9)));
    let (start, _) = lump(&packed, Kind::Vbsp, "visibility");
    packed[start..start + 4].copy_from_slice(b"LZMA");
    refused(&packed, &["lump visibility"]);
    for version in [22, 23, 27] {
        let mut later = level(Kind::Vbsp, 9, Some(&ahead(9)));
        later[4] = version;
        refused(&later, &[&format!("version {version}"), "OBJ or glTF"]);
    }
}

#[test]
fn a_map_of_a_wad_is_read() {
    // The first two see each other; the third, 2, is hidden from 0 and not from 1, one way.
    let reject = [0b0000_0100, 0];
    let bytes = wad(&[("MAP01", Some(&reject))]);
    let read = read(&bytes).unwrap();
    assert_eq!(read.format, "Doom WAD");
    let graph = read.graph;
    let hidden: Vec<_> = (0..9)
        .filter(|i| !graph.pvs.as_ref().unwrap().get(i / 3, i % 3))
        .collect();
    assert_eq!(hidden, [2]);
    assert_eq!(graph.adjacency, [[0, 1]]);
    assert_eq!(graph.locate([-32.0, 32.0, 0.0]), Some(0));
    assert_eq!(graph.locate([32.0, 32.0, 0.0]), Some(1));
    let bounds = &graph.bounds.as_ref().unwrap()[0];
    assert_eq!(*bounds, [[-64.0, 0.0, -8.0], [0.0, 64.0, 128.0]]);
}

#[test]
fn maps_of_a_wad_are_chosen_by_name() {
    let all = [0_u8; 2];
    let none = [0xff_u8; 2];
    let bytes = wad(&[("MAP01", Some(&all)), ("E1M1", Some(&none))]);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.kind(), IngestErrorKind::Usage);
    assert!(error.to_string().contains("MAP01, E1M1"), "{error}");
    assert!(read_map(&bytes, "MAP02").is_err());
    let first = read_map(&bytes, "map01").unwrap();
    assert_eq!(first.graph.pvs.unwrap().count_ones(), 9);
    assert!(
        first.notes.iter().any(|note| note.contains("all zeros")),
        "{:?}",
        first.notes
    );
    let second = read_map(&bytes, "E1M1").unwrap();
    assert_eq!(second.graph.pvs.unwrap().count_ones(), 0);
    assert!(read_map(&level(Kind::Bsp29, 2, None), "MAP01").is_err());
}

#[test]
fn a_map_without_reject_has_no_visibility() {
    for reject in [None, Some(&[][..])] {
        let read = read(&wad(&[("MAP01", reject)])).unwrap();
        assert_eq!(read.graph.pvs, None);
        assert_eq!(read.graph.cells, 3);
        assert!(read.notes.iter().any(|note| note.contains("no REJECT")));
    }
    refused(&wad(&[("MAP01", Some(&[0]))]), &["lump REJECT", "2 bytes"]);
    refused(b"PWAD\0\0\0\0\x0c\0\0\0", &["a map"]);
    refused(b"PWAD\xff\0\0\0\x0c\0\0\0", &["lump directory"]);
}

#[test]
fn graphs_in_json_say_where_they_are_wrong() {
    for (text, words) in [
        (r#"{"cells": 0}"#, "at least one cell"),
        (r#"{"cells": 70000}"#, "at most 65536"),
        (r#"{"cells": -1}"#, "line 1"),
        (r#"{"cells": 2, "pvs": [[1], [2]]}"#, "pvs[1]"),
        (r#"{"cells": 2, "pvs": [[1]]}"#, "each of the 2 cells"),
        (r#"{"cells": 2, "adjacency": [[0, 0]]}"#, "adjacency[0]"),
        (r#"{"cells": 2, "adjacency": [[0, "x"]]}"#, "\"x\""),
        (r#"{"cells": 2, "doors": []}"#, "doors"),
        (r#"{"cells": [{"name": "a"}, {"name": "a"}]}"#, "twice"),
        (r#"{"cells": [{"position": [0, 0, 0]}, {}]}"#, "cells[1]"),
        (
            r#"{"cells": [{"bounds": [[1, 0, 0], [0, 0, 0]]}]}"#,
            "bounds",
        ),
        (
            r#"{"cells": 2, "portals": [{"cells": [0, 2], "winding": [[0,0,0],[1,0,0],[0,1,0]]}]}"#,
            "portals[0]",
        ),
        (
            r#"{"cells": 2, "portals": [{"cells": [0, 1], "winding": [[0,0,0],[1,0,0]]}]}"#,
            "corners",
        ),
        (r#"{"cells": 2"#, "line 1"),
    ] {
        refused(text.as_bytes(), &[words]);
    }
}

proptest! {
    #[test]
    fn no_damage_makes_a_reader_panic(
        kind in 0_usize..KINDS.len(),
        cells in 1_usize..40,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let kind = KINDS[kind];
        let mut bytes = level(kind, cells, Some(&ahead(cells)));
        // Half of it in the tables, where it does most harm.
        for (i, (at, value)) in damage.iter().enumerate() {
            let length = if i % 2 == 0 { bytes.len().min(200) } else { bytes.len() };
            bytes[at.index(length)] = *value;
        }
        check(read(&bytes));
    }

    #[test]
    fn no_damaged_wad_makes_a_reader_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = wad(&[("MAP01", Some(&[0; 2]))]);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        check(read(&bytes));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(
        magic in 0_usize..10, rest in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let magics: [&[u8]; 10] = [
            b"\x1d\0\0\0", b"\x1e\0\0\0", b"2PSB", b"BSP2", b"IBSP\x26\0\0\0",
            b"IBSP\x2e\0\0\0", b"VBSP\x14\0\0\0", b"PWAD", b"{", b"",
        ];
        check(read(&[magics[magic], &rest].concat()));
    }
}

/// What was read makes sense.
fn check(read: Result<IngestedCells, IngestError>) {
    let Ok(IngestedCells { graph, .. }) = read else {
        return;
    };
    let CellGraph {
        cells,
        pvs,
        phs,
        adjacency,
        bounds,
        tree,
        ..
    } = graph;
    assert!(cells > 0);
    for matrix in pvs.iter().chain(&phs) {
        assert_eq!(matrix.n(), cells);
        assert!((0..cells).all(|a| matrix.ones(a).all(|b| b < cells)));
    }
    assert!(bounds.is_none_or(|bounds| bounds.len() == cells));
    assert!(
        adjacency
            .iter()
            .all(|[a, b]| a < b && (*b as usize) < cells)
    );
    if let Some(tree) = tree {
        for x in [-1e9, -1.0, 0.0, 33.0, 1e9] {
            assert!(
                tree.locate([x, x, x])
                    .is_none_or(|cell| (cell as usize) < cells)
            );
        }
    }
}
