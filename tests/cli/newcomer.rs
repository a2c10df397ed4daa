//! What people stumbled over who used the program for the first time.

use crate::common::{Folder, demo, hills, words};

const USAGE: i32 = 2;

#[test]
fn a_number_below_zero_gets_our_words_and_not_the_parsers() {
    let folder = Folder::with_wall();
    let bake = |option: &str, value: &str, words: &[&str]| {
        let bake = ["bake", "terrain", "wall.asc", "-o", "a.vcb", option, value];
        let ran = folder.ends(&bake, USAGE);
        assert!(
            !ran.stderr.contains("unexpected argument"),
            "{}",
            ran.stderr
        );
        for word in words {
            assert!(ran.stderr.contains(word), "{option}: {}", ran.stderr);
        }
    };
    bake(
        "--player-height",
        "-5",
        &["--player-height", "0 to 1000000 m", "-5"],
    );
    bake(
        "--eye-height",
        "-0.5",
        &["--eye-height", "0 to 1000000 m", "-0.5"],
    );
    bake(
        "--max-distance",
        "-1",
        &["--max-distance", "positive", "-1"],
    );
    bake("--spacing", "-5", &["1e-6 to 1e9 m", "-5 x -5"]);
    bake("--spacing", "-5,10", &["1e-6 to 1e9 m", "-5 x 10"]);
    bake("--crop", "-1,0,2,2", &["C,R,W,H"]);
    bake("--threads", "-1", &["1024"]);
    for verb in [&["query", "visible"][..], &["frontier"]] {
        let ran = [verb, &["wall.vcb", "-1,2", "0,0"]].concat();
        folder.fails(&ran, USAGE, &["-1,2 is outside wall.vcb", "columns 0 to 8"]);
    }
    let outside = "-1,2 is outside wall.vcb";
    folder.fails(&["query", "pvs", "wall.vcb", "-1,2"], USAGE, &[outside]);
    folder.fails(
        &["render", "wall.vcb", "--pvs", "-1,2", "-o", "a.png"],
        USAGE,
        &[outside],
    );
    let apart = ["query", "visible", "wall.vcb", "1", "2", "3", "4"];
    folder.fails(&apart, USAGE, &["COL,ROW with a comma"]);
    folder.fails(
        &["query", "pvs", "wall.vcb", "--nonsense"],
        USAGE,
        &["unexpected argument '--nonsense'"],
    );
}

