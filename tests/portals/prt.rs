//! Portal files: what is written is what is read, and nothing that is read does harm.

use proptest::prelude::*;
use viewcell_ingest::cells::{OpaqueFace, PortalFile, PortalFileKind};
use viewcell_ingest::world::Portal;

use super::common::portal_file;

/// Cells, portals and what the kind adds, of the real files.
const REAL: [(&str, &str, usize, usize, usize); 13] = [
    ("hl-bsp30/lqdm11", "PRT2", 188, 442, 363),
    ("q1-2psb/q1_detail_fence", "PRT2", 15, 23, 18),
    ("q1-bsp2/dm4", "PRT2", 386, 925, 408),
    ("q1-bsp29/dm4", "PRT2", 386, 925, 408),
    ("q1-bsp29/e1m1", "PRT2", 1167, 3062, 1344),
    ("q1-bsp29/light_general", "PRT2", 65, 142, 351),
    ("q1-bsp29/lq_e0m2", "PRT2", 1506, 4069, 2257),
    ("q1-bsp29/lq_e4m4", "PRT2", 3323, 9277, 6180),
    ("q1-bsp29/lqdm13", "PRT2", 562, 1885, 653),
    ("q2-ibsp38/dm4", "PRT1", 383, 940, 0),
    ("q2-ibsp38/e1m1", "PRT1", 1051, 2773, 0),
    ("q2-ibsp38/q2_areaportals", "PRT1", 8, 7, 0),
    ("q3-ibsp46/stormkeep-own", "PRT1 (q3map2)", 780, 2110, 3237),
];

#[test]
fn real_files_hold_what_their_headers_say_and_are_written_as_they_are_read() {
    for (name, format, cells, portals, more) in REAL {
        let Some(file) = portal_file(name) else {
            continue;
        };
        assert_eq!(file.format(), format, "{name}");
        assert_eq!((file.cells, file.portals.len()), (cells, portals), "{name}");
        let found = match &file.kind {
            PortalFileKind::Prt1 => 0,
            PortalFileKind::Q3map2 { faces, hints } => {
                assert_eq!(hints.len(), portals, "{name}");
                faces.len()
            }
            PortalFileKind::Prt2 { cell_of_leaf } | PortalFileKind::Prt1Am { cell_of_leaf } => {
                cell_of_leaf.len()
            }
        };
        assert_eq!(found, more, "{name}");
        assert_eq!(
            PortalFile::read(file.write().as_bytes()).unwrap(),
            file,
            "{name}"
        );
    }
}

/// One line short of each kind, and what it should say.
#[test]
fn errors_name_the_line() {
    // With | for ends of lines.
    const CASES: &str = r#" => line 1: expected PRT1, PRT2 or PRT1-AM, found the end of the file
PRT3| => line 1: expected PRT1, PRT2 or PRT1-AM, found "PRT3"
PRT1|0|0| => line 2: expected at least one cell, found none
PRT1|70000|0| => line 2: expected at most 65536 cells, found 70000
PRT1|-2|0| => line 2: expected a number of cells, found "-2"
PRT1|2|x| => line 3: expected a number of portals, found "x"
PRT1|2|1| => line 4: expected a number of corners, 3 to 1024, found the end of the file
PRT1|2|1|2 0 1 (0 0 0) (1 1 1)| => line 4: expected a number of corners, 3 to 1024, found "2"
PRT1|2|1|3 0 2 (0 0 0) (1 0 0) (0 1 0)| => line 4: expected a cell below 2, found "2"
PRT1|2|1|3 1 1 (0 0 0) (1 0 0) (0 1 0)| => line 4: expected a portal between two cells, found cell 1 on both sides
PRT1|2|1|3 0 1 (0 0 0) (1 nan 0) (0 1 0)| => line 4: expected a coordinate below 1e9, found "nan"
PRT1|2|1|3 0 1 (0 0 0) (1 0 1e9) (0 1 0)| => line 4: expected a coordinate below 1e9, found "1e9"
PRT1|2|1|3 0 1 (0 0 0) (1 0 0) 0 1 0| => line 4: expected (, found "0"
PRT1|2|1|3 0 1 (0 0 0) (1 0 0) (0 1 0)|7| => line 5: expected the end of the file, found "7"
PRT1|2|1|1|3 0 1 2 (0 0 0) (1 0 0) (0 1 0)| => line 5: expected 0 or 1, whether the portal is a hint, found "2"
PRT1|2|1|1|3 0 1 0 (0 0 0) (1 0 0) (0 1 0)| => line 6: expected a number of corners, 3 to 1024, found the end of the file
PRT2|2|2|0|0 -1| => line 6: expected a leaf of cell 1 below 2, or -1 after the last, found the end of the file
PRT2|2|2|0|0 -1|2 -1| => line 6: expected a leaf of cell 1 below 2, or -1 after the last, found "2"
PRT2|2|2|0|0 1 -1|1 -1| => line 6: expected each leaf in one cell, found leaf 1 in cell 0 and in cell 1
PRT2|3|2|0|0 -1|1 -1| => line 6: expected 3 leaves in cells, found 2
PRT1-AM|2|0|3|0|1|2| => line 7: expected a cell below 2, found "2"
PRT1-AM|2|0|3|0|1| => line 7: expected a cell below 2, found the end of the file"#;
    for (text, message) in CASES.lines().map(|row| row.split_once(" => ").unwrap()) {
        let text = text.replace('|', "\n");
        let error = PortalFile::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(message), "{text:?}: {error}");
    }
}

