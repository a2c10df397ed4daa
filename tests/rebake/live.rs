//! Ground that changes while it is asked: safe at every instant, and a bake's answers in the end.

use std::path::Path;

use viewcell::dice::Dice;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Answer, Extent, MappedBundle, Place, Quad, Sample};
use viewcell::session::{Half, SessionOptions};
use viewcell_bake::VisibilityMode;
use viewcell_bake::live::Snapshot;
use viewcell_bake::live::{LiveSession, Rebaker};
use viewcell_bake::visibility::{Bodies, find_sight, sees};
use viewcell_bake::{
    BakeOptions, Compression, RebakeOptions, Silent, as_seen, bake_terrain, merge_patches,
};
use viewcell_ingest::ground::{Shape, TopEffect};
use viewcell_ingest::world::Terrain;

use super::baking::source;
use super::full_bake::sections;
use super::layers::same_answers;
use super::stamps::{Stamp, crop, exact, other_bakes};

/// Who sees whom by the definitions, on a terrain and nothing else.
struct Decider {
    /// As sight sees it.
    terrain: Terrain,
    bodies: Bodies,
    max_distance: f64,
    cells: bool,
}

impl Decider {
    fn new(terrain: &Terrain, options: &BakeOptions) -> Self {
        Self {
            terrain: as_seen(terrain, options.curvature).unwrap().into_owned(),
            bodies: Bodies {
                eye: options.eye_height,
                head: options.player_height,
            },
            max_distance: options.max_distance.unwrap_or(f64::INFINITY),
            cells: options.mode == VisibilityMode::Conservative,
        }
    }

    fn sees(&self, a: Sample, b: Sample, seed: u64) -> bool {
        let [dx, dy] = self.terrain.spacing();
        let x = (f64::from(a.column) - f64::from(b.column)) * dx;
        let y = (f64::from(a.row) - f64::from(b.row)) * dy;
        let (from, to) = ((a.column, a.row), (b.column, b.row));
        let near = x * x + y * y <= self.max_distance * self.max_distance;
        if near && sees(&self.terrain, self.bodies, from, to) {
            return true;
        }
        let there = |at: Sample| !self.terrain.at(at.column, at.row).is_nan();
        let (terrain, bodies) = (&self.terrain, self.bodies);
        self.cells
            && there(a)
            && there(b)
            && find_sight(terrain, bodies, self.max_distance, from, to, 4, seed)
    }
}

fn place(dice: &mut Dice, terrain: &Terrain) -> Sample {
    Sample::new(dice.roll(terrain.width()), dice.roll(terrain.height()))
}

