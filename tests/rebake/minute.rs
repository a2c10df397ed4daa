//! Stamps, and players who walk: each answer is written down, and judged afterwards on the ground
//! of its instant.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use viewcell::dice::Dice;
use viewcell::query::{Answer, Place, Sample};
use viewcell::session::SessionOptions;
use viewcell_bake::RebakeOptions;
use viewcell_bake::live::Rebaker;
use viewcell_bake::visibility::{Bodies, sees};
use viewcell_ingest::ground::stamp_top;
use viewcell_ingest::ground::{Shape, TopEffect};
use viewcell_ingest::world::Terrain;

use super::baking::bake_exactly;
use super::stamps::crop;

/// What happens.
struct Play {
    seconds: f64,
    /// A second.
    stamps: f64,
    /// In samples, at most.
    radius: f64,
    players: usize,
    /// A second.
    ticks: f64,
    /// Whether to wait until all is decided.
    settles: bool,
}

/// An answer: how many stamps were in before it was asked for, of which ground it is, and for whom.
#[derive(Clone, Copy)]
struct Told {
    accepted: u64,
    version: u64,
    a: Sample,
    b: Sample,
    /// By a frontier set that lasts, not by a query.
    silent: bool,
}

/// A line of the curve.
struct Point {
    second: f64,
    version: u64,
    waiting: u64,
    /// Of all pairs: visible; and so only because changes wait, by queries and by PVSs.
    shares: [f64; 3],
}

struct Outcome {
    curve: Vec<Point>,
    asked: u64,
    hidden: usize,
    silent: usize,
    wrong: usize,
    batches: usize,
    slowest_stamp: f64,
    /// When the last stamp was in.
    waiting: u64,
    settled_after: f64,
}

fn random(dice: &mut Dice, terrain: &Terrain) -> Sample {
    loop {
        let at = Sample::new(dice.roll(terrain.width()), dice.roll(terrain.height()));
        if !terrain.at(at.column, at.row).is_nan() {
            return at;
        }
    }
}

/// A step in any direction, or none at the border.
fn step(dice: &mut Dice, at: Sample, terrain: &Terrain) -> Sample {
    let go = |at: u32, side: u32, by: u32| (at + by).saturating_sub(1).min(side - 1);
    let column = go(at.column, terrain.width(), dice.roll(3));
    let row = go(at.row, terrain.height(), dice.roll(3));
    if terrain.at(column, row).is_nan() {
        at
    } else {
        Sample::new(column, row)
    }
}

/// Four craters to a hill, on the ground as it is.
fn crater(dice: &mut Dice, heights: &[f64], terrain: &Terrain, radius: f64) -> (Shape, TopEffect) {
    let at = random(dice, terrain);
    let [dx, dy] = terrain.spacing();
    let height = heights[at.row as usize * terrain.width() as usize + at.column as usize];
    let radius = (1.5 + dice.fraction() * (radius - 1.5)) * dx;
    let shape = Shape::Ellipsoid {
        at: [f64::from(at.column) * dx, f64::from(at.row) * dy, height],
        radii: [radius, radius, radius / 2.0],
    };
    match dice.roll(5) {
        0 => (shape, TopEffect::Fill),
        _ => (shape, TopEffect::Dig),
    }
}

