//! What cannot be seen from outside: a patch that fails, a thread that panics, patches that pile up.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::ground::Survey;
use super::owned_layers::MOST_PATCHES;
use super::rebaker::{Rebaker, patch};
use crate::VisibilityMode;
use crate::job::source::header;
use crate::job::{BakeOptions, RebakeOptions, Silent, Source, bake_terrain, unreadable};
use crate::visibility::{Bodies, find_sight, sees};
use viewcell::dice::Dice;
use viewcell::format::{Opening, Openings, Sample};
use viewcell_ingest::world::Terrain;

fn bundle(folder: &Path) -> std::path::PathBuf {
    let heights = (0..20 * 16).map(|i| if i % 20 == 9 { 20.0 } else { 0.0 });
    let terrain = Terrain::new(20, 16, heights.collect(), [10.0; 2]).unwrap();
    let path = folder.join("wall.vcb");
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
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
                0 => Err(unreadable(&own, "no memory left")),
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
    assert_eq!((now.decided(), tries.load(Ordering::SeqCst)), (2, 4));
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

/// What openings say of pairs that were hidden.
#[derive(Default)]
struct Tally {
    /// Hidden before and after; and of these, those that are known to be.
    hidden: u32,
    known: u32,
    /// Visible after, and not let be seen by the openings of the two, or of quads around them.
    missed: u32,
}

/// Asks openings, which are `spoiled` first, about all pairs that were hidden before some changes.
fn openings_tell(
    mode: VisibilityMode,
    seed: u64,
    cases: u32,
    spoil: impl Fn(&mut Opening),
) -> Tally {
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
    let stance = options.mode.stance();
    let mut dice = Dice(seed);
    let mut tally = Tally::default();
    for _ in 0..cases {
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
        list.iter_mut().for_each(&spoil);
        let new = Terrain::new(width, height, survey.heights.clone(), old.spacing()).unwrap();
        let openings = Openings::new(&parameters, &list, &ground.lows);
        let seen = |terrain: &Terrain, a: Sample, b: Sample| {
            let (from, to) = ((a.column, a.row), (b.column, b.row));
            let there = |at: Sample| !terrain.at(at.column, at.row).is_nan();
            match mode {
                VisibilityMode::Exact => sees(terrain, bodies, from, to),
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
                .filter(|b| mode == VisibilityMode::Exact || (b.column + b.row) % 4 == 0)
            {
                if seen(&old, a, b) {
                    continue;
                }
                if !seen(&new, a, b) {
                    tally.hidden += 1;
                    tally.known += u32::from(!openings.lets_see(a, b));
                    continue;
                }
                let mut told = openings.lets_see(a, b);
                let (mut from, mut to) = (a.quad(), b.quad());
                while from.level < grid.root_level() {
                    told &= openings.may_open(from, to) && openings.may_open(from, to.parent());
                    (from, to) = (from.parent(), to.parent());
                }
                tally.missed += u32::from(!told);
            }
        }
    }
    tally
}

#[test]
fn openings_of_exact_sight_let_be_seen_whoever_comes_into_sight() {
    let tally = openings_tell(VisibilityMode::Exact, 10, 200, |_| ());
    assert_eq!(tally.missed, 0);
    assert!(2 * tally.known > tally.hidden, "few are known to be hidden");
}

#[test]
fn openings_of_cells_let_be_seen_whoever_comes_into_sight() {
    let tally = openings_tell(VisibilityMode::Conservative, 11, 12, |_| ());
    assert_eq!(tally.missed, 0);
    assert!(tally.known > 0 && tally.hidden > 0);
}

/// What an opening may not lack, or the two tests above could not tell.
#[test]
fn openings_that_say_too_little_are_found_out() {
    let lower = |opening: &mut Opening| {
        if let Some(sunk) = &mut opening.sunk {
            sunk.top -= 7.0;
        }
    };
    let narrower = |opening: &mut Opening| {
        if let Some(sunk) = &mut opening.sunk {
            sunk.area.columns[1] = sunk.area.columns[0];
        }
    };
    let smaller = |opening: &mut Opening| opening.changed.rows[1] = opening.changed.rows[0];
    let none = |opening: &mut Opening| opening.sunk = None;
    let spoils: [&dyn Fn(&mut Opening); 4] = [&lower, &narrower, &smaller, &none];
    let mut cells = 0;
    for (number, spoil) in spoils.into_iter().enumerate() {
        let exact = openings_tell(VisibilityMode::Exact, 12, 100, spoil);
        assert!(exact.missed > 0, "number {number}");
        cells += openings_tell(VisibilityMode::Conservative, 13, 6, spoil).missed;
    }
    assert!(cells > 0);
}

#[test]
fn changes_are_decided_one_by_one_near_each_other_or_when_many_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let (told, own) = (sizes.clone(), path.clone());
    let how = RebakeOptions::default();
    let live = Rebaker::with(&path, &[], &how, move |_| {
        Box::new(move |laid, [old, new]: [&Terrain; 2], observer| {
            let pairs = old.heights().iter().zip(new.heights());
            let changed = pairs.filter(|(before, after)| before != after).count();
            told.lock().unwrap().push(changed);
            patch(&own, &RebakeOptions::default(), laid, [old, new], observer)
        })
    });
    let live = live.unwrap();
    let change = |column: u32, row: u32| {
        live.change(&[(Sample::new(column, row), 7.0)]).unwrap();
    };
    live.hold(true);
    // Two beside each other, and two far away: 320 samples have five in their 64th part.
    for (column, row) in [(2, 2), (3, 3), (18, 14), (1, 14)] {
        change(column, row);
    }
    live.hold(false);
    live.settle();
    assert_eq!(*sizes.lock().unwrap(), [2, 1, 1]);
    live.hold(true);
    for column in 0..30 {
        change(column % 15, 5 + column / 15);
    }
    live.hold(false);
    live.settle();
    assert_eq!(*sizes.lock().unwrap(), [2, 1, 1, 30]);
    let height = |column, row| live.ground().at(column, row);
    assert_eq!(
        (height(3, 3), height(14, 6), height(19, 15)),
        (7.0, 7.0, 0.0)
    );
}
