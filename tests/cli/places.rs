//! Where nobody can be, ground below houses, and houses: `--walkable`, `--max-slope`, `--water-level`, `--ground`,
//! `--solids`.

use serde_json::Value;

use crate::common::{Folder, words};

/// An ESRI ASCII grid of 9 x 8 samples, `cell` metres apart, by a function of column and row.
fn grid(cell: f64, of: impl Fn(i32, i32) -> f64) -> String {
    let mut text = format!(
        "ncols 9\nnrows 8\nxllcorner 100\nyllcorner 200\ncellsize {cell}\nNODATA_value -9999\n"
    );
    for row in 0..8 {
        let values: Vec<String> = (0..9).map(|column| of(column, row).to_string()).collect();
        text += &(values.join(" ") + "\n");
    }
    text
}

/// Hills, with a void; west of column 5 it is walkable; and a house of 5 m on even ground.
fn folder() -> Folder {
    let folder = Folder::new();
    let hill = |c: i32, r: i32| match (c, r) {
        (2, 6) => -9999.0,
        _ => f64::from((c * 7 + r * 5) % 11),
    };
    folder.write("hills.asc", grid(10.0, hill));
    folder.write("west.asc", grid(10.0, |c, _| f64::from(i32::from(c < 5))));
    folder.write("ground.asc", grid(10.0, |_, _| 2.0));
    let house = |c, r| (3..6).contains(&c) && (2..5).contains(&r);
    let house = |c, r| if house(c, r) { 7.0 } else { 2.0 };
    folder.write("houses.asc", grid(10.0, house));
    folder
}

const BAKE: &[&str] = &["bake", "terrain", "--quiet", "--json"];

fn bake(folder: &Folder, arguments: &[&str]) -> Value {
    folder.json(&[BAKE, arguments].concat())
}

/// The same, and verified.
fn sound(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.sound(&[BAKE, arguments].concat());
    ran.json()
}

#[test]
fn what_is_not_walkable_is_told_apart_from_voids() {
    let folder = folder();
    let west = ["hills.asc", "--walkable", "west.asc", "-o", "a.vcb"];
    let told = sound(&folder, &west);
    let notes = told["notes"].to_string();
    assert!(
        notes.contains("players can be at 39 of 71 samples"),
        "{notes}"
    );
    let terrain = &told["bundle"]["terrain"];
    assert_eq!(
        (&terrain["walkable"], &terrain["covered"]),
        (&true.into(), &false.into())
    );
    let json = |arguments: &[&str]| -> Value { folder.json(&[arguments, &["--json"]].concat()) };
    for (place, standing, height) in [
        ("1,1", "walkable", Value::from(1.0)),
        ("7,1", "not-walkable", Value::from(10.0)),
        ("2,6", "void", Value::Null),
    ] {
        let told = json(&["query", "locate", "a.vcb", place]);
        assert_eq!(
            (&told["place"], &told["height"]),
            (&standing.into(), &height)
        );
    }
    let told = json(&["query", "visible", "a.vcb", "1,1", "7,1"]);
    assert_eq!(told["visible"], false);
    assert_eq!(told["nobody_at_b"], "not-walkable");
    assert_eq!(told.get("nobody_at_a"), None);
    folder.fails(&["frontier", "a.vcb", "1,1", "7,1"], 2, &["not walkable"]);
    let told = folder.ok(&["info", "a.vcb"]).stdout;
    assert!(told.contains("33 of them void or not walkable"), "{told}");
    let told = json(&["info", "a.vcb"]);
    let mask = told["provenance"]["options"]["walkable"].as_str().unwrap();
    assert!(mask.starts_with("west.asc ("), "{mask}");
    // What is asked for in one bundle alone is no difference.
    bake(&folder, &["hills.asc", "-o", "all.vcb"]);
    let told = folder.ok(&["diff", "a.vcb", "all.vcb"]).stdout;
    assert!(told.contains("walkable:"), "{told}");
    // A mask that takes nothing away.
    folder.write("ones.asc", grid(10.0, |_, _| 1.0));
    let told = bake(
        &folder,
        &["hills.asc", "--walkable", "ones.asc", "-o", "ones.vcb"],
    );
    assert_eq!(told["bundle"]["terrain"]["walkable"], false);
    folder.ok(&["diff", "ones.vcb", "all.vcb"]);
}