/// Asks all that can be asked of random places, and holds it to the definitions. Returns how many pairs
/// were hidden.
fn check(snapshot: &Snapshot, decider: &Decider, dice: &mut Dice, pairs: u32) -> u32 {
    let terrain = snapshot.terrain();
    let grid = terrain.grid();
    let mutual = terrain.parameters().mutual;
    let mut words = vec![0; grid.blocks()];
    let mut hidden = 0;
    for number in 0..pairs {
        let (a, b) = (place(dice, &decider.terrain), place(dice, &decider.terrain));
        let is_there = !decider.terrain.at(a.column, a.row).is_nan();
        assert_eq!(
            terrain.valid().has_sample(a),
            is_there,
            "{snapshot:?}: {a:?}"
        );
        let visible = terrain.visible(a, b);
        hidden += u32::from(!visible);
        if visible || !decider.sees(a, b, number.into()) {
            continue;
        }
        panic!("{snapshot:?}: {b:?} is seen from {a:?}, and called hidden");
    }
    for number in 0..pairs / 20 {
        let (a, b) = (place(dice, &decider.terrain), place(dice, &decider.terrain));
        let sees = decider.sees(a, b, number.into());
        let level = dice.roll(grid.levels());
        let quad = |at: Sample, level: u32| Quad::new(level, at.column >> level, at.row >> level);
        let from = quad(a, level);
        let to = quad(b, dice.roll(grid.levels()));
        let seen = terrain.visible_quads(from, to) != Answer::Hidden;
        assert!(
            seen || !sees,
            "{snapshot:?}: {a:?} of {from:?} sees {b:?} of {to:?}"
        );
        let within = terrain.visible_within(a, b, [0.0; 2]);
        assert!(
            within || !sees,
            "{snapshot:?}: {a:?} sees {b:?}, look-ahead"
        );
        let reach = decider.terrain.spacing()[0] * 3.0;
        let near = terrain.visible_within(a, b, [reach; 2]);
        assert!(
            near || !sees,
            "{snapshot:?}: {a:?} sees {b:?}, look-ahead of {reach}"
        );
        let Some(pvs) = terrain.pvs(from) else {
            continue;
        };
        assert!(
            pvs.contains(b) || !sees,
            "{snapshot:?}: {a:?} of {from:?} sees {b:?}"
        );
        if number % 16 == 0 {
            pvs.expand(&mut words);
            let count: u32 = words.iter().map(|word| word.count_ones()).sum();
            assert_eq!(u64::from(count), pvs.count());
            for sample in grid.row_by_row() {
                let (word, bit) = grid.block_bit(sample);
                let is_in = words[word] >> bit & 1 == 1;
                assert_eq!(
                    is_in,
                    pvs.contains(sample),
                    "{snapshot:?}: {from:?}, {sample:?}"
                );
                let visible = level == 0 && terrain.visible(a, sample);
                assert!(is_in || !visible, "{snapshot:?}: {a:?}, {sample:?}");
            }
            assert_eq!(pvs.samples().count() as u64, pvs.count());
        }
    }
    let mut builder = FrontierBuilder::new(&terrain);
    for number in 0..4 {
        let (a, b) = (place(dice, &decider.terrain), place(dice, &decider.terrain));
        if builder.build(a, b, &FrontierOptions::default()).is_err() {
            continue; // a void
        }
        let halves = Side::BOTH.map(|side| builder.region(side).samples().collect::<Vec<_>>());
        let few = if decider.cells { 500 } else { 10_000 };
        for _ in 0..few.min(halves[0].len() * halves[1].len()) {
            let [one, other] = halves
                .each_ref()
                .map(|half| half[dice.roll(half.len() as u32) as usize]);
            let sees =
                decider.sees(one, other, number) || !mutual && decider.sees(other, one, number);
            assert!(
                !sees,
                "{snapshot:?}: {one:?} and {other:?} are in a frontier set"
            );
        }
    }
    hidden
}

/// Changes the ground, and returns what it is then.
fn stamp(live: &Rebaker, stamp: &Stamp, ground: &Terrain) -> Terrain {
    let next = stamp.on(ground);
    if next.heights().iter().all(|height| height.is_nan()) {
        return ground.clone();
    }
    let pairs = ground.heights().iter().zip(next.heights()).zip(0..);
    let samples: Vec<(Sample, f64)> = pairs
        .filter(|((before, after), _)| before.to_bits() != after.to_bits())
        .map(|((_, after), at)| (Sample::new(at % next.width(), at / next.width()), *after))
        .collect();
    let before = live.now();
    let stamped = live.change(&samples).unwrap();
    assert_eq!(live.now().version(), stamped.version);
    assert_eq!(
        stamped.version,
        before.version() + u64::from(stamped.changed > 0)
    );
    next
}

/// Heights, voids included.
fn bits(terrain: &Terrain) -> Vec<u64> {
    let heights = terrain.heights().iter();
    heights.map(|height| height.to_bits()).collect()
}

fn bake(terrain: &Terrain, options: &BakeOptions, path: &Path) {
    bake_terrain(terrain, &source(), options, path, &Silent).unwrap();
}

