//! Reads what it is given as a level of solids: brushes, leaves, maps, meshes, towns.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use viewcell_ingest::solid::{SolidOptions, UpAxis, solid_from_bytes};
use viewcell_ingest::world::solid::Solid;

fuzz_target!(|data: &[u8]| {
    // No file lies beside it: libraries and shader scripts are missing.
    let path = Path::new("/nowhere/level");
    let meshes = SolidOptions {
        up: Some(UpAxis::Z),
        opaque_without_material: true,
        ..SolidOptions::default()
    };
    for options in [SolidOptions::default(), meshes] {
        let Ok(read) = solid_from_bytes(data, path, &options) else {
            continue;
        };
        let level = read.level;
        for solid in level.solids.iter().chain(&level.obstacles) {
            assert!((4..=Solid::MOST_PLANES).contains(&solid.planes.len()));
            assert!(solid.vertices.as_flattened().iter().all(|x| x.is_finite()));
        }
        for face in level.faces.iter().chain(&level.obstacle_faces) {
            assert!((3..=256).contains(&face.vertices.len()));
            assert!(face.vertices.as_flattened().iter().all(|x| x.is_finite()));
        }
        for shell in &level.shells {
            assert!(shell.start < shell.end && shell.end <= level.obstacle_faces.len());
        }
    }
});
