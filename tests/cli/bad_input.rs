//! What cannot be done is said, with the right exit code; nothing is left behind, nothing lost.

use std::fs;

use crate::common::{Folder, demo, hills, wall};

const USAGE: i32 = 2;
const BAD_INPUT: i32 = 3;
const INPUT_OUTPUT: i32 = 4;
const RESOURCE: i32 = 5;

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    let folder = Folder::with_wall();
    for (arguments, words) in [
        (&["fly"][..], "fly"),
        (&["bake"], "--job"),
        (&["bake", "terrain"], "INPUT"),
        (
            &["bake", "terrain", "wall.asc", "--player-hight", "2"],
            "--player-height",
        ),
        (
            &["bake", "terrain", "wall.asc", "--spacing", "1,2,3"],
            "DX,DY",
        ),
        (&["bake", "terrain", "wall.asc", "--size", "12"], "WxH"),
        (
            &["bake", "terrain", "wall.asc", "--threads", "1025"],
            "up to 1024 threads",
        ),
        (
            &["bake", "cells", "rooms.json", "--threads", "100000"],
            "up to 1024 threads",
        ),
        (
            &["bake", "terrain", "wall.asc", "--crop", "1,2,3"],
            "C,R,W,H",
        ),
        (
            &["bake", "terrain", "wall.asc", "--visibility", "perfect"],
            "exact",
        ),
        (
            &["bake", "terrain", "wall.asc", "--progress", "loud"],
            "plain",
        ),
        (&["query", "visible", "wall.vcb", "0,0"], "B"),
        (&["query", "visible", "wall.vcb", "0;0", "1,1"], "COL,ROW"),
        (
            &["query", "visible", "wall.vcb", "0,0", "9,0"],
            "columns 0 to 8",
        ),
        (
            &["query", "visible", "wall.vcb", "0,5", "0,0"],
            "rows 0 to 4",
        ),
        (
            &["query", "visible", "wall.vcb", "0,0", "1,1", "--pairs", "-"],
            "--pairs",
        ),
        (
            &["query", "pvs", "wall.vcb", "0,0", "--quad", "5"],
            "0 (a sample) to 4",
        ),
        (
            &["query", "pvs", "wall.vcb", "0,0", "-o", "mask.jpg"],
            ".png or .tif",
        ),
        (&["completions", "cobol"], "bash"),
    ] {
        folder.fails(arguments, USAGE, &[words]);
    }
    // Options that only the bake can judge, with an output that is not there yet.
    for (option, value) in [
        ("--player-height", "-1"),
        ("--eye-height", "nan"),
        ("--spacing", "0"),
        ("--vertical-scale", "0"),
        ("--size", "9x5"),
    ] {
        let option = format!("{option}={value}");
        folder.fails(
            &["bake", "terrain", "wall.asc", "-o", "new.vcb", &option],
            USAGE,
            &["expected"],
        );
    }
    assert_eq!(
        folder.names(),
        ["wall.asc", "wall.vcb", "wall.vcb.timings.json"]
    );
}

