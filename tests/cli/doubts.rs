//! What is doubtful in solid levels is said: few places, pockets, leaks, and positions in no cell.

use crate::common::Folder;
use crate::common::{brush, rooms, words};

/// Walls around a room: its inner corners.
fn walls([a, b, c]: [i32; 3], [x, y, z]: [i32; 3]) -> String {
    [
        ([a - 16, b - 16, c - 16], [x + 16, y + 16, c]),
        ([a - 16, b - 16, z], [x + 16, y + 16, z + 16]),
        ([a - 16, b - 16, c], [a, y + 16, z]),
        ([x, b - 16, c], [x + 16, y + 16, z]),
        ([a, b - 16, c], [x, b, z]),
        ([a, y, c], [x, y + 16, z]),
    ]
    .map(|(low, high)| brush(low, high))
    .concat()
}

/// A map of brushes and starting points, as a bake tells of it.
fn told(folder: &Folder, brushes: &str, starts: &[[i32; 3]], reach: &str) -> String {
    let start = |[x, y, z]: &[i32; 3]| {
        format!("{{\n\"classname\" \"info_player_start\"\n\"origin\" \"{x} {y} {z}\"\n}}\n")
    };
    let starts: String = starts.iter().map(start).collect();
    let map = format!("{{\n\"classname\" \"worldspawn\"\n{brushes}}}\n{starts}");
    folder.write("level.map", map);
    folder.write("reach.csv", reach);
    let bake = ["bake", "solid", "level.map", "--cell", "32", "--force"];
    let mut bake = bake.to_vec();
    if !reach.is_empty() {
        bake.extend(["--reach", "reach.csv"]);
    }
    folder.ok(&bake).stderr
}

#[test]
fn a_level_that_leaks_onto_its_roof_is_told_of() {
    let folder = Folder::new();
    let room = walls([0, 0, 0], [512, 256, 128]);
    let sealed = told(&folder, &room, &[[64, 64, 32]], "");
    assert!(!sealed.contains("nothing above"), "{sealed}");
    // Half of its ceiling.
    let ceiling = brush([-16, -16, 128], [528, 272, 144]);
    let half = room.replace(&ceiling, &brush([-16, -16, 128], [256, 272, 144]));
    let leaking = told(&folder, &half, &[[64, 64, 32]], "");
    assert!(leaking.contains("have nothing above them"), "{leaking}");
    assert!(leaking.contains("the level leaks"), "{leaking}");
    // On top of the sealed one.
    let outside = told(&folder, &room, &[[64, 64, 32], [64, 64, 200]], "");
    let words = "the first at 64,64,200: is that outside of the walls?";
    assert!(outside.contains(words), "{outside}");
}

#[test]
fn a_handful_of_cells_and_a_pocket_are_told_of() {
    let folder = Folder::new();
    let room = walls([0, 0, 0], [512, 256, 128]);
    let pocket = walls([1000, 0, 0], [1040, 40, 60]);
    let both = room + &pocket;
    let told_of_both = told(&folder, &both, &[[64, 64, 32]], "1020,20,26\n");
    let words = "next to nothing can be reached, the first at 1020,20,26";
    assert!(told_of_both.contains(words), "{told_of_both}");
    let alone = told(&folder, &both, &[], "1020,20,26\n");
    assert!(alone.contains("all that players can reach is"), "{alone}");
    assert!(alone.contains("with --reach"), "{alone}");
    let room_alone = told(&folder, &both, &[[64, 64, 32]], "300,100,26\n");
    let words = ["can be reached, the first", "players can reach is"];
    assert!(
        !words.iter().any(|of| room_alone.contains(of)),
        "{room_alone}"
    );
}

#[test]
fn a_position_in_no_cell_is_told_of_one_at_a_time_and_counted_in_files() {
    let folder = rooms();
    let ask = |verb: &[&str]| folder.ok(&[verb, &["64,64,24", "5000,0,0"]].concat());
    for verb in [
        &["query", "visible", "rooms.vcb"][..],
        &["query", "within", "rooms.vcb", "--reach", "8"],
    ] {
        let ran = ask(verb);
        assert_eq!(ran.stdout, "visible\n");
        ran.warns("5000,0,0 is in no view cell");
        assert!(!ran.stderr.contains("64,64,24 is in no"), "{}", ran.stderr);
    }
    folder.write(
        "points.txt",
        "64 64 24 5000 0 0\n5000 0 0 5001 0 0\n64 64 24 448 64 24\n",
    );
    let asked = words("query visible rooms.vcb --pairs points.txt --json");
    let ran = folder.ok(&asked);
    let document = ran.json();
    assert_eq!(document["nowhere"], 3, "{document}");
    ran.warns("3 of 6 positions");
}
