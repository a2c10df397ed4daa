//! Solid levels: what the tools make of a small one.

use serde_json::Value;

use viewcell::query::{OwnedBundle, World};

use crate::common::{rooms, words};

#[test]
fn a_level_that_is_baked_from_outside_of_its_walls_is_warned_of() {
    let folder = rooms();
    let level = std::fs::read_to_string(folder.path("rooms.map")).unwrap();
    folder.write("rooms.map", level.replace("info_player_start", "light"));
    let told = |reach: &str, within: &str, words: &str| {
        folder.write("reach.csv", format!("x,y,z\n{reach}\n"));
        let asked = "bake solid rooms.map --cell 16 --reach reach.csv --force --json --within";
        let arguments: Vec<&str> = asked.split(' ').chain([within]).collect();
        let document = folder.json(&arguments);
        let notes = document["notes"].as_array().unwrap();
        let has = |note: &&Value| note.as_str().unwrap().contains(words);
        notes.iter().filter(has).count()
    };
    let (all, low) = ("-999,-999,-999,999,999,999", "-999,-999,-999,999,999,99");
    let walls = "outside of the walls";
    assert_eq!(told("64,64,32", all, walls), 0);
    // By where players start, and by how little is hidden.
    assert_eq!(told("64,64,200", all, walls), 2, "on the roof");
    assert_eq!(told("64,64,32\n64,64,200", all, walls), 1, "one of two");
    assert_eq!(told("64,64,32\n64,64,200", low, walls), 0, "left out");
    assert_eq!(told("64,64,32\n64,64,200", low, "outside of --within"), 1);
    let info = folder.json(&["info", "rooms.vcb", "--json"]);
    let within = &info["provenance"]["options"]["within"];
    assert_eq!(
        within.to_string(),
        "[-999.0,-999.0,-999.0,999.0,999.0,99.0]"
    );
}

