//! The promises of frontiers and of sessions, held against what the same bundle says: also where it
//! has lost something.

use std::path::Path;

use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{MappedBundle, Place, Sample, TerrainBundle, World};
use viewcell::session::{News, Session, SessionOptions};
use viewcell_bake::{
    BakeOptions, Budget, Compression, RepackOptions, Silent, VisibilityMode, Weight, bake_terrain,
    repack,
};
use viewcell_ingest::{IngestOptions, read_terrain};

use crate::baking::source;
use crate::common::Dice;

/// How much is asked.
struct Work {
    /// Pairs of members of the two halves of frontier sets.
    pairs: u64,
    players: usize,
    ticks: u32,
}

/// Holds frontier sets and a session to `visible` of the same bundle.
fn hold(terrain: &TerrainBundle<'_>, work: &Work, seed: u64) -> String {
    let pairs = frontiers(terrain, work, &mut Dice(seed));
    let seen = session(terrain, work, &mut Dice(seed + 1));
    format!("{pairs} pairs of members, {seen} seen pairs of players, no contradiction")
}

fn place(terrain: &TerrainBundle<'_>, dice: &mut Dice) -> Sample {
    let grid = terrain.grid();
    loop {
        let place = Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
        if terrain.valid().has_sample(place) {
            return place;
        }
    }
}

/// Pairs of members, of whom none may see the other by what the bundle itself says.
fn frontiers(terrain: &TerrainBundle<'_>, work: &Work, dice: &mut Dice) -> u64 {
    let mut builder = FrontierBuilder::new(terrain);
    let (mut pairs, mut sets) = (0, 0);
    while pairs < work.pairs {
        let [a, b] = [(); 2].map(|()| place(terrain, dice));
        sets += 1;
        // Half of them by the default.
        let limit = sets as u32 / 2 % 100;
        let options = match sets % 2 {
            0 => FrontierOptions::default(),
            _ => FrontierOptions { limit: Some(limit) },
        };
        builder.build(a, b, &options).unwrap();
        let hidden = !terrain.visible(a, b) && !terrain.visible(b, a);
        let members = Side::BOTH.map(|side| builder.region(side).samples().collect::<Vec<_>>());
        assert_eq!(members.iter().all(|half| !half.is_empty()), hidden);
        if !hidden {
            continue;
        }
        for _ in 0..2_000.min(members[0].len() * members[1].len()) {
            let draw =
                |half: &Vec<Sample>, dice: &mut Dice| half[dice.roll(half.len() as u32) as usize];
            let (a, b) = (draw(&members[0], dice), draw(&members[1], dice));
            let silent = !terrain.visible(a, b) && !terrain.visible(b, a);
            assert!(silent, "{options:?}: {a:?} and {b:?} see each other");
            pairs += 1;
        }
    }
    pairs
}

/// Players who walk. Whoever is seen by what the bundle says is told of; returns how many are.
fn session(terrain: &TerrainBundle<'_>, work: &Work, dice: &mut Dice) -> u64 {
    let (grid, world) = (terrain.grid(), World::Terrain(*terrain));
    let at = |session: &Session<World>, player| world.sample(session.place(player)??);
    let mut session = Session::new(&world, work.players, SessionOptions::default());
    let mut goals: Vec<Sample> = (0..work.players).map(|_| place(terrain, dice)).collect();
    let mut seen = 0;
    for _ in 0..work.ticks {
        session.tick();
        for (player, goal) in goals.iter_mut().enumerate() {
            let here = at(&session, player).unwrap_or_else(|| place(terrain, dice));
            if here == *goal || dice.roll(50) == 0 {
                *goal = place(terrain, dice);
            }
            let step = |from: u32, to: u32| match from.cmp(&to) {
                std::cmp::Ordering::Less => from + 1,
                std::cmp::Ordering::Equal => from,
                std::cmp::Ordering::Greater => from - 1,
            };
            let to = Sample::new(
                step(here.column, goal.column).min(grid.width() - 1),
                step(here.row, goal.row).min(grid.height() - 1),
            );
            let mut told = Vec::new();
            if session
                .move_to(player, Some(Some(Place::Sample(to))), |notice| {
                    told.push(notice);
                })
                .is_err()
            {
                // A void lies in the way.
                *goal = place(terrain, dice);
                continue;
            }
            for other in (0..work.players).filter(|&other| other != player) {
                let Some(there) = at(&session, other) else {
                    continue;
                };
                for (listener, about, from, at) in
                    [(player, other, to, there), (other, player, there, to)]
                {
                    let heard = told.iter().any(|notice| {
                        (notice.to, notice.about, notice.what) == (listener, about, News::Position)
                    });
                    assert_eq!(heard, terrain.visible(from, at), "{from:?} {at:?}");
                    seen += u64::from(heard);
                }
            }
        }
    }
    seen
}

