//! A session in C tells the same as one in Rust.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use viewcell::query::{MappedBundle, Place, Sample};
use viewcell::session::{News, Session, SessionOptions};
use viewcell_ingest::world::Terrain;

use crate::baking::bake_exactly;
use crate::common::{compile, ok, same};
use crate::programs::MUTUAL;

const WIDTH: u32 = 40;
const HEIGHT: u32 = 30;
const PLAYERS: u32 = 8;
const TICKS: u32 = 120;

/// The walk of `session.c`, in Rust.
fn walk(path: &Path, options: SessionOptions) -> String {
    let map = MappedBundle::open(path).unwrap();
    let world = map.bundle().unwrap().world().unwrap();
    let mut session = Session::new(&world, PLAYERS as usize, options);
    let mut seed = 1_u32;
    let mut dice = |sides: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(seed) * u64::from(sides)) >> 32) as u32
    };
    let mut lines = String::new();
    for tick in 0..TICKS {
        session.tick();
        for player in 0..PLAYERS {
            let here = session.place(player as usize).flatten();
            let here = here.and_then(|place| world.sample(place));
            let goes = here.is_some() && dice(100) == 0;
            let mut next = Sample::new(dice(WIDTH), dice(HEIGHT));
            if let Some(here) = here {
                next.column = here.column.wrapping_add(dice(3)).wrapping_sub(1);
                next.row = here.row.wrapping_add(dice(3)).wrapping_sub(1);
            }
            let to = (!goes).then_some(Some(Place::Sample(next)));
            let _ = session.move_to(player as usize, to, |notice| {
                let what = u32::from(notice.what == News::Frontier);
                let (to, about) = (notice.to, notice.about);
                writeln!(lines, "{tick} {player} {to} {about} {what}").unwrap();
            });
        }
    }
    writeln!(lines, "{} sets", session.sets()).unwrap();
    lines
}

#[test]
fn a_session_in_c_tells_what_one_in_rust_tells() {
    let Some(program) = compile("session.c") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.vcb");
    let heights = (0..WIDTH * HEIGHT).map(|i| {
        let (c, r) = (f64::from(i % WIDTH), f64::from(i / WIDTH));
        match i % 97 {
            0 => f64::NAN,
            _ => 20.0 * ((c * 0.4).sin() + (r * 0.3).cos()),
        }
    });
    let terrain = Terrain::new(WIDTH, HEIGHT, heights.collect(), [10.0, 10.0]).unwrap();
    bake_exactly(&terrain, MUTUAL, &path);
    for (peers, margin) in [(false, 0), (true, 0), (true, 2)] {
        let arguments = [PLAYERS, TICKS, peers.into(), margin].map(|n| n.to_string());
        let output = Command::new(&program).arg(&path).args(arguments).output();
        let stdout = ok(&output.unwrap());
        let expected = walk(
            &path,
            SessionOptions {
                peers,
                margin,
                ..SessionOptions::default()
            },
        );
        same(&stdout, &expected);
        assert!(stdout.lines().count() > 1000);
        let sets = stdout.lines().last().unwrap();
        assert_ne!(sets, "0 sets");
        // A server keeps the sets to itself.
        let news = stdout.lines().any(|line| line.ends_with(" 1"));
        assert_eq!(news, peers);
    }
}