#[test]
fn errors_of_spacing_are_short() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(8));
    for spacing in ["1e300", "1e-300", "1e300,2"] {
        let bake = [
            "bake",
            "terrain",
            "hills.r16",
            "--size",
            "8x8",
            "--spacing",
            spacing,
        ];
        let ran = folder.ends(&bake, USAGE);
        assert!(ran.stderr.len() < 200, "{}", ran.stderr);
        assert!(
            ran.stderr.contains(spacing.split(',').next().unwrap()),
            "{}",
            ran.stderr
        );
    }
    let ran = folder.run(&words(
        "bake terrain hills.r16 --size 8x8 --player-height 1e300 --quiet",
    ));
    assert!(
        ran.stderr.len() < 200 && ran.stderr.contains("1e300"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_point_is_taken_with_blanks_as_with_commas() {
    let folder = Folder::new();
    let rooms = demo().with_file_name("cells").join("rooms.bsp");
    folder.ok(&[
        "bake",
        "cells",
        rooms.to_str().unwrap(),
        "-o",
        "a.vcb",
        "-q",
    ]);
    let locate = |point: &[&str]| {
        folder
            .ok(&[&["query", "locate", "a.vcb"], point].concat())
            .stdout
    };
    let cell = locate(&["200,1100,60"]);
    assert!(cell.trim().parse::<u32>().is_ok(), "{cell}");
    assert_eq!(locate(&["200", "1100", "60"]), cell);
    assert_eq!(locate(&["-480", "-352", "88"]), "nowhere\n");
    assert_eq!(locate(&["-480,-352,88"]), "nowhere\n");
    let told = folder.json(&["query", "locate", "a.vcb", "200", "1100", "60", "--json"]);
    assert_eq!(told["point"][1], 1100.0);
    folder.fails(
        &["query", "locate", "a.vcb", "480", "352"],
        USAGE,
        &["X,Y,Z", "480,352"],
    );
    folder.fails(
        &["query", "pvs", "a.vcb", "1", "--at"],
        USAGE,
        &["--at", "expected a terrain"],
    );
}

#[test]
fn places_are_taken_by_metres_by_degrees_and_in_the_crs() {
    let folder = Folder::new();
    let demo = demo();
    let bake = [
        "bake",
        "terrain",
        demo.to_str().unwrap(),
        "--crop",
        "100,50,40,30",
    ];
    folder.ok(&[&bake[..], &["--visibility", "exact", "-o", "a.vcb", "-q"]].concat());
    let locate = ["query", "locate", "a.vcb", "--json"];
    let located = |place: &[&str]| folder.json(&[&locate, place].concat());
    let info = folder.json(&["info", "a.vcb", "--json"]);
    let spacing = &info["terrain"]["spacing"];
    let [dx, dy] = [0, 1].map(|i| spacing[i].as_f64().unwrap());
    for (column, row) in [(0, 0), (39, 29), (17, 4)] {
        let grid = format!("{column},{row}");
        let found = located(&[&grid]);
        let [east, south] = [f64::from(column) * dx, f64::from(row) * dy];
        let at = format!("{},{}", east - 0.4 * dx, south + 0.4 * dy);
        assert_eq!(located(&["--at", &at]), found, "{at}");
        // 3 arc seconds a sample; where the first lies, the file says.
        let transform = |i: usize| info["terrain"]["transform"][i].as_f64().unwrap();
        let x = transform(0) + (f64::from(column) + 0.5) * transform(1);
        let y = transform(3) + (f64::from(row) + 0.5) * transform(5);
        let there = format!("{x},{y}");
        assert_eq!(located(&["--xy", &there]), found, "{there}");
        // The height is that of the ground.
        assert!(found["height"].as_f64().unwrap() > 100.0);
        let visible = |by: &[&str]| {
            folder
                .ok(&[&["query", "visible", "a.vcb"], by].concat())
                .stdout
        };
        assert_eq!(visible(&["--at", &at, "0,0"]), visible(&[&grid, "0,0"]));
        assert_eq!(visible(&[&there, &there, "--xy"]), "visible\n");
        let pvs = |by: &[&str]| folder.ok(&[&["query", "pvs", "a.vcb"], by].concat()).stdout;
        assert_eq!(pvs(&["--xy", &there]), pvs(&[&grid]));
        let sizes = |by: &[&str]| folder.ok(&[&["frontier", "a.vcb"], by].concat()).stdout;
        assert_eq!(sizes(&["--at", &at, "0,0"]), sizes(&[&grid, "0,0"]));
    }
    let render = ["render", "a.vcb", "--pvs", "20,20", "--at", "-o", "a.png"];
    folder.ok(&render);
    folder.fails(
        &["query", "pvs", "a.vcb", "--at", "-500,0"],
        USAGE,
        &["-500,0", "m east"],
    );
    folder.fails(
        &["query", "pvs", "a.vcb", "--xy", "10,50"],
        USAGE,
        &["10,50 is outside"],
    );
    folder.fails(
        &["query", "pvs", "a.vcb", "1.5,2"],
        USAGE,
        &["whole numbers"],
    );
    folder.write("hills.r16", hills(8));
    let bake = ["bake", "terrain", "hills.r16", "--size", "8x8", "-q"];
    folder.ok(&[&bake[..], &["-o", "raw.vcb"]].concat());
    let query = ["query", "pvs", "raw.vcb", "--xy", "1,1"];
    folder.fails(&query, USAGE, &["--xy", "raw.vcb", "--at"]);
}

#[test]
fn a_dash_is_a_stream_or_refused_and_no_file_of_that_name() {
    let folder = Folder::with_wall();
    let rooms = demo().with_file_name("cells").join("rooms.bsp");
    let rooms = rooms.to_str().unwrap();
    folder.ok(&["bake", "cells", rooms, "-o", "rooms.vcb", "-q"]);
    let names = folder.names();
    for arguments in [
        &["bake", "terrain", "wall.asc", "-o", "-"][..],
        &["bake", "terrain", "-", "-o", "a.vcb"],
        &["bake", "cells", rooms, "-o", "-"],
        &["repack", "wall.vcb", "-o", "-"],
        &["frontier", "wall.vcb", "0,0", "8,0", "--members", "-"],
        &["export", "json", "rooms.vcb", "-o", "-", "--json"],
    ] {
        let ran = folder.ends(arguments, USAGE);
        assert!(ran.stderr.contains('-'), "{arguments:?}: {}", ran.stderr);
        assert_eq!(folder.names(), names, "{arguments:?}");
    }
    for what in ["json", "prt"] {
        folder.ok(&["export", what, "rooms.vcb", "-o", "a.out", "--force", "-q"]);
        let streamed = folder.ok(&["export", what, "rooms.vcb", "-o", "-"]).stdout;
        assert_eq!(streamed.as_bytes(), folder.read("a.out"));
    }
    let job = b"[terrain]\ninput = \"wall.asc\"\noutput = \"b.vcb\"\nvisibility = \"exact\"\n";
    let ran = folder.run_with_stdin(&["bake", "--job", "-", "-q"], job);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(folder.read("b.vcb"), folder.read("wall.vcb"));
}

#[test]
fn shards_are_said_to_be_cut_by_work() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(128));
    let bake = words("bake terrain hills.r16 --size 128x128 -o a.vcb");
    let ran = folder.ok(&[&bake[..], &["--visibility", "exact", "--shard", "1/2"]].concat());
    ran.warns("about the same work");
}

