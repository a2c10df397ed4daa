//! What fuzzing the readers of solid levels begins with: small levels of every format, `tests/fuzz/seeds/solid`.
//!
//! To write them anew: `VIEWCELL_WRITE_SEEDS=1 cargo test --test solid seeds`.

use std::path::Path;

use serde_json::json;
use viewcell_ingest::solid::{SolidOptions, UpAxis, solid_from_bytes};

use crate::meshes::{gltf, obj};
use crate::readers::CUBE;
use crate::tiny::{Block, Dialect, map, quake, quake2, quake3, source};
use crate::towns::wall;

/// The binary form of a glTF text: a head of three words, and one chunk of JSON.
fn glb(text: &[u8]) -> Vec<u8> {
    let chunk = text.len().next_multiple_of(4);
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((chunk as u32 + 20).to_le_bytes());
    bytes.extend((chunk as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.resize(chunk + 20, b' ');
    bytes
}

#[test]
fn seeds_are_levels_and_are_those_that_are_committed() {
    let boxes = [
        [[0.0; 3], [4.0, 4.0, 3.0]],
        [[6.0, 0.0, 0.0], [7.0, 4.0, 3.0]],
    ];
    let solid = Block::of(1, "wall", 0);
    let leaf = Block::of(-2_i32 as u32, "wall", 0);
    let glass = json!({"material": {"": {"values": [[0, 1, 0, 1, 0, 1]]}}});
    let mesh = gltf(&boxes, |at| at);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds/solid");
    for (name, bytes) in [
        ("bsp29", quake("BSP29", &leaf)),
        ("bsp30", quake("BSP30", &leaf)),
        ("2psb", quake("2PSB", &leaf)),
        ("bsp2", quake("BSP2", &leaf)),
        ("ibsp38", quake2(&solid)),
        ("ibsp46", quake3(46, &solid)),
        ("ibsp47", quake3(47, &solid)),
        ("vbsp", source(&solid)),
        (
            "standard.map",
            map(Dialect::Standard, "worldspawn", &solid).into(),
        ),
        (
            "valve.map",
            map(Dialect::Valve220, "func_detail", &solid).into(),
        ),
        (
            "quake2.map",
            map(Dialect::Quake2, "worldspawn", &solid).into(),
        ),
        ("boxes.obj", obj(&boxes, |at| at)),
        ("cube.obj", CUBE.into()),
        ("boxes.glb", glb(&mesh)),
        ("boxes.gltf", mesh),
        ("wall.city.json", wall(&json!({})).to_string().into()),
        ("glass.city.json", wall(&glass).to_string().into()),
    ] {
        let options = SolidOptions {
            up: (name.ends_with("obj") || name.contains(".gl")).then_some(UpAxis::Z),
            opaque_without_material: true,
            ..SolidOptions::default()
        };
        let read = solid_from_bytes(&bytes, Path::new("level"), &options);
        assert!(read.is_ok(), "{name}: {:?}", read.err());
        let path = folder.join(name);
        if std::env::var_os("VIEWCELL_WRITE_SEEDS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let found = std::fs::read(&path).unwrap_or_default();
        assert!(found == bytes, "{} is out of date", path.display());
    }
}