fn play(bundle: &Path, bodies: Bodies, play: &Play) -> Outcome {
    let live = Rebaker::open(
        bundle,
        &[],
        &RebakeOptions {
            threads: 1,
            ..RebakeOptions::default()
        },
    )
    .unwrap();
    let first = live.ground();
    let begun = Instant::now();
    let over = || begun.elapsed().as_secs_f64() > play.seconds;
    let accepted = AtomicU64::new(0);
    let stopped = AtomicBool::new(false);
    let told = Mutex::new(Vec::new());
    let asked = AtomicU64::new(0);
    let pace = |number: u64, rate: f64| {
        let due = Duration::from_secs_f64(number as f64 / rate);
        std::thread::sleep(due.saturating_sub(begun.elapsed()));
    };
    let mut stamps = BTreeMap::new();
    let mut curve = Vec::new();
    let (mut slowest_stamp, mut decided) = (0.0_f64, Vec::new());
    std::thread::scope(|scope| {
        // Queries, each of the ground as it is then.
        let ground = &first;
        let (live, told, accepted, stopped, asked) = (&live, &told, &accepted, &stopped, &asked);
        scope.spawn(move || {
            let mut dice = Dice(32);
            let mut places: Vec<Sample> = (0..play.players)
                .map(|_| random(&mut dice, ground))
                .collect();
            let mut heard = Vec::new();
            for tick in 0.. {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                for place in &mut places {
                    *place = step(&mut dice, *place, ground);
                }
                for (i, &a) in places.iter().enumerate() {
                    for &b in &places[..i] {
                        let accepted = accepted.load(Ordering::SeqCst);
                        let now = live.now();
                        let visible = now.terrain().visible(a, b);
                        asked.fetch_add(1, Ordering::Relaxed);
                        if !visible {
                            let version = now.version();
                            heard.push(Told {
                                accepted,
                                version,
                                a,
                                b,
                                silent: false,
                            });
                        }
                    }
                }
                pace(tick + 1, play.ticks);
            }
            told.lock().unwrap().append(&mut heard);
        });
        // Players who are told, or keep silent.
        scope.spawn(move || {
            let mut dice = Dice(33);
            let mut places: Vec<Sample> = (0..play.players)
                .map(|_| random(&mut dice, ground))
                .collect();
            let mut session = live.session(play.players, SessionOptions::default());
            let mut heard = Vec::new();
            for tick in 0.. {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                session.tick();
                for (player, place) in places.iter_mut().enumerate() {
                    *place = step(&mut dice, *place, ground);
                    let place = Some(Some(Place::Sample(*place)));
                    session.move_to(player, place, |_| ()).unwrap();
                }
                let before = accepted.load(Ordering::SeqCst);
                session.follow(|_| ());
                let version = session.world().snapshot().version();
                for (i, &a) in places.iter().enumerate() {
                    for (j, &b) in places[..i].iter().enumerate() {
                        if session.age(i, j).is_some() {
                            heard.push(Told {
                                accepted: before,
                                version,
                                a,
                                b,
                                silent: true,
                            });
                        }
                    }
                }
                pace(tick + 1, play.ticks / 4.0);
            }
            told.lock().unwrap().append(&mut heard);
        });
        // What waits, over time.
        let (points, batches) = (&mut curve, &mut decided);
        scope.spawn(move || {
            let mut dice = Dice(34);
            for number in 0.. {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let now = live.now();
                batches.push(now.decided());
                let (terrain, old) = (now.terrain(), now.decided_terrain());
                let mut counts = [0_u32; 3];
                let pairs = 4_000;
                for _ in 0..pairs {
                    let (a, b) = (random(&mut dice, ground), random(&mut dice, ground));
                    let was = old.visible(a, b);
                    let wide = was || terrain.visible_quads(a.quad(), b.quad()) != Answer::Hidden;
                    let visible = was || wide && terrain.visible(a, b);
                    counts[0] += u32::from(visible);
                    counts[1] += u32::from(visible && !was);
                    counts[2] += u32::from(wide && !was);
                }
                points.push(Point {
                    second: begun.elapsed().as_secs_f64(),
                    version: now.version(),
                    waiting: now.version() - now.decided(),
                    shares: counts.map(|count| f64::from(count) / f64::from(pairs)),
                });
                pace(number + 1, 2.0);
            }
        });
        // Stamps.
        let mut dice = Dice(31);
        let mut heights = first.heights().to_vec();
        for number in 0.. {
            if over() {
                break;
            }
            let (shape, effect) = crater(&mut dice, &heights, &first, play.radius);
            let asked = Instant::now();
            let stamped = live.stamp(&shape, effect).unwrap();
            slowest_stamp = slowest_stamp.max(asked.elapsed().as_secs_f64());
            accepted.store(stamped.version, Ordering::SeqCst);
            stamp_top(&mut heights, first.width(), first.spacing(), &shape, effect).unwrap();
            if stamped.changed > 0 {
                stamps.insert(stamped.version, (shape, effect));
            }
            pace(number + 1, play.stamps);
        }
        stopped.store(true, Ordering::SeqCst);
    });
    let ended = begun.elapsed().as_secs_f64();
    let waiting = live.now().version() - live.now().decided();
    live.hold(!play.settles);

    // The judge: the definition, on a ground of its own.
    let mut told = told.into_inner().unwrap();
    told.sort_by_key(|told| told.version);
    let mut heights = first.heights().to_vec();
    let mut stamps = stamps.into_iter().peekable();
    let mut wrong = 0;
    for same in told.chunk_by(|a, b| a.version == b.version) {
        while let Some((_, (shape, effect))) = stamps.next_if(|stamp| stamp.0 <= same[0].version) {
            stamp_top(&mut heights, first.width(), first.spacing(), &shape, effect).unwrap();
        }
        let ground = Terrain::new(
            first.width(),
            first.height(),
            heights.clone(),
            first.spacing(),
        );
        let ground = ground.unwrap();
        for told in same {
            assert!(
                told.accepted <= told.version,
                "an answer of an older ground"
            );
            let seen =
                |a: Sample, b: Sample| sees(&ground, bodies, (a.column, a.row), (b.column, b.row));
            if seen(told.a, told.b) {
                wrong += 1;
                println!(
                    "wrong: {:?} sees {:?} on version {}",
                    told.a, told.b, told.version
                );
            }
        }
    }
    for (_, (shape, effect)) in stamps {
        stamp_top(&mut heights, first.width(), first.spacing(), &shape, effect).unwrap();
    }
    let same = live
        .ground()
        .heights()
        .iter()
        .zip(&heights)
        .all(|(a, b)| a.to_bits() == b.to_bits());
    assert!(same, "another ground than the stamps make");
    decided.dedup();
    live.settle();
    assert!(live.take_error().is_none());
    assert!(live.now().is_settled() || !play.settles);
    let settled_after = begun.elapsed().as_secs_f64() - ended;
    let silent = told.iter().filter(|told| told.silent).count();
    Outcome {
        waiting,
        curve,
        asked: asked.into_inner(),
        hidden: told.len() - silent,
        silent,
        wrong,
        batches: decided.len() - 1,
        slowest_stamp,
        settled_after,
    }
}