#[test]
fn a_horizon_of_minus_90_is_explained() {
    let folder = Folder::with_wall();
    let ran = folder.ok(&["export", "horizon", "wall.asc", "-o", "a.npy"]);
    ran.says("-90° means that the ray meets no ground");
}

#[test]
fn a_number_after_a_blank_is_told_where_it_belongs() {
    let folder = Folder::with_wall();
    let bake = ["bake", "terrain", "wall.asc", "-o", "a.vcb", "--grade", "8"];
    folder.fails(&bake, USAGE, &["8", "--grade=8"]);
}

#[test]
fn a_bundle_says_in_words_how_its_cells_grow() {
    let folder = Folder::with_wall();
    for (options, words) in [
        (
            &["--quality", "draft"][..],
            "draft (--finest 1 --grade=8 --detail 1)",
        ),
        (&["--grade=5"], "--finest 0 --grade=5"),
        (&["--grade=auto"], "--finest 0 --grade=16"),
        (&["--grade=auto", "--quality", "best"], "--grade=24"),
        (&["--grade=auto", "--finest", "1"], "--finest 1 --grade=16"),
    ] {
        let bake = ["bake", "terrain", "wall.asc", "-o", "a.vcb", "--force"];
        folder.ok(&[&bake[..], options].concat());
        let told = folder.ok(&["info", "a.vcb"]).stdout;
        assert!(told.contains(words), "{told}");
    }
    folder.ok(&["bake", "terrain", "wall.asc", "-o", "b.vcb"]);
    let told = folder.ok(&["info", "b.vcb"]).stdout;
    assert!(!told.contains("resolution"), "{told}");
}

/// To foresee finer cells took more memory than the bake, which was told how much it may take.
#[test]
fn a_bake_of_little_memory_foresees_itself_alone() {
    let folder = Folder::with_wall();
    let bake = words("bake terrain wall.asc -o a.vcb --force --quality draft");
    let others = |options: &[&str]| {
        let told = folder.ok(&[&bake[..], options].concat()).stderr;
        assert!(told.contains("--finest 1 --grade=8"), "{told}");
        ["draft", "good", "best"].map(|name| told.contains(&format!("--quality {name}")))
    };
    assert_eq!(others(&[]), [false, true, true]);
    assert_eq!(others(&["--memory", "1GB"]), [false; 3]);
}

