//! Observers that cannot be: errors name the file, the line, what was expected and found, and what to do.

use viewcell::dice::Dice;
use viewcell_ingest::read_observers;

use crate::common::{Folder, words};

const USAGE: i32 = 2;
const BAD_INPUT: i32 = 3;

fn refused(name: &str, table: impl AsRef<[u8]>, words: &[&str]) {
    let folder = Folder::with_wall();
    folder.write(name, table);
    let before = folder.names();
    let look = ["viewshed", "wall.asc", "-o", "a.tif", "--observers", name];
    folder.fails(&look, BAD_INPUT, &[&[name], words].concat());
    assert_eq!(folder.names(), before);
}

/// What is given, and what is said of it, a line each.
fn rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.lines().map(|row| row.split_once(" => ").unwrap())
}

#[test]
fn tables_that_are_wrong_are_refused_by_line() {
    let columns = "column,row,eye,radius,azimuth_from,azimuth_to,tilt_from,tilt_to";
    const LINES: &str = "\
9,2,,,,,, => line 3: expected columns 0 to 8 and rows 0 to 4
-1,2,,,,,, => found -1, 2
1.5,2,,,,,, => as whole numbers, found 1.5, 2
8,4,,,,,, => line 3: expected a place with ground, found a void at sample 8,4; move
1,2,tall,,,,, => line 3: expected a number as eye, found \"tall\"; write numbers
1,2,1e999,,,,, => expected a number as eye
1,2,-1,,,,, => expected a height of the eye in metres of 0 to 1000000, found -1
1,2,,0,,,, => line 3: expected a radius above 0 m
1,2,,,90,90,, => expected two different azimuths, found 90 and 90
1,2,,,90,9000,, => expected azimuths in degrees of -720 to 720, found 9000
1,2,,,,,30,10 => expected a lower tilt below the upper one, found 30 and 10
1,2,,,,,,100 => expected a tilt in degrees of -90 to 90, found 100
,2,,,,,, => line 3: expected two coordinates, found an empty field
1,2 => line 3: expected 8 fields, as in line 1, found 2
1,\"2,,,,,, => line 3: expected a closing \", found the end of the file";
    for (line, words) in rows(LINES) {
        let table = format!("{columns}\n1,1,,,,,,\n{line}\n");
        refused("posts.csv", table, &[words]);
    }
    // A bar ends a line.
    const TABLES: &str = "\
name,height|a,2| => line 1: expected columns of positions, found the columns name, height
1,2|3,4| => line 1: expected columns of positions
col,row,COLUMN|1,2,3| => one column of a meaning, found \"col\" and \"COLUMN\"
col,row,x,y|1,2,3,4| => one pair of columns of positions, found two
col,row,SPOT|1,2,3| => found a column \"SPOT\"; rename the column
col,row,RADIUS1|1,2,3| => line 2: expected RADIUS1 below 0
col,row,RADIUS1|1,2,3| => write -3, or name the column min_radius
col,row| => expected observers, found a table without any
 => found an empty file
lon,lat|1,2| => line 2: expected positions by column and row
east,south|500,2| => line 2: expected -5 to 85 m east";
    for (table, words) in rows(TABLES) {
        refused("posts.csv", table.replace('|', "\n"), &[words]);
    }
    let table = b"col,row,name\n1,2,ok\n1,2,caf\xe9\n";
    refused("posts.csv", table, &["line 3: expected UTF-8 text"]);
}