/// Random stamps, looked at while all wait, while some are decided, and when all are.
fn follow(mut ground: Terrain, options: BakeOptions, seed: u64, rounds: usize, radius: f64) {
    let folder = tempfile::tempdir().unwrap();
    let [path, twin] = ["level.vcb", "twin.vcb"].map(|name| folder.path().join(name));
    let options = BakeOptions {
        threads: 1,
        overwrite: true,
        ..options
    };
    bake(&ground, &options, &path);
    let how = RebakeOptions {
        threads: 1,
        ..RebakeOptions::default()
    };
    let live = Rebaker::open(&path, &[], &how).unwrap();
    let pairs = match options.mode {
        VisibilityMode::Conservative => 800,
        _ => 8_000,
    };
    let mut dice = Dice(seed);
    let mut hidden_while_waiting = 0;
    for _ in 0..rounds {
        live.hold(true);
        for _ in 0..1 + dice.roll(3) {
            ground = stamp(&live, &Stamp::random(&mut dice, &ground, radius), &ground);
            let decider = Decider::new(&ground, &options);
            let hidden = check(&live.now(), &decider, &mut dice, pairs);
            hidden_while_waiting += if live.now().is_settled() { 0 } else { hidden };
        }
        // Some are being decided while others come.
        let taken = live.now().version();
        live.hold(false);
        while live.now().decided() < taken {
            assert!(live.take_error().is_none());
            std::thread::yield_now();
        }
        live.hold(true);
        ground = stamp(&live, &Stamp::random(&mut dice, &ground, radius), &ground);
        let decider = Decider::new(&ground, &options);
        assert_eq!(live.now().decided(), taken);
        check(&live.now(), &decider, &mut dice, pairs);
        live.hold(false);
        live.settle();
        assert!(live.take_error().is_none());
        let now = live.now();
        assert!(now.is_settled());
        bake(&ground, &options, &twin);
        let map = MappedBundle::open(&twin).unwrap();
        same_answers(now.terrain(), map.terrain().unwrap()).unwrap();
        assert_eq!(bits(&live.ground()), bits(&ground));
    }
    assert!(hidden_while_waiting > 0, "all counted as visible");
}

#[test]
fn exact_answers_are_safe_at_every_instant() {
    follow(crop([120, 100], [50, 41]), exact(), 1, 3, 5.0);
    follow(crop([20, 200], [40, 33]), exact(), 2, 3, 10.0);
}

#[test]
fn answers_for_cells_are_safe_at_every_instant() {
    follow(
        crop([120, 100], [45, 40]),
        BakeOptions::default(),
        3,
        2,
        5.0,
    );
}

#[test]
fn other_options_are_safe_at_every_instant() {
    let [taller, near, conservative] = other_bakes();
    follow(crop([10, 10], [50, 41]), taller, 5, 2, 5.0);
    follow(crop([300, 250], [50, 41]), near, 6, 2, 5.0);
    follow(crop([300, 250], [40, 33]), conservative, 7, 1, 5.0);
}

/// A wall from north to south, and a Rebaker of it.
fn wall(folder: &Path) -> Rebaker {
    let heights = (0..40 * 24).map(|i| {
        if i % 40 == 20 {
            30.0
        } else {
            f64::from(i % 3) / 9.0
        }
    });
    let terrain = Terrain::new(40, 24, heights.collect(), [5.0; 2]).unwrap();
    let path = folder.join("wall.vcb");
    let options = BakeOptions {
        threads: 1,
        ..exact()
    };
    bake(&terrain, &options, &path);
    Rebaker::open(&path, &[], &RebakeOptions::default()).unwrap()
}

fn sphere(at: [f64; 3], radius: f64) -> Shape {
    Shape::Ellipsoid {
        at,
        radii: [radius; 3],
    }
}

#[test]
fn a_stamp_opens_what_it_may_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let live = wall(folder.path());
    let [west, east, far] = [(2, 12), (37, 12), (37, 1)].map(|(c, r)| Sample::new(c, r));
    let old = live.now();
    live.hold(true);
    live.stamp(&sphere([100.0, 60.0, 30.0], 34.0), TopEffect::Dig)
        .unwrap();
    let now = live.now();
    assert_eq!((old.version(), now.version(), now.decided()), (0, 1, 0));
    assert!(now.terrain().visible(west, east) && now.only_waits(west, east));
    // An old snapshot has old answers, and another part of the wall still stands.
    assert!(!old.terrain().visible(west, east));
    assert!(!now.terrain().visible(Sample::new(2, 1), far));
    // A wall that grows opens nothing but to those on it.
    live.stamp(&sphere([100.0, 5.0, 30.0], 9.0), TopEffect::Fill)
        .unwrap();
    assert!(!live.now().terrain().visible(Sample::new(2, 1), far));
    assert!(live.now().terrain().height(Sample::new(20, 1)) > Some(38.0));
    live.hold(false);
    live.settle();
    let now = live.now();
    assert!(now.is_settled() && now.decided() == 2);
    assert!(now.terrain().visible(west, east) && !now.only_waits(west, east));
}

