//! Solids from planes against their definition, view cells against walks, merging against points.

use proptest::prelude::*;
use viewcell_ingest::solid::{SolidOptions, read_solid};
use viewcell_ingest::world::solid::{
    Aabb, Face, FacePlane, PlaceBox, PlaceCells, PlaceOptions, PlacesError, Plane, Player, Solid,
    SolidError, SolidLevel, Units, box_planes, find_places, merge_solids,
};

use crate::common::{level, positions};

fn a_box(min: [f64; 3], max: [f64; 3]) -> Solid {
    Solid::from_box(&Aabb { min, max }).unwrap()
}

fn direction() -> impl Strategy<Value = [f64; 3]> {
    [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0].prop_filter("a direction", |n| {
        n.iter().map(|x| x * x).sum::<f64>() > 0.01
    })
}

fn plane() -> impl Strategy<Value = Plane> {
    (direction(), -4.0..12.0_f64).prop_map(|(normal, dist)| Plane { normal, dist })
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    [-11.0..11.0_f64, -11.0..11.0, -11.0..11.0]
}

const CUBE: Aabb = Aabb {
    min: [-10.0; 3],
    max: [10.0; 3],
};

proptest! {
    #[test]
    fn a_solid_is_what_lies_behind_all_planes(
        planes in prop::collection::vec(plane(), 0..9),
        points in prop::collection::vec(point(), 64),
    ) {
        let all: Vec<Plane> = box_planes(&CUBE).into_iter().chain(planes).collect();
        let behind = |p: [f64; 3], by: f64| all.iter().all(|plane| {
            let length = plane.normal.iter().map(|x| x * x).sum::<f64>().sqrt();
            plane.height(p) / length < -by
        });
        match Solid::from_planes(all.iter().copied()) {
            Ok(solid) => {
                for &p in &points {
                    prop_assert!(!behind(p, 1e-6) || solid.contains(p));
                    prop_assert!(behind(p, -1e-6) || !solid.contains(p));
                }
                for (i, plane) in solid.planes.iter().enumerate() {
                    prop_assert!(solid.vertices.iter().all(|&v| plane.height(v) < 1e-6));
                    prop_assert!(solid.face(i).len() >= 3);
                }
                for pair in points.windows(2) {
                    let (a, b) = (pair[0], pair[1]);
                    let inside = (1..1000).any(|i| {
                        let t = f64::from(i) / 1000.0;
                        solid.contains(std::array::from_fn(|k| a[k] + t * (b[k] - a[k])))
                    });
                    prop_assert!(!inside || solid.meets(a, b));
                }
            }
            Err(error) => {
                prop_assert_eq!(error, SolidError::Empty);
                prop_assert!(!points.iter().any(|&p| behind(p, 0.1)));
            }
        }
    }

    #[test]
    fn a_cut_parts_the_volume(cut in plane(), other in plane()) {
        let whole = Solid::from_planes(box_planes(&CUBE).into_iter().chain([other]));
        let Ok(whole) = whole else { return Ok(()) };
        let volume = |part: Option<Solid>| part.map_or(0.0, |part| part.volume());
        let sum = volume(whole.behind(cut)) + volume(whole.behind(cut.flipped()));
        prop_assert!((sum - whole.volume()).abs() < 0.1, "{sum} {}", whole.volume());
    }

    #[test]
    fn merged_solids_hold_the_same_points(
        cuts in prop::collection::vec((0..3_usize, -9..9_i32), 1..6),
        slant in plane(),
        gone in 0..64_usize,
        points in prop::collection::vec(point(), 128),
    ) {
        let mut parts = vec![Solid::from_box(&CUBE).unwrap()];
        let straight = cuts.into_iter().map(|(axis, at)| {
            let mut normal = [0.0; 3];
            normal[axis] = 1.0;
            Plane { normal, dist: f64::from(at) }
        });
        for cut in straight.chain([slant]) {
            parts = parts.iter().flat_map(|part| [part.behind(cut), part.behind(cut.flipped())]).flatten().collect();
        }
        let whole = merge_solids(&parts);
        let volume: f64 = whole.iter().map(Solid::volume).sum();
        prop_assert!((volume - 8000.0).abs() < 0.1);
        prop_assert!(whole.len() < parts.len(), "{} of {}", whole.len(), parts.len());
        // With one of them gone nothing fills its place.
        let hole = parts.remove(gone % parts.len());
        let merged = merge_solids(&parts);
        for &p in &points {
            let near = parts.iter().chain([&hole]).flat_map(|part| &part.planes).any(|plane| plane.height(p).abs() < 1e-4);
            if !near {
                let within = |all: &[Solid]| all.iter().any(|solid| solid.contains(p));
                prop_assert_eq!(within(&merged), within(&parts));
            }
        }
    }

    #[test]
    fn a_position_is_in_the_cell_whose_box_holds_it(
        roots in prop::collection::btree_set((0..4_u32, 0..4_u32, 0..4_u32), 1..20),
        fine in any::<u64>(),
        at in [-1.0..17.0_f64, -1.0..17.0, -1.0..17.0],
    ) {
        let mut boxes = Vec::new();
        for (i, (x, y, z)) in roots.into_iter().enumerate() {
            let min = [x, y, z].map(|side| side * 4);
            match fine >> (2 * i) & 3 {
                0 => boxes.push(PlaceBox { min, level: 2 }),
                1 => boxes.push(PlaceBox { min, level: 1 }),
                _ => boxes.extend((0..64).filter(|bit| fine >> bit & 1 == 1).map(|bit: u32| PlaceBox {
                    min: [min[0] + bit % 4, min[1] + bit / 4 % 4, min[2] + bit / 16],
                    level: 0,
                })),
            }
        }
        let cells = PlaceCells::new([1.0; 3], [0.0; 3], boxes);
        let holds: Vec<u32> = (0..cells.len() as u32)
            .filter(|&i| cells.bounds(i as usize).contains(at))
            .collect();
        match cells.locate(at) {
            Some(cell) => prop_assert!(holds.contains(&cell)),
            None => prop_assert!(holds.is_empty()),
        }
        prop_assert!(cells.boxes.windows(2).all(|pair| pair[0].end() <= pair[1].number()));
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// A lattice of positions is walked through as a player would: each that is come to is in a cell.
    #[test]
    fn whoever_walks_from_a_spawn_is_in_a_cell(
        blocks in prop::collection::vec(([0..28_i32, 0..28, 0..6], [1..12_i32, 1..12, 1..14]), 0..14),
        slant in direction(),
        size in prop::sample::select(vec![16.0, 32.0, 64.0]),
    ) {
        let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
        let (low, high) = ([0.0; 3], [480.0, 480.0, 240.0]);
        for plane in box_planes(&Aabb { min: low, max: high }) {
            let room = Aabb { min: low, max: high }.grown(32.0);
            level.obstacles.extend(Solid::from_planes(box_planes(&room).into_iter().chain([plane.flipped()])));
        }
        for (min, side) in blocks {
            let min = min.map(|x| 16.0 * f64::from(x));
            let max = std::array::from_fn(|k| min[k] + 16.0 * f64::from(side[k]));
            let bounds = Aabb { min, max };
            let middle = bounds.centre();
            let dist = (0..3).map(|k| slant[k] * middle[k]).sum::<f64>();
            let cut = Plane { normal: slant, dist };
            level.obstacles.extend(Solid::from_planes(box_planes(&bounds).into_iter().chain([cut])));
        }
        // On no border of cells.
        level.spawns = vec![[240.3, 240.6, 120.2]];
        let hull = level.player.hull;
        let free = |p: [f64; 3]| {
            let body = Aabb { min: p, max: p }.plus(&hull);
            !level.obstacles.iter().any(|solid| solid.bounds.touches(&body)
                && Solid::from_planes(solid.planes.iter().copied().chain(box_planes(&body))).is_ok())
        };
        let places = find_places(&level, &PlaceOptions { size, height: size, ..PlaceOptions::of(&level) });
        let Ok(places) = places else {
            prop_assert!(!free(level.spawns[0]));
            return Ok(());
        };
        let step = 15.0;
        let mut met = std::collections::HashSet::new();
        let mut waiting = vec![[0_i32; 3]];
        while let Some(at) = waiting.pop() {
            let p = std::array::from_fn(|k| level.spawns[0][k] + step * f64::from(at[k]));
            if !met.insert(at) || !free(p) {
                continue;
            }
            prop_assert!(places.cells.locate(p).is_some(), "{p:?}");
            for k in 0..3 {
                for by in [-1, 1] {
                    let mut next = at;
                    next[k] += by;
                    // From here to there without a wall between.
                    let half = |t: f64| std::array::from_fn(|i| p[i] + t * step * f64::from(next[i] - at[i]));
                    if [0.25, 0.5, 0.75].into_iter().all(|t| free(half(t))) {
                        waiting.push(next);
                    }
                }
            }
        }
    }
}

#[test]
fn players_of_traces_are_in_cells() {
    for (name, trace, least) in [
        ("traces/maps/ps9ctf.bsp", "traces/oa_ps9ctf.csv", 0.9999),
        ("traces/maps/dm2.bsp", "traces/qw_4on4_dm2.csv", 0.998),
        ("traces/maps/dm2.map", "traces/qw_4on4_dm2.csv", 0.998),
    ] {
        let (Some(found), Some(positions)) = (level(name), positions(trace)) else {
            continue;
        };
        let options = PlaceOptions {
            size: 64.0,
            height: 64.0,
            ..PlaceOptions::of(&found.level)
        };
        let places = find_places(&found.level, &options).unwrap();
        let inside = positions
            .iter()
            .filter(|&&p| places.cells.locate(p).is_some())
            .count();
        assert!(
            inside as f64 >= least * positions.len() as f64,
            "{name}: {inside}"
        );
    }
}

#[test]
fn cells_are_twice_as_large_where_players_jump_and_cover_the_same_places() {
    let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
    level.obstacles = vec![
        a_box([0.0, 0.0, -64.0], [512.0, 512.0, 0.0]),
        a_box([64.0, 64.0, 0.0], [128.0, 256.0, 40.0]),
        a_box([0.0, 0.0, 512.0], [512.0, 512.0, 576.0]),
    ];
    level.spawns = vec![[256.0, 256.0, 24.0]];
    let usual = PlaceOptions::of(&level);
    let low = PlaceOptions {
        near_floor: [32.0, 64.0],
        ..usual.clone()
    };
    let [usual, low] = [usual, low].map(|options| find_places(&level, &options).unwrap().cells);
    assert!(
        3 * low.len() < 2 * usual.len(),
        "{} of {}",
        low.len(),
        usual.len()
    );
    let larger = |cells: &PlaceCells, at| {
        cells
            .locate(at)
            .map(|cell| cells.boxes[cell as usize].level)
    };
    let mut most = [0; 2];
    for feet in (1..400).step_by(3) {
        for (x, y) in [(256.0, 256.0), (300.0, 410.0), (40.5, 300.0)] {
            let at = [x, y, 24.0 + f64::from(feet)];
            let found = [&usual, &low].map(|cells| larger(cells, at).unwrap());
            let limit = match feet {
                ..=32 => [0, 0],
                33..=64 => [0, 1],
                65.. => [2, 2],
            };
            assert!(
                found[0] <= limit[0] && found[1] <= limit[1],
                "{at:?}: {found:?}"
            );
            if feet <= 64 {
                most = [0, 1].map(|k| most[k].max(found[k]));
            }
        }
    }
    assert_eq!(most, [0, 1]);
    for cell in 0..usual.len() {
        let middle = usual.bounds(cell).centre();
        assert!(low.locate(middle).is_some(), "{middle:?}");
    }
}

/// A corridor of this level is open at its end, where the model has its bounds.
#[test]
fn nobody_walks_round_a_level_by_its_open_end() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/cells/rooms.bsp");
    let rooms = read_solid(&file, &SolidOptions::default()).unwrap().level;
    let mut options = PlaceOptions::of(&rooms);
    options.reach = vec![[200.0, 1100.0, 60.0]];
    let cells = find_places(&rooms, &options).unwrap().cells;
    assert!((7_000..8_000).contains(&cells.len()), "{}", cells.len());
    assert_eq!(cells.locate([500.0, 500.0, 290.0]), None, "on the roof");
}

