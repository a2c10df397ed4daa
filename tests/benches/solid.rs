//! What a server asks of a solid level: `cargo bench --bench solid`.
//!
//! `VIEWCELL_BENCH_SOLID` names the bundle, and `VIEWCELL_BENCH_TRACE` who was where in it, as CSV that begins with
//! t_ms,player,x,y,z and ends with dead; without a trace, players are anywhere.

mod common;

use std::path::Path;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::ItemsCount;
use viewcell::dice::mixed;
use viewcell::query::{
    Extent, MappedBundle, Motion, MotionLimits, Mover, ReachableSet, SolidBundle, World,
};

static MAP: LazyLock<MappedBundle> = LazyLock::new(|| {
    let path = std::env::var_os("VIEWCELL_BENCH_SOLID").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1/solid.vcb"),
        Into::into,
    );
    common::open(path)
});

/// Living players, snapshot by snapshot.
static SNAPSHOTS: LazyLock<Vec<Vec<[f64; 3]>>> = LazyLock::new(|| {
    let Some(trace) = std::env::var_os("VIEWCELL_BENCH_TRACE") else {
        let anywhere = |i: u64| middle((mixed(i) % u64::from(level().cells())) as u32);
        let snapshot = |i: u64| (16 * i..16 * (i + 1)).map(anywhere).collect();
        return (0..80).map(snapshot).collect();
    };
    let text = std::fs::read_to_string(trace).unwrap();
    let (mut snapshots, mut last) = (Vec::new(), "");
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != last {
            snapshots.push(Vec::new());
            last = fields[0];
        }
        if fields[fields.len() - 1] == "0" {
            let position = [2, 3, 4].map(|axis| fields[axis].parse().unwrap());
            snapshots.last_mut().unwrap().push(position);
        }
    }
    // From all over the match.
    let step = (snapshots.len() / 50).max(1);
    snapshots.into_iter().step_by(step).collect()
});

/// Pairs of a snapshot, in random order.
static PAIRS: LazyLock<Vec<[[f64; 3]; 2]>> = LazyLock::new(|| {
    let mut pairs: Vec<_> = SNAPSHOTS
        .iter()
        .flat_map(|players| ordered(players))
        .collect();
    for i in (1..pairs.len()).rev() {
        pairs.swap(i, (mixed(i as u64) % (i as u64 + 1)) as usize);
    }
    pairs
});

fn main() {
    // Read once, before anything is measured.
    let pages = MAP.bundle().unwrap().bytes().iter().step_by(4096);
    divan::black_box(pages.map(|&byte| u64::from(byte)).sum::<u64>());
    divan::main();
}

fn level() -> SolidBundle<'static> {
    MAP.bundle().unwrap().solid().unwrap()
}

fn middle(cell: u32) -> [f64; 3] {
    let [low, high] = level().bounds(cell).unwrap();
    [0, 1, 2].map(|axis| (low[axis] + high[axis]) / 2.0)
}

/// All ordered pairs of different players.
fn ordered(players: &[[f64; 3]]) -> impl Iterator<Item = [[f64; 3]; 2]> {
    players.iter().enumerate().flat_map(move |(i, &from)| {
        let others = players.iter().enumerate().filter(move |(j, _)| *j != i);
        others.map(move |(_, &to)| [from, to])
    })
}

/// Whether one player may see another now, by where they are.
#[divan::bench(sample_count = 20)]
fn visible(bencher: Bencher) {
    let level = level();
    bencher.counter(ItemsCount::new(PAIRS.len())).bench(|| {
        let seen = PAIRS
            .iter()
            .filter(|[a, b]| level.positions_visible(*a, *b));
        seen.count()
    });
}

/// With a look-ahead: any two positions that are up to so many units from where they are. Either way.
#[divan::bench(sample_count = 20, args = [0, 8, 32, 64])]
fn visible_regions(bencher: Bencher, reach: u32) {
    let level = level();
    let region = |at| Extent::ball(at, reach.into());
    let pairs: Vec<_> = PAIRS.iter().map(|pair| pair.map(region)).collect();
    bencher.counter(ItemsCount::new(pairs.len())).bench(|| {
        let seen = pairs.iter().filter(|[a, b]| level.visible_regions(a, b));
        seen.count()
    });
}

/// The same one way, for 150 ms of running at 320 units a second.
#[divan::bench(sample_count = 20)]
fn sees_within_48(bencher: Bencher) {
    let level = level();
    bencher.counter(ItemsCount::new(PAIRS.len())).bench(|| {
        let seen = PAIRS
            .iter()
            .filter(|[a, b]| level.sees_within(*a, *b, [48.0; 2]));
        seen.count()
    });
}

/// What src/bindings/ioquake3 asks: all pairs of a snapshot, the client's own player for so many ms and two snapshots
/// of 50 ms ahead, others for one.
#[divan::bench(sample_count = 20, args = [0, 50, 100, 150])]
fn snapshots(bencher: Bencher, ping: u32) {
    let world = World::Solid(level());
    let until = f64::from(ping) / 1000.0 + 0.1;
    let mover = |position: [f64; 3], eye: bool| Mover {
        motion: Motion {
            position,
            velocity: Some([320.0, 0.0, 0.0]),
        },
        limits: MotionLimits {
            speed: [720.0, 670.0],
            acceleration: [5120.0, 800.0],
            impulse: [if eye { 0.0 } else { 400.0 }, 670.0],
            error: [2.0, 20.0],
        },
        times: [0.0, if eye { until } else { 0.05 }],
    };
    let mut sets = vec![[(); 2].map(|()| ReachableSet::new(world)); 64];
    let count: usize = SNAPSHOTS
        .iter()
        .map(|players| ordered(players).count())
        .sum();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut seen = 0;
        for players in SNAPSHOTS.iter() {
            for (&position, [eye, body]) in players.iter().zip(&mut sets) {
                eye.set(&mover(position, true));
                body.set(&mover(position, false));
            }
            let known = &sets[..players.len()];
            for (i, [eye, _]) in known.iter().enumerate() {
                let others = known.iter().enumerate().filter(|(j, _)| *j != i);
                seen += others.filter(|(_, [_, body])| eye.sees(body)).count();
            }
        }
        seen
    });
}

/// What a camera sees of a scene, from cells all over it.
#[divan::bench]
fn objects_seen(bencher: Bencher) {
    let scene = level();
    let objects = scene.objects().map_or(0, |all| all.count());
    let places: Vec<[f64; 3]> = (0..1000)
        .map(|i| middle((mixed(i) % u64::from(level().cells())) as u32))
        .collect();
    let mut words = vec![0; objects.div_ceil(64) as usize];
    bencher
        .counter(ItemsCount::new(places.len()))
        .bench_local(move || {
            let seen = |at: &[f64; 3]| scene.objects_seen(*at, &mut words);
            places.iter().map(seen).sum::<u32>()
        });
}