#[test]
fn what_is_no_change_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let live = wall(folder.path());
    let before = live.now();
    let heights = live.ground();
    for (shape, effect) in [
        (sphere([-90.0, 0.0, 0.0], 3.0), TopEffect::Dig),
        (sphere([50.0, 50.0, 0.0], 0.0), TopEffect::Dig),
        (sphere([50.0, f64::NAN, 0.0], 3.0), TopEffect::Dig),
        (sphere([50.0, 50.0, 2e7], 9.0), TopEffect::Fill),
    ] {
        assert!(live.stamp(&shape, effect).is_err(), "{shape:?}");
    }
    // A cave.
    let under = live
        .stamp(&sphere([50.0, 50.0, -90.0], 9.0), TopEffect::Dig)
        .unwrap();
    assert_eq!((under.version, under.changed), (0, 0));
    let outside = Sample::new(40, 0);
    assert!(live.change(&[(outside, 1.0)]).is_err());
    assert!(live.change(&[(Sample::new(0, 0), f64::INFINITY)]).is_err());
    let all = (0..40 * 24).map(|i| (Sample::new(i % 40, i / 40), f64::NAN));
    let all: Vec<_> = all.collect();
    let error = live.change(&all).unwrap_err().to_string();
    assert!(error.contains("void"), "{error}");
    assert_eq!(live.now().version(), before.version());
    assert_eq!(live.ground(), heights);
    // Of a sample that is given twice the last counts.
    let twice = [(Sample::new(3, 3), 9.0), (Sample::new(3, 3), 7.0)];
    assert_eq!(live.change(&twice).unwrap().changed, 1);
    assert_eq!(live.now().terrain().height(Sample::new(3, 3)), Some(7.0));
}

#[test]
fn bundles_that_cannot_follow_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let terrain = crop([0, 0], [40, 40]);
    let (silent, how) = (Silent, RebakeOptions::default());
    let bake = |options: BakeOptions, name: &str| {
        let path = folder.path().join(name);
        bake_terrain(&terrain, &source(), &options, &path, &silent).unwrap();
        path
    };
    let refused = |path: &Path| Rebaker::open(path, &[], &how).err().unwrap().to_string();
    // Such a bundle holds no heights of samples: stamps have nothing to change.
    let coarse = bake(
        BakeOptions {
            finest: 3,
            ..BakeOptions::default()
        },
        "coarse.vcb",
    );
    let error = refused(&coarse);
    assert!(error.contains("found one of cells"), "{error}");
}

#[test]
fn sessions_follow_the_ground() {
    let folder = tempfile::tempdir().unwrap();
    let live = wall(folder.path());
    live.hold(true);
    let mut session = live.session(3, SessionOptions::default());
    session.tick();
    let places = [(2, 12), (37, 12), (37, 1)].map(|(c, r)| Sample::new(c, r));
    for (player, place) in places.map(Place::Sample).into_iter().enumerate() {
        session.move_to(player, Some(Some(place)), |_| ()).unwrap();
    }
    // Whoever may be past the wall before others hear of it is told of.
    let mut early = live.session(2, SessionOptions::default());
    let mut told = 0;
    for (player, metres) in [(0, 5.0), (1, 5.0), (0, 110.0)] {
        let place = places[player];
        let middle = [f64::from(place.column), f64::from(place.row), 0.0].map(|at| at * 5.0);
        early
            .move_within(
                player,
                Some(Place::Sample(place)),
                Extent::ball(middle, metres),
                |_| told += 1,
            )
            .unwrap();
        assert_eq!(told > 0, metres > 100.0);
    }
    let halves = |session: &LiveSession, a: usize, b: usize| {
        [(a, b), (b, a)].map(|(a, b)| match session.half(a, b) {
            Some(Half::Terrain(half)) => half.clone(),
            other => panic!("{other:?}"),
        })
    };
    let sets = [(0, 1), (0, 2)].map(|(a, b)| halves(&session, a, b));
    assert!(session.age(1, 2).is_none());
    // A little fill in a corner ends no set, unless somebody may stand there.
    let away = |sample: Sample| sets.iter().flatten().all(|half| !half.contains(sample));
    let free = (0..24)
        .map(|r| Sample::new(20, r))
        .find(|&sample| away(sample));
    if let Some(sample) = free {
        live.change(&[(sample, 31.0)]).unwrap();
        session.follow(|_| panic!("nobody sees anybody"));
        assert_eq!(session.world().snapshot().version(), live.now().version());
        assert!(session.age(0, 1).is_some() && session.age(0, 2).is_some());
    }
    live.stamp(&sphere([100.0, 60.0, 30.0], 34.0), TopEffect::Dig)
        .unwrap();
    let mut told = Vec::new();
    session.follow(|notice| told.push((notice.to, notice.about)));
    assert!(session.age(0, 1).is_none());
    assert!(told.contains(&(0, 1)) && told.contains(&(1, 0)), "{told:?}");
    let now = live.now();
    let terrain = now.terrain();
    for (a, b) in [(0, 1), (0, 2)] {
        if session.age(a, b).is_some() {
            let [one, other] = halves(&session, a, b);
            let others: Vec<Sample> = other.region().samples().collect();
            for from in one.region().samples() {
                assert!(others.iter().all(|&to| !terrain.visible(from, to)));
            }
        }
    }
    // What is decided ends no more sets, and new ones are made.
    live.hold(false);
    live.settle();
    session.follow(|_| panic!("told again"));
    session.tick();
    session
        .move_to(0, Some(Some(Place::Sample(Sample::new(3, 12)))), |_| ())
        .unwrap();
    assert!(session.age(0, 1).is_none());
    assert!(live.now().terrain().visible(Sample::new(3, 12), places[1]));
    assert!(
        session
            .move_to(0, Some(Some(Place::Sample(Sample::new(99, 0)))), |_| ())
            .is_err()
    );
}

