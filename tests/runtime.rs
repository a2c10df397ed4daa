//! The runtime by itself: this test builds without any feature.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use viewcell::dice::Dice;
use viewcell::frontier::cells;
use viewcell::query::{
    Answer, Bundle, Extent, Motion, MotionLimits, Place, Predictor, Quad, Sample, World,
};

/// Counts this thread's allocations, and the bytes that it has allocated and not freed.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.set(BYTES.get().wrapping_add(layout.size()));
        // SAFETY: handed on as it came.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get().wrapping_sub(layout.size()));
        // SAFETY: handed on as it came.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const GOLDEN: &[u8] = include_bytes!("golden/v1/13x9-voids.vcb");
const PAIRS: &[u8] = include_bytes!("golden/v1/13x9-voids-pairs.vcb");

#[test]
fn nothing_is_allocated_from_opening_to_answers() {
    for bytes in [GOLDEN, PAIRS] {
        ask(bytes);
    }
}

fn ask(bytes: &[u8]) {
    let mut bitmap = [0; 4];
    drop(Box::new(1));
    let before = ALLOCATIONS.get();
    assert!(before > 0, "allocations are counted");
    let terrain = Bundle::from_bytes(bytes).unwrap().terrain().unwrap();
    let grid = terrain.grid();
    let mut seen = 0;
    for a in grid.row_by_row() {
        for b in grid.row_by_row() {
            seen += u64::from(terrain.visible(a, b));
        }
        let pvs = terrain.pvs(a.quad()).unwrap();
        seen -= pvs.count();
        pvs.expand(&mut bitmap);
        assert_eq!(pvs.samples().count() as u64, pvs.count());
        assert!(pvs.quads().count() <= 4);
        let root = terrain.visible_quads(a.quad(), grid.root());
        assert!(root != Answer::Hidden || pvs.count() == 0);
    }
    assert_eq!(seen, 0);
    assert_eq!(ALLOCATIONS.get(), before);
}

#[test]
fn what_is_outside_is_hidden() {
    let terrain = Bundle::from_bytes(GOLDEN).unwrap().terrain().unwrap();
    let inside = Sample::new(5, 5);
    assert!(terrain.visible(inside, inside));
    assert!(!terrain.visible(inside, Sample::new(13, 0)));
    assert!(!terrain.visible(Sample::new(0, 9), inside));
    let nowhere = Quad::new(2, 4, 0);
    assert_eq!(
        terrain.visible_quads(inside.quad(), nowhere),
        Answer::Hidden
    );
    assert_eq!(
        terrain.visible_quads(nowhere, inside.quad()),
        Answer::Hidden
    );
    assert!(terrain.pvs(nowhere).is_none());
}

const LEVEL: &[u8] = include_bytes!("golden/v1/level.vcb");
const SOLID: &[u8] = include_bytes!("golden/v1/solid.vcb");

#[test]
fn nothing_is_allocated_by_answers_about_cells() {
    let mut memory = [0; 512];
    let before = ALLOCATIONS.get();
    let level = Bundle::from_bytes(LEVEL).unwrap().cells().unwrap();
    let n = level.cells();
    assert!(cells::words(n) <= memory.len());
    let (mut seen, mut reached, mut sets) = (0, 0, 0);
    for a in 0..n {
        assert_eq!(level.locate([f64::NAN; 3]), None);
        level.locate([f64::from(a) * 8.0, 1.0, 1.0]);
        seen += level.pvs(a).count();
        for b in 0..n {
            assert_eq!(level.visible(a, b), level.pvs(a).contains(b));
            reached += u32::from(level.distance(a, b).is_some());
            let set = level.frontier(a, b, &mut memory).unwrap();
            sets += u32::from(set.is_some());
        }
    }
    let allocated = ALLOCATIONS.get() - before;
    assert_eq!(allocated, 0);
    assert!(
        seen >= n && reached >= seen && sets > 0,
        "{seen} {reached} {sets}"
    );
}