#[test]
fn a_heightmap_that_is_none_is_refused() {
    let folder = Folder::new();
    let demo = fs::read(demo()).unwrap();
    folder.write("empty.tif", "");
    folder.write("noise.tif", "this is not a heightmap at all");
    folder.write("cut.tif", &demo[..demo.len() / 2]);
    folder.write("nan.asc", wall().replace("100", "inf"));
    folder.write("lying.asc", wall().replace("ncols 9", "ncols 8"));
    folder.write(
        "huge.asc",
        wall()
            .replace("9\n", "70000\n")
            .replace("nrows 5", "nrows 70000"),
    );
    folder.write("wall.asc", wall());
    folder.write("small.r16", hills(8));
    fs::create_dir(folder.path("folder")).unwrap();
    let before = folder.names();
    for (input, options, code) in [
        ("none.tif", &[][..], INPUT_OUTPUT),
        ("folder", &[], BAD_INPUT),
        ("empty.tif", &[], BAD_INPUT),
        ("noise.tif", &[], BAD_INPUT),
        ("cut.tif", &[], BAD_INPUT),
        ("nan.asc", &[], BAD_INPUT),
        ("lying.asc", &[], BAD_INPUT),
        ("huge.asc", &[], RESOURCE),
        ("wall.asc", &["--crop", "5,0,5,5"], BAD_INPUT),
        ("small.r16", &["--size", "8x9", "--spacing", "1"], BAD_INPUT),
    ] {
        let mut arguments = vec!["bake", "terrain", input, "-o", "new.vcb"];
        arguments.extend(options);
        folder.fails(&arguments, code, &[input]);
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn a_job_file_with_a_fault_is_refused_with_its_line() {
    let folder = Folder::new();
    folder.write("wall.asc", wall());
    folder.fails(
        &["bake", "--job", "none.toml"],
        INPUT_OUTPUT,
        &["none.toml"],
    );
    for (text, line) in [
        (
            "[terrain]\ninput = \"wall.asc\"\nplayer-hight = 2\n",
            "line 3",
        ),
        ("[terrain]\ninput = 7\n", "line 2"),
        ("terrain\n", "line 1"),
    ] {
        folder.write("job.toml", text);
        folder.fails(&["bake", "--job", "job.toml"], USAGE, &["job.toml", line]);
    }
    assert_eq!(folder.names(), ["job.toml", "wall.asc"]);
}

#[test]
fn a_bundle_that_is_none_is_refused() {
    let folder = Folder::with_wall();
    let bundle = folder.read("wall.vcb");
    folder.write("empty.vcb", "");
    folder.write("noise.vcb", vec![7; 4096]);
    folder.write("cut.vcb", &bundle[..bundle.len() - 1]);
    folder.write("long.vcb", [&bundle[..], b"x"].concat());
    fs::create_dir(folder.path("folder.vcb")).unwrap();
    for (name, code) in [
        ("none.vcb", INPUT_OUTPUT),
        ("folder.vcb", INPUT_OUTPUT),
        ("empty.vcb", BAD_INPUT),
        ("noise.vcb", BAD_INPUT),
        ("cut.vcb", BAD_INPUT),
        ("long.vcb", BAD_INPUT),
        ("wall.asc", BAD_INPUT),
    ] {
        folder.fails(&["info", name], code, &[name]);
        folder.fails(&["query", "visible", name, "0,0", "0,0"], code, &[name]);
        folder.fails(&["query", "pvs", name, "0,0"], code, &[name]);
    }
}

#[test]
fn a_bad_line_of_pairs_is_named_and_the_lines_before_it_keep_their_answers() {
    let folder = Folder::with_wall();
    for (line, words) in [
        ("1 2 3", "four whole numbers"),
        ("", "four whole numbers"),
        ("1 2 three 4", "\"1 2 three 4\""),
        ("0 0 9 0", "(9, 0) is outside"),
    ] {
        folder.write("pairs.txt", format!("0 0 3 0\n0 0 8 0\n{line}\n0 0 0 0\n"));
        let ran = folder.run(&["query", "visible", "wall.vcb", "--pairs", "pairs.txt"]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(BAD_INPUT), "1\n0\n"),
            "{line:?}"
        );
        ran.warns("pairs.txt: line 3: ");
        ran.warns(words);
    }
    folder.fails(
        &["query", "visible", "wall.vcb", "--pairs", "none.txt"],
        INPUT_OUTPUT,
        &["none.txt"],
    );
    folder.fails(
        &["query", "visible", "wall.vcb", "--pairs", "."],
        INPUT_OUTPUT,
        &["."],
    );
}

#[test]
#[cfg(unix)]
fn text_from_files_cannot_command_the_terminal() {
    let folder = Folder::new();
    // An escape sequence, a forged line, a control sequence of one character, a change of direction.
    let name = "w\u{1b}[2K\nsound\u{9b}2K\u{202e}.asc";
    folder.write(name, wall());
    folder.ok(&["bake", "terrain", name, "-o", "w.vcb", "--quiet"]);
    let commands = |c: char| matches!(c, '\u{1b}' | '\u{9b}' | '\u{202e}');
    let told = folder.ok(&["info", "w.vcb"]).stdout;
    assert!(!told.contains(commands), "{told:?}");
    assert!(
        told.lines().all(|line| !line.starts_with("sound")),
        "{told}"
    );
    assert!(
        told.contains("w\\u{1b}[2K\\nsound\\u{9b}2K\\u{202e}.asc"),
        "{told}"
    );
    let told = folder.ok(&["info", "w.vcb", "--json"]);
    assert!(!told.stdout.contains(commands), "{:?}", told.stdout);
    assert_eq!(told.json()["provenance"]["input"]["name"], name);
    let ran = folder.ends(&["query", "visible", name, "0,0", "1,1"], 3);
    assert!(!ran.stderr.contains(commands), "{:?}", ran.stderr);
}

#[test]
fn what_is_no_utf8_is_bad_input() {
    let folder = Folder::with_wall();
    folder.write("job.toml", b"[terrain]\ninput = \"\xff\"\n");
    folder.write("job.json", b"{\"job\": \"\xff\"}");
    folder.fails(
        &["bake", "--job", "job.toml"],
        3,
        &["job.toml", "UTF-8", "byte 19"],
    );
    folder.fails(
        &["simulate", "--job", "job.json"],
        3,
        &["job.json", "UTF-8"],
    );
}