#[test]
fn a_job_file_and_shards_of_it_come_to_the_same_bytes() {
    let folder = folder();
    let options = words("--walkable west.asc --max-slope 40 --water-level 0.5");
    let first = ["hills.asc", "--visibility", "exact", "-o", "a.vcb"];
    bake(&folder, &[&first[..], &options].concat());
    std::fs::create_dir(folder.path("jobs")).unwrap();
    folder.write(
        "jobs/a.toml",
        "[terrain]\ninput = \"../hills.asc\"\noutput = \"../b.vcb\"\nvisibility = \"exact\"\n\
         walkable = \"../west.asc\"\nmax-slope = 40\nwater-level = 0.5\n",
    );
    folder.ok(&["bake", "--job", "jobs/a.toml", "--quiet"]);
    assert!(folder.read("a.vcb") == folder.read("b.vcb"));
    for shard in ["1/2", "2/2"] {
        let shard = [
            "hills.asc",
            "--visibility",
            "exact",
            "-o",
            "c.vcb",
            "--shard",
            shard,
        ];
        bake(&folder, &[&shard[..], &options].concat());
    }
    let shards = ["c.1-of-2.vcs", "c.2-of-2.vcs"];
    folder.ok(&["merge", shards[0], shards[1], "-o", "c.vcb", "--quiet"]);
    assert!(folder.read("a.vcb") == folder.read("c.vcb"));
    folder.ok(&["repack", "a.vcb", "-o", "d.vcb", "--quiet"]);
    assert!(folder.read("a.vcb") == folder.read("d.vcb"));
    // Already there; but not for another mask of the same name.
    folder.ok(&["bake", "--job", "jobs/a.toml", "--quiet", "--resume"]);
    folder.write("west.asc", grid(10.0, |c, _| f64::from(i32::from(c < 4))));
    folder.fails(
        &["bake", "--job", "jobs/a.toml", "--quiet", "--resume"],
        4,
        &["b.vcb"],
    );
}

#[test]
fn houses_hide_and_nobody_is_asked_for_in_them() {
    let folder = folder();
    for mode in ["exact", "conservative"] {
        let houses = ["houses.asc", "--ground", "ground.asc", "--visibility", mode];
        let told = sound(
            &folder,
            &[&houses[..], &["-o", "a.vcb", "--force"]].concat(),
        );
        assert_eq!(told["bundle"]["terrain"]["covered"], true);
        let sees = |a, b| folder.run(&["query", "visible", "a.vcb", a, b]).stdout;
        assert_eq!(sees("0,0", "8,0"), "visible\n");
        assert_eq!(sees("0,3", "8,3"), "hidden\n");
        assert_eq!(sees("4,3", "4,3"), "hidden\n");
        let told = folder.ok(&["query", "locate", "a.vcb", "4,3"]).stdout;
        assert!(told.contains("2 m, not walkable"), "{told}");
        bake(
            &folder,
            &[&houses[..], &["-o", "a.vcb", "--force", "--inside"]].concat(),
        );
        assert_eq!(sees("4,3", "4,3"), "visible\n");
        assert_eq!(sees("4,3", "4,4"), "hidden\n");
        assert_eq!(sees("0,3", "8,3"), "hidden\n");
    }
    let cells = words("houses.asc --ground ground.asc --finest 3 -o cells.vcb");
    sound(&folder, &cells);
}

