//! The highest, finest, farthest and fewest: answered rightly, or refused.

use crate::common::Folder;

const BAD_INPUT: i32 = 3;
const RESOURCE: i32 = 5;

#[test]
fn extremes_are_correct_or_said() {
    let folder = Folder::new();
    let raster = |cell: &str, column: fn(u32) -> &'static str| {
        let row: String = (0..21).map(|c| format!("{} ", column(c))).collect();
        format!(
            "ncols 21\nnrows 9\ncellsize {cell}\nNODATA_value -9999\n{}",
            format!("{row}\n").repeat(9)
        )
    };
    let wall = |c| if c == 10 { "10000" } else { "0" };
    folder.write("wall.asc", raster("10", wall));
    folder.write("void.asc", raster("10", |_| "-9999"));
    folder.write(
        "sky.asc",
        raster("10", |c| if c == 3 { "2e7" } else { "0" }),
    );
    folder.write(
        "high.asc",
        raster("10", |c| if c == 10 { "2000000" } else { "1000000" }),
    );
    folder.write("fine.asc", raster("0.001", wall));
    folder.write("finer.asc", raster("1e-9", wall));
    folder.write("wide.asc", raster("1e10", wall));
    folder.write("long.r16", vec![0; 2 * 65_537]);
    let bake = |input: &str, more: &[&str]| {
        let bake = ["bake", "terrain", input, "-o", "a.vcb", "--force", "-q"];
        folder.sound(&[&bake[..], more].concat());
    };
    let visible = |a: &str, b: &str| folder.ok(&["query", "visible", "a.vcb", a, b]).stdout;
    let seen = |from: &str| {
        let pvs = folder.json(&["query", "pvs", "a.vcb", from, "--json"]);
        pvs["visible"].clone()
    };
    for mode in ["exact", "conservative"] {
        // A wall of ten kilometres, one on a mountain of a thousand, one of millimetres' spacing.
        for input in ["wall.asc", "high.asc", "fine.asc"] {
            bake(input, &["--visibility", mode]);
            assert_eq!(visible("2,4", "18,4"), "hidden\n", "{input} {mode}");
            assert_eq!(visible("2,4", "9,5"), "visible\n", "{input} {mode}");
        }
        // Eyes over the wall, and below heads that rise over it.
        for [eye, head] in [["30000", "0"], ["0", "30000"]] {
            let bodies = ["--eye-height", eye, "--player-height", head];
            bake("wall.asc", &[&bodies[..], &["--visibility", mode]].concat());
            assert_eq!(visible("2,4", "18,4"), "visible\n", "{eye} {head} {mode}");
        }
        // Less than a cell: the sample alone; squares that touch.
        for metres in ["5", "1e-9"] {
            bake(
                "wall.asc",
                &["--visibility", mode, "--max-distance", metres],
            );
            let few = if mode == "exact" { 1 } else { 9 };
            assert_eq!(seen("5,4"), few, "{metres} m, {mode}");
        }
    }
    std::fs::remove_file(folder.path("a.vcb")).unwrap();
    std::fs::remove_file(folder.path("a.vcb.timings.json")).unwrap();

    let before = folder.names();
    for (input, more, code, words) in [
        ("void.asc", &[][..], BAD_INPUT, "nothing but voids"),
        ("sky.asc", &[], BAD_INPUT, "(3, 0)"),
        ("finer.asc", &[], BAD_INPUT, "1e-6 to 1e9 m"),
        ("wide.asc", &[], BAD_INPUT, "1e-6 to 1e9 m"),
        ("long.r16", &["--size", "65537x1"], RESOURCE, "--crop"),
        (
            "long.r16",
            &["--size", "1x65537"],
            RESOURCE,
            "65536 samples a side",
        ),
    ] {
        let bake = [&["bake", "terrain", input, "-o", "a.vcb"], more].concat();
        folder.fails(&bake, code, &[input, words]);
        assert_eq!(folder.names(), before);
    }
}
