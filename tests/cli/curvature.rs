//! Bakes on the round earth.

use serde_json::Value;

use crate::common::{Folder, demo, npy, sea};

const USAGE: i32 = 2;
const BAD_INPUT: i32 = 3;

/// Bakes the sea with more options, and asks whether the first and another place of the middle row see each
/// other.
fn seen(folder: &Folder, more: &[&str], column: u32) -> bool {
    let bake = ["bake", "terrain", "sea.asc", "-o", "a.vcb", "--force", "-q"];
    folder.sound(&[&bake[..], &["--spacing", "50"], more].concat());
    let ask = |a: &str, b: &str| folder.ok(&["query", "visible", "a.vcb", a, b]).stdout;
    let other = format!("{column},2");
    let there = ask("0,2", &other);
    assert_eq!(there, ask(&other, "0,2"));
    there == "visible\n"
}

#[test]
fn people_at_sea_lose_sight_of_each_other_behind_the_horizon() {
    let folder = Folder::new();
    folder.write("sea.asc", sea());
    for mode in ["exact", "conservative"] {
        let flat = ["--visibility", mode];
        let round = [&flat[..], &["--earth-curvature"]].concat();
        let straight = [&flat[..], &["--earth-curvature=0"]].concat();
        // 10.0 and 11.2 km; they see 10.3 km far, and without refraction 9.6 km.
        assert!(seen(&folder, &flat, 224));
        assert!(seen(&folder, &round, 200) && !seen(&folder, &round, 224));
        assert!(!seen(&folder, &straight, 200));
    }
    let info = folder.json(&["info", "a.vcb", "--json"]);
    assert_eq!(info["terrain"]["earth_radius"], 6_371_008.8);
    assert_eq!(info["terrain"]["refraction"], 0.0);
    assert_eq!(info["terrain"]["mutual"], true);
    assert_eq!(info["provenance"]["options"]["earth-curvature"], true);
    let info = folder.ok(&["info", "a.vcb"]).stdout;
    assert!(info.contains("round earth, refraction 0.000"), "{info}");
}

#[test]
fn the_horizon_of_the_sea_dips_and_ends_where_sight_ends() {
    let folder = Folder::new();
    folder.write("sea.asc", sea());
    let horizon = |more: &[&str]| {
        let export = ["export", "horizon", "sea.asc", "-o", "a.npy", "--force"];
        let fixed = ["--spacing", "50", "--sectors", "4", "--json"];
        let document = folder.json(&[&export[..], &fixed, more].concat());
        // Eastwards from the middle of the western edge.
        (
            npy(&folder.read("a.npy"), f32::from_le_bytes)[2 * 251 * 4 + 1],
            document,
        )
    };
    let near = |found: f32, degrees: f64| (f64::from(found) - degrees).abs() < 1e-4;
    // Over the flat sea to the last sample, 12.5 km away.
    let (flat, document) = horizon(&[]);
    assert!(
        near(flat, -(1.8_f64 / 12_500.0).atan().to_degrees()),
        "{flat}"
    );
    assert_eq!(document["earth_radius"], Value::Null);
    // By √(2·1.8·(1 - k) / R) on the round earth.
    let (round, document) = horizon(&["--earth-curvature"]);
    assert!(near(round, -0.03988), "{round}");
    assert_eq!(document["earth_radius"], 6_371_008.8);
    assert_eq!(document["refraction"], 1.0 / 7.0);
    let (straight, _) = horizon(&["--earth-curvature=0"]);
    assert!(near(straight, -0.04307), "{straight}");
    let (short, document) = horizon(&["--max-distance", "1000"]);
    assert!(
        near(short, -(1.8_f64 / 1000.0).atan().to_degrees()),
        "{short}"
    );
    assert_eq!(document["max_distance"], 1000.0);
    // Below one cell there is nothing to be seen.
    assert_eq!(horizon(&["--max-distance", "49"]).0, -90.0);
}

#[test]
fn curvature_is_refused_where_it_has_no_meaning() {
    let folder = Folder::new();
    folder.write("sea.asc", sea());
    let fails = |more: &[&str], code, words: &[&str]| {
        for verb in [
            &["bake", "terrain", "sea.asc", "-o", "a.vcb"][..],
            &["export", "horizon", "sea.asc", "-o", "a.tif"],
            &["export", "skyview", "sea.asc", "-o", "a.npy"],
        ] {
            folder.fails(&[verb, more].concat(), code, words);
            assert_eq!(folder.names(), ["sea.asc"]);
        }
    };
    for bad in ["0", "-1", "nan", "inf"] {
        let distance = format!("--max-distance={bad}");
        fails(&[&distance], USAGE, &["--max-distance", "positive"]);
    }
    let words = ["sea.asc", "--earth-curvature", "metres", "--spacing"];
    fails(&["--earth-curvature"], BAD_INPUT, &words);
    fails(&["--refraction", "0.2"], USAGE, &["--earth-curvature=K"]);
    let job = "[terrain]\ninput = \"sea.asc\"\nrefraction = 0.2\n";
    folder.write("job.toml", job);
    folder.fails(
        &["bake", "--job", "job.toml"],
        USAGE,
        &["job.toml: line 3", "--earth-curvature=K"],
    );
    std::fs::remove_file(folder.path("job.toml")).unwrap();
    for bad in ["1", "-0.1", "nan", "inf"] {
        let round = format!("--earth-curvature={bad}");
        let words: &[&str] = match bad {
            "1" | "-0.1" => &["at least 0 and less than 1"],
            _ => &["expected a finite number"],
        };
        fails(&["--spacing", "50", &round], USAGE, words);
    }
    let large = ["--spacing", "1e7", "--earth-curvature"];
    fails(
        &large,
        USAGE,
        &["--earth-curvature", "small beside the earth"],
    );
}

#[test]
fn a_raster_in_degrees_needs_no_spacing_to_be_on_the_round_earth() {
    let folder = Folder::new();
    let demo = demo();
    let bake = |name: &str, more: &[&str]| {
        let input = demo.to_str().unwrap();
        let bake = ["bake", "terrain", input, "-o", name, "-q"];
        folder.sound(&[&bake[..], &["--crop", "90,90,40,30"], more].concat());
    };
    bake("flat.vcb", &["--visibility", "exact"]);
    bake("round.vcb", &["--visibility", "exact", "--earth-curvature"]);
    assert_ne!(folder.read("flat.vcb"), folder.read("round.vcb"));
}

#[test]
fn shards_of_the_flat_and_of_the_round_earth_do_not_merge() {
    let folder = Folder::new();
    folder.write("sea.asc", sea());
    let bake = |part: &str, name: &str, more: &[&str]| {
        let bake = ["bake", "terrain", "sea.asc", "-o", name, "-q"];
        let bake = [&bake[..], &["--shard", part, "--spacing", "50"], more].concat();
        folder.ok(&bake);
    };
    let round = ["--earth-curvature"];
    bake("1/2", "a.vcs", &round);
    bake("2/2", "b.vcs", &round);
    bake("2/2", "flat.vcs", &[]);
    let words = ["--earth-curvature", "true", "not given"];
    let merge = ["merge", "a.vcs", "flat.vcs", "-o", "c.vcb"];
    folder.fails(&merge, BAD_INPUT, &words);
    folder.ok(&["merge", "a.vcs", "b.vcs", "-o", "c.vcb"]);
    folder.ok(&["verify", "c.vcb"]);
}