#[cfg(not(runtime_alone))]
#[test]
fn nothing_is_allocated_by_what_the_header_says_does_not() {
    use core::ptr::null_mut;
    use viewcell::capi::*;

    let open = |bytes: &[u8]| {
        let mut bundle = null_mut();
        let (version, at) = (VIEWCELL_ABI_VERSION, bytes.as_ptr());
        // The bytes live for ever.
        let opened =
            // SAFETY: pointers are to what the header asks for, handles are open.
            unsafe { viewcell_open_memory(version, at, bytes.len(), &mut bundle, null_mut(), 0) };
        assert_eq!(opened, VIEWCELL_OK);
        bundle
    };
    let (terrain, level) = (open(GOLDEN), open(LEVEL));
    let mut frontier = null_mut();
    // SAFETY: pointers are to what the header asks for, handles are open.
    assert_eq!(unsafe { viewcell_frontier_new(terrain, &mut frontier) }, 0);
    let mut of_level = null_mut();
    // SAFETY: pointers are to what the header asks for, handles are open.
    assert_eq!(unsafe { viewcell_frontier_new(level, &mut of_level) }, 0);
    let mut words = [0; 512];
    let mut visible = [0; 2];
    let before = ALLOCATIONS.get();
    // SAFETY: every pointer is to what the header asks for.
    unsafe {
        let [a, b] = [(5, 5), (12, 1)].map(|(column, row)| row * 13 + column);
        let (mut place, mut bounds, mut info) =
            (a, viewcell_box::default(), viewcell_world::default());
        let position = |x, y| viewcell_position { x, y, z: 0.0 };
        let (corner, inside) = (position(0.0, 0.0), position(50.0, 62.5));
        assert_eq!(viewcell_info(terrain, &mut info), VIEWCELL_OK);
        assert_eq!(info.kind, VIEWCELL_TERRAIN as u32);
        let void = viewcell_locate(terrain, &corner, &mut place);
        assert_eq!((void, place), (VIEWCELL_VOID, VIEWCELL_NOWHERE));
        assert_eq!(viewcell_locate(terrain, &inside, &mut place), VIEWCELL_OK);
        viewcell_locate_all(terrain, 1, &inside, &mut place);
        viewcell_bounds(terrain, place, &mut bounds);
        assert_eq!(viewcell_visible(terrain, a, a), 1);
        let others = [a, b];
        viewcell_visible_from(terrain, a, 2, others.as_ptr(), visible.as_mut_ptr());
        let pairs = others.as_ptr();
        viewcell_visible_pairs(terrain, 2, pairs, pairs, visible.as_mut_ptr());
        viewcell_visible_quads(terrain, a, 1, a, 2);
        viewcell_visible_within(terrain, a, b, 30.0, 30.0);
        viewcell_sees_within(terrain, &inside, &corner, 30.0, 30.0);
        viewcell_pvs(terrain, a, 0, words.as_mut_ptr(), words.len());
        assert!(viewcell_contains(terrain, words.as_ptr(), words.len(), a) >= 0);

        assert_eq!(viewcell_info(level, &mut info), VIEWCELL_OK);
        assert_eq!(info.kind, VIEWCELL_CELLS as u32);
        viewcell_locate(level, &corner, &mut place);
        assert_eq!(viewcell_visible(level, 0, 0), 1);
        let others = [0, 1];
        let from = viewcell_visible_from(level, 0, 2, others.as_ptr(), visible.as_mut_ptr());
        assert_eq!(from, VIEWCELL_OK);
        viewcell_distance(level, 0, 1);
        viewcell_visible_within(level, 0, 1, 30.0, 30.0);
        let at = words.as_mut_ptr();
        assert_eq!(viewcell_pvs(level, 0, 0, at, words.len()), VIEWCELL_OK);
        for (frontier, a) in [(frontier, a), (of_level, 0)] {
            for budget in [0, 1, VIEWCELL_BUDGET] {
                viewcell_frontier_begin(frontier, a, b.min(a + 1), budget);
                while viewcell_frontier_step(frontier, 4) == 0 {}
                viewcell_frontier_contains(frontier, 0, a);
            }
        }
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    for bundle in [terrain, level] {
        // SAFETY: pointers are to what the header asks for, handles are open.
        assert_eq!(unsafe { viewcell_close(bundle) }, VIEWCELL_OK);
    }
}

#[test]
fn a_frame_of_a_watch_allocates_nothing_once_warm() {
    use viewcell::watch::{Watch, WatchOptions, Watched};

    let level = Bundle::from_bytes(SOLID).unwrap().solid().unwrap();
    let mut watch = Watch::new(level, 8, WatchOptions::default()).unwrap();
    let limits = MotionLimits {
        acceleration: [3200.0, 800.0],
        impulse: [0.0, 270.0],
        ..MotionLimits::speed(320.0)
    };
    let mut play = || {
        let mut hidden = 0;
        for frame in 0..400 {
            let turn = f64::from(frame) * 0.05;
            for player in 0..8 {
                let (sin, cos) = (turn + f64::from(player)).sin_cos();
                let side = if player % 2 == 0 { 128.0 } else { 400.0 };
                let motion = Motion {
                    position: [side + 90.0 * cos, 128.0 + 90.0 * sin, 32.0],
                    velocity: Some([-90.0 * sin, 90.0 * cos, 0.0]),
                };
                let mover = |until| viewcell::query::Mover {
                    motion,
                    limits,
                    times: [0.0, until],
                };
                let watched = Watched {
                    sees: mover(0.1),
                    shown: mover(0.05),
                    step: 18.0,
                    eye: None,
                    body: None,
                };
                watch.set(player as usize, &watched);
            }
            watch.begin();
            watch.look(100);
            hidden += watch.counts().hidden;
        }
        hidden
    };
    assert!(play() > 1000);
    let before = ALLOCATIONS.get();
    play();
    assert_eq!(ALLOCATIONS.get(), before);
}

/// The places of a world, and all pairs of them.
fn pairs(world: World<'_>) -> impl Iterator<Item = [Place; 2]> {
    let place = move |number| world.place(number).unwrap();
    let all = world.places();
    (0..all).flat_map(move |a| (0..all).map(move |b| [place(a), place(b)]))
}

#[test]
fn a_world_of_any_kind_answers_as_its_own_kind_does() {
    for bytes in [GOLDEN, PAIRS, LEVEL, SOLID] {
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        for pair in pairs(world).step_by(3) {
            for reach in [[0.0; 2], [15.0, 40.0], [f64::NAN, 0.0]] {
                let (seen, within) = match (world, pair) {
                    (World::Terrain(terrain), [Place::Sample(a), Place::Sample(b)]) => {
                        (terrain.visible(a, b), terrain.visible_within(a, b, reach))
                    }
                    (World::Cells(level), [Place::Cell(a), Place::Cell(b)]) => {
                        (level.visible(a, b), level.visible_within(a, b, reach))
                    }
                    (World::Solid(level), [Place::Cell(a), Place::Cell(b)]) => {
                        (level.visible(a, b), level.visible_within(a, b, reach))
                    }
                    _ => panic!("a place of another kind"),
                };
                let [a, b] = pair;
                assert_eq!(world.visible(a, b), seen);
                assert_eq!(world.visible_within(a, b, reach), within);
                assert!(within || !seen, "looking ahead hides nobody");
            }
        }
    }
}

/// The middle of a place, and positions near the corners of a cell; those alone that are at that place.
fn spots(world: World<'_>, place: Place) -> Vec<[f64; 3]> {
    let corners = match (world, place) {
        (World::Cells(level), Place::Cell(cell)) => level
            .bounds(cell)
            .map(|corners| corners.map(|corner| corner.map(f64::from))),
        (World::Solid(level), Place::Cell(cell)) => level.bounds(cell),
        _ => None,
    };
    let corner = |[low, high]: [[f64; 3]; 2], number: usize| {
        std::array::from_fn(|k| {
            let (near, far) = if number >> k & 1 == 0 {
                (low[k], high[k])
            } else {
                (high[k], low[k])
            };
            near + (far - near) / 1024.0
        })
    };
    let near = corners
        .into_iter()
        .flat_map(|corners| (0..8).map(move |n| corner(corners, n)));
    let all = world.middle(place).into_iter().chain(near);
    all.filter(|&at| world.locate(at) == Some(place)).collect()
}

#[test]
fn a_look_ahead_from_places_sees_what_one_from_any_of_their_positions_sees() {
    for bytes in [GOLDEN, PAIRS, LEVEL, SOLID] {
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let (mut hidden, mut asked) = (0, 0);
        for [a, b] in pairs(world).step_by(7) {
            let (here, there) = (spots(world, a), spots(world, b));
            if here.is_empty() || there.is_empty() {
                continue;
            }
            asked += 1;
            let is_in = |at: &[f64; 3]| world.extent(a).meets([*at; 2]);
            assert!(here.iter().all(is_in) || matches!(world, World::Terrain(_)));
            let reach = [10.0, 3.0];
            if !world.visible_within(a, b, reach) {
                hidden += 1;
                assert!(!world.visible(a, b));
                assert!(!world.visible_regions(&world.extent(a), &world.extent(b)));
                for &here in &here {
                    for &there in &there {
                        assert!(!world.positions_visible(here, there));
                        assert!(!world.positions_visible_within(here, there, reach));
                    }
                }
            }
        }
        assert!(asked > 4 && hidden > 0, "{asked} {hidden}");
    }
}

#[test]
fn who_is_at_no_place_sees_all_and_is_seen_by_all() {
    for bytes in [GOLDEN, PAIRS, LEVEL, SOLID] {
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let nowhere = [1e9; 3];
        assert_eq!(world.locate(nowhere), None);
        let all = || (0..world.places()).map(|number| world.place(number).unwrap());
        for place in all() {
            let Some(here) = world.middle(place) else {
                continue;
            };
            for [a, b] in [[here, nowhere], [nowhere, here]] {
                assert!(world.positions_visible(a, b));
                assert!(world.positions_see_within(a, b, [0.0; 2]));
                let [a, b] = [a, b].map(|at| Extent::ball(at, 0.0));
                assert!(world.sees_region(&a, &b) && world.visible_regions(&a, &b));
            }
            let other = match place {
                Place::Sample(_) => Place::Cell(0),
                Place::Cell(_) => Place::Sample(Sample::new(0, 0)),
            };
            assert!(world.visible(place, other) && world.visible_within(other, place, [0.0; 2]));
            assert_eq!((world.middle(other), world.number(other)), (None, None));
        }
    }
}

/// How much memory is left of so many rounds, after a first one.
#[cfg(not(runtime_alone))]
fn left_of(rounds: u32, mut round: impl FnMut()) -> usize {
    round();
    let before = BYTES.get();
    (0..rounds).for_each(|_| round());
    BYTES.get() - before
}

#[cfg(not(runtime_alone))]
#[test]
fn what_was_closed_leaves_nothing_behind() {
    use core::ptr::{null, null_mut};
    use viewcell::capi::*;

    let rounds = if cfg!(miri) { 30 } else { 200_000 };
    // SAFETY: every pointer is to what the header asks for, and every handle to what it has been or is.
    unsafe {
        let open = |bytes: &[u8]| {
            let mut bundle = null_mut();
            let (version, at) = (VIEWCELL_ABI_VERSION, bytes.as_ptr());
            let opened = viewcell_open_memory(version, at, bytes.len(), &mut bundle, null_mut(), 0);
            assert_eq!(opened, VIEWCELL_OK);
            bundle
        };
        let terrain = open(GOLDEN);
        let mut frontier = null_mut();
        assert_eq!(viewcell_frontier_new(terrain, &mut frontier), VIEWCELL_OK);
        let (mut code, mut length, mut pairs) = ([0; 256], 0, 0);
        for (a, b) in (0..13 * 9).flat_map(|a| (0..a).map(move |b| (a, b))) {
            if viewcell_frontier_begin(frontier, a, b, VIEWCELL_BUDGET) == VIEWCELL_OK {
                while viewcell_frontier_step(frontier, 64) == 0 {}
                pairs += 1;
            }
            let mut area = 0;
            assert_eq!(viewcell_frontier_area(frontier, 0, &mut area), VIEWCELL_OK);
            if pairs > 0 && area > 0 {
                break;
            }
        }
        let (at, size) = (code.as_mut_ptr(), code.len());
        let coded = viewcell_frontier_encode(frontier, 0, 0, at, size, &mut length);
        assert_eq!(coded, VIEWCELL_OK);

        let mut stale: *mut viewcell_region = null_mut();
        let left = left_of(rounds, || {
            let mut region = null_mut();
            let decoded = viewcell_region_decode(terrain, code.as_ptr(), length, &mut region);
            assert_eq!(decoded, VIEWCELL_OK);
            if !stale.is_null() {
                assert_ne!(region, stale);
                let asked = viewcell_region_contains(stale, 0);
                assert_eq!(asked, VIEWCELL_CLOSED);
                assert_eq!(viewcell_region_close(stale), VIEWCELL_CLOSED);
            }
            assert!(viewcell_region_contains(region, 0) >= 0);
            assert_eq!(viewcell_region_close(region), VIEWCELL_OK);
            stale = region;
        });
        assert_eq!(left, 0, "bytes after {rounds} regions");

        let left = left_of(rounds / 10, || {
            let mut session = null_mut();
            let made = viewcell_session_new(terrain, 2, null(), &mut session);
            assert_eq!(made, VIEWCELL_OK);
            assert_eq!(viewcell_session_tick(session), VIEWCELL_OK);
            assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
            assert_eq!(viewcell_session_tick(session), VIEWCELL_CLOSED);
        });
        assert_eq!(left, 0, "bytes after {rounds} sessions");

        let left = left_of(rounds / 10, || {
            let level = open(LEVEL);
            assert_eq!(viewcell_close(level), VIEWCELL_OK);
            assert_eq!(viewcell_close(level), VIEWCELL_CLOSED);
        });
        assert_eq!(left, 0, "bytes after {rounds} bundles");

        // What is of another type, or no handle at all.
        assert_eq!(viewcell_visible(frontier.cast(), 0, 0), VIEWCELL_CLOSED);
        assert_eq!(viewcell_close(frontier.cast()), VIEWCELL_CLOSED);
        assert_eq!(viewcell_session_close(terrain.cast()), VIEWCELL_CLOSED);
        assert_eq!(
            viewcell_region_close((&raw mut code).cast()),
            VIEWCELL_CLOSED
        );
        // A frontier outlives its bundle.
        assert_eq!(viewcell_close(terrain), VIEWCELL_OK);
        assert_eq!(viewcell_frontier_step(frontier, 1), 1);
        assert_eq!(viewcell_frontier_close(frontier), VIEWCELL_OK);
    }
}

#[test]
fn a_tick_of_a_look_ahead_allocates_nothing() {
    let terrain = Bundle::from_bytes(GOLDEN).unwrap().terrain().unwrap();
    let level = Bundle::from_bytes(LEVEL).unwrap().cells().unwrap();
    let limits = MotionLimits {
        speed: [5.0; 2],
        acceleration: [10.0; 2],
        impulse: [2.0; 2],
        error: [0.0; 2],
    };
    let middles = (0..level.cells()).map(|cell| {
        let [low, high] = level.bounds(cell).unwrap();
        [0, 1, 2].map(|axis| f64::from(low[axis] + high[axis]) / 2.0)
    });
    let in_cells: Vec<[f64; 3]> = middles.collect();
    let [dx, dy] = terrain.parameters().cell_spacing;
    let samples = terrain.grid().row_by_row();
    let on_ground: Vec<[f64; 3]> = samples
        .map(|sample| {
            [
                f64::from(sample.column) * dx,
                f64::from(sample.row) * dy,
                0.0,
            ]
        })
        .collect();
    for (mut ahead, points) in [
        (
            Predictor::new(World::Terrain(terrain), limits, 4),
            on_ground,
        ),
        (Predictor::new(World::Cells(level), limits, 4), in_cells),
    ] {
        let before = ALLOCATIONS.get();
        let (mut told, mut alone, mut near) = (0, 0, [0; 4]);
        for tick in 0..100_u32 {
            let now = f64::from(tick) / 20.0;
            for player in 0..4 {
                let motion = Motion {
                    position: points[(tick as usize * 7 + player * 13) % points.len()],
                    velocity: Some([1.0, -1.0, 0.0]),
                };
                ahead.moved(player, now, motion);
            }
            for (player, near) in near.iter_mut().enumerate() {
                for other in (0..4).filter(|other| *other != player) {
                    told += u32::from(ahead.may_see(player, other, [now + 0.05, now + 0.1]));
                }
                alone += u32::from(ahead.is_alone(player, [now, now + 0.2], near));
            }
        }
        ahead.left(1);
        assert!(!ahead.may_see(0, 1, [5.0, 5.1]));
        assert_eq!(ALLOCATIONS.get(), before);
        assert!(
            told > 0 && told < 1200 && alone > 0,
            "{told} told, {alone} alone"
        );
    }
}

#[test]
fn the_numbers_are_those_of_splitmix64() {
    // Of seed 1234567, as published with the reference implementation.
    let mut dice = Dice(1_234_567);
    let expected = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(expected.map(|_| dice.bits()), expected);
}

#[test]
fn rolls_and_fractions_keep_to_their_ranges() {
    let mut dice = Dice(7);
    let mut counts = [0; 6];
    for _ in 0..6_000 {
        counts[dice.roll(6) as usize] += 1;
        let fraction = dice.fraction();
        assert!(fraction > 0.0 && fraction < 1.0);
    }
    assert!(counts.iter().all(|&count| count > 850), "{counts:?}");
    assert_eq!((dice.roll(0), dice.roll(1)), (0, 0));
}