/// Voids were looked from, where nothing is seen: 27 s were foreseen as 0.8.
#[test]
fn a_terrain_of_voids_is_foreseen_by_its_ground() {
    let folder = Folder::new();
    let ground = |side: usize| {
        let mut text = format!(
            "ncols {side}\nnrows {side}\nxllcorner 0\nyllcorner 0\ncellsize 5\nNODATA_value -9999\n"
        );
        for row in 0..side {
            for column in 0..side {
                let (x, y) = (column as f64, row as f64);
                let height =
                    20.0 * (x / 5.0).sin() + 15.0 * (y / 7.0).cos() + 6.0 * (x * y / 11.0).sin();
                let is_void = column >= 90 || row >= 90;
                text += &if is_void {
                    "-9999 ".to_owned()
                } else {
                    format!("{height:.2} ")
                };
            }
            text += "\n";
        }
        text
    };
    let foreseen = [90, 400].map(|side| {
        folder.write("ground.asc", ground(side));
        let run = words("bake terrain ground.asc --grade=8 --dry-run --json");
        let told = folder.json(&run);
        // What is kept of each sample is there of voids as well.
        let groups = told["bytes"].as_f64().unwrap() - 4.0 * (side * side) as f64;
        (groups, told["sampled_quads"].as_u64().unwrap())
    });
    let [(alone, _), (among_voids, sampled)] = foreseen;
    assert!(sampled > 0);
    let times = among_voids / alone;
    assert!((0.6..1.7).contains(&times), "{times} times the bytes");
}

#[test]
fn what_has_moved_says_where_it_is() {
    let folder = Folder::with_wall();
    for (line, now) in [
        ("ground info level.vcg", "viewcell experiment layered"),
        ("ship wall.vcb", "zstd -19"),
        ("seal wall.vcb", "every bundle has checksums by page"),
        (
            "bake terrain wall.asc --visibility sectors",
            "viewcell experiment visibility",
        ),
        (
            "bake terrain wall.asc --sectors 36",
            "viewcell experiment visibility",
        ),
        (
            "repack wall.vcb -o a.vcb --ties row-by-row",
            "viewcell experiment compression",
        ),
        (
            "frontier wall.vcb 0,2 8,2 --finest 2",
            "viewcell experiment growth",
        ),
        (
            "frontier wall.vcb 0,2 8,2 --order coarse",
            "viewcell experiment growth",
        ),
        (
            "simulate wall.vcb --scheme CS,FB",
            "viewcell experiment schemes",
        ),
        ("query within wall.vcb 0,2 8,2", "query visible --reach R"),
        (
            "query visible wall.vcb 0,2 8,2 --lonlat",
            "--xy takes LON,LAT where",
        ),
        ("diff wall.vcb wall.vcb --threads 2", "RAYON_NUM_THREADS"),
        ("simulate wall.vcb --repeat 5", "--seed 1..20"),
        ("simulate wall.vcb --bound", "viewcell experiment schemes"),
        ("rebake wall.vcb --over a.vcp", "rebake BUNDLE PATCHES"),
        ("rebake wall.vcb --inside", "as the bundle was baked"),
        ("import matrix a.csv --resume", "that of the matrix"),
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        folder.fails(&arguments, USAGE, &[now]);
    }
    let job = "[terrain]\ninput = \"wall.asc\"\nsectors = 36\n";
    folder.write("job.toml", job);
    let words = ["job.toml", "line 3", "viewcell experiment visibility"];
    folder.fails(&["bake", "--job", "job.toml"], USAGE, &words);
    let job = "[terrain]\ninput = \"wall.asc\"\nverify = true\n";
    folder.write("job.toml", job);
    let words = ["job.toml", "line 3", "viewcell verify OUT.vcb"];
    folder.fails(&["bake", "--job", "job.toml"], USAGE, &words);
}
