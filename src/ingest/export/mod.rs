//! Levels to files: what [`cells`](crate::cells) reads, written.
//!
//! [`with_visibility`] and [`external_vis`] put visibility into a level of Quake's kin or a WAD;
//! [`CellGraphFile::of`](crate::cells::CellGraphFile::of) makes JSON of a level, and
//! [`PortalFile::write`](crate::cells::PortalFile::write) a portal file.

mod replace;
mod vis;

use std::fmt::Write;

use crate::cells::{
    CellFile, CellGraphFile, CellRef, JsonCells, PortalEntry, PortalFile, PortalFileKind,
};
use crate::world::{CellGraph, Portal};

pub use vis::{external_vis, with_visibility};

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
                JsonCells::List((0..graph.cells).map(cell).collect())
            } else {
                JsonCells::Count(graph.cells as u64)
            },
            adjacency: walked
                .filter(|pair| joined.binary_search(pair).is_err())
                .map(|pair| pair.map(cell_ref))
                .collect(),
            portals: graph
                .portals
                .iter()
                .map(|portal| PortalEntry {
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

impl PortalFile {
    /// The text of the file. Reading it gives the same [`PortalFile`].
    pub fn write(&self) -> String {
        let mut text = String::new();
        let portals = self.portals.len();
        let cells = self.cells;
        let header = match &self.kind {
            PortalFileKind::Prt1 => format!("PRT1\n{cells}\n{portals}\n"),
            PortalFileKind::Q3map2 { faces, .. } => {
                format!("PRT1\n{cells}\n{portals}\n{}\n", faces.len())
            }
            PortalFileKind::Prt2 { cell_of_leaf } => {
                format!("PRT2\n{}\n{cells}\n{portals}\n", cell_of_leaf.len())
            }
            PortalFileKind::Prt1Am { cell_of_leaf } => {
                format!("PRT1-AM\n{cells}\n{portals}\n{}\n", cell_of_leaf.len())
            }
        };
        text.push_str(&header);
        // Writing into a String does not fail.
        let corners = |text: &mut String, winding: &[[f64; 3]]| {
            for [x, y, z] in winding {
                write!(text, " ({x} {y} {z})").ok();
            }
            text.push('\n');
        };
        for (i, Portal { cells, winding }) in self.portals.iter().enumerate() {
            write!(text, "{} {} {}", winding.len(), cells[0], cells[1]).ok();
            if let PortalFileKind::Q3map2 { hints, .. } = &self.kind {
                let hint = hints.get(i).copied().unwrap_or(false);
                write!(text, " {}", u8::from(hint)).ok();
            }
            corners(&mut text, winding);
        }
        match &self.kind {
            PortalFileKind::Prt1 => {}
            PortalFileKind::Q3map2 { faces, .. } => {
                for face in faces {
                    write!(text, "{} {}", face.winding.len(), face.cell).ok();
                    corners(&mut text, &face.winding);
                }
            }
            PortalFileKind::Prt2 { cell_of_leaf } => {
                let mut leaves = vec![Vec::new(); cells];
                for (leaf, &cell) in cell_of_leaf.iter().enumerate() {
                    if let Some(leaves) = leaves.get_mut(cell as usize) {
                        leaves.push(leaf);
                    }
                }
                for leaves in leaves {
                    for leaf in leaves {
                        write!(text, "{leaf} ").ok();
                    }
                    text.push_str("-1\n");
                }
            }
            PortalFileKind::Prt1Am { cell_of_leaf } => {
                for cell in cell_of_leaf {
                    writeln!(text, "{cell}").ok();
                }
            }
        }
        text
    }
}