#[test]
fn who_stands_still_without_a_set_is_told_of_whom_the_ground_has_opened() {
    let folder = tempfile::tempdir().unwrap();
    let live = wall(folder.path());
    live.hold(true);
    let mut session = live.session(2, SessionOptions::default());
    let places = [(2, 12), (37, 12)].map(|(c, r)| Sample::new(c, r));
    for (player, place) in places.map(Place::Sample).into_iter().enumerate() {
        session.move_to(player, Some(Some(place)), |_| ()).unwrap();
    }
    assert!(session.age(0, 1).is_some());
    // Ends the set, for others may see each other there, and not these two.
    live.stamp(&sphere([100.0, 5.0, 30.0], 34.0), TopEffect::Dig)
        .unwrap();
    session.follow(|_| panic!("neither sees the other"));
    assert!(session.age(0, 1).is_none());
    live.stamp(&sphere([100.0, 60.0, 30.0], 34.0), TopEffect::Dig)
        .unwrap();
    assert!(live.now().terrain().visible(places[0], places[1]));
    let mut told = Vec::new();
    session.follow(|notice| told.push((notice.to, notice.about)));
    told.sort_unstable();
    assert_eq!(told, [(0, 1), (1, 0)]);
    session.follow(|_| panic!("told again"));
}

#[test]
fn many_patches_become_one_that_makes_the_bundle_of_a_bake() {
    let folder = tempfile::tempdir().unwrap();
    let live = wall(folder.path());
    let mut dice = Dice(11);
    let mut ground = live.ground();
    for _ in 0..7 {
        ground = stamp(&live, &Stamp::random(&mut dice, &ground, 6.0), &ground);
        live.settle();
        assert!(live.take_error().is_none());
    }
    let [patch, merged, twin] =
        ["all.vcp", "merged.vcb", "twin.vcb"].map(|name| folder.path().join(name));
    std::fs::write(&patch, live.patch().unwrap()).unwrap();
    let base = folder.path().join("wall.vcb");
    let lossless = Compression::Lossless;
    merge_patches(
        &base,
        std::slice::from_ref(&patch),
        &merged,
        false,
        &lossless,
        &Silent,
    )
    .unwrap();
    let options = BakeOptions {
        threads: 1,
        ..exact()
    };
    bake(&ground, &options, &twin);
    assert_eq!(sections(&merged), sections(&twin));
    // Who begins with the patch goes on from there.
    let on = Rebaker::open(&base, &[patch], &RebakeOptions::default()).unwrap();
    assert_eq!(bits(&on.ground()), bits(&live.ground()));
    ground = stamp(&on, &Stamp::random(&mut dice, &ground, 6.0), &ground);
    on.settle();
    bake_terrain(
        &ground,
        &source(),
        &BakeOptions {
            overwrite: true,
            ..options
        },
        &twin,
        &Silent,
    )
    .unwrap();
    let map = MappedBundle::open(&twin).unwrap();
    same_answers(on.now().terrain(), map.terrain().unwrap()).unwrap();
}