#[test]
fn nobody_is_followed_out_of_the_box_that_bounds_places() {
    let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
    level.obstacles = vec![a_box([0.0, 0.0, -64.0], [512.0, 512.0, 0.0])];
    level
        .obstacles
        .push(a_box([64.0, 64.0, 0.0], [128.0, 256.0, 90.0]));
    level.spawns = vec![[300.0, 300.0, 24.0], [450.0, 300.0, 24.0]];
    let mut options = PlaceOptions::of(&level);
    let all = find_places(&level, &options).unwrap().cells;
    let within = Aabb {
        min: [90.0, 130.0, 10.0],
        max: [310.0, 410.0, 55.0],
    };
    options.within = Some(within);
    let places = find_places(&level, &options).unwrap();
    assert_eq!(places.outside, [level.spawns[1]]);
    let bounds = |of: &PlaceCells| {
        (0..of.len())
            .map(|cell| of.bounds(cell))
            .collect::<Vec<_>>()
    };
    let (found, mut due) = (bounds(&places.cells), bounds(&all));
    due.retain(|one| one.within(&within).is_some());
    assert!(found.len() > 100 && found.iter().all(|one| due.contains(one)));
    assert_eq!(found.len(), due.len());
    options.within = Some(within.grown(-100.0));
    assert_eq!(find_places(&level, &options), Err(PlacesError::Outside(2)));
}

