//! What an experiment refuses, and how.

use crate::common::{Folder, rooms};

#[test]
fn numbers_that_are_none_are_refused() {
    let folder = Folder::with_wall();
    for (verb, options) in [
        ("sent", &["--eye"][..]),
        ("frontier", &["--limits"]),
        ("visibility", &["--eye-height", "--player-height"]),
        ("machines", &["--threshold", "--speed", "--density"]),
        ("interest", &["--speed", "--density"]),
    ] {
        for option in options {
            for none in ["nan", "-inf"] {
                let given = format!("{option}={none}");
                folder.fails(&["experiment", verb, &given], 2, &[option]);
            }
        }
    }
    folder.fails(
        &["experiment", "sent", "wall.vcb", "--eye", "nan"],
        2,
        &["--eye", "expected a finite number"],
    );
    let pairs = ["experiment", "visibility", "wall.asc", "--pairs", "0"];
    folder.fails(&pairs, 2, &["--pairs"]);
}

#[test]
fn curvature_is_refused_where_it_has_no_meaning() {
    let folder = Folder::new();
    folder.write("sea.asc", crate::common::sea());
    let compare = ["experiment", "visibility", "sea.asc"];
    for bad in ["0", "-1", "nan", "inf"] {
        let distance = format!("--max-distance={bad}");
        folder.fails(
            &[&compare[..], &[&distance]].concat(),
            2,
            &["--max-distance", "positive"],
        );
    }
    let words = ["sea.asc", "--earth-curvature", "metres", "--spacing"];
    folder.fails(&[&compare[..], &["--earth-curvature"]].concat(), 3, &words);
}

#[test]
fn what_is_no_utf_8_is_bad_input() {
    let folder = rooms();
    folder.write("a.csv", b"caf\xe9,1,2\n");
    folder.write("sent.csv", b"t_ms,player,sent\n0,0,\xe9\n");
    for line in [
        "sent --traces walks.csv --sent sent.csv --level rooms.map",
        "interest --regions a.csv",
        "perception --observers a.csv --targets a.csv",
    ] {
        let line = format!("experiment {line}");
        let ran = folder.ends(&line.split(' ').collect::<Vec<_>>(), 3);
        assert!(ran.stderr.len() < 700, "{line}: {}", ran.stderr);
    }
}

#[test]
fn an_output_is_neither_an_input_nor_another_output() {
    let folder = Folder::with_wall();
    let before = folder.read("wall.asc");
    let modes = ["experiment", "visibility", "wall.asc", "--chart"];
    let own = [&modes[..], &["wall.asc", "--force"]].concat();
    folder.fails(&own, 2, &["is also the input", "another name"]);
    assert!(folder.read("wall.asc") == before);
    let two = [&modes[..], &["f.png", "--cost-chart", "f.png"]].concat();
    folder.fails(&two, 2, &["f.png", "different names"]);
    let bundle = [
        "experiment",
        "compression",
        "wall.vcb",
        "--chart",
        "wall.vcb",
    ];
    folder.fails(&bundle, 2, &["is also the input", "another name"]);
}

#[test]
fn a_program_without_mpi_says_which_has_it() {
    let folder = Folder::new();
    folder.fails(
        &["experiment", "machines", "--mpi"],
        2,
        &["--mpi", "--features mpi"],
    );
}
