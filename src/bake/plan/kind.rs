//! The kind of world that a file is of, detected from its content.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use viewcell_ingest::solid::is_foreign_mesh;

/// How much of a file is looked at. [Unit: bytes]
const HEAD: u64 = 64 << 10;

/// What a file is baked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldFile {
    /// A heightmap.
    Terrain,
    /// A level with view cells of its own, as compilers write it.
    Cells,
    /// A level of solids, or a mesh.
    Solid,
}

impl WorldFile {
    /// The name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terrain => "terrain",
            Self::Cells => "cells",
            Self::Solid => "solid",
        }
    }

    /// What a file is, by how it begins; `None` where it cannot be read, or is no plain file.
    pub fn of(path: &Path) -> Option<Self> {
        // Whoever opens a pipe waits for somebody to write.
        if !path.metadata().is_ok_and(|data| data.is_file()) {
            return None;
        }
        let mut head = Vec::new();
        File::open(path)
            .ok()?
            .take(HEAD)
            .read_to_end(&mut head)
            .ok()?;
        let length = path.metadata().map_or(0, |data| data.len());
        // What reads meshes says how to convert it.
        if is_foreign_mesh(&head, length) {
            return Some(Self::Solid);
        }
        Some(Self::of_head(&head, path))
    }

    /// By how a file begins. A level that is compiled has view cells of its own, which take seconds.
    fn of_head(head: &[u8], path: &Path) -> Self {
        const LEVELS: [&[u8]; 8] = [
            b"IBSP",
            b"VBSP",
            b"BSP2",
            b"2PSB",
            b"IWAD",
            b"PWAD",
            &[29, 0, 0, 0],
            &[30, 0, 0, 0],
        ];
        if LEVELS.iter().any(|magic| head.starts_with(magic)) {
            return Self::Cells;
        }
        if head.starts_with(b"glTF") {
            return Self::Solid;
        }
        // Rasters have bytes of 0, texts have none.
        if head.contains(&0) {
            return Self::Terrain;
        }
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with("PRT") {
            return Self::Cells;
        }
        if text.contains("\"classname\"") {
            return Self::Solid;
        }
        if text.starts_with('{') {
            let is_mesh = ["\"CityJSON", "\"asset\"", "\"CityObjects\""]
                .iter()
                .any(|word| text.contains(word));
            return if text.contains("\"cells\"") && !is_mesh {
                Self::Cells
            } else {
                Self::Solid
            };
        }
        let is_obj = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("obj"))
            || text
                .lines()
                .any(|line| line.starts_with("v ") || line.starts_with("mtllib "));
        if is_obj { Self::Solid } else { Self::Terrain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_detected_from_content_and_not_from_names() {
        use WorldFile::{Cells, Solid, Terrain};
        let kinds: [(&[u8], &str, WorldFile); 12] = [
            (b"II*\0\x08\0\0\0", "a.tif", Terrain),
            (b"ncols 3\nnrows 2\n", "a.asc", Terrain),
            (b"IBSP\x2e\0\0\0", "a.bin", Cells),
            (&[29, 0, 0, 0, 1, 0], "a.bsp", Cells),
            (b"PWAD\x01\0", "a.wad", Cells),
            (b"PRT1\n3\n2\n", "a", Cells),
            (b"{\"cells\": 3, \"portals\": []}", "a.json", Cells),
            (
                b"// Game: Quake\n{\n\"classname\" \"worldspawn\"\n",
                "a",
                Solid,
            ),
            (b"glTF\x02\0\0\0", "a.bin", Solid),
            (br#"{"asset": {"version": "2.0"}}"#, "a", Solid),
            (
                br#"{"version": "2.0", "type": "CityJSON"}"#,
                "a.json",
                Solid,
            ),
            (b"# a cube\no cube\nv 0 0 0\n", "a.txt", Solid),
        ];
        for (head, name, kind) in kinds {
            assert_eq!(WorldFile::of_head(head, Path::new(name)), kind, "{name}");
        }
    }
}
