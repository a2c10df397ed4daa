//! `viewcell diff`, and `render --lost`: what two bundles say differently.

use image::Rgba;
use serde_json::Value;

use crate::common::{Folder, wall, words};
use crate::render::{bake_hills, picture, with_hills, with_rooms};

/// A folder with `hills.vcb` and `near.vcb`, in which nobody is seen beyond 20 m.
fn with_near() -> Folder {
    let folder = with_hills();
    bake_hills(&folder, &["--max-distance", "20", "-o", "near.vcb"]);
    folder
}

fn json(folder: &Folder, arguments: &[&str], code: i32) -> Value {
    let ran = folder.ends(arguments, code);
    ran.json()
}

#[test]
fn diff_counts_what_the_bakes_counted() {
    let folder = with_near();
    let diff = json(
        &folder,
        &["diff", "near.vcb", "hills.vcb", "--json", "--quiet"],
        1,
    );
    let levels = |name: &str| {
        let info = json(&folder, &["info", name, "--json"], 0);
        info["provenance"]["statistics"]["levels"].clone()
    };
    let (near, hills) = (levels("near.vcb"), levels("hills.vcb"));
    let found = diff["levels"].as_array().unwrap();
    assert_eq!(found.len(), near.as_array().unwrap().len());
    let mut differ = 0;
    for (level, of) in found.iter().enumerate() {
        let close = |a: &Value, b: &Value| (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-9;
        assert!(
            close(&of["hidden_share_a"], &near[level]["hidden_share"]),
            "level {level}"
        );
        assert!(
            close(&of["hidden_share_b"], &hills[level]["hidden_share"]),
            "level {level}"
        );
        // What is seen near by is seen without a limit too.
        let seen = |levels: &Value| levels[level]["visible_samples"].as_u64().unwrap();
        assert_eq!(of["hidden_in_a_visible_in_b"], seen(&hills) - seen(&near));
        assert_eq!(of["visible_in_a_hidden_in_b"], 0);
        differ += u32::from(seen(&hills) > seen(&near));
    }
    assert!(differ > 4, "only {differ} levels differ");
    assert_eq!(
        (&diff["equal"], &diff["same_input"]),
        (&false.into(), &true.into())
    );
    assert_eq!(diff["options"][0]["option"], "max-distance");

    let back = json(
        &folder,
        &["diff", "hills.vcb", "near.vcb", "--json", "--quiet"],
        1,
    );
    for (there, back) in found.iter().zip(back["levels"].as_array().unwrap()) {
        assert_eq!(
            there["hidden_in_a_visible_in_b"],
            back["visible_in_a_hidden_in_b"]
        );
    }
    let same = json(
        &folder,
        &["diff", "hills.vcb", "hills.vcb", "--json", "--quiet"],
        0,
    );
    assert_eq!(same["equal"], true);
}

#[test]
fn lost_is_what_diff_says() {
    let folder = with_near();
    let diff = json(
        &folder,
        &words("diff near.vcb hills.vcb --json --quiet -o d.png"),
        1,
    );
    assert!(picture(&folder, "d.png").width() == 1200);
    for level in [0, 2] {
        let quad = level.to_string();
        let of = &diff["levels"][level];
        let lost = json(
            &folder,
            &[
                "render",
                "near.vcb",
                "--lost",
                "hills.vcb",
                "--quad",
                &quad,
                "-o",
                "l.png",
                "--json",
                "--force",
                "--quiet",
            ],
            0,
        );
        let pairs = of["pairs"].as_f64().unwrap();
        let hidden = (pairs * of["hidden_share_a"].as_f64().unwrap()).round();
        let share = 100.0 * of["hidden_in_a_visible_in_b"].as_f64().unwrap() / hidden;
        let words = lost["subtitle"].as_str().unwrap();
        assert!(
            words.starts_with(&format!("{share:.2} %")),
            "{words} {share}"
        );
        assert!(words.ends_with("the other way round 0 pairs"), "{words}");
    }
    // No sample loses anything to itself.
    folder.ok(&words(
        "render near.vcb --lost near.vcb --bare -o n.png --quiet",
    ));
    let grey = |p: &Rgba<u8>| i32::from(p[0]).abs_diff(p[2].into()) < 12;
    assert!(picture(&folder, "n.png").pixels().all(grey));
    folder.ok(&words(
        "render near.vcb --lost hills.vcb --bare -o m.png --quiet",
    ));
    // In exact bundles a sample sees as many as see it.
    let seen = |name: &str| {
        folder.ok(&[
            "export", "exposure", name, "-o", "e.npy", "--force", "--quiet",
        ]);
        let bytes = folder.read("e.npy");
        bytes[bytes.len() - 4 * 40 * 30..].to_vec()
    };
    let (near, all) = (seen("near.vcb"), seen("hills.vcb"));
    let picture = picture(&folder, "m.png");
    let counts = near.chunks(4).zip(all.chunks(4));
    for (pixel, (near, all)) in picture.pixels().zip(counts) {
        assert_eq!(grey(pixel), near == all);
    }
}

#[test]
fn bundles_of_different_worlds_are_not_compared() {
    let folder = with_rooms();
    folder.write("wall.asc", wall());
    folder.ok(&["bake", "terrain", "wall.asc", "--quiet"]);
    folder.write(
        "other.asc",
        "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n",
    );
    folder.ok(&["bake", "terrain", "other.asc", "--quiet"]);
    folder.fails(
        &["diff", "wall.vcb", "rooms.vcb"],
        3,
        &["wall.vcb is of terrain", "rooms.vcb is of cells"],
    );
    folder.fails(&["diff", "wall.vcb", "other.vcb"], 3, &["9 x 5", "2 x 2"]);
    folder.fails(&["diff", "wall.vcb", "absent.vcb"], 4, &["absent.vcb"]);
    folder.fails(&["diff", "wall.vcb", "wall.asc"], 3, &["wall.asc"]);
    folder.fails(
        &words("diff wall.vcb wall.vcb -o d.png --width 0"),
        2,
        &["--width 0"],
    );
    folder.fails(
        &["diff", "wall.vcb", "wall.vcb", "--width", "500"],
        2,
        &["--output"],
    );
    folder.fails(
        &["render", "wall.vcb", "--lost", "rooms.vcb", "-o", "p.png"],
        3,
        &["rooms.vcb"],
    );
}