#[test]
fn a_quality_chooses_the_cells_of_a_level() {
    let folder = rooms();
    let baked = ["bake", "solid", "rooms.map", "--quiet"];
    let forecast = folder.json(&[&baked[..], &["--dry-run", "--json"]].concat());
    let qualities = forecast["qualities"].as_array().unwrap();
    let chosen: Vec<_> = qualities
        .iter()
        .map(|found| (found["quality"].as_str(), &found["cell"], &found["grade"]))
        .map(|(name, cell, grade)| {
            (
                name.unwrap(),
                cell.as_f64().unwrap(),
                grade.as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("draft", 64.0, 16),
        ("good", 32.0, 0),
        ("best", 32.0, 0),
        ("samples", 32.0, 0),
    ];
    assert_eq!(chosen, expected);
    let hidden: Vec<f64> = qualities
        .iter()
        .map(|found| found["hidden"].as_f64().unwrap())
        .collect();
    assert!(0.0 < hidden[0] && hidden[0] <= hidden[1], "{hidden:?}");
    for (options, quality, grade, cell) in [
        (&["-o", "a.vcb"][..], Some("good"), 0, 32.0),
        (
            &["-o", "b.vcb", "--quality", "draft"],
            Some("draft"),
            16,
            64.0,
        ),
        (
            &["-o", "c.vcb", "--quality", "draft", "--cell", "32"],
            Some("good"),
            0,
            32.0,
        ),
        (&["-o", "d.vcb", "--grade=8"], None, 8, 32.0),
    ] {
        folder.ok(&[&baked[..], options].concat());
        let solid = &folder.json(&["info", options[1], "--json"])["solid"];
        assert_eq!(solid["quality"].as_str(), quality, "{options:?}");
        assert_eq!(solid["grade"], grade, "{options:?}");
        assert_eq!(solid["cell"][0], cell, "{options:?}");
    }
    // Said before the work, with what the others take.
    let ran = folder.ok(&words("bake solid rooms.map --quality draft -o f.vcb"));
    let said = "note: --quality draft: cells of 64, boxes of them far away (--grade=16): some ";
    let line = ran.stderr.lines().find(|line| line.starts_with(said));
    let line = line.unwrap_or_else(|| panic!("{}", ran.stderr));
    for other in [
        "of one processor and ",
        "; --quality good ",
        ", --quality best ",
    ] {
        assert!(line.contains(other), "{line}");
    }
    // The default of small levels is what there was before qualities.
    folder.ok(&[&baked[..], &["-o", "e.vcb", "--quality", "samples"]].concat());
    assert_eq!(folder.read("a.vcb"), folder.read("e.vcb"));
}

#[test]
fn frontier_sets_grow_over_cells_that_do_not_see_each_other() {
    let folder = rooms();
    let places = ["64,64,24", "448,64,24"];
    let arguments = [&["frontier", "rooms.vcb"][..], &places].concat();
    let document = folder.json(&[&arguments[..], &["--members", "sets.txt", "--json"]].concat());
    assert!(document["construction"] == "quads" && document["visible"] == false);
    let region = |name: &str| -> Vec<u64> {
        let cells = document[name].as_array().unwrap().iter();
        cells.map(|cell| cell.as_u64().unwrap()).collect()
    };
    let (a, b) = (region("region_a"), region("region_b"));
    assert!(a.len() > 1 && b.len() > 1, "{document}");
    assert!(a.contains(&document["a"].as_u64().unwrap()));
    let mut pairs = String::new();
    for (i, j) in a.iter().flat_map(|i| b.iter().map(move |j| (i, j))) {
        pairs += &format!("{i} {j}\n{j} {i}\n");
    }
    folder.write("pairs.txt", pairs);
    let seen = folder
        .ok(&["query", "visible", "rooms.vcb", "--pairs", "pairs.txt"])
        .stdout;
    assert!(
        !seen.contains('1'),
        "a place of one region sees one of the other"
    );
    let members = String::from_utf8(folder.read("sets.txt")).unwrap();
    assert_eq!(members.lines().count(), a.len() + b.len());
    // Who sees another has no set with them.
    let ran = folder.ok(&["frontier", "rooms.vcb", "64,64,24", "96,64,24"]);
    ran.warns("they can see each other");
    folder.fails(
        &["frontier", "rooms.vcb", "64,64,24", "9999,0,0"],
        2,
        &["no view cell"],
    );
    let drawn = [&arguments[..], &["-o", "sets.png"]].concat();
    folder.fails(&drawn, 2, &["render --frontier"]);
}

#[test]
fn floors_of_a_solid_level_are_drawn() {
    let folder = rooms();
    let mut drawn = Vec::new();
    for what in [
        &[][..],
        &["--pvs", "64,64,24"],
        &["--exposure"],
        &["--frontier", "64,64,24", "448,64,24"],
    ] {
        let name = format!("{}.png", drawn.len());
        let arguments = [
            &[
                "render",
                "rooms.vcb",
                "-o",
                &name,
                "--bare",
                "--width",
                "256",
            ],
            what,
        ]
        .concat();
        folder.ok(&arguments);
        let picture = image::load_from_memory(&folder.read(&name))
            .unwrap()
            .to_rgba8();
        drawn.push(picture);
    }
    for (i, picture) in drawn.iter().enumerate() {
        assert!(drawn[..i].iter().all(|other| other != picture), "{i}");
    }
    // Seen from a room, the other one is hidden but for what the door shows.
    let said = folder
        .ok(&["render", "rooms.vcb", "-o", "pvs.png", "--pvs", "64,64,24"])
        .stdout;
    assert!(said.contains("visible"), "{said}");
    folder.fails(
        &["render", "rooms.vcb", "-o", "d.png", "--distance", "0"],
        2,
        &["--distance"],
    );
    folder.ok(&["report", "rooms.vcb", "-o", "rooms.html", "--quiet"]);
    let page = String::from_utf8(folder.read("rooms.html")).unwrap();
    for words in ["Hidden from a cell", "solids and", "Most exposed"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn players_of_a_trace_are_simulated_in_a_solid_level() {
    let folder = rooms();
    let arguments = words(
        "simulate rooms.vcb --traces walks.csv --hz 20 --scheme CS,sight,look-ahead,best --json",
    );
    let figures = |more: &[&str]| -> Value { folder.json(&[&arguments[..], more].concat()) };
    for rtt in ["0", "100"] {
        for truth in [&[][..], &["--truth", "lines", "--level", "rooms.map"]] {
            let document = figures(&[&["--rtt", rtt][..], truth].concat());
            let schemes = document["schemes"].as_array().unwrap();
            assert_eq!(schemes.len(), 4);
            for scheme in schemes {
                let name = scheme["name"].as_str().unwrap();
                if ["look-ahead", "best"].contains(&name) {
                    assert_eq!(
                        scheme["late_frames"].as_f64(),
                        Some(0.0),
                        "{rtt} {truth:?} {scheme}"
                    );
                }
            }
        }
    }
    folder.fails(&["simulate", "rooms.vcb"], 2, &["--traces"]);
    folder.fails(
        &[&arguments[..], &["--truth", "lines"]].concat(),
        2,
        &["--level"],
    );
    folder.fails(&[&arguments[..], &["--eye", "22"]].concat(), 2, &["--eye"]);
    let other = [&arguments[..], &["--level", "walks.csv"]].concat();
    folder.fails(&other, 3, &["walks.csv"]);
}

/// It was asked from their middles, and hid who comes from a corner.
#[test]
fn looking_ahead_from_cells_begins_anywhere_in_them() {
    let folder = rooms();
    let bundle = OwnedBundle::open(folder.path("rooms.vcb")).unwrap();
    let World::Solid(level) = bundle.world() else {
        panic!("another kind of world");
    };
    let spot = |cell: u32, of: [f64; 2]| -> [f64; 3] {
        let [low, high] = level.bounds(cell).unwrap();
        std::array::from_fn(|k| of[0] * low[k] + of[1] * high[k])
    };
    let middle = [0.5, 0.5];
    let ends = [[0.999, 0.001], [0.001, 0.999]];
    let from = |a: u32, b: u32, ends: [[f64; 2]; 2], reach: f64| {
        level.sees_within(spot(a, ends[0]), spot(b, ends[1]), [reach; 2])
    };
    let cells = level.cells();
    let pairs = (0..cells).flat_map(|a| (0..cells).map(move |b| (a, b)));
    let mut reaches = pairs.flat_map(|(a, b)| (1..60).map(move |n| (a, b, f64::from(n) * 4.0)));
    let found = reaches.find(|&(a, b, reach)| {
        let at_corners = ends
            .iter()
            .any(|&x| ends.iter().any(|&y| from(a, b, [x, y], reach)));
        at_corners && !from(a, b, [middle; 2], reach)
    });
    let (a, b, reach) =
        found.expect("a pair whose corners see each other sooner than their middles");
    let [a, b] = [a, b].map(|cell| cell.to_string());
    let ran = folder.ok(&[
        "query",
        "within",
        "rooms.vcb",
        &a,
        &b,
        "--reach",
        &format!("{reach},{reach}"),
    ]);
    assert_eq!(ran.stdout, "visible\n", "{a} {b} {reach}");
}

#[test]
fn positions_of_another_level_are_told_of() {
    let folder = rooms();
    let walks = String::from_utf8(folder.read("walks.csv")).unwrap();
    // Two of three players are somewhere else.
    let away = walks.replace(",448,", ",9448,");
    folder.write("away.csv", away);
    folder.fails(
        &["simulate", "rooms.vcb", "--traces", "away.csv"],
        3,
        &[
            "away.csv",
            "66.7 % of 93 positions outside",
            "9448",
            "another level",
        ],
    );
    folder.write("points.txt", "64 64 24 448 64 24\n64 64 24 9448 64 24\n");
    let ask = |verb: &str, more: &[&str]| {
        let arguments = ["query", verb, "rooms.vcb", "--pairs", "points.txt"];
        folder.ok(&[&arguments[..], more].concat())
    };
    for (verb, more) in [("visible", &[][..]), ("within", &["--reach", "1,1"])] {
        let ran = ask(verb, more);
        assert_eq!(ran.stdout, "0\n1\n", "{verb}");
        let words = "1 of 4 positions are in no view cell";
        assert!(
            ran.stderr.contains(words) && !ran.stderr.contains("another"),
            "{}",
            ran.stderr
        );
    }
    folder.write("points.txt", "64 64 24 9448 64 24\n9064 64 24 9448 64 24\n");
    let ran = ask("visible", &[]);
    let words = "3 of 4 positions are in no view cell: they see all and are seen by all; is the bundle of another level?";
    assert!(
        ran.stdout == "1\n1\n" && ran.stderr.contains(words),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_bundle_is_repacked_within_a_budget_and_hides_nothing_more() {
    let folder = rooms();
    folder.ok(&["repack", "rooms.vcb", "-o", "same.vcb", "--quiet"]);
    assert!(folder.read("same.vcb") == folder.read("rooms.vcb"));
    let whole = folder.read("rooms.vcb").len();
    let budget = (whole - whole / 10).to_string();
    let arguments = [
        "repack",
        "rooms.vcb",
        "-o",
        "small.vcb",
        "--budget",
        &budget,
    ];
    folder.ok(&[&arguments[..], &["--quiet"]].concat());
    assert!(folder.read("small.vcb").len() <= whole - whole / 10);
    folder.ok(&["verify", "small.vcb"]);
    let mut points = String::new();
    for (a, b) in (0..20).flat_map(|a| (0..20).map(move |b| (a, b))) {
        let at = |n: i32| format!("{} {} 24", 30 + 24 * n, 30 + 10 * (n % 7));
        points += &format!("{} {}\n", at(a), at(b));
    }
    folder.write("points.txt", points);
    let answers = |bundle: &str| {
        let ran = folder.ok(&["query", "visible", bundle, "--pairs", "points.txt"]);
        ran.stdout
            .lines()
            .map(|line| line == "1")
            .collect::<Vec<_>>()
    };
    let (before, after) = (answers("rooms.vcb"), answers("small.vcb"));
    assert_eq!((before.len(), after.len()), (400, 400));
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| !before || *after)
    );
}

/// Not all numbers of cells that the grid has room for are taken, which a shard has to tell.
#[test]
fn shards_of_a_solid_level_make_its_bundle() {
    let folder = rooms();
    let bake = ["bake", "solid", "rooms.map", "--cell", "32", "--quiet"];
    for (number, options) in [&[][..], &["--grade=8"]].into_iter().enumerate() {
        let name = |part: &str| format!("{number}{part}");
        let [whole, first, second, merged] = ["a.vcb", "b.vcs", "c.vcs", "d.vcb"].map(name);
        folder.ok(&[&bake[..], options, &["-o", &whole]].concat());
        for (part, shard) in [("1/2", &first), ("2/2", &second)] {
            let share = ["--shard", part, "--threads", &part[..1], "-o", shard];
            folder.ok(&[&bake[..], options, &share].concat());
        }
        folder.ok(&["merge", &second, &first, "-o", &merged, "--quiet"]);
        assert!(folder.read(&whole) == folder.read(&merged), "{options:?}");
        folder.ok(&["verify", &merged]);
    }
}

/// The wall between the rooms has a side of sky; the level lies in a game's folder.
#[test]
fn a_level_is_read_out_of_a_games_folder_and_its_sky_as_one_says() {
    let folder = rooms();
    let text = String::from_utf8(folder.read("rooms.map")).unwrap();
    let wall = text.rfind("( 264 192 128 )").unwrap();
    let (before, side) = text.split_at(wall);
    std::fs::create_dir_all(folder.path("game/maps")).unwrap();
    folder.write(
        "game/maps/sky.map",
        before.to_owned() + &side.replacen(" wall ", " sky1 ", 1),
    );
    let pack = words("bake solid maps/sky.map --pack game --cell 32");
    let hidden = |out: &str, sky: &[&str]| {
        let ran = folder.ok(&[&pack[..], &["-o", out, "--force"], sky].concat());
        ran.warns("maps/sky.map is from game");
        let asked = ["query", "visible", out, "--", "64,64,24", "448,64,24"];
        (ran.stderr, folder.ok(&asked).stdout.starts_with("hidden"))
    };
    let (told, is_hidden) = hidden("sky.vcb", &[]);
    assert!(is_hidden && told.contains("with --sky clear"), "{told}");
    let (told, is_hidden) = hidden("clear.vcb", &["--sky", "clear"]);
    assert!(told.contains("with sky hide nothing"), "{told}");
    // Its drawn sides hide either way, each from its front.
    assert!(is_hidden);
    folder.fails(
        &["bake", "solid", "maps/none.map", "--pack", "game"],
        3,
        &["maps/none.map", "game"],
    );
    folder.fails(
        &["bake", "cells", "maps/none.bsp", "--pack", "game"],
        3,
        &["maps/none.bsp"],
    );
}
