//! Limits of the system and of pictures: what would have been an abort, a kill, or gigabytes.

use std::process::Command;
use std::time::{Duration, Instant};

use viewcell::format::{Header, Section, crc32};

use crate::common::{Folder, VIEWCELL, demo, hills, words};

const INPUT_OUTPUT: i32 = 4;
const RESOURCE: i32 = 5;

/// Width and height of a PNG.
fn size(png: &[u8]) -> [u32; 2] {
    assert_eq!(&png[1..4], b"PNG");
    [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()))
}

/// Exit code and stderr of a program under a limit of the shell's.
#[cfg(unix)]
fn limited(folder: &Folder, limit: &str, arguments: &str) -> (Option<i32>, String) {
    let line = format!("ulimit {limit}; exec {VIEWCELL} {arguments}");
    let ran = Command::new("bash")
        .args(["-c", &line])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    (ran.status.code(), said)
}

#[test]
fn a_map_of_any_shape_is_drawn_squeezed_and_not_in_gigabytes() {
    let folder = Folder::new();
    let demo = demo();
    let demo = demo.to_str().unwrap();
    for (crop, spacing) in [
        // Once an allocation of 254 GB.
        ("0,0,20,20", "0.001,90"),
        ("0,0,20,20", "90,0.001"),
        ("0,0,20,20", "1e-6,1e9"),
        // Once 73 seconds and 2.4 GB.
        ("10,0,1,344", "74,92"),
        ("0,10,403,1", "74,92"),
    ] {
        let bake = [
            "bake",
            "terrain",
            demo,
            "--crop",
            crop,
            "--spacing",
            spacing,
        ];
        let more = ["--visibility", "exact", "-o", "a.vcb", "-q", "--force"];
        folder.ok(&[&bake[..], &more].concat());
        let begun = Instant::now();
        folder.ok(&["report", "a.vcb", "-o", "a.html", "-q", "--force"]);
        let report = String::from_utf8(folder.read("a.html")).unwrap();
        assert!(report.len() < 2_000_000, "{} bytes", report.len());
        folder.ok(&["render", "a.vcb", "--exposure", "-o", "a.png", "--force"]);
        let [width, height] = size(&folder.read("a.png"));
        assert_eq!(width, 1200);
        assert!(height < 8 * 1200, "{height}");
        let ran = folder.ok(&["render", "a.vcb", "--pvs", "0,0", "-o", "b.png", "--force"]);
        let flat = spacing == "74,92" && crop == "0,10,403,1";
        for said in [&report, &ran.stderr] {
            let says = said.contains("not to scale: ");
            assert_eq!(
                says,
                !flat || said.contains("stretched"),
                "{crop} {spacing}: {said}"
            );
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{:?}",
            begun.elapsed()
        );
    }
}

/// A bundle whose dx and dy are others, with checksums that say that this is right.
fn with_spacing(bundle: &[u8], spacing: [f64; 2]) -> Vec<u8> {
    let mut bytes = bundle.to_vec();
    let header = Header::parse(bundle).unwrap();
    let table = 64..64 + header.table_length();
    let entry = table.clone().step_by(40);
    let entry = entry.into_iter().find(|at| &bytes[*at..*at + 4] == b"GRID");
    let entry = entry.unwrap();
    let section = Section::parse(&bytes[entry..]).unwrap();
    let grid = section.offset as usize..section.end().unwrap() as usize;
    for (i, metres) in spacing.into_iter().enumerate() {
        let at = grid.start + 32 + 8 * i;
        bytes[at..at + 8].copy_from_slice(&metres.to_le_bytes());
    }
    let section = Section {
        checksum: crc32(&bytes[grid]),
        ..section
    };
    bytes[entry..entry + 40].copy_from_slice(&section.encode());
    let header = Header {
        table_checksum: crc32(&bytes[table]),
        ..header
    };
    bytes[..64].copy_from_slice(&header.encode());
    bytes
}

