//! What cannot be seen from outside: a patch that fails, a thread that panics, patches that pile up.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::ground::Survey;
use super::laid::MOST_PATCHES;
use super::rebaker::{Rebaker, patch};
use crate::bake::job::header;
use crate::bake::rebake::stance_of;
use crate::bake::{BakeOptions, Mode, RebakeOptions, Silent, Source, bake_terrain, unreadable};
use crate::dice::Dice;
use crate::format::{Openings, Sample};
use crate::visibility::{Bodies, find_sight, sees};
use crate::world::Terrain;

fn bundle(folder: &Path) -> std::path::PathBuf {
    let heights = (0..20 * 16).map(|i| if i % 20 == 9 { 20.0 } else { 0.0 });
    let terrain = Terrain::new(20, 16, heights.collect(), [10.0; 2]).unwrap();
    let path = folder.join("wall.vcb");
    let options = BakeOptions {
        mode: Mode::Exact,
        threads: 1,
        ..BakeOptions::default()
    };
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, &options, &path, &Silent).unwrap();
    path
}

#[test]
fn a_patch_that_fails_leaves_its_changes_waiting_and_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    let tries = Arc::new(AtomicU32::new(0));
    let (counted, own) = (tries.clone(), path.clone());
    let how = RebakeOptions::default();
    let live = Rebaker::with(&path, &[], &how, move |_| {
        Box::new(
            move |laid, ground, observer| match counted.fetch_add(1, Ordering::SeqCst) {
                0 => Err(unreadable(&own, &"no memory left")),
                1 => panic!("a fault of the program"),
                _ => patch(&own, &RebakeOptions::default(), laid, ground, observer),
            },
        )
    });
    let live = live.unwrap();
    let (west, east) = (Sample::new(1, 8), Sample::new(18, 8));
    let gap: Vec<(Sample, f64)> = (6..11).map(|row| (Sample::new(9, row), 0.0)).collect();
    live.change(&gap).unwrap();
    live.settle();
    assert_eq!(tries.load(Ordering::SeqCst), 1);
    let waits = |live: &Rebaker| {
        let now = live.now();
        !now.is_settled() && now.terrain().visible(west, east) && now.only_waits(west, east)
    };
    assert!(waits(&live));
    let error = live.take_error().unwrap().to_string();
    assert!(error.contains("no memory left"), "{error}");
    assert!(live.take_error().is_none(), "handed out once");
    // The next change tries again.
    live.change(&[(Sample::new(0, 0), 1.0)]).unwrap();
    live.settle();
    assert!(waits(&live));
    let error = live.take_error().unwrap().to_string();
    assert!(error.contains("panicked"), "{error}");
    // And so does whoever asks for it.
    live.hold(false);
    live.settle();
    let now = live.now();
    assert_eq!((now.decided(), tries.load(Ordering::SeqCst)), (2, 3));
    assert!(now.terrain().visible(west, east) && live.take_error().is_none());
}

#[test]
fn patches_do_not_pile_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    let live = Rebaker::open(&path, &[], &RebakeOptions::default()).unwrap();
    let mut most = 0;
    for change in 0..3 * MOST_PATCHES as u32 {
        live.change(&[(Sample::new(change, change), 3.0)]).unwrap();
        live.settle();
        let patches = live.now().laid.patches();
        assert!((1..=MOST_PATCHES).contains(&patches), "{patches}");
        most = most.max(patches);
    }
    assert!(most > 1, "always one");
}

#[test]
fn what_a_reader_keeps_does_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let live = Rebaker::open(&bundle(folder.path()), &[], &RebakeOptions::default()).unwrap();
    let kept = live.now();
    live.change(&[(Sample::new(9, 8), 0.0)]).unwrap();
    live.settle();
    drop(live);
    assert_eq!((kept.version(), kept.decided()), (0, 0));
    assert!(
        !kept
            .terrain()
            .visible(Sample::new(1, 8), Sample::new(18, 8))
    );
}

/// A terrain of few heights, so that many lines of sight touch the ground, with some voids.
fn rough(dice: &mut Dice, width: u32, height: u32) -> Terrain {
    let heights = (0..width * height).map(|_| match dice.roll(24) {
        0 => f64::NAN,
        _ => [0.0, 0.0, 1.0, 2.0, 6.0][dice.roll(5) as usize],
    });
    Terrain::new(width, height, heights.collect(), [1.0, 2.0]).unwrap()
}