#[test]
fn features_that_are_wrong_are_refused_by_number() {
    let point =
        r#"{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[5,5]}}"#;
    let features =
        |more: &str| format!(r#"{{"type":"FeatureCollection","features":[{point},{more}]}}"#);
    const FEATURES: &str = r#"
{"geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}} => feature 2: expected a Point, found LineString
null => feature 2: expected a Point, found no geometry
{"properties":{"Eye Height":"tall"},"geometry":{"type":"Point","coordinates":[5,5]}} => feature 2: expected a number as Eye Height, found "tall"
{"geometry":{"type":"Point","coordinates":[5000,5]}} => feature 2: expected x of"#;
    for (feature, words) in rows(FEATURES.trim_start()) {
        refused("a.geojson", features(feature), &[words]);
    }
    let words = "expected a FeatureCollection of points, found a Feature";
    refused("a.geojson", point, &[words]);
    let words = "line 1, column 8: expected GeoJSON";
    refused("a.geojson", "{\"type\":", &[words]);
}

#[test]
fn options_that_contradict_are_refused() {
    let folder = Folder::with_wall();
    folder.write("posts.csv", "col,row\n1,2\n");
    const ROWS: &str = "\
-o a.tif => --observers
-o a.tif --kind all --at 1,2 => every place is one
-o a.tif --at 1,2 --observers posts.csv => cannot be used with
-o a.tif --at 1 => COL,ROW
-o a.tif --at 1,2 -1,2 => --at -1,2: expected columns 0 to 8
-o a.jpg --at 1,2 => expected a name that ends in .tif or .png
-o a.png --each --at 1,2 => --kind each: expected a name that ends in .tif
-o a.tif --xy --observers posts.csv => expected --at with them
-o a.tif --xy --at 1,2000 => expected x of
-o a.tif --at 99,2 => --at 99,2: expected columns 0 to 8
-o a.tif --at 8,4 => --at 8,4: expected a place with ground, found a void
-o a.tif --at 1,2 --azimuth 10,10 => two different azimuths
-o a.tif --at 1,2 --eye-height -1 => --eye-height
-o wall.asc --at 1,2 => expected a name that ends
-o posts.csv --observers posts.csv => expected a name that ends";
    for (more, words) in rows(ROWS) {
        let line = format!("viewshed wall.asc {more}");
        folder.fails(&Vec::from_iter(line.split(' ')), USAGE, &[words]);
    }
}

#[test]
fn thousands_at_one_place_are_looked_for_once_and_all_counted() {
    let folder = Folder::with_wall();
    folder.write("posts.csv", format!("col,row\n{}", "2,2\n".repeat(5000)));
    let told = folder.json(&words(
        "viewshed wall.asc -o a.tif --observers posts.csv --count --json",
    ));
    assert_eq!(told["observers"].as_array().unwrap().len(), 5000);
    let file = folder.read("a.tif");
    let mut decoder = tiff::decoder::Decoder::new(std::io::Cursor::new(file)).unwrap();
    let tiff::decoder::DecodingResult::U32(counts) = decoder.read_image().unwrap() else {
        panic!("not u32");
    };
    assert_eq!(counts.iter().max(), Some(&u32::MAX));
    assert!(
        counts
            .iter()
            .all(|count| [0, 5000, u32::MAX].contains(count))
    );
    assert!(counts.contains(&5000) && counts.contains(&0));
}

#[test]
fn damaged_tables_are_refused_or_read_as_numbers() {
    let tables: [&[u8]; 3] = [
        b"name,x,y,eye,radius,azimuth_from,azimuth_to,tilt_from\n\"a, \"\"b\"\"\",1.5,-2e3,1.7,30,350,10,-5\nc,7,8,,,,,\n",
        "\u{feff}LON;LAT;OFFSETA\r\n14.5;46;2\r\n14.25;46.5;\r\n".as_bytes(),
        br#"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2,3]},
            "properties":{"name":"a","eye":1.7,"radius":null}},{"type":"Feature","geometry":null,"properties":{}}]}"#,
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let mut dice = Dice(9);
    let (mut read, mut refused) = (0, 0);
    for round in 0..6_000 {
        let mut bytes = tables[round % 3].to_vec();
        for _ in 0..dice.roll(4) {
            let at = dice.roll(bytes.len() as u32) as usize;
            match dice.roll(4) {
                0 => bytes[at] = dice.roll(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => bytes.insert(at, b",;\t\"\n{[-e"[dice.roll(9) as usize]),
                // A field or a feature once more.
                _ => bytes.extend_from_within(at..),
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        match read_observers(&path) {
            Ok(table) => {
                read += 1;
                for row in table.rows {
                    let others = [row.eye, row.head].into_iter().chain(row.radius);
                    let others = others.chain(row.azimuth).chain(row.tilt).flatten();
                    let mut all = row.place.0.into_iter().chain(others);
                    assert!(all.all(f64::is_finite), "round {round}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(
                    error.to_string().contains("table"),
                    "round {round}: {error}"
                );
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} {refused}");
}
