//! Levels of engines on the page: their positions and units.

use std::path::Path;

use viewcell::query::{Bundle, Place, World};

use crate::common::Serving;
use crate::solid::answer;

/// A metre in an engine's unit, what that is called, and where the engine has what is along, across and up.
type Engine = (&'static str, f64, &'static str, fn([f64; 3]) -> [f64; 3]);
const ENGINES: [Engine; 4] = [
    ("unity", 1.0, "m", |[a, b, up]| [a, up, b]),
    ("unreal", 100.0, "cm", |at| at.map(|x| 100.0 * x)),
    ("godot", 1.0, "m", |[a, b, up]| [a, up, -b]),
    ("blender", 1.0, "m", |at| at),
];

#[test]
fn the_page_shows_the_positions_and_the_unit_of_an_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/axes");
    for (name, metre, unit, engine) in ENGINES {
        let path = folder.join(format!("{name}.vcb"));
        let bytes = std::fs::read(&path).unwrap();
        let world = Bundle::from_bytes(&bytes).unwrap().world().unwrap();
        let serving = Serving::new(&path, None);
        let about = &answer(&serving, "/api/about").0["panes"][0];
        assert_eq!(about["unit"], unit, "{name}");
        let number = |of: &serde_json::Value| of.as_f64().unwrap() / metre;
        let is = |of: &serde_json::Value, expected: f64| (number(of) - expected).abs() < 1e-6;
        assert!((0..3).all(|k| is(&about["cell"][k], 1.0)), "{about}");
        assert!(
            is(&about["eye"][1], 1.7) && is(&about["feet"], 0.0),
            "{about}"
        );

        // Two places of the L, which is 20 m long: the positions of a PVS are the engine's.
        for at in [[1.5, 7.0, 0.1], [18.0, 1.5, 0.1]] {
            let asked = engine(at);
            let Some(Place::Cell(cell)) = world.locate(asked) else {
                panic!("{name}: {asked:?} is in no cell");
            };
            let (head, _) = answer(&serving, &format!("/api/0/pvs?at={cell}"));
            for (k, asked) in asked.into_iter().enumerate() {
                let [low, high] = [0, 1].map(|end| head["bounds"][end][k].as_f64().unwrap());
                assert!(low <= asked && asked <= high && low < high, "{name} {head}");
            }
        }
        // Plans and boxes have z up, in the engine's unit.
        let (ground, _) = answer(&serving, "/api/0/ground");
        let across = number(&ground["pixel"]) * ground["width"].as_f64().unwrap();
        assert!((19.0..20.0).contains(&across), "{name} {ground}");
        assert!(is(&ground["floors"][0][0], 0.0), "{name} {ground}");
        let (mesh, numbers) = answer(&serving, "/api/0/mesh");
        let World::Solid(level) = world.upright() else {
            panic!()
        };
        let first = 36 * mesh["triangles"].as_u64().unwrap() as usize;
        let floats = |from: usize, count: usize| -> Vec<f64> {
            let bytes = numbers[from..from + 4 * count].chunks_exact(4);
            bytes
                .map(|b| f32::from_le_bytes(b.try_into().unwrap()).into())
                .collect()
        };
        for cell in 0..level.cells() {
            let found = floats(first + 24 * cell as usize, 6);
            let corners = level.bounds(cell).unwrap();
            let own = corners.as_flattened();
            assert!(
                found
                    .iter()
                    .zip(own)
                    .all(|(a, b)| (a - b).abs() < 1e-3 * metre),
                "{name} {cell}"
            );
        }
        // What hides is around them.
        let corners = floats(0, first / 4);
        let up: Vec<f64> = corners
            .iter()
            .skip(2)
            .step_by(3)
            .map(|z| z / metre)
            .collect();
        let most = up.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!((2.9..3.1).contains(&most), "{name} {most}");
    }
}
