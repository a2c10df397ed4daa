//! Portal files.

use std::fmt::Write;

use crate::ingest::cells::{PortalFile, PortalFileKind};
use crate::world::Portal;

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
