//! Bundles whose view cells are quads of the heightmap.

use serde_json::Value;

use super::common::{Folder, Ran, demo, words};

fn bake(folder: &Folder, more: &[&str]) -> Value {
    baked(more, |arguments| folder.ok(arguments))
}

/// The same, and verified.
fn sound(folder: &Folder, more: &[&str]) -> Value {
    baked(more, |arguments| folder.sound(arguments))
}

fn baked(more: &[&str], run: impl Fn(&[&str]) -> Ran) -> Value {
    let demo = demo();
    let first = [
        "bake",
        "terrain",
        demo.to_str().unwrap(),
        "--crop",
        "200,100,75,61",
        "--quiet",
        "--json",
    ];
    serde_json::from_str(&run(&[&first, more].concat()).stdout).unwrap()
}

#[test]
fn a_cell_answers_for_the_samples_it_holds() {
    let folder = Folder::new();
    bake(&folder, &["-o", "all.vcb", "--visibility", "exact"]);
    let told = sound(
        &folder,
        &["-o", "cells.vcb", "--visibility", "exact", "--finest", "3"],
    );
    let terrain = &told["bundle"]["terrain"];
    assert_eq!(
        (&terrain["width"], &terrain["height"]),
        (&10.into(), &8.into())
    );
    assert_eq!(terrain["finest"], 3);
    assert_eq!(terrain["heightmap"], serde_json::json!([75, 61]));
    // The same quads, asked of both bundles.
    let mut pairs = String::new();
    for (c, r) in [(0, 0), (74, 60), (33, 7), (8, 55)] {
        for (d, s) in [(74, 0), (40, 40), (3, 33), (64, 20), (15, 8)] {
            pairs += &format!("{c} {r} {d} {s}\n");
        }
    }
    folder.write("pairs.txt", pairs);
    for level in ["3", "5"] {
        let ask = |bundle| {
            let ran = folder.ok(&[
                "query",
                "visible",
                bundle,
                "--quad",
                level,
                "--pairs",
                "pairs.txt",
            ]);
            ran.stdout
        };
        assert_eq!(ask("all.vcb"), ask("cells.vcb"), "level {level}");
        assert_eq!(ask("cells.vcb").lines().count(), 20);
    }
    let told = folder.json(&["query", "visible", "cells.vcb", "74,60", "0,0", "--json"]);
    assert_eq!(told["level"], 3);
    // Places are samples, wherever they are given.
    for verb in [
        &["query", "pvs", "cells.vcb", "74,60"][..],
        &["frontier", "cells.vcb", "74,60", "0,0"],
    ] {
        let ran = folder.run(verb);
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.stderr);
    }
    let ran = folder.ends(&["query", "visible", "cells.vcb", "75,60", "0,0"], 2);
    ran.warns("columns 0 to 74");
    folder.ends(
        &["query", "visible", "all.vcb", "1,1", "2,2", "--quad", "9"],
        2,
    );
}

