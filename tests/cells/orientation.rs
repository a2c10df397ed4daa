//! Portals of a file made by hand point from their first cell into their second, or are refused
//! where it can be told.

use viewcell_ingest::cells::{CellGraphFile, PortalFile, read_cells};
use viewcell_ingest::world::CellGraph;

use crate::common::levels;

/// Four rooms in a row between x = 0, 8, 16, 24 and 32, with a door between each and the next.
/// Doors that are `turned` are wound the wrong way.
fn rooms(what: &str, turned: &[usize]) -> String {
    let cell = |i: usize| {
        let [low, high] = [8 * i, 8 * i + 8];
        match what {
            "bounds" => format!(r#"{{"bounds": [[{low}, 0, 0], [{high}, 8, 8]]}}"#),
            "position" => format!(r#"{{"position": [{}, 4, 4]}}"#, low + 4),
            _ => format!(r#"{{"name": "room {i}"}}"#),
        }
    };
    let door = |i: usize| {
        let x = 8 * i + 8;
        let mut corners = [[0, 0], [2, 0], [2, 4], [0, 4]].map(|[y, z]| format!("[{x}, {y}, {z}]"));
        if turned.contains(&i) {
            corners.reverse();
        }
        let corners = corners.join(", ");
        format!(r#"{{"cells": [{i}, {}], "winding": [{corners}]}}"#, i + 1)
    };
    let cells: Vec<String> = (0..4).map(cell).collect();
    let doors: Vec<String> = (0..3).map(door).collect();
    format!(
        r#"{{"cells": [{}], "portals": [{}]}}"#,
        cells.join(", "),
        doors.join(", ")
    )
}

fn read(text: &str) -> Result<CellGraph, String> {
    serde_json::from_str::<CellGraphFile>(text)
        .unwrap()
        .graph()
        .map_err(|error| error.to_string())
}

#[test]
fn a_portal_that_points_from_its_second_cell_into_its_first_is_refused() {
    for what in ["bounds", "position"] {
        assert!(read(&rooms(what, &[])).is_ok());
        for turned in 0..3 {
            let error = read(&rooms(what, &[turned])).unwrap_err();
            let place = format!("portals[{turned}].winding: expected a normal");
            assert!(error.contains(&place), "{error}");
            assert!(error.contains("exchange the cells"), "{error}");
        }
    }
    // By the other portals of their cells, if most are turned: all three, or two of them.
    assert!(read(&rooms("name", &[])).is_ok());
    let error = read(&rooms("name", &[0, 1, 2])).unwrap_err();
    assert!(error.contains("portals[0]"), "{error}");
    let error = read(&rooms("name", &[1, 2])).unwrap_err();
    assert!(error.contains("portals[1]"), "{error}");
}

#[test]
fn what_cannot_be_told_is_taken_as_it_is() {
    // One door between two rooms of which nothing is known: they see each other whichever way.
    for corners in ["[0,0,0], [0,2,0], [0,2,4]", "[0,2,4], [0,2,0], [0,0,0]"] {
        let text =
            format!(r#"{{"cells": 2, "portals": [{{"cells": [0, 1], "winding": [{corners}]}}]}}"#);
        assert!(read(&text).is_ok());
    }
    // Rooms on one side of their door, and a door without area.
    let aside = r#"{"cells": [{"position": [1, 0, 0]}, {"position": [2, 0, 0]}],
        "portals": [{"cells": [0, 1], "winding": [[0,0,0], [0,2,0], [0,2,4]]},
                    {"cells": [0, 1], "winding": [[0,0,0], [0,2,0], [0,4,0]]}]}"#;
    assert!(read(aside).is_ok());
}

#[test]
fn portals_of_compilers_point_from_their_first_cell_into_their_second() {
    let Some(folder) = levels() else { return };
    for name in
        "q1-bsp29/e1m1 q1-bsp29/lq_e4m4 hl-bsp30/lqdm11 q2-ibsp38/e1m1 q3-ibsp46/stormkeep-own"
            .split(' ')
    {
        let text = std::fs::read(folder.join(name).with_extension("prt")).unwrap();
        let mut graph = PortalFile::read(&text).unwrap().into_graph();
        let bsp = folder.join(name).with_extension("bsp");
        let level = read_cells(&bsp, &Default::default()).unwrap().graph;
        // Clusters of q3map2's are numbered alike in both.
        if name.contains("ibsp") && level.cells == graph.cells {
            graph.bounds = level.bounds;
        }
        assert!(
            CellGraphFile::of(&graph, None).graph().is_ok(),
            "{name}: wound alike"
        );
        for portal in &mut graph.portals {
            portal.winding.reverse();
        }
        assert!(
            CellGraphFile::of(&graph, None).graph().is_err(),
            "{name}: all turned"
        );
    }
}
