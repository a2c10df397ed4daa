//! Texts with the line ends of Windows say what they say with those of Unix.

use crate::common::rooms;
use crate::common::{Folder, wall, words};

/// Names and texts.
type Files<'a> = &'a [(&'a str, String)];
/// Arguments of each run.
type Commands<'a> = &'a [&'a [&'a str]];

/// Everything that the program says and writes, in a folder that has these files.
fn run(files: Files, commands: Commands, newline: &str) -> Vec<String> {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text.replace('\n', newline));
    }
    let told = commands.iter().map(|arguments| {
        let ran = folder.run(arguments);
        assert_eq!(
            ran.code,
            Some(0),
            "{newline:?} {arguments:?}: {}",
            ran.stderr
        );
        ran.stdout
    });
    told.collect()
}

#[test]
fn every_text_is_read_with_line_ends_of_windows() {
    let text = |text: &str| text.to_owned();
    let solid = rooms();
    let of_rooms = |name| String::from_utf8(solid.read(name)).unwrap();
    let asc = ("wall.asc", wall());
    let bake: &[&str] = &["bake", "terrain", "wall.asc", "--quiet"];
    let all: &[&str] = &["query", "visible", "wall.vcb", "--pairs", "pairs.txt"];
    let pairs = ("pairs.txt", text("0 0 8 0\n0,0 3,0\n4 0 8 0\n"));
    let cases: &[(Files, Commands)] = &[
        (&[asc.clone(), pairs.clone()], &[bake, all]),
        (
            &[
                asc.clone(),
                pairs.clone(),
                (
                    "job.toml",
                    text("[terrain]\ninput = \"wall.asc\"\noutput = \"wall.vcb\"\n# end\n"),
                ),
            ],
            &[&["bake", "--job", "job.toml", "--quiet"], all],
        ),
        (
            &[
                asc.clone(),
                pairs.clone(),
                (
                    "stamps.txt",
                    text(
                        "{\"shape\":\"sphere\",\"at\":[30,20,0],\"radius\":15,\"do\":\"dig\"}\n\n",
                    ),
                ),
            ],
            &[
                bake,
                &words("rebake wall.vcb --stamps stamps.txt -o new.vcb --quiet"),
                &["query", "visible", "new.vcb", "--pairs", "pairs.txt"],
            ],
        ),
        (
            &[(
                "doors.prt",
                text(
                    "PRT1\n3\n2\n4 0 1 (16 0 0 ) (16 8 0 ) (16 8 8 ) (16 0 8 )\n\
                     4 1 2 (40 16 0 ) (40 16 8 ) (44 16 8 ) (44 16 0 )\n",
                ),
            )],
            &[
                &["bake", "cells", "doors.prt", "--quiet"],
                &["query", "pvs", "doors.vcb", "0"],
                &["query", "distance", "doors.vcb", "0", "2"],
            ],
        ),
        (
            &[("m.csv", text("1 1 0\n1 1 0\n0 0 1\n"))],
            &[
                &["import", "matrix", "m.csv", "-o", "m.vcb"],
                &["query", "pvs", "m.vcb", "0"],
            ],
        ),
        (
            &[
                ("rooms.map", of_rooms("rooms.map")),
                ("walks.csv", of_rooms("walks.csv")),
                (
                    "points.txt",
                    text("64,64,24,448,64,24\n64 64 24 64 200 24\n"),
                ),
            ],
            &[
                &words("bake solid rooms.map --cell 32 --reach walks.csv --quiet"),
                &["query", "visible", "rooms.vcb", "--pairs", "points.txt"],
            ],
        ),
    ];
    for (files, commands) in cases {
        let unix = run(files, commands, "\n");
        assert!(unix.iter().any(|told| !told.is_empty()), "{commands:?}");
        assert_eq!(run(files, commands, "\r\n"), unix, "{commands:?}");
    }
}
