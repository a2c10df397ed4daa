//! `viewcell viewshed` against exact bundles, pixel by pixel.

use std::io::Cursor;

use serde_json::Value;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use crate::common::{Folder, demo, words};
use crate::data::data;

/// The bytes of a band of a map; of one that fits into a tile where there are several.
fn band(file: &[u8], band: u32) -> Vec<u8> {
    let mut decoder = Decoder::new(Cursor::new(file)).unwrap();
    let (width, height) = decoder.dimensions().unwrap();
    let (DecodingResult::U8(pixels), side) = (match band {
        0 if decoder.get_tag_u32(Tag::SamplesPerPixel).unwrap_or(1) == 1 => {
            (decoder.read_image().unwrap(), width)
        }
        _ => (
            decoder.read_chunk(band).unwrap(),
            decoder.chunk_data_dimensions(band).0,
        ),
    }) else {
        panic!("not bytes");
    };
    let rows = pixels.chunks_exact(side as usize).take(height as usize);
    rows.flat_map(|row| row[..width as usize].to_vec())
        .collect()
}

fn numbers(file: &[u8]) -> Vec<u32> {
    let mut decoder = Decoder::new(Cursor::new(file)).unwrap();
    let DecodingResult::U32(pixels) = decoder.read_image().unwrap() else {
        panic!("not u32");
    };
    pixels
}

/// Holds what places see to an exact bundle of the same terrain; how many pixels are seen, and how many not.
fn same_as_a_bundle(input: &str, reading: &[&str], sight: &[&str], places: &[&str]) -> [usize; 2] {
    let folder = Folder::new();
    let exact = [
        "bake",
        "terrain",
        input,
        "-o",
        "a.vcb",
        "-q",
        "--visibility",
        "exact",
    ];
    folder.ok(&[&exact[..], reading, sight].concat());
    let look = ["viewshed", input, "-q", "-o", "each.tif", "--each", "--at"];
    folder.ok(&[&look[..], places, reading, sight].concat());
    let each = folder.read("each.tif");
    let mut counts = [0, 0];
    for (i, place) in places.iter().enumerate() {
        folder.ok(&["query", "pvs", "a.vcb", place, "-o", "pvs.tif", "--force"]);
        let due = band(&folder.read("pvs.tif"), 0);
        let found = band(&each, i as u32);
        assert!(found == due, "{input} {reading:?} {sight:?} from {place}");
        let look = [
            "viewshed", input, "-q", "-o", "one.tif", "--force", "--at", place,
        ];
        folder.ok(&[&look[..], reading, sight].concat());
        assert!(band(&folder.read("one.tif"), 0) == due, "alone, {place}");
        counts[0] += due.iter().filter(|pixel| **pixel == 1).count();
        counts[1] += due.iter().filter(|pixel| **pixel == 0).count();
    }
    counts
}

#[test]
fn a_viewshed_is_the_pvs_of_an_exact_bundle() {
    let demo = demo();
    let input = demo.to_str().unwrap();
    let crop = ["--crop", "100,80,70,50"];
    let places = ["0,0", "35,25", "69,49", "12,40"];
    for sight in [
        &[][..],
        &["--max-distance", "1500"],
        &["--earth-curvature"],
        &["--earth-curvature=0", "--eye-height", "12"],
        &[
            "--player-height",
            "0.5",
            "--eye-height",
            "30",
            "--max-distance",
            "2000",
        ],
    ] {
        let [seen, hidden] = same_as_a_bundle(input, &crop, sight, &places);
        assert!(seen > 100 && hidden > 100, "{sight:?}: {seen} {hidden}");
    }
}

#[test]
fn a_viewshed_of_other_terrains_is_the_pvs_of_an_exact_bundle() {
    // Buildings, Martian metres, and a tile of which most is void.
    for (name, reading, places) in [
        (
            "bilbao_dsm_500.tif",
            &["--crop", "200,150,80,60"][..],
            &["3,4", "40,30"][..],
        ),
        (
            "Gale_HRSC_DEM_50m_300x285.hdr",
            &["--crop", "90,90,60,60", "--vertical-scale", "0.1"],
            &["0,59", "30,30"],
        ),
        ("N34W119.hgt", &["--crop", "900,850,80,60"], &["40,30"]),
        (
            "slovenia_lidar_1m_nodata.tif",
            &["--crop", "0,0,64,64"],
            &["32,32"],
        ),
    ] {
        let Some(path) = data(&format!("terrain/{name}")) else {
            continue;
        };
        let input = path.to_str().unwrap();
        // Observers do not stand on voids.
        let places: Vec<&str> = places
            .iter()
            .copied()
            .filter(|place| {
                let folder = Folder::new();
                let look = ["viewshed", input, "-q", "-o", "a.tif", "--at", place];
                let ran = folder.run(&[&look[..], reading].concat());
                assert!(
                    ran.code == Some(0) || ran.stderr.contains("a void"),
                    "{}",
                    ran.stderr
                );
                ran.code == Some(0)
            })
            .collect();
        if !places.is_empty() {
            same_as_a_bundle(input, reading, &["--earth-curvature"], &places);
        }
    }
}

