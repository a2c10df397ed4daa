//! `viewcell experiment interest` and `perception`.

use crate::common::{Folder, VIEWCELL};

const HEADER: &str = "tick,region,kind,min_x,max_x,min_y,max_y,min_z,max_z\n";

#[test]
fn changes_of_regions_are_printed_sorted() {
    let folder = Folder::with_wall();
    // Two that touch, one that comes, one that is gone from tick 3 on.
    let rows = "0,1,u,0,1,0,1,0,1\n0,2,s,1,2,1,2,1,2\n\
                2,1,u,0,1,0,1,0,1\n2,2,s,1,2,1,2,1,2\n2,12,s,0,9,0,9,0,9\n\
                3,1,u,0,1,0,1,0,1\n3,12,s,5,9,0,9,0,9\n";
    folder.write("regions.csv", format!("{HEADER}{rows}"));
    let ran = folder.ok(&["experiment", "interest", "--regions", "regions.csv"]);
    assert_eq!(ran.stdout, "0,+,1,2\n2,+,1,12\n3,-,1,2\n3,-,1,12\n");
}

#[test]
fn regions_that_are_wrong_are_bad_input() {
    let folder = Folder::with_wall();
    folder.write("regions.csv", format!("{HEADER}0,1,u,0,inf,0,1,0,1\n"));
    let ran = folder.ends(&["experiment", "interest", "--regions", "regions.csv"], 3);
    ran.warns("regions.csv: line 2");
    // A byte order mark is none of the header.
    folder.write("marked.csv", format!("\u{feff}{HEADER}0,1,u,0,1,0,1,0,1\n"));
    folder.ok(&["experiment", "interest", "--regions", "marked.csv"]);
    folder.ends(&["experiment", "interest", "--regions", "none.csv"], 4);
    folder.ends(&["experiment", "interest", "--speed", "NaN"], 2);
}

/// 60,000 entities took more than ten minutes, and nothing had said so.
#[test]
fn matching_that_takes_minutes_began_without_a_word() {
    use std::io::{BufRead, BufReader};

    for matcher in ["sorted", "brute"] {
        let mut child = std::process::Command::new(VIEWCELL)
            .args(["experiment", "interest", "--entities", "60000"])
            .args(["--matcher", matcher])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut words = String::new();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        said.read_line(&mut words).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            words.contains("60000 entities and 100 ticks") && words.contains(" min"),
            "{words}"
        );
    }
}

#[test]
fn all_matchers_print_one_digest_for_any_number_of_threads() {
    let folder = Folder::with_wall();
    for between in [&[][..], &["--space-time"]] {
        let mut digests = Vec::new();
        for threads in ["1", "2"] {
            let mut arguments = vec![
                "experiment",
                "interest",
                "--entities",
                "60",
                "--density",
                "0.2",
                "--speed",
                "2",
                "--ticks",
                "20",
                "--matcher",
                "brute,lucid,sorted,grid",
                "--json",
                "--threads",
                threads,
            ];
            arguments.extend(between);
            let document = folder.json(&arguments);
            for matcher in document["matchers"].as_array().unwrap() {
                assert!(matcher["began"].as_u64() > Some(60), "{matcher}");
                digests.push(matcher["digest"].clone());
            }
        }
        assert_eq!(digests.len(), 8);
        assert!(
            digests.iter().all(|digest| *digest == digests[0]),
            "{digests:?}"
        );
    }
}

#[test]
fn observers_that_are_none_are_bad_input() {
    let folder = Folder::with_wall();
    folder.write("targets.csv", "name,radius\na,1\n");
    for wrong in ["a,0,100,1", "a,180,100,1", "a,90,0,1"] {
        folder.write(
            "observers.csv",
            format!("name,fov,screen,pixels\n{wrong}\n"),
        );
        let files = ["--observers", "observers.csv", "--targets", "targets.csv"];
        let ran = folder.run(&[&["experiment", "perception"][..], &files].concat());
        assert_eq!(ran.code, Some(3), "{wrong}");
        ran.warns("observers.csv: line 2");
    }
}
