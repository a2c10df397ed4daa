//! What is told of a heightmap before anything is made of it.

use crate::common::{Folder, words};

const NO_ROOM: i32 = 5;

const SIDE: u32 = 32;

/// A hill of 300 m, RAW16.
fn hill(bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    (0..SIDE * SIDE)
        .map(|i| [i % SIDE, i / SIDE].map(|n| n.abs_diff(SIDE / 2)))
        .flat_map(|[x, y]| bytes((300 - (x * x + y * y) / 2) as u16))
        .collect()
}

#[test]
fn a_dry_run_warns_of_noise_and_of_more_height_than_ground_with_what_to_give() {
    let folder = Folder::new();
    folder.write("swapped.r16", hill(u16::to_be_bytes));
    let bake = words("bake terrain swapped.r16 --size 32x32 --dry-run --json --visibility exact");
    let ran = folder.ok(&bake);
    for words in [
        "note: heights of ",
        " m on 32 x 32 m, 32 x 32 samples 1 x 1 m apart",
        "warning: ",
        "--vertical-scale",
        "--byte-order big",
    ] {
        assert!(ran.stderr.contains(words), "{words:?}: {}", ran.stderr);
    }
    assert!(!ran.stdout.contains("warning"), "{}", ran.stdout);

    let right = [&bake[..], &["--byte-order", "big", "--spacing", "30"]].concat();
    let ran = folder.ok(&right);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let quiet = [&bake[..], &["--quiet"]].concat();
    assert_eq!(folder.ok(&quiet).stderr, "");
}

#[test]
fn notes_come_before_the_work_and_not_when_it_is_over() {
    let folder = Folder::new();
    folder.write("hill.r16", hill(u16::to_le_bytes));
    let bake = words("bake terrain hill.r16 --size 32x32 -o a.vcb --memory 1");
    let ran = folder.ends(&bake, NO_ROOM);
    assert!(
        ran.stderr.starts_with("note: heights of "),
        "{}",
        ran.stderr
    );
}
