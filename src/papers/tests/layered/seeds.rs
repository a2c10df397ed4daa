//! What fuzzing begins with is what the formats are: `tests/fuzz/seeds/ground` and `changes`.
//!
//! To write them anew: `VIEWCELL_WRITE_SEEDS=1 cargo test --manifest-path src/papers/Cargo.toml --test layered seeds`.

use std::path::Path;

use viewcell_layered::{
    ChangeSet, Columns, Effect, GroundFile, Layered, Rule, Shape, Stamp, encode,
};

use crate::common::hills;

#[test]
fn the_seeds_are_files_of_the_formats() {
    let ground = hills([17, 14], 3);
    let stamp = Stamp {
        shape: Shape::Ellipsoid {
            at: [8.0, 7.0, 0.0],
            radii: [4.0; 3],
        },
        effect: Effect::Dig,
        rule: Rule::Halfway,
    };
    let taken = stamp.cubes(ground.frame()).unwrap();
    let branches = ground.plan(&taken, stamp.effect).encode();
    let runs = Columns::of(&ground).plan(&taken, stamp.effect).encode();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/seeds");
    for (name, bytes) in [
        ("ground/hills.vcg", encode(&ground)),
        ("changes/branches.vch", branches),
        ("changes/runs.vch", runs),
    ] {
        let file = folder.join(name);
        if std::env::var_os("VIEWCELL_WRITE_SEEDS").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &bytes).unwrap();
        }
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{name}");
        if name.ends_with(".vcg") {
            assert!(GroundFile::open(&bytes).unwrap().load().is_ok());
        } else {
            assert!(ChangeSet::decode(&bytes).is_ok());
        }
    }
}
