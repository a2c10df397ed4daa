//! Opening a bundle, asking who sees whom, expanding a PVS: `cargo bench --bench query`.

mod common;

use divan::Bencher;
use divan::counter::ItemsCount;
use viewcell::query::{MappedBundle, Quad, Sample};

fn main() {
    // Baked, and read once, before anything is measured: queries are asked of a warm map.
    let map = open_bundle();
    let pages = map.bundle().unwrap().bytes().iter().step_by(4096);
    divan::black_box(pages.map(|&byte| u64::from(byte)).sum::<u64>());
    divan::main();
}

const QUERIES: u64 = 100_000;

fn open_bundle() -> MappedBundle {
    common::open(common::bundle())
}

fn samples(map: &MappedBundle, seed: u64) -> Vec<Sample> {
    let grid = map.terrain().unwrap().grid();
    (0..QUERIES)
        .map(|i| common::sample(seed + i, grid.width(), grid.height()))
        .collect()
}

#[divan::bench]
fn open(bencher: Bencher) {
    let path = common::bundle();
    bencher.bench(|| MappedBundle::open(&path).unwrap().terrain().unwrap().grid());
}

/// Opening a bundle, and a first query.
#[divan::bench]
fn open_and_ask(bencher: Bencher) {
    let path = common::bundle();
    let places = samples(&open_bundle(), 0);
    let mut pairs = places.windows(2).cycle();
    bencher.bench_local(|| {
        let pair = pairs.next().unwrap();
        let map = MappedBundle::open(&path).unwrap();
        map.terrain().unwrap().visible(pair[0], pair[1])
    });
}

/// Pairs from all over the terrain: every query meets a tree that is not in any cache.
#[divan::bench]
fn visible_random_pairs(bencher: Bencher) {
    let map = open_bundle();
    let terrain = map.terrain().unwrap();
    let (from, to) = (samples(&map, 0), samples(&map, QUERIES));
    bencher.counter(ItemsCount::new(QUERIES)).bench(|| {
        let pairs = from.iter().zip(&to);
        pairs.filter(|&(&a, &b)| terrain.visible(a, b)).count()
    });
}

/// The same of a bundle whose pages are checked when they are first touched, which all have been.
#[divan::bench]
fn visible_random_pairs_checked(bencher: Bencher) {
    let map = MappedBundle::open_checked(common::bundle()).unwrap();
    let pages = map.bundle().unwrap().pages().unwrap();
    pages.check_some(0, pages.count());
    let terrain = map.terrain().unwrap();
    let (from, to) = (samples(&map, 0), samples(&map, QUERIES));
    bencher.counter(ItemsCount::new(QUERIES)).bench(|| {
        let pairs = from.iter().zip(&to);
        pairs.filter(|&(&a, &b)| terrain.visible(a, b)).count()
    });
}

/// What a first touch costs: a page of 64 KiB.
#[divan::bench]
fn check_page(bencher: Bencher) {
    let map = MappedBundle::open_checked(common::bundle()).unwrap();
    let pages = map.bundle().unwrap().pages().unwrap();
    let mut next = (0..pages.count()).cycle();
    bencher.bench_local(|| pages.check(next.next().unwrap()));
}

/// A server's question: whom of many can this player see?
#[divan::bench]
fn visible_from_one_sample(bencher: Bencher) {
    let map = open_bundle();
    let terrain = map.terrain().unwrap();
    let to = samples(&map, 0);
    let from = to[77];
    bencher
        .counter(ItemsCount::new(QUERIES))
        .bench(|| to.iter().filter(|&&b| terrain.visible(from, b)).count());
}

#[divan::bench(args = [2, 4, 6])]
fn visible_quads(bencher: Bencher, level: u32) {
    let map = open_bundle();
    let terrain = map.terrain().unwrap();
    let quads = |samples: Vec<Sample>| -> Vec<Quad> {
        let quad = |s: Sample| Quad::new(level, s.column >> level, s.row >> level);
        samples.into_iter().map(quad).collect()
    };
    let (from, to) = (quads(samples(&map, 0)), quads(samples(&map, QUERIES)));
    bencher.counter(ItemsCount::new(QUERIES)).bench(|| {
        for (&a, &b) in from.iter().zip(&to) {
            divan::black_box(terrain.visible_quads(a, b));
        }
    });
}

/// Sight with a look-ahead of so many metres, of both, between pairs from all over the terrain.
#[divan::bench(args = [10, 50])]
fn visible_within(bencher: Bencher, reach: u32) {
    let map = open_bundle();
    let terrain = map.terrain().unwrap();
    let (from, to) = (samples(&map, 0), samples(&map, QUERIES));
    let pairs: Vec<_> = from.into_iter().zip(to).take(20_000).collect();
    let reach = [f64::from(reach); 2];
    bencher.counter(ItemsCount::new(pairs.len())).bench(|| {
        let seen = |&&(a, b): &&(Sample, Sample)| terrain.visible_within(a, b, reach);
        pairs.iter().filter(seen).count()
    });
}

#[divan::bench(args = [0, 4, 8])]
fn expand(bencher: Bencher, level: u32) {
    let map = open_bundle();
    let terrain = map.terrain().unwrap();
    let mut next = samples(&map, 0).into_iter().cycle();
    let mut bitmap = vec![0; terrain.grid().blocks()];
    bencher.bench_local(|| {
        let s = next.next().unwrap();
        let quad = Quad::new(level, s.column >> level, s.row >> level);
        terrain.pvs(quad).unwrap().expand(&mut bitmap);
        divan::black_box(&bitmap);
    });
}