#[test]
fn a_bundle_whose_spacing_was_changed_in_the_file_is_drawn_within_limits() {
    let folder = Folder::with_wall();
    let wall = folder.read("wall.vcb");
    for spacing in [
        [1e-300, 1e300],
        [1e300, 1e-300],
        [f64::MAX, f64::MAX],
        [f64::MIN_POSITIVE, f64::MIN_POSITIVE],
        [5e-324, 1.0],
    ] {
        folder.write("a.vcb", with_spacing(&wall, spacing));
        folder.ok(&["report", "a.vcb", "-o", "a.html", "-q", "--force"]);
        assert!(folder.read("a.html").len() < 2_000_000);
        folder.ok(&words("render a.vcb --frontier 0,0 8,0 -o a.png --force"));
        assert!(size(&folder.read("a.png"))[1] < 10_000);
        let info = folder.ok(&["info", "a.vcb"]).stderr + &folder.ok(&["info", "a.vcb"]).stdout;
        assert!(info.lines().all(|line| line.len() < 200), "{info}");
    }
}

#[test]
fn a_level_whose_boxes_were_changed_is_drawn_within_limits() {
    let folder = Folder::new();
    // Many cells, each as large as all, and one that is far away.
    let cell = |i: u32| match i {
        0 => r#"{"bounds": [[9e8, 0, 0], [9.9e8, 1, 1]]}"#.to_owned(),
        _ => format!(r#"{{"bounds": [[-9e8, -9e8, 0], [9e8, 9e8, {i}]]}}"#),
    };
    let cells: Vec<String> = (0..3000).map(cell).collect();
    let pvs = vec!["[]"; cells.len()].join(",");
    let text = format!(r#"{{"cells": [{}], "pvs": [{pvs}]}}"#, cells.join(","));
    folder.write("a.json", text);
    folder.ok(&["bake", "cells", "a.json", "-o", "a.vcb", "-q"]);
    let begun = Instant::now();
    folder.ok(&["report", "a.vcb", "-o", "a.html", "-q"]);
    folder.ok(&["render", "a.vcb", "-o", "a.png"]);
    folder.ok(&words("render a.vcb --bare --width 8000 -o b.png"));
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    // A column of cells, ten thousand times as high as wide.
    let column = r#"{"cells": [{"bounds": [[0, 0, 0], [1, 10000, 1]]},
        {"bounds": [[0, 10000, 0], [1, 20000, 1]]}], "pvs": [[1], [0]]}"#;
    folder.write("b.json", column);
    folder.ok(&["bake", "cells", "b.json", "-o", "b.vcb", "-q"]);
    let ran = folder.ok(&["render", "b.vcb", "-o", "c.png"]);
    ran.warns("not to scale: squeezed");
    assert!(size(&folder.read("c.png"))[1] < 10_000);
}

#[test]
#[cfg(target_os = "linux")]
fn out_of_memory_is_a_sentence_and_exit_code_5_and_leaves_no_worthless_checkpoint() {
    let folder = Folder::new();
    folder.write("large.r16", vec![7; 2 * 4096 * 4096]);
    let arguments = "bake terrain large.r16 --size 4096x4096 -o a.vcb --threads 2";
    let mut seen = false;
    for kilobytes in [1_000_000, 700_000, 450_000, 300_000, 200_000] {
        let (code, said) = limited(&folder, &format!("-v {kilobytes}"), arguments);
        assert_eq!(code, Some(RESOURCE), "{kilobytes}: {said}");
        assert!(
            !said.contains("backtrace") && !said.contains("panicked"),
            "{said}"
        );
        assert!(
            said.contains("--crop") || said.contains("threads"),
            "{said}"
        );
        seen |= said.contains("out of memory");
        assert_eq!(folder.names(), ["large.r16"], "{kilobytes}");
    }
    assert!(seen, "no allocation failed");
}

