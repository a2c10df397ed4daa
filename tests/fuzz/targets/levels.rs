//! What the targets of level readers share.

use viewcell_bake::visibility::portals::recover;
use viewcell_ingest::cells::{
    CellGraphFile, IngestCellsOptions, PortalFile, PortalFileKind, cells_from_bytes,
};
use viewcell_ingest::export::with_visibility;
use viewcell_ingest::world::CellGraph;

/// Most cells of a level that more is done with than reading, so that a liar does not take the
/// time.
const MOST_CELLS: usize = 300;

/// Reads a level, and holds what comes of it to what a graph promises; then writes it back in every
/// way there is.
pub fn read(bytes: &[u8], options: &IngestCellsOptions) {
    let Ok(level) = cells_from_bytes(bytes, options) else {
        return;
    };
    let graph = level.graph;
    sound(&graph);
    if graph.cells > MOST_CELLS {
        return;
    }
    let portals = recover(&graph);
    assert!(portals.iter().all(|portal| {
        portal
            .cells
            .iter()
            .all(|&cell| (cell as usize) < graph.cells)
            && portal.winding.len() > 2
    }));
    if let Some(pvs) = &graph.pvs
        && let Ok(written) = with_visibility(bytes, options, pvs)
    {
        // Lumps of a hostile file may lie across each other, but it is still a file to be read.
        if let Ok(again) = cells_from_bytes(&written, options) {
            sound(&again.graph);
        }
    }
    let file = CellGraphFile::of(&graph, None);
    if let Ok(again) = file.graph() {
        assert_eq!(again.cells, graph.cells);
        assert_eq!(again.portals, graph.portals);
    }
    if !graph.portals.is_empty() {
        let file = PortalFile {
            cells: graph.cells,
            portals: graph.portals.clone(),
            kind: PortalFileKind::Prt1,
        };
        if let Ok(again) = PortalFile::read(file.write().as_bytes()) {
            assert_eq!(again, file);
        }
    }
}

fn sound(graph: &CellGraph) {
    let cells = graph.cells;
    assert!(cells > 0);
    for matrix in graph.pvs.iter().chain(&graph.phs) {
        assert_eq!(matrix.n(), cells);
        assert!((0..cells).all(|a| matrix.ones(a).all(|b| b < cells)));
    }
    assert!(graph.bounds.as_ref().is_none_or(|all| all.len() == cells));
    assert!(
        graph
            .positions
            .as_ref()
            .is_none_or(|all| all.len() == cells)
    );
    assert!(graph.names.as_ref().is_none_or(|all| all.len() == cells));
    let there = |cell: u32| (cell as usize) < cells;
    assert!(graph.adjacency.iter().all(|&[a, b]| a < b && there(b)));
    assert!(graph.adjacency.is_sorted());
    for portal in &graph.portals {
        assert!(portal.winding.len() > 2 && portal.cells.into_iter().all(there));
        assert!(portal.winding.as_flattened().iter().all(|x| x.is_finite()));
    }
    for x in [-1e9, -1.0, 0.0, 33.0, f64::MAX] {
        assert!(graph.locate([x, x, -x]).is_none_or(there));
    }
}