#[test]
fn what_makes_no_cells_says_why() {
    let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
    level.obstacles = vec![a_box([0.0; 3], [512.0; 3])];
    let options = PlaceOptions::of(&level);
    assert_eq!(find_places(&level, &options), Err(PlacesError::NoSpawn));
    level.spawns = vec![[256.0; 3]];
    assert_eq!(find_places(&level, &options), Err(PlacesError::Buried(1)));
    level.spawns.push([256.0, 256.0, 540.0]);
    let few = PlaceOptions {
        most: 100,
        ..options.clone()
    };
    let Err(PlacesError::Many {
        cells,
        most: 100,
        size,
    }) = find_places(&level, &few)
    else {
        panic!("too many cells");
    };
    let larger = PlaceOptions {
        size,
        height: size,
        ..few
    };
    let places = find_places(&level, &larger).unwrap();
    assert!(cells > 100 && places.cells.len() <= 100 && places.buried == [[256.0; 3]]);
    let none = PlaceOptions {
        size: f64::NAN,
        ..options
    };
    assert!(matches!(
        find_places(&level, &none),
        Err(PlacesError::Size(_))
    ));
}

#[test]
fn faces_of_a_plane_are_together() {
    let mut level = SolidLevel::new("test", Units::Metres, Player::PERSON);
    // Two boxes side by side share four planes, and the one between them.
    level.solids = vec![
        a_box([0.0; 3], [1.0; 3]),
        a_box([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]),
    ];
    let triangle = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
    level.faces = Face::from_polygon(&triangle, false).unwrap();
    let planes = FacePlane::all(&level);
    assert_eq!(planes.len(), 8);
    assert!(planes.iter().filter(|plane| plane.two_sided).all(|plane| {
        // x = 0 and x = 2 have one face each.
        plane.polygons.len() == 2 || plane.plane.normal[0] == 1.0
    }));
    for plane in &planes {
        for polygon in &plane.polygons {
            let area: f64 = (0..polygon.len())
                .map(|i| (polygon[i], polygon[(i + 1) % polygon.len()]))
                .map(|(p, q)| 0.5 * (p[0] * q[1] - p[1] * q[0]))
                .sum();
            assert!(area > 0.4, "anticlockwise: {area}");
        }
    }
}

/// 457 bytes of a map took 158 s and 2.7 GB: 225 million rows of 15 voxels each.
#[test]
fn a_thin_slab_of_a_huge_area_is_followed_in_larger_voxels() {
    let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
    level.obstacles = vec![a_box([0.0; 3], [8.0, 60_000.0, 60_000.0])];
    level.spawns = vec![[-20.0, 30_000.0, 30_000.0]];
    let options = PlaceOptions::of(&level);
    let little = PlaceOptions {
        memory: Some(1 << 20),
        ..options.clone()
    };
    let error = find_places(&level, &little).unwrap_err();
    assert!(
        matches!(error, PlacesError::Memory { needed, limit: 1_048_576, size: 64.0 } if needed > 1 << 26),
        "{error}"
    );
    let places = find_places(&level, &options).unwrap();
    assert!(places.voxel[1] >= 32.0, "{:?}", places.voxel);
    assert!(places.cells.locate([-20.0, 30_000.0, 30_000.0]).is_some());
}