#[test]
fn a_bake_that_needs_more_memory_than_it_may_take_does_not_begin() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(160));
    let bake = words("bake terrain hills.r16 --size 160x160 -o a.vcb -q");
    let little = [&bake[..], &["--memory", "30MB"]].concat();
    folder.fails(
        &little,
        RESOURCE,
        &["hills.r16", "at most 30 MB", "found one of about"],
    );
    assert_eq!(folder.names(), ["hills.r16"]);
    folder.fails(
        &[&bake[..], &["--memory", "lots"]].concat(),
        2,
        &["expected a size", "lots"],
    );
    let enough = words("--memory 2GB --visibility exact --max-distance 20");
    folder.ok(&[&bake[..], &enough].concat());
}

#[test]
#[cfg(unix)]
fn a_limit_on_the_size_of_files_is_an_error_not_a_kill() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(160));
    let bake = "bake terrain hills.r16 --size 160x160 --visibility exact -o a.vcb -q";
    let (code, said) = limited(&folder, "-f 200", bake);
    assert_eq!(code, Some(INPUT_OUTPUT), "{said}");
    assert!(
        said.contains("a.vcb") && said.contains("ulimit -f"),
        "{said}"
    );
    assert!(!folder.path("a.vcb").exists());
    // What is kept goes on where there is room.
    folder.ok(&words(
        "bake terrain hills.r16 --size 160x160 --visibility exact -o a.vcb -q --resume",
    ));
    let (code, said) = limited(&folder, "-f 8", "repack a.vcb -o b.vcb");
    assert_eq!(code, Some(INPUT_OUTPUT), "{said}");
    let (code, said) = limited(&folder, "-f 8", "render a.vcb -o a.png");
    assert_eq!(code, Some(INPUT_OUTPUT), "{said}");
    let (code, said) = limited(&folder, "-f 2", "export exposure a.vcb -o a.tif -q");
    assert_eq!(code, Some(INPUT_OUTPUT), "{said}");
    assert_eq!(folder.names(), ["a.vcb", "a.vcb.timings.json", "hills.r16"]);
}

/// Files that are read whole. Each of these took memory until there was none.
#[test]
#[cfg(target_os = "linux")]
fn devices_and_files_above_a_stated_size_are_refused() {
    let folder = Folder::with_wall();
    folder.write("two.csv", "t_ms,player,x,y,z\n");
    let huge = |name: &str, bytes: u64| {
        let file = std::fs::File::create(folder.path(name)).unwrap();
        file.set_len(bytes).unwrap();
    };
    huge("huge.txt", (64 << 20) + 1);
    huge("huge.vcp", (4 << 30) + 1);
    let patch = ["query", "visible", "wall.vcb", "0,0", "8,0", "--patch"];
    let play = ["simulate", "wall.vcb"];
    for arguments in [
        &[&patch[..], &["/dev/zero"]].concat()[..],
        &[&play[..], &["--traces", "/dev/zero"]].concat(),
        &[&play[..], &["--like", "/dev/zero"]].concat(),
        &["simulate", "--job", "/dev/zero"],
        &["simulate", "fit", "/dev/zero"],
        &["bake", "--job", "/dev/zero"],
    ] {
        folder.fails(arguments, 4, &["/dev/zero", "a device"]);
    }
    folder.fails(&[&patch[..], &["huge.vcp"]].concat(), 3, &["4096 MiB"]);
    folder.fails(&["simulate", "--job", "huge.txt"], 3, &["at most 64 MiB"]);
    folder.fails(&["bake", "--job", "huge.txt"], 3, &["at most 64 MiB"]);
}

#[test]
#[cfg(unix)]
fn sockets_beyond_the_limit_of_open_files_are_a_resource() {
    let folder = Folder::with_wall();
    let arguments = "simulate wall.vcb --players 64 --seconds 1 --scheme CSA --loopback";
    let (code, said) = limited(&folder, "-n 40", arguments);
    assert_eq!(code, Some(RESOURCE), "{said}");
    assert!(said.contains("ulimit -n"), "{said}");
}