#[test]
fn cells_that_grow_hide_nothing_that_others_show() {
    let folder = Folder::new();
    let exact = ["--visibility", "exact"];
    bake(&folder, &[&exact[..], &["-o", "a.vcb"]].concat());
    let told = sound(
        &folder,
        &[&exact[..], &["--grade=2", "-o", "b.vcb"]].concat(),
    );
    let terrain = &told["bundle"]["terrain"];
    assert_eq!(
        (&terrain["grade"], &terrain["finest"]),
        (&2.into(), &0.into())
    );
    assert_eq!(terrain["tree_code"], "graded");
    assert!(terrain.get("quality").is_none());
    assert!(folder.read("b.vcb").len() < folder.read("a.vcb").len());
    let compared = folder.run(&["diff", "a.vcb", "b.vcb", "--json"]);
    let compared = compared.json();
    for level in compared["levels"].as_array().unwrap() {
        assert_eq!(level["visible_in_a_hidden_in_b"], 0, "{compared}");
    }
    let more = &compared["levels"][0]["hidden_in_a_visible_in_b"];
    assert!(more.as_u64() > Some(0), "{compared}");
    // As a job file has it, and in shares.
    folder.write(
        "job.toml",
        format!(
            "[terrain]\ninput = {:?}\ncrop = [200, 100, 75, 61]\nvisibility = \"exact\"\n\
             grade = 2\noutput = \"c.vcb\"\n",
            demo()
        ),
    );
    folder.ok(&["bake", "--job", "job.toml", "--quiet"]);
    assert_eq!(folder.read("b.vcb"), folder.read("c.vcb"));
    for shard in ["1/3", "2/3", "3/3"] {
        bake(
            &folder,
            &[&exact[..], &["--grade=2", "-o", "d.vcb", "--shard", shard]].concat(),
        );
    }
    folder.ok(&words(
        "merge d.1-of-3.vcs d.2-of-3.vcs d.3-of-3.vcs -o d.vcb --quiet",
    ));
    assert_eq!(folder.read("b.vcb"), folder.read("d.vcb"));
    // Within a budget, by a bake and by a repack.
    let budget = (folder.read("b.vcb").len() * 3 / 4).to_string();
    let budget = ["--budget", &budget];
    sound(
        &folder,
        &[&exact[..], &["--grade=2", "-o", "e.vcb"], &budget].concat(),
    );
    folder.ok(&[&["repack", "b.vcb", "-o", "f.vcb", "--quiet"][..], &budget].concat());
    assert_eq!(folder.read("e.vcb"), folder.read("f.vcb"));
    let shards = ["d.1-of-3.vcs", "d.2-of-3.vcs", "d.3-of-3.vcs"];
    let merge = ["-o", "g.vcb", "--quiet"];
    folder.ok(&[&["merge"], &shards[..], &merge, &budget].concat());
    assert_eq!(folder.read("e.vcb"), folder.read("g.vcb"));
    // Patches are of bundles whose blocks tell of the whole grid.
    let ran = folder.ends(
        &[
            "rebake",
            "b.vcb",
            "--terrain",
            demo().to_str().unwrap(),
            "--patch",
            "g.vcp",
        ],
        3,
    );
    ran.warns("found a graded one");
}

