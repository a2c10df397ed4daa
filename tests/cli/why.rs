//! `viewcell why`: what it says is what the bundle answers, and never the other way.

use serde_json::Value;
use viewcell::dice::Dice;

use crate::common::{Folder, demo, rooms, wall, words};
use crate::schema::{faults_of, schema_of};

/// The reasons for pairs of places, each after whether the bundle says visible.
fn reasons(folder: &Folder, bundle: &str, pairs: &[String]) -> Vec<(bool, Value)> {
    folder.write("pairs.txt", pairs.join("\n"));
    let ask = |verb: &[&str]| folder.ok(&[verb, &[bundle, "--pairs", "pairs.txt"]].concat());
    let answers = ask(&["query", "visible"]).stdout;
    let told = ask(&["why"]).stdout;
    let schema = schema_of("why.json");
    let told = told.lines().map(|line| serde_json::from_str(line).unwrap());
    let both: Vec<(bool, Value)> = answers.lines().map(|line| line == "1").zip(told).collect();
    assert_eq!(both.len(), pairs.len());
    for (visible, why) in &both {
        assert_eq!(faults_of(&schema, why), [""; 0], "{why}");
        assert_eq!(why["visible"], *visible, "{why}");
    }
    both
}

/// Pairs of random samples of a grid.
fn samples(count: usize, [columns, rows]: [u32; 2]) -> Vec<String> {
    let mut dice = Dice(68);
    let mut sample = || format!("{} {}", dice.roll(columns), dice.roll(rows));
    (0..count)
        .map(|_| format!("{} {}", sample(), sample()))
        .collect()
}

/// Of random pairs of a part of the demo, and of voids: how many are blocked and clear, hidden and visible.
fn on_terrains(count: usize, [columns, rows]: [u32; 2]) {
    let folder = Folder::new();
    let crop = format!("150,120,{columns},{rows}");
    let demo = demo();
    let bake = [
        "bake",
        "terrain",
        demo.to_str().unwrap(),
        "-o",
        "a.vcb",
        "--force",
        "-q",
        "--crop",
        &crop,
    ];
    let pairs = samples(count, [columns, rows]);
    let budget = format!("--finest 0 --grade=4 --budget {}", 30 * columns * rows);
    for (more, is_exact) in [
        ("--visibility exact --quality samples", true),
        (
            "--visibility exact --quality samples --earth-curvature --max-distance 3000",
            true,
        ),
        (
            "--visibility exact --quality samples --player-height 3 --water-level 400",
            true,
        ),
        ("--quality samples", false),
        ("--finest 0 --grade=1", false),
        (&budget, false),
        ("--finest 1 --grade=4", false),
    ] {
        folder.ok(&[&bake[..], &more.split(' ').collect::<Vec<_>>()].concat());
        let mut found = [[0; 2]; 2];
        for (visible, why) in reasons(&folder, "a.vcb", &pairs) {
            let ground = &why["ground"];
            let is_clear = ground["verdict"] == "clear";
            assert!(visible || !is_clear, "{more}: {why}");
            assert!(!is_exact || visible == is_clear, "{more}: {why}");
            found[usize::from(visible)][usize::from(is_clear)] += 1;
            if let Some(over) = ground["highest"]["over"].as_f64() {
                let rises = over > 1.0 / 2048.0;
                assert!(!(rises && is_clear), "{more}: {why}");
                assert!(rises || ground["verdict"] != "blocked", "{more}: {why}");
            }
        }
        let [[blocked, _], [more_seen, clear]] = found;
        assert!(blocked > count / 10, "{more}: {found:?}");
        match more.contains("--finest 1") {
            true => assert_eq!(clear, 0, "{found:?}"),
            false => assert!(
                clear > 0 && (is_exact || more_seen > 0),
                "{more}: {found:?}"
            ),
        }
        println!("{more}: {count} pairs, {found:?}");
    }
}

#[test]
fn a_profile_is_clear_where_an_exact_bundle_sees_and_never_where_any_hides() {
    on_terrains(400, [40, 33]);
}

/// 7 × 10^5 pairs of 120 × 100 samples.
#[test]
#[ignore = "minutes: scripts/check why"]
fn a_hundred_thousand_profiles_are_what_bundles_say() {
    on_terrains(100_000, [120, 100]);
}

/// Whether a point lies in a box around which there is some room, by corners.
fn holds(corners: &Value, low: [f64; 3], high: [f64; 3], point: &Value) -> bool {
    let number = |of: &Value| of.as_f64().unwrap();
    (0..3).all(|k| {
        let at = number(&point[k]);
        let [least, most] = [
            number(&corners[0][k]) + low[k],
            number(&corners[1][k]) + high[k],
        ];
        least - 1e-6 <= at && at <= most + 1e-6
    })
}