#[test]
fn any_and_count_are_made_of_each_and_columns_override_options() {
    let folder = Folder::new();
    let demo = demo();
    let table = "Name;COLUMN;Row;eye_height;Radius;Azimuth From;azimuth-to\n\
                 west;5;9;20;;90;270\n\"a; b\";30;9;;900;;\n;5;9;;;;\nwest;5;9;20;;90;270\n";
    folder.write("posts.csv", table);
    let point = |name: &str, at: [u32; 2], more: &str| {
        format!(
            r#"{{"type":"Feature","properties":{{"name":{name}{more}}},"geometry":{{"type":"Point","coordinates":[{},{}]}}}}"#,
            at[0], at[1]
        )
    };
    let look = |observers: &[&str], of: &[&str], output: &str| {
        let fixed = [
            "viewshed",
            demo.to_str().unwrap(),
            "--crop",
            "60,50,50,40",
            "-q",
        ];
        let more = [of, &["--json", "-o", output], observers].concat();
        folder.json(&[&fixed[..], &more].concat())
    };
    let told = look(&["--observers", "posts.csv"], &["--each"], "each.tif");
    let each = folder.read("each.tif");
    let bands: Vec<Vec<u8>> = (0..4).map(|i| band(&each, i)).collect();
    assert_eq!(bands[0], bands[3]);
    for (i, seen) in bands.iter().enumerate() {
        let visible = seen.iter().filter(|pixel| **pixel == 1).count();
        assert_eq!(told["observers"][i]["visible"], visible as u64);
    }
    assert_eq!(told["observers"][1]["name"], "a; b");
    assert_eq!(told["observers"][2].get("name"), None);
    let mut decoder = Decoder::new(Cursor::new(&each)).unwrap();
    let names = decoder.get_tag_ascii_string(Tag::Unknown(42112)).unwrap();
    assert!(
        names.contains(r#"sample="1" role="description">a; b<"#),
        "{names}"
    );
    assert!(names.contains(">line 4<"), "{names}");

    look(&["--observers", "posts.csv"], &["--count"], "count.tif");
    let due: Vec<u32> = (0..50 * 40)
        .map(|i| bands.iter().map(|band| u32::from(band[i])).sum())
        .collect();
    assert_eq!(numbers(&folder.read("count.tif")), due);
    look(&["--observers", "posts.csv"], &[], "any.tif");
    let due: Vec<u8> = due.iter().map(|count| u8::from(*count > 0)).collect();
    assert_eq!(band(&folder.read("any.tif"), 0), due);

    // The second of them by an option, and by a file of another kind.
    look(&["--at", "30,9", "--max-distance", "900"], &[], "at.tif");
    assert_eq!(band(&folder.read("at.tif"), 0), bands[1]);
    let features = [point("null", [30, 9], r#","RADIUS2":"900""#)];
    let text = format!(
        r#"{{"type":"FeatureCollection","features":[{}]}}"#,
        features.join(",")
    );
    folder.write(
        "posts.geojson",
        text.replace("[30,9]", &xy(&folder, &demo, "30,9")),
    );
    look(&["--observers", "posts.geojson"], &[], "points.tif");
    assert_eq!(band(&folder.read("points.tif"), 0), bands[1]);
    // The sector of the first looks south.
    assert!(bands[0][..8 * 50].iter().all(|pixel| *pixel == 0));
    assert!(bands[0] != bands[2]);
}

/// A sample of the crop in the coordinates of the heightmap, as GeoJSON has it.
fn xy(folder: &Folder, demo: &std::path::Path, place: &str) -> String {
    let crop = ["--crop", "60,50,50,40", "-q", "--visibility", "exact"];
    let bake = ["bake", "terrain", demo.to_str().unwrap(), "-o", "xy.vcb"];
    folder.ok(&[&bake[..], &crop].concat());
    let info = folder.json(&["info", "xy.vcb", "--json"]);
    let transform = info["terrain"]["transform"].as_array().unwrap();
    let t: Vec<f64> = transform.iter().map(|n| n.as_f64().unwrap()).collect();
    let (column, row) = place.split_once(',').unwrap();
    let [c, r]: [f64; 2] = [column, row].map(|text| text.parse::<f64>().unwrap() + 0.5);
    let [x, y] = [t[0] + t[1] * c + t[2] * r, t[3] + t[4] * c + t[5] * r];
    format!("[{x},{y}]")
}

#[test]
fn the_number_of_threads_changes_no_byte_and_pictures_are_drawn() {
    let folder = Folder::new();
    let demo = demo();
    let look = |more: &[&str]| {
        let fixed = [
            "viewshed",
            demo.to_str().unwrap(),
            "-q",
            "--crop",
            "60,50,50,40",
        ];
        let at = ["--at", "5,9", "30,9", "44,30", "12,12", "7,31"];
        folder.ok(&[&fixed[..], &at, more].concat())
    };
    look(&["--each", "-o", "a.tif", "--threads", "1"]);
    look(&["--each", "-o", "b.tif", "--threads", "3"]);
    assert_eq!(folder.read("a.tif"), folder.read("b.tif"));
    for of in [&[][..], &["--count"]] {
        look(&[of, &["-o", "a.png", "--force"]].concat());
        assert!(folder.read("a.png").starts_with(b"\x89PNG"));
    }
    // In metres from the first sample, of which one is some 90.
    folder.write("metres.csv", "east,south\n5,9\n");
    let fixed = ["viewshed", demo.to_str().unwrap(), "-q", "--json"];
    let told = folder.json(&[&fixed[..], &["--observers", "metres.csv", "-o", "c.tif"]].concat());
    assert_eq!(told["observers"][0]["sample"], serde_json::json!([0, 0]));
}

#[test]
fn the_total_viewshed_is_the_exposure_of_an_exact_bundle() {
    let folder = Folder::new();
    let demo = demo();
    let fixed = [demo.to_str().unwrap(), "--crop", "110,90,45,37", "-q"];
    for (i, sight) in [
        &[][..],
        &["--eye-height", "10", "--max-distance", "2500"],
        &["--earth-curvature", "--max-distance", "1200"],
    ]
    .into_iter()
    .enumerate()
    {
        let names = ["vcb", "a.tif", "b.tif"].map(|end| format!("{i}.{end}"));
        let bake = ["bake", "terrain", "--visibility", "exact", "-o", &names[0]];
        folder.ok(&[&bake[..], &fixed, sight].concat());
        folder.ok(&["export", "exposure", &names[0], "-q", "-o", &names[1]]);
        folder.ok(&[&["viewshed", "--all", "-o", &names[2]][..], &fixed, sight].concat());
        let due = numbers(&folder.read(&names[1]));
        assert_eq!(numbers(&folder.read(&names[2])), due, "{sight:?}");
        assert!(due.iter().max() > due.iter().min());
    }
    // Voids are no data.
    let wall = Folder::with_wall();
    wall.ok(&["export", "exposure", "wall.vcb", "-o", "a.tif"]);
    wall.ok(&["viewshed", "wall.asc", "--all", "-o", "b.tif"]);
    let due = numbers(&wall.read("a.tif")).into_iter();
    let due: Vec<u32> = due
        .map(|count| if count == 0 { u32::MAX } else { count })
        .collect();
    assert_eq!(numbers(&wall.read("b.tif")), due);
}

/// An ESRI ASCII grid of 40 x 30 samples, 5 m apart, by a function of column and row.
fn grid(of: impl Fn(i32, i32) -> i32) -> String {
    let mut text = "ncols 40\nnrows 30\nxllcorner 0\nyllcorner 0\ncellsize 5\n".to_owned();
    for row in 0..30 {
        let values: Vec<String> = (0..40).map(|column| of(column, row).to_string()).collect();
        text += &(values.join(" ") + "\n");
    }
    text
}

#[test]
fn houses_hide_and_places_are_left_out_as_in_a_bake() {
    let folder = Folder::new();
    let ground = |c: i32, r: i32| (c * 3 + r * 2) % 7 / 2;
    let house = |c: i32, r: i32| (8..14).contains(&(c % 20)) && (5..12).contains(&(r % 15));
    folder.write("ground.asc", grid(ground));
    folder.write(
        "houses.asc",
        grid(|c, r| ground(c, r) + if house(c, r) { 9 } else { 0 }),
    );
    folder.write("mask.asc", grid(|c, _| i32::from(c % 11 != 0)));
    // A block of flats on columns 24 to 30 and rows 4 to 12.
    folder.write(
        "flats.obj",
        "v 120 -60 -5\nv 150 -60 -5\nv 150 -20 -5\nv 120 -20 -5\nv 120 -60 20\nv 150 -60 20\nv 150 -20 20\nv 120 -20 20\n\
         f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
    );
    let flats = words("--solids flats.obj --from z-up --placement 0,0,0");
    let cases: [(&str, &[&str]); 5] = [
        ("houses.asc", &["--ground", "ground.asc"]),
        ("houses.asc", &["--ground", "ground.asc", "--inside"]),
        (
            "ground.asc",
            &["--walkable", "mask.asc", "--max-slope", "15"],
        ),
        ("ground.asc", &flats),
        (
            "ground.asc",
            &["--water-level", "0", "--max-distance", "80"],
        ),
    ];
    let plain = "plain.tif";
    folder.ok(&["viewshed", "ground.asc", "-q", "--at", "2,2", "-o", plain]);
    let plain = band(&folder.read(plain), 0);
    for (input, options) in cases {
        let bake = ["bake", "terrain", input, "-o", "a.vcb", "-q", "--force"];
        let exact = ["--visibility", "exact", "--quality", "samples"];
        folder.ok(&[&bake[..], &exact, options].concat());
        for place in ["2,2", "24,8", "37,20"] {
            let look = [
                "viewshed", input, "-q", "-o", "one.tif", "--force", "--at", place,
            ];
            folder.ok(&[&look[..], options].concat());
            folder.ok(&["query", "pvs", "a.vcb", place, "-o", "pvs.tif", "--force"]);
            let found = band(&folder.read("one.tif"), 0);
            assert!(
                found == band(&folder.read("pvs.tif"), 0),
                "{options:?} from {place}"
            );
            assert!(
                place != "2,2" || found != plain,
                "{options:?} change nothing"
            );
        }
        let all = ["viewshed", input, "-q", "-o", "all.tif", "--force", "--all"];
        folder.ok(&[&all[..], options].concat());
        folder.ok(&words("export exposure a.vcb -o exposure.tif --force -q"));
        let counts = numbers(&folder.read("exposure.tif"));
        let of_places = |numbers: Vec<u32>| -> Vec<u32> {
            numbers
                .into_iter()
                .filter(|n| *n != u32::MAX && *n > 0)
                .collect()
        };
        let found = of_places(numbers(&folder.read("all.tif")));
        assert_eq!(found, of_places(counts), "{options:?}");
    }
    let at = |options: &[&str], words: &[&str]| {
        let look = ["viewshed", "houses.asc", "-o", "x.tif", "--at"];
        folder.fails(&[&look[..], options].concat(), 2, words);
    };
    at(
        &["10,7", "--ground", "ground.asc"],
        &[
            "--at 10,7: expected a place where somebody can be, found one that is not walkable, or that the surface covers",
        ],
    );
    at(
        &["11,1", "--walkable", "mask.asc"],
        &["found one that is not walkable at sample 11,1"],
    );
    at(&["1,1", "--placement", "0,0,0"], &["--solids"]);
}

/// Observers as the plugin Visibility Analysis of QGIS and as ArcGIS have them, and what is said of columns that are not read.
#[test]
fn observers_of_other_programs_are_read_as_those_define_them() {
    let demo = demo();
    let folder = Folder::new();
    let crop = ["--crop", "60,50,50,40"];
    let look = |table: &str, output: &str| -> Value {
        folder.write("posts.csv", table);
        let look = [
            "viewshed",
            demo.to_str().unwrap(),
            "--observers",
            "posts.csv",
            "-o",
            output,
            "--json",
        ];
        folder.json(&[&look[..], &crop].concat())
    };
    let own = "col,row,eye,player,radius,min_radius,azimuth_from,azimuth_to,tilt_from,tilt_to\n\
               30,9,20,3,900,100,90,300,-20,10\n";
    assert_eq!(
        look(own, "own.tif")["notes"]
            .to_string()
            .matches("not read")
            .count(),
        0
    );
    let due = band(&folder.read("own.tif"), 0);
    assert!(due.contains(&1) && due.contains(&0));
    for (i, table) in [
        "ID,col,row,observ_hgt,target_hgt,radius,radius_in,azim_1,azim_2,angle_down,angle_up,file,z\n\
         1,30,9,20,3,900,100,90,300,-20,10,x.tif,77\n",
        "OBJECTID,col,row,OFFSETA,OFFSETB,RADIUS2,RADIUS1,AZIMUTH1,AZIMUTH2,VERT2,VERT1\n\
         1,30,9,20,3,-900,-100,90,300,-20,10\n",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{i}.tif");
        let notes = look(table, &name)["notes"].to_string();
        assert!(band(&folder.read(&name), 0) == due, "{table}");
        let unread = ["not read: file, z\"", "not read: OBJECTID\""][i];
        assert!(notes.contains(unread), "{notes}");
        assert_eq!(notes.contains("RADIUS2"), i == 1, "{notes}");
    }
}
