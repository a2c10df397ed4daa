//! A bake of cells that is killed again and again.
#![cfg(unix)]

use std::fmt::Write;

use crate::common::Folder;

const SIDE: usize = 9;

/// A block of 9 x 9 x 9 rooms, 10 a side, with a door of some width between all that touch: a
/// second's work.
fn block() -> String {
    let number = |[x, y, z]: [usize; 3]| (z * SIDE + y) * SIDE + x;
    let mut seed = 7_u32;
    let mut roll = |sides: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(seed) * u64::from(sides)) >> 32) as u32
    };
    let mut doors = Vec::new();
    for room in 0..SIDE * SIDE * SIDE {
        let at = [room % SIDE, room / SIDE % SIDE, room / SIDE / SIDE];
        for k in 0..3 {
            let mut next = at;
            next[k] += 1;
            if next[k] == SIDE {
                continue;
            }
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            let [u0, v0] = [roll(5), roll(5)];
            let [u1, v1] = [u0 + 2 + roll(3), v0 + 2 + roll(3)];
            let corners = [[u0, v0], [u1, v0], [u1, v1], [u0, v1]].map(|[du, dv]| {
                let mut corner = at.map(|low| 10 * low as u32);
                corner[k] += 10;
                corner[u] += du;
                corner[v] += dv;
                let [x, y, z] = corner;
                format!("[{x}, {y}, {z}]")
            });
            let mut door = String::new();
            let corners = corners.join(", ");
            let cells = [number(at), number(next)];
            write!(door, r#"{{"cells": {cells:?}, "winding": [{corners}]}}"#).unwrap();
            doors.push(door);
        }
    }
    let cells = SIDE * SIDE * SIDE;
    format!(
        r#"{{"cells": {cells}, "portals": [{}]}}"#,
        doors.join(",\n")
    )
}

#[test]
fn a_bake_of_cells_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let folder = Folder::new();
    folder.write("block.json", block());
    let bake = ["bake", "cells", "block.json", "--quiet", "--threads", "2"];
    folder.ok(&[&bake[..], &["-o", "whole.vcb"]].concat());

    let resume = [&bake[..], &["-o", "killed.vcb", "--resume"]].concat();
    let length = || std::fs::metadata(folder.path("killed.vcb.checkpoint")).map_or(0, |m| m.len());
    let mut kills = 0;
    loop {
        let before = length();
        let mut child = folder.command(&resume).spawn().unwrap();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            // It has gone on by some rows, or by a part of one.
            if length() > before.max(16) {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::yield_now();
        };
        match ended {
            Some(status) => {
                assert!(status.success());
                break;
            }
            None => kills += 1,
        }
        // A kill between the bundle and the end of its checkpoint leaves both.
        if folder.names().contains(&"killed.vcb".to_owned()) {
            break;
        }
    }
    assert!(kills > 3, "killed {kills} times");
    assert!(folder.read("killed.vcb") == folder.read("whole.vcb"));
    // Once more, and it is done at once: so a loop until it succeeds ends.
    folder.ok(&resume);
    assert!(folder.read("killed.vcb") == folder.read("whole.vcb"));
    assert!(!folder.names().contains(&"killed.vcb.checkpoint".to_owned()));

    // What is kept of one level is of no use for another.
    folder.write(
        "other.json",
        block().replace("\"cells\": 729", "\"cells\": 730"),
    );
    folder.write("killed.vcb.checkpoint", "VCFLOW\0\u{1}01234567");
    let other = ["bake", "cells", "other.json", "-o", "killed.vcb", "--force"];
    folder.fails(
        &[&other[..], &["--resume"]].concat(),
        3,
        &[
            "killed.vcb.checkpoint",
            "other portals",
            "delete it to start again",
        ],
    );
    folder.fails(
        &[&other[..], &["--checkpoint", "x"]].concat(),
        2,
        &["--checkpoint is gone: --resume"],
    );
}