const BODIES: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

#[test]
fn no_answer_hides_whom_the_ground_of_its_instant_shows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.vcb");
    bake_exactly(&crop([120, 100], [96, 90]), BODIES, &path);
    let outcome = play(
        &path,
        BODIES,
        &Play {
            seconds: 3.0,
            stamps: 20.0,
            radius: 5.0,
            players: 12,
            ticks: 20.0,
            settles: true,
        },
    );
    assert_eq!(outcome.wrong, 0);
    assert!(
        outcome.hidden > 100 && outcome.silent > 10,
        "{} {}",
        outcome.hidden,
        outcome.silent
    );
    let waited = outcome.curve.iter().any(|point| point.waiting > 0);
    assert!(waited && !outcome.curve.is_empty());
}

/// `scripts/check rebake live`: ten stamps a second for a minute on `VIEWCELL_BASES`/bilbao-exact.vcb while 32 players walk, every
/// answer judged afterwards; with `VIEWCELL_SETTLES=1` the next stamp waits until all is decided.
#[test]
#[ignore = "minutes: scripts/check rebake"]
fn live_for_a_minute() {
    let number = |name: &str, default: f64| -> f64 {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };
    let bases = std::env::var("VIEWCELL_BASES").expect("VIEWCELL_BASES, a folder of exact bundles");
    let name = std::env::var("VIEWCELL_TERRAINS").unwrap_or("bilbao".to_owned());
    let path = Path::new(&bases).join(format!("{name}-exact.vcb"));
    let settles = number("VIEWCELL_SETTLES", 0.0) > 0.0;
    let outcome = play(
        &path,
        BODIES,
        &Play {
            seconds: number("VIEWCELL_SECONDS", 60.0),
            stamps: number("VIEWCELL_RATE", 10.0),
            radius: number("VIEWCELL_RADIUS", 5.0),
            players: number("VIEWCELL_PLAYERS", 32.0) as usize,
            ticks: 20.0,
            settles,
        },
    );
    println!(
        "| second | stamps | waiting | visible | only waiting, queries | only waiting, PVSs |"
    );
    println!("|---:|---:|---:|---:|---:|---:|");
    for point in &outcome.curve {
        let [visible, waiting, wide] = point.shares.map(|share| 100.0 * share);
        println!(
            "| {:.1} | {} | {} | {visible:.2} % | {waiting:.2} % | {wide:.2} % |",
            point.second, point.version, point.waiting
        );
    }
    println!(
        "{} pairs asked, {} hidden by queries, {} by frontier sets: {} wrong; {} patches, {} changes wait \
         when the last one is in; the slowest stamp took {:.1} ms",
        outcome.asked,
        outcome.hidden,
        outcome.silent,
        outcome.wrong,
        outcome.batches,
        outcome.waiting,
        1e3 * outcome.slowest_stamp,
    );
    if settles {
        println!("all decided {:.0} s later", outcome.settled_after);
    }
    assert_eq!(outcome.wrong, 0);
}
