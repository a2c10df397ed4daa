//! Coordinates of engines: an L-shaped level of each is asked, in every verb that takes a place, with the positions that its
//! engine has, and shows them.

use std::path::Path;

use serde_json::Value;

use crate::common::Folder;

/// An engine's name, what it writes of a place along, across and up, a metre in its unit, and what that is called.
type Engine = (&'static str, fn([f64; 3]) -> [f64; 3], f64, &'static str);
const ENGINES: [Engine; 4] = [
    ("unity", |[a, b, up]| [a, up, b], 1.0, "m"),
    ("unreal", |at| at.map(|x| 100.0 * x), 100.0, "cm"),
    ("godot", |[a, b, up]| [a, up, -b], 1.0, "m"),
    ("blender", |at| at, 1.0, "m"),
];

/// In the corner of the L, and at the ends of its arms; as `tests/solid/axes.rs` has them.
const CORNER: [f64; 3] = [1.5, 1.5, 0.1];
const SHORT: [f64; 3] = [1.5, 7.0, 0.1];
const LONG: [f64; 3] = [18.0, 1.5, 0.1];

fn bundle(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/axes");
    folder
        .join(format!("{name}.vcb"))
        .to_str()
        .unwrap()
        .to_owned()
}

fn written([x, y, z]: [f64; 3]) -> String {
    format!("{x},{y},{z}")
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let options = arguments.iter().position(|of| *of == "--");
    let (before, places) = arguments.split_at(options.unwrap_or(arguments.len()));
    folder.json(&[before, &["--json"], places].concat())
}

#[test]
fn all_verbs_take_and_show_an_engines_coordinates() {
    for (name, engine, metre, unit) in ENGINES {
        let folder = Folder::new();
        let level = &*bundle(name);
        let [corner, short, long] = [CORNER, SHORT, LONG].map(|at| written(engine(at)));
        let ask = |verb: &str, arguments: &[&str]| {
            let all = [&["query", verb, level], arguments].concat();
            folder.ok(&all).stdout
        };
        let pairs = [
            (&corner, &short, "visible"),
            (&long, &corner, "visible"),
            (&short, &long, "hidden"),
        ];
        for (a, b, expected) in pairs {
            assert_eq!(
                ask("visible", &["--", a, b]).trim(),
                expected,
                "{name} {a} {b}"
            );
        }
        let reach = |metres: f64| (metres * metre).to_string();
        for (far, expected) in [(0.5, "hidden"), (8.0, "visible")] {
            let told = ask("within", &["--reach", &reach(far), "--", &short, &long]);
            assert_eq!(told.trim(), expected, "{name} {far}");
        }
        let line = |a: &str, b: &str| format!("{a} {b}\n").replace(',', " ");
        let lines = pairs.map(|(a, b, _)| line(a, b)).concat();
        folder.write("points.txt", lines);
        assert_eq!(
            ask("visible", &["--pairs", "points.txt"]),
            "1\n1\n0\n",
            "{name}"
        );
        let within = ["--pairs", "points.txt", "--reach", &reach(8.0)];
        assert_eq!(ask("within", &within), "1\n1\n1\n", "{name}");
        // The cell that is found has the place in its bounds, upright.
        let mut cells = Vec::new();
        for at in [CORNER, SHORT, LONG] {
            let asked = engine(at);
            let found = json(&folder, &["query", "locate", level, "--", &written(asked)]);
            assert_eq!(found["point"], serde_json::json!(asked));
            for (k, asked) in asked.into_iter().enumerate() {
                let [low, high] = [0, 1].map(|end| found["bounds"][end][k].as_f64().unwrap());
                assert!(
                    low <= asked && asked <= high && high - low <= 2.0 * metre,
                    "{name} {found}"
                );
            }
            cells.push(found["cell"].as_u64().unwrap().to_string());
        }
        // By the number of a cell all is as by a place in it.
        for arguments in [
            vec!["query", "pvs", level, "--"],
            vec!["query", "visible", level, "--", &*short],
            vec!["frontier", level, "--", &*short],
        ] {
            let by = |place: &str| json(&folder, &[&arguments[..], &[place]].concat());
            assert_eq!(by(&long), by(&cells[2]), "{name} {arguments:?}");
        }
        assert!(
            json(&folder, &["frontier", level, "--", &short, &long])["size_a"].as_u64() > Some(0)
        );
        for (k, place) in [&long, &cells[2]].into_iter().enumerate() {
            let output = format!("{k}.png");
            folder.ok(&["render", level, "-o", &output, &format!("--pvs={place}")]);
        }
        assert!(folder.read("0.png") == folder.read("1.png"), "{name}");

        folder.ok(&["verify", level, "--prove", "50", "--quiet"]);
        // What is shown.
        let about = &json(&folder, &["info", level])["solid"];
        assert_eq!(about["unit"], unit, "{name}");
        let near = |of: &Value, metres: f64| (of.as_f64().unwrap() - metres * metre).abs() < 1e-9;
        assert!(near(&about["eye"][0], 1.7), "{about}");
        let up = engine([0.0, 0.0, 1.0])
            .iter()
            .position(|x| *x != 0.0)
            .unwrap();
        assert!(
            near(&about["hull"][0][up], 0.0) && near(&about["hull"][1][up], 1.8),
            "{about}"
        );
        let text = folder.ok(&["info", level]).stdout;
        assert!(
            text.contains(&format!(" {unit} above the player's origin")),
            "{text}"
        );
        folder.ok(&["report", level, "-o", "page.html", "--quiet"]);
        let page = String::from_utf8(folder.read("page.html")).unwrap();
        assert!(
            page.contains(&format!(" {unit}<")) && !page.contains(" units<"),
            "{name}"
        );

        // A trace of two who stand in the corner and at the end of an arm, which one of them walks along.
        let mut trace = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n".to_owned();
        for step in 0..=20 {
            let time = 50 * step;
            let walks = written(engine([18.0, 1.5 - 0.05 * f64::from(step), 0.1]));
            trace += &format!("{time},0,{short},0,0,0\n{time},1,{walks},0,0,0\n");
        }
        folder.write("trace.csv", &trace);
        let played = ["simulate", level, "--traces", "trace.csv", "--hz", "20"];
        let told = json(&folder, &played);
        let speed = &told["greatest_speed"];
        assert!(
            (speed.as_f64().unwrap() / metre - 1.0).abs() < 1e-6,
            "{name} {speed}"
        );
        // Another's positions are outside of the level.
        if name != "blender" {
            folder.fails(
                &["simulate", &bundle("blender"), "--traces", "trace.csv"],
                3,
                &["is the bundle of another level"],
            );
        }
    }
}

#[test]
fn copies_of_a_bundle_keep_its_coordinates() {
    let folder = Folder::new();
    let about = |path: &str| {
        let solid = json(&folder, &["info", path])["solid"].clone();
        ["axes", "scale", "unit", "hull"].map(|name| solid[name].clone())
    };
    for (name, engine, metre, _) in ENGINES {
        let level = bundle(name);
        folder.ok(&["repack", &level, "-o", "copy.vcb", "--force", "--quiet"]);
        assert_eq!(about("copy.vcb"), about(&level), "{name}");
        let [short, long] = [SHORT, LONG].map(|at| written(engine(at)));
        let reach = (8.0 * metre).to_string();
        let told = folder.ok(&[
            "query", "within", "copy.vcb", "--reach", &reach, "--", &short, &long,
        ]);
        assert_eq!(told.stdout, "visible\n", "{name}");
    }
}
