//! `viewcell check`: limits hold or do not, with the figures that `info` and `report` say; and the example
//! workflow, step by step.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Folder, VIEWCELL, hills, wall};
use crate::render::{bake_hills, with_hills, with_rooms};

/// The document of a check that ends with this code.
fn check(folder: &Folder, arguments: &[&str], code: i32) -> Value {
    let arguments = [&["check"], arguments, &["--json", "--quiet"]].concat();
    let ran = folder.ends(&arguments, code);
    let document = ran.json();
    assert_eq!(document["holds"], code == 0);
    document
}

/// A limit a little beside a share, in percent.
fn near(share: &Value, more: f64) -> String {
    (100.0 * share.as_f64().unwrap() + more).to_string()
}

/// The greatest number of an exposure raster, which places are counted in.
fn most_exposed(folder: &Folder, bundle: &str) -> f64 {
    let arguments = [
        "export", "exposure", bundle, "-o", "e.npy", "--force", "--json",
    ];
    let document = folder.json(&[&arguments[..], &["--quiet"]].concat());
    document["seen_by"]["greatest"].as_f64().unwrap()
}

#[test]
fn limits_are_of_the_figures_that_info_and_exposure_say() {
    let folder = with_hills();
    let info = folder.json(&["info", "hills.vcb", "--json"]);
    let levels = &info["provenance"]["statistics"]["levels"];
    let (hidden, quads) = (&levels[0]["hidden_share"], &levels[2]["hidden_share"]);
    let bytes = info["bytes"].as_u64().unwrap();
    let size = |more: i64| bytes.saturating_add_signed(more).to_string();

    let good = [
        "hills.vcb",
        "--max-size",
        &size(0),
        "--min-hidden",
        &near(hidden, -0.001),
        "--min-hidden",
        &format!("{}@2", near(quads, -0.001)),
        "--max-exposed",
        "100%",
    ];
    let found = check(&folder, &good, 0);
    let checks = found["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 4);
    assert_eq!(checks[0]["found"].as_f64(), Some(bytes as f64));
    assert_eq!((&checks[1]["found"], &checks[2]["found"]), (hidden, quads));
    let exposed = &checks[3]["found"];
    let most = most_exposed(&folder, "hills.vcb");
    assert!((exposed.as_f64().unwrap() - most / 1200.0).abs() < 1e-12);
    // Its place sees as many: sight is mutual here.
    let place = checks[3]["place"].as_array().unwrap();
    let place = format!("{},{}", place[0], place[1]);
    let pvs = folder.json(&["query", "pvs", "hills.vcb", &place, "--json"]);
    assert_eq!(pvs["visible"].as_f64(), Some(most), "{pvs}");

    // Each limit a little beside what there is.
    for (limits, failed) in [
        (["--max-size", &size(-1)], "size"),
        (["--min-hidden", &near(hidden, 0.001)], "hidden"),
        (
            ["--min-hidden", &format!("{}@2", near(quads, 0.001))],
            "hidden",
        ),
        (["--max-exposed", &near(exposed, -0.001)], "exposed"),
    ] {
        let found = check(&folder, &[&["hills.vcb"][..], &limits].concat(), 1);
        let checks = found["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 1);
        assert_eq!(
            (&checks[0]["figure"], &checks[0]["holds"]),
            (&failed.into(), &false.into())
        );
    }
}

#[test]
fn the_table_is_markdown() {
    let folder = Folder::with_wall();
    let arguments = "check wall.vcb --max-size 1 --min-hidden 40 --min-hidden 5@1 --max-exposed 60";
    let ran = folder.run(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let bytes = folder.read("wall.vcb").len();
    let bytes = format!("{},{:03}", bytes / 1000, bytes % 1000);
    let expected = format!(
        "`wall.vcb`: 3 of 4 checks failed\n\n\
         | figure | found | expected | holds |\n\
         |---|---:|---:|---|\n\
         | size | {bytes} B | at most 1 B | **no** |\n\
         | hidden from a sample | 39.26 % | at least 40.00 % | **no** |\n\
         | hidden from 2 × 2 samples | 34.74 % | at least 5.00 % | yes |\n\
         | sees sample 4,0 | 100.00 % | at most 60.00 % | **no** |\n"
    );
    assert_eq!(ran.stdout, expected);
}

#[test]
fn levels_have_the_same_checks() {
    for (folder, cells) in [(with_rooms(), 9), (crate::common::rooms(), 0)] {
        let found = check(
            &folder,
            &["rooms.vcb", "--min-hidden", "1", "--max-exposed", "100"],
            0,
        );
        let checks = found["checks"].as_array().unwrap();
        assert_eq!(checks[1]["place"].as_array().unwrap().len(), 1);
        let exposed = &checks[1]["found"];
        folder.ok(&["report", "rooms.vcb", "-o", "r.html", "--force", "--quiet"]);
        let report = String::from_utf8(folder.read("r.html")).unwrap();
        let share = format!(">{:.2} %<", 100.0 * exposed.as_f64().unwrap());
        assert!(report.contains(&share), "{share}");
        let hidden = near(&checks[0]["found"], 0.01);
        check(&folder, &["rooms.vcb", "--min-hidden", &hidden], 1);
        check(
            &folder,
            &["rooms.vcb", "--max-exposed", &near(exposed, -0.01)],
            1,
        );
        check(&folder, &["rooms.vcb", "--against", "rooms.vcb"], 0);
        if cells > 0 {
            folder.fails(
                &["check", "rooms.vcb", "--min-hidden", "1@1"],
                2,
                &["level 1", "rooms.vcb, 0 to 0"],
            );
        }
    }
}

#[test]
fn a_regression_of_each_kind_fails_and_what_is_no_worse_passes() {
    let folder = with_hills();
    // Nobody is seen far away: less is seen from everywhere, in fewer bytes.
    bake_hills(&folder, &["--max-distance", "20", "-o", "near.vcb"]);
    let failed = |new: &str, old: &str, more: &[&str], code| -> BTreeSet<String> {
        let found = check(&folder, &[&[new, "--against", old], more].concat(), code);
        let checks = found["checks"].as_array().unwrap();
        assert!(checks.iter().all(|check| check["old"].is_number()));
        let failed = checks.iter().filter(|check| check["holds"] == false);
        failed
            .map(|check| check["figure"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(failed("hills.vcb", "hills.vcb", &[], 0).is_empty());
    let all = ["exposed", "hidden", "size"].map(str::to_owned);
    assert_eq!(failed("hills.vcb", "near.vcb", &[], 1), all.into());
    assert!(failed("near.vcb", "hills.vcb", &[], 0).is_empty());
    // Of the size alone 100 % more is not all that can be.
    let size = BTreeSet::from(["size".to_owned()]);
    assert_eq!(
        failed("hills.vcb", "near.vcb", &["--tolerance", "100"], 1),
        size
    );
    // A budget trades one for the other.
    let budget = (folder.read("hills.vcb").len() - 500).to_string();
    bake_hills(&folder, &["--budget", &budget, "-o", "small.vcb"]);
    assert!(!failed("small.vcb", "hills.vcb", &[], 1).contains("size"));
    assert_eq!(failed("hills.vcb", "small.vcb", &[], 1), size);
    assert!(failed("hills.vcb", "small.vcb", &["--tolerance", "20"], 0).is_empty());
    // A level that --min-hidden names is compared, too.
    let found = check(
        &folder,
        &["hills.vcb", "--against", "hills.vcb", "--min-hidden", "0@2"],
        0,
    );
    let levels: Vec<&Value> = found["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["level"])
        .collect();
    assert_eq!(
        levels,
        [&2.into(), &Value::Null, &0.into(), &2.into(), &Value::Null]
    );
}

#[test]
fn limits_that_cannot_be_meant_say_so() {
    let folder = with_hills();
    folder.write("wall.asc", wall());
    folder.ok(&["bake", "terrain", "wall.asc", "--quiet"]);
    let cells = with_rooms();
    fs::copy(cells.path("rooms.vcb"), folder.path("rooms.vcb")).unwrap();
    for (arguments, code, words) in [
        (&["hills.vcb"][..], 2, &["--max-size", "--against"][..]),
        (&["hills.vcb", "--max-size", "much"], 2, &["a size such as"]),
        (&["hills.vcb", "--min-hidden", "101"], 2, &["0 to 100"]),
        (
            &["hills.vcb", "--min-hidden", "50@x"],
            2,
            &["a level after the @"],
        ),
        (&["hills.vcb", "--max-exposed", "-1"], 2, &["0 to 100"]),
        (&["hills.vcb", "--tolerance", "1"], 2, &["--against"]),
        (
            &["hills.vcb", "--min-hidden", "50", "--min-hidden", "60@0"],
            2,
            &["one limit for level 0", "leave one out"],
        ),
        (
            &["hills.vcb", "--min-hidden", "50@7"],
            2,
            &["level 7", "hills.vcb, 0 to 6"],
        ),
        (
            &["hills.vcb", "--against", "wall.vcb"],
            3,
            &[
                "wall.vcb",
                "40 x 30 places, 3 x 3 m apart",
                "9 x 5 places",
                "bake the earlier one",
            ],
        ),
        (
            &["hills.vcb", "--against", "rooms.vcb"],
            3,
            &["which is terrain, found cells"],
        ),
        (&["hills.vcb", "--against", "none.vcb"], 4, &["none.vcb"]),
        (&["wall.asc", "--max-size", "1MB"], 3, &["wall.asc"]),
    ] {
        folder.fails(&[&["check"], arguments].concat(), code, words);
    }
}

/// The shell of the steps of a workflow, by their names.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let mut steps = Vec::new();
    let mut name = String::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(found) = line.trim().strip_prefix("- name: ") {
            name = found.to_owned();
        } else if line.trim() == "run: |" {
            let mut script = String::new();
            while let Some(line) =
                lines.next_if(|line| line.is_empty() || line.starts_with("          "))
            {
                script += line.trim_start_matches("          ");
                script.push('\n');
            }
            steps.push((name.clone(), script));
        }
    }
    steps
}

/// What the workflow's steps print, of those that `runs` says; as the runner of GitHub runs them. A step may end with a
/// code other than 0.
#[cfg(unix)]
fn pipeline(folder: &Folder, is_main: bool) -> Vec<(String, i32, String)> {
    let workflow = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/workflow/visibility.yml");
    let steps = steps(&fs::read_to_string(workflow).unwrap());
    assert_eq!(steps.len(), 5);
    let bin = Path::new(VIEWCELL).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let run = |(name, script): (String, String)| {
        let ran = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script])
            .current_dir(folder.path("."))
            .env("PATH", &path)
            .env("GITHUB_STEP_SUMMARY", folder.path("summary.md"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        (name, ran.status.code().unwrap(), said.into_owned())
    };
    let steps = steps.into_iter();
    steps
        .filter(|(name, _)| is_main || name != "Keep for comparison")
        .map(run)
        .collect()
}

#[cfg(unix)]
#[test]
fn the_example_workflow_bakes_what_has_changed_and_fails_for_what_is_worse() {
    let folder = Folder::new();
    for world in ["north hills", "wall"] {
        fs::create_dir_all(folder.path("worlds").join(world)).unwrap();
    }
    folder.write("worlds/north hills/hills.r16", &hills(24)[..24 * 20 * 2]);
    let options =
        "terrain hills.r16 --size 24x20 --spacing 3 --vertical-scale 0.1 --visibility exact";
    folder.write("worlds/north hills/bake", options);
    folder.write("worlds/wall/wall.asc", wall());
    folder.write("worlds/wall/bake", "terrain wall.asc\n");
    folder.write("worlds/wall/limits", "--max-size 1MB --min-hidden 10\n");
    let codes =
        |ran: &[(String, i32, String)]| -> Vec<i32> { ran.iter().map(|step| step.1).collect() };
    let bakes = |ran: &[(String, i32, String)]| ran[1].2.matches(": bakes ").count();

    let ran = pipeline(&folder, true);
    assert_eq!(codes(&ran), [0; 5], "{ran:?}");
    assert_eq!(bakes(&ran), 2, "{ran:?}");
    for name in [
        "baked/wall.html",
        "baked/north hills.html",
        "kept/main/wall.vcb",
    ] {
        assert!(folder.path(name).exists(), "{name}");
    }
    let summary = String::from_utf8(folder.read("summary.md")).unwrap();
    assert!(summary.contains("`wall.vcb`: all checks hold"), "{summary}");

    // A pull request that changes nothing, then one that changes a limit alone.
    let ran = pipeline(&folder, false);
    assert_eq!((codes(&ran), bakes(&ran)), (vec![0; 4], 0), "{ran:?}");
    folder.write("worlds/wall/limits", "--max-size 1KB\n");
    let ran = pipeline(&folder, false);
    assert_eq!((codes(&ran), bakes(&ran)), (vec![0, 0, 1, 0], 0), "{ran:?}");
    folder.write("worlds/wall/limits", "--max-size 1MB\n");

    // Of a world that has changed one bundle is kept, and the main branch's.
    let kept = |folder: &Folder| {
        let names = fs::read_dir(folder.path("kept")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".vcb")).count()
    };
    assert_eq!(kept(&folder), 2);

    // One that takes the wall away: all see all.
    folder.write("worlds/wall/wall.asc", wall().replace("100", "0"));
    let ran = pipeline(&folder, false);
    assert_eq!((codes(&ran), bakes(&ran)), (vec![0, 0, 1, 0], 1), "{ran:?}");
    let check = &ran[2].2;
    assert!(check.contains("`wall.vcb` against `wall.vcb`"), "{check}");
    assert!(
        check.contains("| hidden from a sample | 0.00 % |"),
        "{check}"
    );
    assert!(
        check.contains("`north hills.vcb` against `north hills.vcb`: all checks hold"),
        "{check}"
    );
    assert_eq!(kept(&folder), 2, "the wall's old bundle is gone");
    assert!(folder.path("kept/main/wall.vcb").exists());
}