/// All pairs of cells of two rooms, up to so many.
fn in_rooms(cell: &str, most: usize) {
    let folder = rooms();
    folder.ok(&["bake", "rooms.map", "--cell", cell, "--force", "-q"]);
    let about = &folder.json(&["info", "rooms.vcb", "--json"])["solid"];
    let cells = about["cells"].as_u64().unwrap();
    let all = (0..cells).flat_map(|a| (0..cells).map(move |b| format!("{a} {b}")));
    let step = ((cells * cells) as usize).div_ceil(most);
    let pairs: Vec<String> = all.step_by(step).collect();
    let corner = |end: usize| [0, 1, 2].map(|k| about["hull"][end][k].as_f64().unwrap());
    let eye = |end: usize| [0.0, 0.0, about["eye"][end].as_f64().unwrap()];
    let bounds = |cell: u64| {
        let middle = &folder.json(&["query", "pvs", "rooms.vcb", &cell.to_string(), "--json"]);
        assert_eq!(middle["cell"], cell);
        let bytes = folder.read("rooms.vcb");
        let bundle = viewcell::query::OwnedBundle::from_bytes(bytes).unwrap();
        serde_json::json!(bundle.world().solid().unwrap().bounds(cell as u32))
    };
    let mut found = [[0; 3]; 2];
    for (visible, why) in reasons(&folder, "rooms.vcb", &pairs) {
        let of = &why["occluders"];
        let kind = ["hidden", "open", "clear"]
            .iter()
            .position(|kind| of["found"] == *kind);
        found[usize::from(visible)][kind.unwrap()] += 1;
        assert!(visible || of["found"] != "clear", "{why}");
        assert!(visible || of["meets"] != Value::Null, "{why}");
        if of["found"] == "clear" && found[1][2] < 20 {
            let [a, b] = ["a", "b"].map(|name| bounds(why[name].as_u64().unwrap()));
            assert!(holds(&a, eye(0), eye(1), &of["line"][0]), "{a} {why}");
            assert!(holds(&b, corner(0), corner(1), &of["line"][1]), "{b} {why}");
        }
    }
    let [[proven, _, wrong], [_, _, clear]] = found;
    assert!(proven > 0 && clear > 0 && wrong == 0, "{found:?}");
    println!("{} pairs, {found:?}", pairs.len());
}

#[test]
fn a_clear_line_is_of_no_hidden_pair_of_cells() {
    in_rooms("64", 600);
}

/// 10^4 pairs.
#[test]
#[ignore = "minutes: scripts/check why"]
fn ten_thousand_pairs_of_cells_are_what_the_bundle_says() {
    in_rooms("32", 10_000);
}

#[test]
fn a_wall_is_found_where_it_stands_and_drawn() {
    let folder = Folder::with_wall();
    let why = |a: &str, b: &str| folder.ok(&["why", "wall.vcb", a, b]);
    let hidden = why("0,2", "8,2");
    hidden.says("hidden\n");
    hidden.says("pairs of samples, exact, lossless");
    hidden.says("distance    80 m");
    hidden.says("blocked");
    hidden.says("100 m, 98.2 m over the line, 40 m from A at 4.00,2.00");
    why("0,2", "3,2").says("clear");
    why("0,2", "4,2").says("head 101.8 m");
    why("8,4", "0,2").says("void: nobody is there");
    let told =
        |arguments: &[&str]| folder.ok(&[&["why", "wall.vcb", "0,2", "8,2"], arguments].concat());
    told(&["-o", "p.png"]);
    let picture = image::load_from_memory(&folder.read("p.png")).unwrap();
    assert_eq!((picture.width(), picture.height()), (900, 480));
    let colours: std::collections::BTreeSet<_> = picture.to_rgb8().pixels().map(|p| p.0).collect();
    assert!(colours.len() > 3, "{colours:?}");
    let png = ["why", "wall.vcb", "0,2", "8,2", "-o", "p.png"];
    folder.fails(&png, 4, &["p.png", "--force"]);
    folder.fails(
        &["why", "wall.vcb", "0,2", "8,4", "-o", "q.png"],
        2,
        &["void"],
    );
    folder.fails(&["why", "wall.vcb", "0,2", "99,2"], 2, &["columns 0 to 8"]);
}

#[test]
fn what_ground_has_become_by_patches_is_what_the_profile_is_of() {
    let folder = Folder::with_wall();
    folder.write("gap.asc", wall().replacen(" 100 ", " 1 ", 5));
    folder.ok(&words(
        "rebake wall.vcb --terrain gap.asc --patch gap.vcp -q",
    ));
    let ask = ["why", "wall.vcb", "0,2", "8,2"];
    folder.ok(&ask).says("blocked");
    let patched = folder.ok(&[&ask[..], &["--patch", "gap.vcp"]].concat());
    patched.says("visible\n");
    patched.says("clear");
    patched.says("1 m, 0.8 m under the line");
}

#[test]
fn levels_say_their_steps_and_have_no_picture() {
    let folder = rooms();
    let far = folder.ok(&["why", "rooms.vcb", "64,64,32", "9999,64,32"]);
    far.says("visible\n");
    far.says("none: who is there sees all");
    let png = ["why", "rooms.vcb", "64,64,32", "400,64,32", "-o", "a.png"];
    folder.fails(&png, 2, &["-o: expected a terrain"]);
    folder.write("a.json", r#"{"cells": 4, "pvs": [[1], [], [1], []]}"#);
    folder.ok(&["bake", "a.json", "-q"]);
    let why = |a: &str, b: &str| folder.ok(&["why", "a.vcb", a, b]);
    why("0", "2").says("hidden\ndistance    2 visible steps\nsymmetry    or, of 2 one-way pairs");
    why("1", "0").says("visible\ndistance    1 visible steps");
    why("0", "3").says("no chain of visible steps");
    let (_, document) = &reasons(&folder, "a.vcb", &["0 2".to_owned()])[0];
    assert_eq!(document["steps"]["distance"], 2);
}