#[test]
fn rasters_that_do_not_fit_are_refused() {
    let folder = folder();
    let other = |name: &str, of: &dyn Fn(&str) -> String| {
        let text = String::from_utf8(folder.read("ground.asc")).unwrap();
        folder.write(name, of(&text));
    };
    other("small.asc", &|text| {
        let text = text.replace("nrows 8", "nrows 7");
        text.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n"
    });
    other("wide.asc", &|text| {
        text.replace("cellsize 10", "cellsize 11")
    });
    other("apart.asc", &|text| {
        text.replace("xllcorner 100", "xllcorner 103")
    });
    other("high.asc", &|text| text.replacen("\n2 2 2", "\n2 2.5 2", 1));
    other("close.asc", &|text| {
        text.replacen("\n2 2 2", "\n2 2.005 2", 1)
    });
    folder.write("zeros.asc", grid(10.0, |_, _| 0.0));
    let fails = |input: &str, options: &[&str], code, words: &[&str]| {
        let first = ["bake", "terrain", input, "-o", "x.vcb", "--quiet"];
        folder.fails(&[&first[..], options].concat(), code, words);
    };
    for option in ["--walkable", "--ground"] {
        for (file, words) in [
            ("small.asc", ["9 x 7", "9 x 8"]),
            ("wide.asc", ["11 x 11 m", "10 x 10 m"]),
            ("apart.asc", ["103", "transform"]),
        ] {
            fails(
                "houses.asc",
                &[option, file],
                3,
                &[&words[..], &[file]].concat(),
            );
        }
        fails("houses.asc", &[option, "none.asc"], 4, &["none.asc"]);
        let crop = ["--crop", "0,0,4,4", option, "small.asc"];
        fails("houses.asc", &crop, 3, &["9 x 7"]);
    }
    fails(
        "hills.asc",
        &["--walkable", "zeros.asc"],
        3,
        &["zeros.asc", "nobody can be anywhere"],
    );
    fails(
        "hills.asc",
        &["--water-level", "99"],
        3,
        &["--water-level 99", "nobody"],
    );
    fails(
        "hills.asc",
        &["--max-slope", "0"],
        3,
        &["--max-slope 0", "nobody"],
    );
    for number in ["NaN", "-1", "91"] {
        fails("hills.asc", &["--max-slope", number], 2, &["0 to 90"]);
    }
    for number in ["NaN", "inf"] {
        fails(
            "hills.asc",
            &["--water-level", number],
            2,
            &["--water-level"],
        );
    }
    fails("houses.asc", &["--inside"], 2, &["--ground"]);
    folder.write(
        "inside.toml",
        "[terrain]\ninput = \"houses.asc\"\ninside = true\n",
    );
    folder.fails(&["bake", "--job", "inside.toml"], 2, &["--ground"]);
    let high = ["high.asc", "0.5 m", "(1, 0)", "1 samples"];
    fails("houses.asc", &["--ground", "high.asc"], 3, &high);
    let told = bake(
        &folder,
        &["houses.asc", "--ground", "close.asc", "-o", "close.vcb"],
    );
    assert!(
        told["notes"].to_string().contains("0.005 m"),
        "{}",
        told["notes"]
    );
    assert!(!folder.path("x.vcb").exists());
    // The part that a crop takes of both.
    let crop = words("hills.asc --crop 3,0,6,8 --walkable west.asc -o part.vcb");
    let told = bake(&folder, &crop);
    assert!(
        told["notes"].to_string().contains("at 16 of 48"),
        "{}",
        told["notes"]
    );
}

/// A box of CityJSON in UTM zone 11.
fn town([west, south, low]: [i32; 3], [east, north, high]: [i32; 3]) -> String {
    format!(
        r#"{{"type":"CityJSON","version":"1.1","metadata":{{"referenceSystem":"urn:ogc:def:crs:EPSG::32611"}},
        "CityObjects":{{"house":{{"type":"Building","geometry":[{{"type":"Solid","lod":1,"boundaries":[[[[3,2,1,0]],
        [[4,5,6,7]],[[0,1,5,4]],[[1,2,6,5]],[[2,3,7,6]],[[3,0,4,7]]]]}}]}}}},
        "vertices":[[{west},{south},{low}],[{east},{south},{low}],[{east},{north},{low}],[{west},{north},{low}],
        [{west},{south},{high}],[{east},{south},{high}],[{east},{north},{high}],[{west},{north},{high}]]}}"#
    )
}

