//! What the tests of portals share.

use crate::data::data;
use std::ops::ControlFlow;
use std::path::PathBuf;

use viewcell_bake::visibility::portals::{FlowMethod, FlowOptions, flow};
use viewcell_ingest::cells::{IngestCellsOptions, PortalFile, PortalFileKind, read_cells};
use viewcell_ingest::world::{BitMatrix, CellGraph, Portal};

/// A file of the real levels; says so if it is not there.
pub fn level(name: &str) -> Option<PathBuf> {
    data(&format!("cells/{name}"))
}

/// The portal file of a level.
pub fn portal_file(name: &str) -> Option<PortalFile> {
    let path = level(&format!("{name}.prt"))?;
    Some(PortalFile::read(&std::fs::read(path).unwrap()).unwrap())
}

/// The graph of a BSP, its cells numbered as in the portal file beside it.
pub fn bsp_as_portal_file(name: &str, file: &PortalFile) -> Option<CellGraph> {
    let path = level(&format!("{name}.bsp"))?;
    let mut graph = read_cells(&path, &IngestCellsOptions::default())
        .unwrap()
        .graph;
    if let PortalFileKind::Prt2 { cell_of_leaf } = &file.kind {
        // Leaf 0 of the level is its solid, which the portal file does not count.
        let leaves = &graph.tree.as_ref().unwrap().leaves()[1..];
        let mut theirs = vec![0; file.cells];
        for (leaf, &cell) in leaves.iter().zip(cell_of_leaf) {
            theirs[cell as usize] = leaf.cell.unwrap() as usize;
        }
        let pvs = graph.pvs.as_ref().unwrap();
        graph.pvs = Some(BitMatrix::from_fn(file.cells, |a, b| {
            pvs.get(theirs[a], theirs[b])
        }));
    }
    Some(graph)
}

/// The PVS of a graph.
pub fn pvs(graph: &CellGraph, method: FlowMethod) -> BitMatrix {
    let options = FlowOptions {
        method,
        checkpoint: None,
    };
    flow(graph, &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// A row of rooms between x = 0, 8, 16 ..., each pair joined by a door of these corners (y, z)
/// from low to high.
pub fn rooms(doors: &[[[f64; 2]; 2]]) -> CellGraph {
    let portals: Vec<Portal> = doors
        .iter()
        .enumerate()
        .map(|(i, &[[y0, z0], [y1, z1]])| {
            let x = 8.0 * (i + 1) as f64;
            Portal {
                cells: [i as u32, i as u32 + 1],
                winding: vec![[x, y0, z0], [x, y1, z0], [x, y1, z1], [x, y0, z1]],
            }
        })
        .collect();
    CellGraph {
        adjacency: CellGraph::adjacency_of(&portals),
        portals,
        ..CellGraph::new(doors.len() + 1)
    }
}