#[test]
fn counts_that_promise_more_than_the_text_holds_take_no_memory() {
    for text in [
        "PRT1\n2\n4294967295\n",
        "PRT1\n2\n0\n4294967295\n",
        "PRT2\n4294967295\n2\n0\n-1\n-1\n",
        "PRT1-AM\n2\n0\n4294967295\n",
    ] {
        assert!(PortalFile::read(text.as_bytes()).is_err(), "{text:?}");
    }
}

fn files() -> impl Strategy<Value = PortalFile> {
    let number = prop_oneof![-100.0..100.0, Just(0.1), Just(-0.0), -1e8..1e8];
    let winding = prop::collection::vec(prop::array::uniform3(number), 3..6);
    let portal = (0..5u32, 1..5u32, winding.clone()).prop_map(|(a, step, winding)| Portal {
        cells: [a, (a + step) % 5],
        winding,
    });
    let face = (0..5u32, winding).prop_map(|(cell, winding)| OpaqueFace { cell, winding });
    let leaves = prop::collection::vec(0..5u32, 0..9);
    let portals = prop::collection::vec(portal, 0..6);
    (portals, prop::collection::vec(face, 0..4), leaves, 0..4).prop_map(
        |(portals, faces, cell_of_leaf, kind)| PortalFile {
            cells: 5,
            kind: match kind {
                0 => PortalFileKind::Prt1,
                1 => PortalFileKind::Q3map2 {
                    hints: (0..portals.len()).map(|i| i % 3 == 0).collect(),
                    faces,
                },
                2 => PortalFileKind::Prt2 { cell_of_leaf },
                _ => PortalFileKind::Prt1Am { cell_of_leaf },
            },
            portals,
        },
    )
}

proptest! {
    #[test]
    fn every_file_is_read_as_it_was_written(file in files()) {
        prop_assert_eq!(PortalFile::read(file.write().as_bytes()).unwrap(), file);
    }

    #[test]
    fn damaged_files_give_an_error_or_a_sound_file(
        file in files(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..6),
    ) {
        let mut bytes = file.write().into_bytes();
        for (at, byte, how) in damage {
            let at = at.index(bytes.len().max(1));
            match how {
                0 => bytes.truncate(at),
                1 => bytes.insert(at.min(bytes.len()), byte),
                _ => if let Some(place) = bytes.get_mut(at) { *place = byte },
            }
        }
        if let Ok(file) = PortalFile::read(&bytes) {
            for portal in &file.portals {
                prop_assert!(portal.cells.iter().all(|&cell| (cell as usize) < file.cells));
                prop_assert!(portal.winding.len() >= 3);
                prop_assert!(portal.winding.iter().flatten().all(|x| x.is_finite()));
            }
            prop_assert_eq!(&PortalFile::read(file.write().as_bytes()).unwrap(), &file);
        }
    }
}