/// A rectangle dug, filled, made void or mended.
fn rectangle(dice: &mut Dice, heights: &[f64], width: u32, height: u32) -> Vec<(usize, f64)> {
    let side = |dice: &mut Dice, limit: u32| {
        let first = dice.roll(limit);
        first..(first + 1 + dice.roll(3)).min(limit)
    };
    let (columns, rows) = (side(dice, width), side(dice, height));
    let (what, by) = (dice.roll(4), f64::from(1 + dice.roll(5)));
    rows.flat_map(|row| columns.clone().map(move |column| row * width + column))
        .map(|at| {
            let before = heights[at as usize];
            let after = match what {
                0 => before - by,
                1 => before + by,
                2 => f64::NAN,
                _ if before.is_nan() => by,
                _ => before - by,
            };
            (at as usize, after)
        })
        .collect()
}

/// Whoever was hidden and is visible after some changes is let be seen by their openings, and by those of all
/// quads around. Returns how many pairs were hidden before and after, and of how many of them that is known.
fn openings_tell(mode: Mode, seed: u64, cases: u32) -> (u32, u32) {
    let (width, height) = (14, 11);
    let bodies = Bodies {
        eye: 0.7,
        head: 0.4,
    };
    let options = BakeOptions {
        mode,
        eye_height: bodies.eye,
        player_height: bodies.head,
        ..BakeOptions::default()
    };
    let stance = stance_of(&options).unwrap();
    let mut dice = Dice(seed);
    let (mut hidden, mut known) = (0, 0);
    for case in 0..cases {
        let old = rough(&mut dice, width, height);
        let grid = options.grid(&old, "").unwrap();
        let parameters = header(&old, grid, None, false, &options).parameters;
        let mut survey = Survey::new(&old, grid, stance, Vec::new());
        let mut ground = survey.ground();
        let mut list = Vec::new();
        for _ in 0..1 + dice.roll(3) {
            let samples = rectangle(&mut dice, &survey.heights, width, height);
            list.extend(survey.change(&samples, &mut ground).unwrap());
        }
        let new = Terrain::new(width, height, survey.heights.clone(), old.spacing()).unwrap();
        let openings = Openings::new(&parameters, &list, &ground.lows);
        let seen = |terrain: &Terrain, a: Sample, b: Sample| {
            let (from, to) = ((a.column, a.row), (b.column, b.row));
            let there = |at: Sample| !terrain.at(at.column, at.row).is_nan();
            match mode {
                Mode::Exact => sees(terrain, bodies, from, to),
                // The same lines on both grounds.
                _ => {
                    there(a)
                        && there(b)
                        && find_sight(terrain, bodies, f64::INFINITY, from, to, 9, 5)
                }
            }
        };
        for a in grid.row_by_row() {
            for b in grid
                .row_by_row()
                .filter(|b| mode == Mode::Exact || (b.column + b.row) % 4 == 0)
            {
                if seen(&old, a, b) {
                    continue;
                }
                let opens = openings.may_open(a.quad(), b.quad());
                if !seen(&new, a, b) {
                    hidden += 1;
                    known += u32::from(!openings.lets_see(a, b));
                    continue;
                }
                let told = || format!("seed {seed}, case {case}: {a:?} sees {b:?} now; {list:?}");
                assert!(opens && openings.lets_see(a, b), "{}", told());
                let (mut from, mut to) = (a.quad(), b.quad());
                while from.level < grid.root_level() {
                    assert!(openings.may_open(from, to.parent()), "{}", told());
                    (from, to) = (from.parent(), to.parent());
                    assert!(openings.may_open(from, to), "{}", told());
                }
            }
        }
    }
    (hidden, known)
}

#[test]
fn openings_of_exact_sight_let_be_seen_whoever_comes_into_sight() {
    let (hidden, known) = openings_tell(Mode::Exact, 10, 120);
    assert!(2 * known > hidden, "{known} of {hidden}");
}

#[test]
fn openings_of_cells_let_be_seen_whoever_comes_into_sight() {
    let (hidden, known) = openings_tell(Mode::Conservative, 11, 6);
    assert!(hidden > 0 && known > 0, "{known} of {hidden}");
}