/// The size of the input alone chooses; what is given by hand wins.
#[test]
fn quality_chooses_the_cells_and_options_win_over_it() {
    let folder = Folder::new();
    let plain = bake(&folder, &["-o", "plain.vcb"]);
    assert_eq!(plain["bundle"]["terrain"]["quality"], "good");
    for quality in ["good", "samples"] {
        bake(
            &folder,
            &["--quality", quality, "-o", "same.vcb", "--force"],
        );
        assert_eq!(
            folder.read("plain.vcb"),
            folder.read("same.vcb"),
            "{quality}"
        );
    }
    let draft = sound(&folder, &["--quality", "draft", "-o", "draft.vcb"]);
    let terrain = &draft["bundle"]["terrain"];
    assert_eq!(terrain["quality"], "draft");
    assert_eq!(
        [&terrain["finest"], &terrain["grade"], &terrain["detail"]],
        [&Value::from(1), &8.into(), &1.into()]
    );
    let by_hand = words("--finest 1 --grade=8 --detail 1 -o hand.vcb");
    bake(&folder, &[&["--quality", "best"], &by_hand[..]].concat());
    assert_eq!(folder.read("draft.vcb"), folder.read("hand.vcb"));
    let ran = folder.ok(&["query", "visible", "draft.vcb", "0,0", "1,1", "--json"]);
    ran.says("\"visible\": true");
    // A table of all, each as a bake of it is foreseen.
    let told = bake(&folder, &["--dry-run"]);
    let table = told["qualities"].as_array().unwrap();
    let names: Vec<_> = table
        .iter()
        .map(|row| row["quality"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["draft", "good", "best", "samples"]);
    assert!(table[0]["hidden_near"].as_f64() > Some(0.0));
    let [draft, samples] = [0, 3].map(|row: usize| table[row]["bytes"].as_u64().unwrap());
    assert!(draft < samples, "{told}");
}

#[test]
fn less_detail_hides_less() {
    let folder = Folder::new();
    let told = bake(&folder, &["--finest", "3", "-o", "0.vcb"]);
    assert_eq!(told["bundle"]["terrain"]["detail"], 0);
    for (fine, detail) in [("0", "1"), ("1", "3")] {
        let (fine, coarse) = (format!("{fine}.vcb"), format!("{detail}.vcb"));
        let options = ["--finest", "3", "--detail", detail, "-o"];
        let told = sound(&folder, &[&options[..], &[&coarse[..]]].concat());
        assert_eq!(told["bundle"]["terrain"]["detail"].to_string(), detail);
        let compared = folder.run(&["diff", &fine, &coarse, "--json"]);
        let compared = compared.json();
        let level = &compared["levels"][0];
        assert_eq!(level["visible_in_a_hidden_in_b"], 0, "{compared}");
        let more = &level["hidden_in_a_visible_in_b"];
        assert!(more.as_u64() > Some(0), "{compared}");
    }
    folder.write(
        "job.toml",
        format!(
            "[terrain]\ninput = {:?}\ncrop = [200, 100, 75, 61]\nfinest = 3\ndetail = 1\n\
             output = \"job.vcb\"\n",
            demo()
        ),
    );
    folder.ok(&["bake", "--job", "job.toml", "--quiet"]);
    assert_eq!(folder.read("1.vcb"), folder.read("job.vcb"));
}

#[test]
fn shards_of_cells_come_to_the_same_bytes() {
    let folder = Folder::new();
    bake(&folder, &["-o", "a.vcb", "--finest", "3", "--threads", "1"]);
    for shard in ["1/2", "2/2"] {
        bake(&folder, &["-o", "b.vcb", "--finest", "3", "--shard", shard]);
    }
    folder.ok(&words("merge b.1-of-2.vcs b.2-of-2.vcs -o b.vcb --quiet"));
    assert_eq!(folder.read("a.vcb"), folder.read("b.vcb"));
}

#[test]
fn a_dry_run_foresees_the_bundle_and_writes_nothing() {
    let folder = Folder::new();
    for more in [&["--visibility", "exact"][..], &["--finest", "3"]] {
        let told = bake(&folder, &[more, &["--dry-run", "-o", "a.vcb"]].concat());
        assert!(folder.names().is_empty());
        assert!(told["cpu_seconds"].as_f64() > Some(0.0), "{told}");
        assert!(told["memory"].as_u64() > Some(1 << 20), "{told}");
        bake(&folder, &[more, &["-o", "a.vcb"]].concat());
        let ratio = told["bytes"].as_f64().unwrap() / folder.read("a.vcb").len() as f64;
        assert!((0.6..1.6).contains(&ratio), "{ratio} times the bytes");
        std::fs::remove_file(folder.path("a.vcb")).unwrap();
        std::fs::remove_file(folder.path("a.vcb.timings.json")).unwrap();
    }
}

#[test]
fn levels_that_cannot_be_are_refused_by_name() {
    let folder = Folder::new();
    let demo = demo();
    for (more, says) in [
        (&["--finest", "2"][..], "3 to 6; 1 and 2 with --grade"),
        (&["--finest", "7"], "a level up to 6"),
        (
            &["--finest", "6", "--crop", "0,0,20,20"],
            "a level that the terrain has",
        ),
        (&["--grade=5000", "--finest", "3"], "1 to 4096"),
        (&["--detail", "1"], "--finest, so that there are cells"),
        (
            &["--detail", "4", "--finest", "3"],
            "up to that of the cells",
        ),
        (
            &["--detail", "1", "--finest", "3", "--visibility", "exact"],
            "only conservative leaves detail out",
        ),
    ] {
        let first = ["bake", "terrain", demo.to_str().unwrap(), "-o", "a.vcb"];
        let ran = folder.ends(&[&first, more].concat(), 2);
        let (option, _) = more[0].split_once('=').unwrap_or((more[0], ""));
        ran.warns(option);
        ran.warns(says);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn places_of_coarse_bundles_are_samples() {
    let folder = Folder::new();
    bake(
        &folder,
        &["-o", "c.vcb", "--visibility", "exact", "--finest", "3"],
    );
    let [a, b] = [serde_json::json!([74, 60]), serde_json::json!([9, 3])];
    let set = folder.json(&words(
        "frontier c.vcb 74,60 9,3 --members members.txt --json",
    ));
    assert_eq!([&set["a"], &set["b"]], [&a, &b]);
    let members = String::from_utf8(folder.read("members.txt")).unwrap();
    for (name, player) in [("a", "a 74 60"), ("b", "b 9 3")] {
        let of_player = members.lines().filter(|line| line.starts_with(name));
        let size = &set[format!("size_{name}")];
        assert_eq!(of_player.count() as u64, size.as_u64().unwrap());
        let is_in = members.lines().any(|line| line == player);
        assert_eq!(is_in, set["visible"] == false, "{player}");
    }
    for (point, by, expected) in [
        ("74,60", None, [74, 60]),
        ("13,14", None, [13, 14]),
        ("0,0", Some("--at"), [0, 0]),
    ] {
        let mut arguments = vec!["query", "locate", "c.vcb", point];
        arguments.extend(by);
        let told = folder.ok(&arguments).stdout;
        let words = format!("{},{}  ", expected[0], expected[1]);
        assert!(
            told.starts_with(&words) && told.ends_with("the height of its cell\n"),
            "{told}"
        );
        let told = folder.json(&[&arguments[..], &["--json"]].concat());
        assert_eq!(told["sample"], serde_json::json!(expected));
        assert_eq!(told["cell"], serde_json::json!(expected.map(|at| at / 8)));
    }
    // Metres are of samples, whichever cell holds them.
    let here = folder.json(&["query", "locate", "c.vcb", "13,14", "--json"]);
    let at = format!("{},{}", here["at"][0], here["at"][1]);
    let there = folder.json(&["query", "locate", "c.vcb", &at, "--at", "--json"]);
    assert_eq!(here, there);
    for question in ["visible", "within"] {
        let mut arguments = vec!["query", question, "c.vcb", "74,60", "9,3", "--json"];
        if question == "within" {
            arguments.extend(["--reach", "1"]);
        }
        let told = folder.json(&arguments);
        assert_eq!([&told["a"], &told["b"]], [&a, &b], "{question}");
    }
    let pvs = folder.json(&["query", "pvs", "c.vcb", "13,14", "--json"]);
    assert_eq!(pvs["level"], 3);
    assert_eq!(pvs["origin"], serde_json::json!([8, 8]));
    let counts = ["visible", "hidden", "void"].map(|name| pvs[name].as_u64().unwrap());
    assert_eq!(counts.iter().sum::<u64>(), 75 * 61);
}

/// Reports named cells of bundles as if they were samples: the most exposed place, asked about, was another place.
#[test]
fn places_of_a_report_on_coarse_cells_are_samples_as_questions_take_them() {
    let folder = Folder::new();
    bake(
        &folder,
        &["-o", "cells.vcb", "--visibility", "exact", "--finest", "3"],
    );
    let info = folder.ok(&["info", "cells.vcb"]).stdout;
    for words in ["75 x 61 = 4,575 samples", "10 x 8 = 80 of 8 x 8 samples"] {
        assert!(info.contains(words), "no {words:?} in {info}");
    }
    folder.ok(&["report", "cells.vcb", "-o", "report.html", "--interactive"]);
    let page = String::from_utf8(folder.read("report.html")).unwrap();
    for words in [
        "75 x 61 = 4,575 samples",
        "10 x 8 = 80 of 8 x 8 samples",
        "\"side\":8",
        "Of all pairs of cells",
        "between the blocks of 8 × 8 cells",
        "How exposed cells are",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    let cells = most_exposed(&page);
    let (place, seen_by) = (&cells[1], &cells[4]);
    let from = place.replace(',', " ");
    let mut pairs = String::new();
    for row in 0..8 {
        for column in 0..10 {
            pairs += &format!("{from} {} {}\n", column * 8, row * 8);
        }
    }
    folder.write("pairs.txt", pairs);
    let told = folder
        .ok(&["query", "visible", "cells.vcb", "--pairs", "pairs.txt"])
        .stdout;
    let seen = told.lines().filter(|line| *line == "1").count();
    assert_eq!(seen.to_string(), *seen_by, "{place}");
}

/// The first row of a report's most exposed places.
fn most_exposed(page: &str) -> Vec<String> {
    let (_, table) = page.split_once("Most exposed</caption>").unwrap();
    let row = table.split("<tr>").nth(2).unwrap();
    let cells = row.split("<td").skip(1);
    let cells = cells.map(|cell| cell.split_once('>').unwrap().1.split('<').next().unwrap());
    cells.map(str::to_owned).collect()
}

/// Reports counted cells where questions count samples: asked about, the place saw another number.
#[test]
fn the_most_exposed_place_of_a_report_sees_as_much_as_a_question_says() {
    let folder = Folder::new();
    for cells in [
        &["--quality", "samples"] as &[_],
        &["--finest", "3"],
        &["--finest", "1", "--grade=8"],
        &["--finest", "3", "--grade=8"],
    ] {
        bake(&folder, &[&["-o", "a.vcb", "--force"], cells].concat());
        folder.ok(&["report", "a.vcb", "-o", "a.html", "--force"]);
        let page = String::from_utf8(folder.read("a.html")).unwrap();
        let row = most_exposed(&page);
        let told = folder.ok(&["query", "pvs", "a.vcb", &row[1]]).stdout;
        let visible = told.split_whitespace().nth(1).unwrap();
        assert_eq!(row[6].replace(',', ""), visible, "{cells:?}: {row:?}");
        // By its coordinates it is the same place.
        let by_coordinates = ["query", "pvs", "a.vcb", "--xy", &row[2].replace(", ", ",")];
        assert_eq!(
            folder.ok(&by_coordinates).stdout,
            told,
            "{cells:?}: {row:?}"
        );
        let title = folder.ok(&[
            "render", "a.vcb", "--pvs", &row[1], "-o", "a.png", "--force",
        ]);
        let named = format!("from {} ({})", row[1], row[2]);
        title.says(&named);
    }
}

#[test]
fn pictures_are_shaded_from_the_heightmap_where_it_is_at_hand() {
    let folder = Folder::new();
    bake(&folder, &["-o", "cells.vcb", "--finest", "3"]);
    let demo = demo();
    let drawn = |more: &[&str]| {
        let first = ["render", "cells.vcb", "--bare", "--force", "-o", "a.png"];
        folder.ok(&[&first, more].concat());
        image::open(folder.path("a.png")).unwrap().to_rgba8()
    };
    // It lies elsewhere: a pixel a cell.
    assert_eq!(drawn(&[]).dimensions(), (10, 8));
    let heightmap = ["--heightmap", demo.to_str().unwrap()];
    let given = drawn(&heightmap);
    assert_eq!(given.dimensions(), (80, 64));
    let shades: std::collections::BTreeSet<_> =
        (0..64).map(|i| given.get_pixel(i % 8, i / 8).0).collect();
    assert!(shades.len() > 8, "{shades:?}");
    // What is seen is drawn cell by cell.
    let seen = drawn(&[&heightmap[..], &["--pvs", "33,7"]].concat());
    assert_eq!(seen.dimensions(), (80, 64));
    folder.ok(&[
        &["report", "cells.vcb", "-o", "a.html", "--interactive"],
        &heightmap[..],
    ]
    .concat());

    let beside = demo.file_name().unwrap().to_str().unwrap();
    let mut bytes = std::fs::read(&demo).unwrap();
    folder.write(beside, &bytes);
    assert_eq!(drawn(&[]), given);
    // It is another by now.
    bytes.push(0);
    folder.write(beside, &bytes);
    assert_eq!(drawn(&[]).dimensions(), (10, 8));

    bake(&folder, &["-o", "samples.vcb", "--visibility", "exact"]);
    let rooms = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/seeds/json/portals");
    folder.ok(&["bake", "cells", rooms, "-o", "rooms.vcb", "--quiet"]);
    folder.write("small.asc", "ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4\n");
    for (bundle, file, code, words) in [
        ("cells.vcb", "small.asc", 3, "small.asc"),
        ("cells.vcb", "none.tif", 4, "none.tif"),
        ("samples.vcb", beside, 2, "samples.vcb"),
        ("rooms.vcb", beside, 2, "rooms.vcb"),
    ] {
        for (verb, output) in [("render", "b.png"), ("report", "b.html")] {
            let ran = folder.ends(&[verb, bundle, "-o", output, "--heightmap", file], code);
            ran.warns(words);
            assert!(!folder.path(output).exists());
        }
    }
}