fn bake(crop: [u32; 4], mode: VisibilityMode, grade: u32, path: &Path) {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let ingest = IngestOptions {
        crop: Some(crop),
        ..IngestOptions::default()
    };
    let terrain = read_terrain(&input, &ingest).unwrap().terrain;
    let options = BakeOptions {
        mode,
        grade,
        threads: 2,
        ..BakeOptions::default()
    };
    bake_terrain(&terrain, &source(), &options, path, &Silent).unwrap();
}

pub fn repacked(from: &Path, compression: Compression) -> (tempfile::TempDir, MappedBundle) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lossy.vcb");
    let options = RepackOptions {
        compression,
        threads: 2,
        overwrite: true,
    };
    repack(from, &path, &options, &Silent).unwrap();
    let map = MappedBundle::open(&path).unwrap();
    (folder, map)
}

pub fn within(bytes: u64) -> Compression {
    let weight = Weight::Area;
    Compression::Optimal(Budget { bytes, weight })
}

/// Found by trying: `frontier` told both that they need not talk, and `visible` that they see each
/// other. So did 346 of 600,000 pairs of members, and 195 of 40,008 pairs of players.
#[test]
fn two_members_of_a_frontier_set_saw_each_other_in_a_bundle_within_a_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.vcb");
    bake([100, 100, 120, 100], VisibilityMode::Exact, 0, &path);
    let (_folder, map) = repacked(&path, within(350_000));
    let terrain = map.terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let options = FrontierOptions::default();
    let starts = [Sample::new(2, 60), Sample::new(59, 97)];
    builder.build(starts[0], starts[1], &options).unwrap();
    let pair = [Sample::new(7, 54), Sample::new(67, 21)];
    let members = [Side::A, Side::B].map(|side| builder.region(side));
    if members[0].contains(pair[0]) && members[1].contains(pair[1]) {
        assert!(!terrain.visible(pair[0], pair[1]));
    }
    let work = Work {
        pairs: 200_000,
        players: 24,
        ticks: 150,
    };
    println!("{}", hold(&terrain, &work, 1));
}

#[test]
fn no_promise_contradicts_what_the_bundle_says() {
    let work = Work {
        pairs: 20_000,
        players: 12,
        ticks: 60,
    };
    for (mode, bytes) in [
        (VisibilityMode::Exact, 40_000),
        (VisibilityMode::Conservative, 50_000),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.vcb");
        bake([150, 120, 60, 50], mode, 0, &path);
        let map = MappedBundle::open(&path).unwrap();
        hold(&map.terrain().unwrap(), &work, 2);
        let (_folder, map) = repacked(&path, within(bytes));
        hold(&map.terrain().unwrap(), &work, 3);
    }
}

/// Each quad's tree was pruned by itself, as versions before could.
#[test]
fn no_promise_contradicts_what_a_bundle_of_pruned_trees_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = MappedBundle::open(root.join("tests/golden/v1/20x18-pruned.vcb")).unwrap();
    let work = Work {
        pairs: 20_000,
        players: 12,
        ticks: 60,
    };
    hold(&map.terrain().unwrap(), &work, 3);
}

#[test]
fn no_promise_contradicts_what_a_graded_bundle_within_a_budget_says() {
    let work = Work {
        pairs: 10_000,
        players: 12,
        ticks: 60,
    };
    for (mode, grade) in [
        (VisibilityMode::Exact, 2),
        (VisibilityMode::Conservative, 4),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.vcb");
        bake([150, 120, 70, 60], mode, grade, &path);
        let whole = std::fs::metadata(&path).unwrap().len();
        for bytes in [whole * 4 / 5, whole * 3 / 5] {
            let (_folder, map) = repacked(&path, within(bytes));
            let terrain = map.terrain().unwrap();
            assert!(terrain.parameters().lossy && terrain.parameters().grade > 0);
            hold(&terrain, &work, 5);
        }
    }
}

#[test]
#[ignore = "minutes: scripts/check contradictions"]
fn no_promise_contradicts_what_bundles_of_jacksboro_say() {
    let pairs = std::env::var("VIEWCELL_HUNT_PAIRS").unwrap();
    let work = Work {
        pairs: pairs.parse().unwrap(),
        players: 64,
        ticks: 2_000,
    };
    for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.vcb");
        bake([100, 100, 120, 100], mode, 0, &path);
        let whole = MappedBundle::open(&path).unwrap();
        let (_folder, small) = repacked(&path, within(350_000));
        for map in [whole, small] {
            println!("{mode:?}: {}", hold(&map.terrain().unwrap(), &work, 4));
        }
    }
}
