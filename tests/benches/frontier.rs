//! Growing frontier sets, asking them, and sessions: `cargo bench --bench frontier`.

mod common;

use divan::Bencher;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{MappedBundle, Place, Sample, TerrainBundle, World};
use viewcell::session::{Session, SessionOptions};

fn main() {
    // Baked, and read once, before anything is measured.
    let map = open();
    let pages = map.bundle().unwrap().bytes().iter().step_by(4096);
    divan::black_box(pages.map(|&byte| u64::from(byte)).sum::<u64>());
    divan::main();
}

fn open() -> MappedBundle {
    common::open(common::bundle())
}

/// Samples of terrain that cannot see each other, for ever the same.
fn hidden_pairs<'a>(
    terrain: &'a TerrainBundle<'_>,
) -> impl Iterator<Item = (Sample, Sample)> + use<'a> {
    let grid = terrain.grid();
    let sample = move |i| common::sample(i, grid.width(), grid.height());
    let valid = terrain.valid();
    (0..)
        .map(move |i| (sample(2 * i), sample(2 * i + 1)))
        .filter(move |&(a, b)| valid.has_sample(a) && valid.has_sample(b))
        .filter(|&(a, b)| !terrain.visible(a, b) && !terrain.visible(b, a))
}

#[divan::bench(sample_count = 2000)]
fn grow_default(bencher: Bencher) {
    let map = open();
    let terrain = map.terrain().unwrap();
    let mut pairs = hidden_pairs(&terrain);
    let mut builder = FrontierBuilder::new(&terrain);
    bencher.bench_local(|| {
        let (a, b) = pairs.next().unwrap();
        builder.build(a, b, &FrontierOptions::default()).unwrap();
        divan::black_box(builder.region(Side::A).area())
    });
}

/// A set in the hand of each player, and what they do with it.
#[divan::bench]
fn contains(bencher: Bencher) {
    let map = open();
    let terrain = map.terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let (a, b) = hidden_pairs(&terrain).next().unwrap();
    builder.build(a, b, &FrontierOptions::default()).unwrap();
    let frontier = builder.core(Side::A, 0);
    bencher.bench_local(|| divan::black_box(&frontier).contains(divan::black_box(a)));
}

#[divan::bench(args = [0, 5])]
fn copy_with_margin(bencher: Bencher, margin: u32) {
    let map = open();
    let terrain = map.terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let (a, b) = hidden_pairs(&terrain).next().unwrap();
    builder.build(a, b, &FrontierOptions::default()).unwrap();
    bencher.bench_local(|| builder.core(Side::A, margin));
}

#[divan::bench]
fn encode(bencher: Bencher) {
    let map = open();
    let terrain = map.terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let (a, b) = hidden_pairs(&terrain).next().unwrap();
    builder.build(a, b, &FrontierOptions::default()).unwrap();
    bencher.bench_local(|| builder.region(Side::A).encode());
}

/// 32 players who each take a step: at ten ticks a second, 1 % of a core is 1 ms a tick.
#[divan::bench(sample_count = 600, sample_size = 1)]
fn session_tick_of_32_players(bencher: Bencher) {
    const PLAYERS: usize = 32;
    let map = open();
    let terrain = map.terrain().unwrap();
    let grid = terrain.grid();
    let mut session = Session::new(&World::Terrain(terrain), PLAYERS, SessionOptions::default());
    let start = |i| common::sample(i as u64, grid.width(), grid.height());
    let mut places: Vec<Sample> = (0..PLAYERS).map(start).collect();
    let mut turn = 0;
    let mut told = 0_u64;
    let mut tick = || {
        session.tick();
        for (player, place) in places.iter_mut().enumerate() {
            turn += 1;
            // A player keeps to a direction for a while.
            let way = common::sample((turn / (40 * PLAYERS) * PLAYERS + player) as u64, 3, 3);
            let step = |at: u32, way: u32, most: u32| (at + way).saturating_sub(1).min(most - 1);
            *place = Sample::new(
                step(place.column, way.column, grid.width()),
                step(place.row, way.row, grid.height()),
            );
            let _ = session.move_to(player, Some(Some(Place::Sample(*place))), |_| told += 1);
        }
    };
    // All meet for the first time in the first tick.
    tick();
    bencher.bench_local(tick);
    divan::black_box(told);
}