#[test]
fn solids_hide_where_they_stand_and_carry_feet() {
    let folder = folder();
    // Columns 2 to 6 and rows 1 to 6, of which those inside are raised.
    folder.write("town.json", town([20, -60, 0], [60, -10, 12]));
    let at_origin = ["--solids", "town.json", "--placement", "0,0,0"];
    let told = sound(
        &folder,
        &[&["ground.asc"], &at_origin[..], &["-o", "a.vcb"]].concat(),
    );
    let notes = told["notes"].to_string();
    assert!(
        notes.contains("at 12 samples; players stand on it at 30"),
        "{notes}"
    );
    let sees =
        |bundle: &str, a: &str, b: &str| folder.ok(&["query", "visible", bundle, a, b]).stdout;
    assert_eq!(sees("a.vcb", "0,3", "8,3"), "hidden\n");
    assert_eq!(sees("a.vcb", "0,0", "8,0"), "visible\n");
    // Feet are on the roof, of which the rim does not hide.
    assert_eq!(sees("a.vcb", "2,3", "0,3"), "visible\n");
    let told = folder.ok(&["query", "locate", "a.vcb", "2,3"]).stdout;
    assert!(told.contains("12 m"), "{told}");

    // By the coordinate reference system of both.
    let wkt = r#"PROJCS["UTM 11",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],UNIT["metre",1],AUTHORITY["EPSG","32611"]]"#;
    folder.write("ground.prj", wkt);
    folder.write("utm.json", town([125, 215, 0], [165, 265, 12]));
    let by_crs = ["ground.asc", "--solids", "utm.json", "-o", "b.vcb"];
    let told = bake(&folder, &by_crs);
    assert!(
        told["notes"]
            .to_string()
            .contains("at 12 samples; players stand on it at 30"),
        "{told}"
    );
    assert_eq!(sees("b.vcb", "0,3", "8,3"), "hidden\n");

    // A house of one sample hides at none, and on stilts none does.
    for (name, corners, words) in [
        (
            "hut.json",
            ([21, -29, 0], [39, -21, 12]),
            ["hides at 0 samples only", "-outsize 400% 400%"],
        ),
        (
            "stilts.json",
            ([20, -60, 3], [60, -10, 12]),
            ["hides at 0 samples only", "--placement has it too high"],
        ),
        (
            "cellar.json",
            ([20, -60, -9], [60, -10, -4]),
            ["hides nothing", "--placement has it too low"],
        ),
    ] {
        folder.write(name, town(corners.0, corners.1));
        let told = bake(
            &folder,
            &[
                "ground.asc",
                "--solids",
                name,
                "--placement",
                "0,0,0",
                "-o",
                "d.vcb",
                "--force",
            ],
        );
        for word in words {
            assert!(told["notes"].to_string().contains(word), "{told}");
        }
        // Who is on it is in sight all the same.
        assert_eq!(sees("d.vcb", "0,2", "3,2"), "visible\n");
    }
    assert!(!notes.contains("warning"), "{notes}");

    // A town twice as large, from a job.
    folder.write(
        "job.toml",
        "[terrain]\ninput = \"ground.asc\"\nsolids = \"town.json\"\nplacement = \"-20,-10,0,2\"\noutput = \"c.vcb\"\n",
    );
    folder.ok(&["bake", "--job", "job.toml", "--quiet"]);

    let fails = |options: &[&str], code, words: &[&str]| {
        let first = ["bake", "terrain", "houses.asc", "-o", "x.vcb", "--quiet"];
        folder.fails(&[&first[..], options].concat(), code, words);
    };
    fails(
        &["--solids", "town.json"],
        3,
        &["town.json", "EPSG:32611 and none", "--placement"],
    );
    fails(&["--solids", "none.json"], 4, &["none.json"]);
    fails(
        &["--solids", "ground.asc", "--placement", "0,0,0"],
        3,
        &["ground.asc", "level"],
    );
    fails(&["--placement", "0,0,0"], 2, &["--solids"]);
    let off = ["--solids", "town.json", "--placement", "900,0,0"];
    fails(
        &off,
        3,
        &[
            "80 m from west to east",
            "920.0 to 960.0 m east",
            "--placement",
        ],
    );
    for placement in [
        "",
        "1,2",
        "1,2,x",
        "1,2,3,0",
        "1,2,3,-1",
        "1,2,nan",
        "1,2,3,4,5",
    ] {
        fails(
            &["--solids", "town.json", "--placement", placement],
            2,
            &["EAST,SOUTH,UP"],
        );
    }
}
