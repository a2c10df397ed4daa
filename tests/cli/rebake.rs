//! Bundles that follow changed ground, and patches over them.

use viewcell::format::Tag;
use viewcell::query::Bundle;

use super::common::{Folder, hills, wall, words};

/// The wall with a gap in its middle.
fn gap() -> String {
    let mut row = 0;
    let wall = wall();
    let lines = wall.lines().map(|line| {
        row += usize::from(line.starts_with("0 0"));
        match row {
            3 => line.replace("100", "0") + "\n",
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// All sections of a bundle but that of provenance, after a repack.
fn repacked(folder: &Folder, bundle: &str) -> Vec<(Tag, Vec<u8>)> {
    folder.sound(&["repack", bundle, "-o", "repacked.vcb", "--force", "--quiet"]);
    let bytes = folder.read("repacked.vcb");
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let tags = bundle.sections().map(|section| section.tag);
    tags.take_while(|&tag| tag != Tag::PROV)
        .map(|tag| (tag, bundle.section(tag).unwrap().1.to_vec()))
        .collect()
}

/// The wall's bundle, the gap's heightmap and, baked from nothing, its bundle `twin.vcb`.
fn with_gap() -> Folder {
    let folder = Folder::with_wall();
    folder.write("gap.asc", gap());
    let bake = ["bake", "terrain", "gap.asc", "-o", "twin.vcb"];
    folder.ok(&[&bake[..], &["--visibility", "exact", "--quiet"]].concat());
    folder
}

#[test]
fn a_bundle_follows_its_ground() {
    let folder = with_gap();
    let before = folder.read("wall.vcb");
    let told = folder.json(&words(
        "rebake wall.vcb --terrain gap.asc -o after.vcb --json",
    ));
    assert_eq!(
        (&told["all_pairs"], &told["changed_samples"]),
        (&3.into(), &1.into())
    );
    assert!(told["asked_pairs"].as_u64().unwrap() >= 1, "{told}");
    for stage in "read prepare visibility patch write compress total".split(' ') {
        assert!(told["cpu_seconds"][stage].is_f64(), "{stage}: {told}");
    }
    assert!(folder.read("wall.vcb") == before);
    folder.ok(&["verify", "after.vcb", "--quiet"]);
    assert!(repacked(&folder, "after.vcb") == repacked(&folder, "twin.vcb"));

    // The same by a stamp on the bundle's own ground.
    let stamp = r#"{"shape":"box","at":[40,20,100],"size":[10,10,200],"do":"dig"}"#;
    folder.write("stamps.txt", stamp);
    let stamped = words("rebake wall.vcb --stamps stamps.txt -o dug.vcb");
    folder.ok(&stamped);
    assert!(repacked(&folder, "dug.vcb") == repacked(&folder, "twin.vcb"));
}

#[test]
fn queries_ask_through_patches_and_merge_makes_a_bundle_of_them() {
    let folder = with_gap();
    let patch = ["--terrain", "gap.asc", "--patch", "gap.vcp", "--quiet"];
    folder.ok(&[&["rebake", "wall.vcb"][..], &patch].concat());
    folder.write("pairs.txt", "0 2 8 2\n0 0 8 0\n");
    let ask = |patches: &[&str]| {
        let query = words("query visible wall.vcb --pairs pairs.txt --patch");
        let query = match patches {
            [] => query[..5].to_vec(),
            _ => [&query[..], patches].concat(),
        };
        folder.ok(&query).stdout
    };
    assert_eq!(
        (ask(&[]), ask(&["gap.vcp"])),
        ("0\n0\n".into(), "1\n0\n".into())
    );
    let one = ["query", "visible", "wall.vcb", "0,2", "8,2"];
    let ran = folder.ok(&[&one[..], &["--patch", "gap.vcp"]].concat());
    assert_eq!(ran.stdout, "visible\n");
    folder.ok(&["merge", "wall.vcb", "gap.vcp", "-o", "merged.vcb"]);
    assert!(repacked(&folder, "merged.vcb") == repacked(&folder, "twin.vcb"));

    // And back again, over the first.
    let back = ["--terrain", "wall.asc", "--patch", "back.vcp", "--quiet"];
    let over = ["rebake", "wall.vcb", "gap.vcp"];
    folder.ok(&[&over[..], &back].concat());
    assert_eq!(ask(&["gap.vcp", "back.vcp"]), ask(&[]));
    let wrong = ["query", "visible", "wall.vcb", "0,2", "8,2", "--patch"];
    let in_order = "in the order in which they were made";
    folder.fails(
        &[&wrong[..], &["back.vcp", "gap.vcp"]].concat(),
        3,
        &["back.vcp", in_order],
    );
    folder.fails(
        &["merge", "wall.vcb", "back.vcp", "-o", "none.vcb"],
        3,
        &["back.vcp", in_order],
    );
    let other = ["query", "visible", "twin.vcb", "0,2", "8,2", "--patch"];
    folder.fails(
        &[&other[..], &["gap.vcp"]].concat(),
        3,
        &["gap.vcp", "apply it to the bundle"],
    );
    assert!(!folder.names().contains(&"none.vcb".to_owned()));
}

#[test]
fn what_cannot_follow_says_why_and_leaves_nothing() {
    let folder = with_gap();
    folder.write("small.asc", wall().replace("nrows 5", "nrows 4"));
    folder.write("wide.asc", wall().replace("cellsize 10", "cellsize 20"));
    folder.write(
        "stamps.txt",
        "\n{\"shape\":\"sphere\",\"at\":[0,0,0],\"do\":\"dig\"}\n",
    );
    let names = folder.names();
    let refuses = |bundle: &str, more: &[&str], code: i32, words: &[&str]| {
        let arguments = [&["rebake", bundle, "-o", "none.vcb"][..], more].concat();
        folder.fails(&arguments, code, words);
    };
    refuses(
        "wall.vcb",
        &["--terrain", "wide.asc"],
        3,
        &["wide.asc", "metres between"],
    );
    refuses(
        "wall.vcb",
        &["--stamps", "stamps.txt"],
        3,
        &["stamps.txt", "line 2", "radius"],
    );
    refuses("wall.vcb", &[], 2, &["--terrain", "--stamps"]);
    let nothing = ["rebake", "wall.vcb", "--terrain", "gap.asc"];
    folder.fails(&nothing, 2, &["--output", "--patch"]);
    refuses("none/wall.vcb", &["--terrain", "gap.asc"], 4, &["wall.vcb"]);
    assert_eq!(folder.names(), names);
    folder.write(
        "small.asc",
        wall()
            .replace("nrows 5", "nrows 4")
            .rsplit_once("0 0 0 0 100")
            .unwrap()
            .0,
    );
    refuses(
        "wall.vcb",
        &["--terrain", "small.asc"],
        3,
        &["9 x 5", "9 x 4"],
    );
    let coarse = words("bake terrain gap.asc -o cells.vcb --finest 3");
    folder.ok(&[&coarse[..], &["--visibility", "exact", "--quiet"]].concat());
    folder.write(
        "dig.txt",
        "{\"shape\":\"sphere\",\"at\":[30,20,0],\"radius\":15,\"do\":\"dig\"}\n",
    );
    refuses(
        "cells.vcb",
        &["--stamps", "dig.txt"],
        3,
        &["cells.vcb", "give the new terrain"],
    );
    folder.write("mask.asc", wall().replace("100", "1"));
    let masked = ["bake", "terrain", "gap.asc", "-o", "masked.vcb", "--quiet"];
    folder.ok(&[&masked[..], &["--walkable", "mask.asc"]].concat());
    refuses(
        "masked.vcb",
        &["--terrain", "gap.asc"],
        2,
        &["masked.vcb", "--walkable mask.asc"],
    );
    refuses(
        "wall.vcb",
        &["--terrain", "gap.asc", "--max-slope", "20"],
        3,
        &["wall.vcb", "everybody may be"],
    );
    refuses(
        "wall.vcb",
        &["--stamps", "dig.txt", "--max-slope", "20"],
        2,
        &["--max-slope", "--terrain"],
    );
    assert!(!folder.names().contains(&"none.vcb".to_owned()));
}

#[test]
fn bundles_with_places_follow_as_they_were_baked() {
    let folder = with_gap();
    folder.write("mask.asc", wall().replace("100", "1"));
    for (name, options) in [
        ("cells", &["--finest", "3"][..]),
        ("masked", &["--walkable", "mask.asc"]),
        ("gentle", &["--max-slope", "60", "--water-level", "-5"]),
        ("below", &["--ground", "ground.asc", "--inside"]),
    ] {
        folder.write("ground.asc", wall().replace("100", "0"));
        let (old, new) = (format!("{name}.vcb"), format!("{name}-new.vcb"));
        let bake = |input, output| {
            let bake = ["bake", "terrain", input, "-o", output, "--quiet"];
            folder.ok(&[&bake[..], options].concat());
        };
        bake("wall.asc", &old);
        bake("gap.asc", &new);
        // Slopes and water are known to the bundle, files are not.
        let files = match name {
            "cells" | "gentle" => &[][..],
            _ => &options[..2],
        };
        let rebake = [
            "rebake",
            &old,
            "--terrain",
            "gap.asc",
            "-o",
            "made.vcb",
            "--force",
            "--quiet",
        ];
        folder.ok(&[&rebake[..], files].concat());
        folder.ok(&["diff", &new, "made.vcb"]);
        let patch = [
            "rebake",
            &old,
            "--terrain",
            "gap.asc",
            "--patch",
            "made.vcp",
            "--force",
            "--quiet",
        ];
        folder.ok(&[&patch[..], files].concat());
        folder.ok(&[
            "merge",
            &old,
            "made.vcp",
            "-o",
            "merged.vcb",
            "--force",
            "--quiet",
        ]);
        folder.ok(&["diff", &new, "merged.vcb"]);
        folder.ok(&["verify", "made.vcb"]);
    }
}

#[test]
#[cfg(unix)]
fn a_disk_that_fills_up_leaves_bundles_as_they_were() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(64));
    let bake = words(
        "bake terrain hills.r16 --size 64x64 --spacing 1 --visibility exact -o old.vcb --quiet",
    );
    folder.ok(&bake);
    folder.write("kept.vcb", "precious");
    folder.write("kept.vcp", "precious");
    let mound = r#"{"shape":"sphere","at":[32,32,300],"radius":20,"do":"fill"}"#;
    folder.write("stamps.txt", mound);
    let (before, names) = (folder.read("old.vcb"), folder.names());
    for [option, name] in [
        ["-o", "new.vcb"],
        ["-o", "kept.vcb"],
        ["--patch", "new.vcp"],
        ["--patch", "kept.vcp"],
    ] {
        let rebake = ["rebake", "old.vcb", "--stamps", "stamps.txt", option, name];
        let more: &[&str] = if name.starts_with("kept") {
            &["--force"]
        } else {
            &[]
        };
        folder.fails_for_room(1024, &[&rebake[..], more].concat(), &[name]);
        assert!(folder.read("old.vcb") == before, "{name}");
        assert_eq!(folder.names(), names, "{name}");
        for kept in ["kept.vcb", "kept.vcp"] {
            assert_eq!(folder.read(kept), b"precious", "{name}");
        }
    }
    folder.ok(&["verify", "old.vcb", "--quiet"]);
    let rebake = ["rebake", "old.vcb", "--stamps", "stamps.txt", "-o"];
    folder.ok(&[&rebake[..], &["new.vcb"]].concat());
}
