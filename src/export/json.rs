//! Levels as our own JSON.

use crate::ingest::cells::json::{CellFile, CellGraphFile, CellRef, Cells, PortalFile};
use crate::world::CellGraph;

impl CellGraphFile {
    /// The file that describes a graph: by name where all cells have one.
    pub fn of(graph: &CellGraph, about: Option<String>) -> Self {
        let named = graph.names.as_ref().filter(|names| {
            let mut sorted: Vec<&String> = names.iter().collect();
            sorted.sort_unstable();
            sorted.windows(2).all(|pair| pair[0] != pair[1]) && !names.contains(&String::new())
        });
        let cell_ref = |cell: u32| match named {
            Some(names) => CellRef::Name(names[cell as usize].clone()),
            None => CellRef::Number(cell),
        };
        let known = graph.names.is_some() || graph.positions.is_some() || graph.bounds.is_some();
        let cell = |i: usize| CellFile {
            name: named.map(|names| names[i].clone()),
            position: graph.positions.as_ref().map(|all| all[i]),
            bounds: graph.bounds.as_ref().map(|all| all[i]),
        };
        let joined = CellGraph::adjacency_of(&graph.portals);
        let walked = graph.adjacency.iter();
        Self {
            about,
            cells: if known {
                Cells::List((0..graph.cells).map(cell).collect())
            } else {
                Cells::Count(graph.cells as u64)
            },
            adjacency: walked
                .filter(|pair| joined.binary_search(pair).is_err())
                .map(|pair| pair.map(cell_ref))
                .collect(),
            portals: graph
                .portals
                .iter()
                .map(|portal| PortalFile {
                    cells: portal.cells.map(cell_ref),
                    winding: portal.winding.clone(),
                })
                .collect(),
            pvs: graph.pvs.as_ref().map(|pvs| {
                let row = |a| pvs.ones(a).filter(move |&b| b != a);
                (0..graph.cells)
                    .map(|a| row(a).map(|b| cell_ref(b as u32)).collect())
                    .collect()
            }),
        }
    }
}
