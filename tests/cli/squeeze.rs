//! Budgets and `repack`.

use super::common::{Folder, demo, words};

/// A small bundle of the demo, `all.vcb`.
fn baked() -> Folder {
    let folder = Folder::new();
    bake_demo(&folder, &["-o", "all.vcb"]);
    folder
}

/// Bakes a part of the demo.
fn bake_demo(folder: &Folder, more: &[&str]) {
    let demo = demo();
    let arguments = [
        "bake",
        "terrain",
        demo.to_str().unwrap(),
        "--crop",
        "200,100,64,48",
        "--visibility",
        "exact",
        "--quiet",
    ];
    folder.ok(&[&arguments, more].concat());
}

#[test]
fn a_budget_is_kept_and_told_of() {
    let folder = baked();
    let all = folder.read("all.vcb");
    let budget = all.len() * 8 / 10;
    let size = budget.to_string();
    let repack = |more: &[&str]| {
        let mut arguments = vec!["repack", "all.vcb", "--budget", &size, "-o", "a.vcb"];
        arguments.extend(more);
        folder.sound(&arguments)
    };
    let told = repack(&["--json", "--quiet"]).json();
    assert_eq!(told["bundle"]["terrain"]["lossy"], true);
    let loss = &told["bundle"]["provenance"]["loss"];
    assert_eq!(loss["budget_bytes"], budget);
    let made = folder.read("a.vcb").len();
    assert!(
        (budget * 98 / 100..=budget).contains(&made),
        "{made} of {budget}"
    );
    let info = folder.ok(&["info", "a.vcb"]).stdout;
    assert!(
        info.contains("of hidden kept") && info.contains("lost"),
        "{info}"
    );
    // Whatever the threads, there are no vector instructions to tell of.
    assert!(info.contains(" thread") && !info.contains("()"), "{info}");
    // The same by a bake, with any number of threads.
    for threads in ["1", "2", "3", "7"] {
        let more = ["-o", "b.vcb", "--force", "--budget", &size];
        bake_demo(&folder, &[&more[..], &["--threads", threads]].concat());
        assert!(folder.read("a.vcb") == folder.read("b.vcb"), "{threads}");
    }
    // More than needed changes nothing.
    folder.ok(&words("repack all.vcb --budget 1GB -o c.vcb --quiet"));
    assert!(folder.read("c.vcb") == all);
    folder.fails(
        &["repack", "a.vcb", "-o", "d.vcb"],
        3,
        &["a.vcb", "a lossless bundle", "budget"],
    );
    folder.fails(
        &["repack", "all.vcb", "-o", "all.vcb", "--force"],
        2,
        &["is also the input"],
    );
    for (budget, words) in [
        ("10XB", "expected a size"),
        ("0", "above 0"),
        ("10", "expected more than"),
        ("13000", "expected at least"),
    ] {
        let arguments = [
            "repack", "all.vcb", "--budget", budget, "-o", "d.vcb", "--quiet",
        ];
        folder.fails(&arguments, 2, &[words]);
    }
    for weight in ["level", "all.vcb"] {
        let arguments = ["repack", "all.vcb", "--weight", weight, "-o", "d.vcb"];
        folder.fails(&arguments, 2, &["--budget"]);
    }
    let demo = demo();
    let weighted = format!("{size},{}", demo.to_str().unwrap());
    folder.fails(
        &["repack", "all.vcb", "--budget", &weighted, "-o", "d.vcb"],
        3,
        &["64 x 48", "403 x 344"],
    );
    assert!(!folder.names().contains(&"d.vcb".to_owned()));
}
