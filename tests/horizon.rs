//! Horizons and sky view factors: the kernel held to its twin, and to geometry.

#[path = "common/data.rs"]
mod data;
use fearless_simd::Level;
use proptest::prelude::*;
use viewcell_bake::visibility::{Curvature, Horizons, Simd, horizon};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

fn all(terrain: &Terrain, of_strip: impl Fn(u32) -> Vec<f32>) -> Vec<f32> {
    (0..terrain.height())
        .step_by(Horizons::ROWS as usize)
        .flat_map(of_strip)
        .collect()
}

fn degrees(terrain: &Terrain, eye: f64, sectors: u32) -> Vec<f32> {
    let horizons = Horizons::new(terrain, eye, sectors, Level::new());
    all(terrain, |row| horizons.degrees(row))
}

/// On an earth of this shape, or a flat one, of terrain so many metres away at most.
fn horizons(
    terrain: &Terrain,
    eye: f64,
    sectors: u32,
    level: Level,
    (curvature, metres): (Option<Curvature>, f64),
) -> Horizons {
    let horizons = Horizons::new(terrain, eye, sectors, level).with_max_distance(metres);
    match curvature {
        Some(curvature) => horizons.with_curvature(curvature),
        None => horizons,
    }
}

fn terrain(width: u32, height: u32, seed: u64, spacing: [f64; 2]) -> Terrain {
    let mut state = seed;
    let mut heights: Vec<f64> = (0..width * height)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695);
            match state >> 60 {
                0 => f64::NAN,
                _ => (state >> 40 & 1023) as f64 / 8.0 - 30.0,
            }
        })
        .collect();
    heights[0] = 1.0;
    Terrain::new(width, height, heights, spacing).unwrap()
}

proptest! {
    #[test]
    fn the_kernel_says_what_the_twin_says(
        width in 1_u32..30,
        height in 1_u32..30,
        seed: u64,
        sectors in 1_u32..50,
        spacing in prop_oneof![Just([1.0, 1.0]), Just([30.0, 20.0]), Just([1e3, 1e-3])],
        eye in prop_oneof![Just(1.8), Just(0.0)],
        // Small planets, so that their shape matters.
        curvature in proptest::option::of((1e3..1e5f64, 0.0..0.9f64)),
        metres in prop_oneof![Just(f64::INFINITY), 0.5..900.0f64],
    ) {
        let terrain = terrain(width, height, seed, spacing);
        let curvature = curvature.map(|(radius, refraction)| Curvature { radius, refraction });
        let of = |level| {
            let horizons = horizons(&terrain, eye, sectors, level, (curvature, metres));
            all(&terrain, |row| horizons.degrees(row))
        };
        let found = of(Level::new());
        prop_assert_eq!(found.len() as u32, width * height * sectors);
        for (i, found) in (0..).zip(&found) {
            let sample = i / sectors;
            let at = (sample % width, sample / width);
            let expected = horizon(&terrain, curvature, metres, eye, at, (i % sectors, sectors));
            let same = (f64::from(*found) - expected).abs() < 1e-5;
            prop_assert!(same || expected.is_nan() && found.is_nan(), "{:?}: {} {}", at, found, expected);
        }
        let scalar = of(Simd::Baseline.level().unwrap());
        prop_assert!(scalar.iter().zip(&found).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

proptest! {
    #[test]
    fn horizons_of_the_round_earth_are_those_of_lowered_ground_tilted_back(
        width in 2_u32..30,
        height in 2_u32..30,
        seed: u64,
        spacing in [5.0..50.0f64, 5.0..50.0f64],
        curvature in (1e4..1e6f64, 0.0..0.9f64),
    ) {
        const SECTORS: u32 = 24;
        let terrain = terrain(width, height, seed, spacing);
        let (radius, refraction) = curvature;
        let curvature = Curvature { radius, refraction };
        let lowered = curvature.lower(&terrain).unwrap();
        let round = horizons(&terrain, 1.8, SECTORS, Level::new(), (Some(curvature), f64::INFINITY));
        let round = all(&terrain, |row| round.degrees(row));
        let tangent = |degrees: f32| f64::from(degrees).to_radians().tan();
        let [dx, dy] = spacing;
        for (i, (round, flat)) in (0..).zip(round.iter().zip(degrees(&lowered, 1.8, SECTORS))) {
            if flat.is_nan() || flat == -90.0 {
                prop_assert!(round.is_nan() == flat.is_nan() && (*round == -90.0) == (flat == -90.0));
                continue;
            }
            let (sample, sector) = (i / SECTORS, i % SECTORS);
            // From the grid's middle, where the ground was lowered by nothing.
            let east = (f64::from(sample % width) - f64::from(width - 1) / 2.0) * dx;
            let north = (f64::from(height - 1) / 2.0 - f64::from(sample / width)) * dy;
            let azimuth = std::f64::consts::TAU * f64::from(sector) / f64::from(SECTORS);
            let outward = east * azimuth.sin() + north * azimuth.cos();
            let expected = tangent(flat) + 2.0 * curvature.bulge() * outward;
            // What straight ground between two samples cuts off the parabola, seen from nearby.
            let straight = curvature.bulge() * dx.max(dy).powi(2) / dx.min(dy);
            let off = (tangent(*round) - expected).abs() - straight;
            prop_assert!(off < 1e-5 * (1.0 + expected * expected), "{}: {} {}", i, round, expected);
        }
    }
}

#[test]
fn the_horizon_of_the_sea_dips_the_more_the_higher_the_eye() {
    // 300 km of sea to the east of an island.
    let sea = |island: f64| {
        let mut heights = vec![0.0; 3001];
        heights[0] = island;
        Terrain::new(3001, 1, heights, [100.0; 2]).unwrap()
    };
    for eye in [2.0, 30.0, 1000.0] {
        for refraction in [0.0, Curvature::REFRACTION] {
            let earth = Curvature::earth(refraction);
            let sea = sea(eye - 2.0);
            let sight = (Some(earth), f64::INFINITY);
            let found = horizons(&sea, 2.0, 4, Level::new(), sight).degrees(0)[1];
            // A tangent to the sphere: the angle between two radii.
            let radius = earth.radius / (1.0 - refraction);
            let dip = (radius / (radius + eye)).acos().to_degrees();
            assert!(
                (f64::from(found) + dip).abs() < 5e-4 * dip,
                "{eye} m: {found} {dip}"
            );
            // Nearer than the horizon, the last that counts is the lowest angle's end.
            let near = (Some(earth), 1000.0);
            let near = horizons(&sea, 2.0, 4, Level::new(), near).degrees(0)[1];
            let drop = earth.drop_at(1000.0);
            let expected = -((eye + drop) / 1000.0).atan().to_degrees();
            assert!(
                (f64::from(near) - expected).abs() < 1e-5,
                "{eye} m: {near} {expected}"
            );
        }
    }
}

#[test]
fn a_mountain_behind_the_horizon_takes_nothing_of_the_sky() {
    // 1,000 m high and 140 km away, where the ground is 1,538 m lower.
    let mut heights = vec![0.0; 1401];
    heights[1400] = 1000.0;
    let terrain = Terrain::new(1401, 1, heights, [100.0; 2]).unwrap();
    let sky = |curvature, metres| {
        let sight = (curvature, metres);
        horizons(&terrain, 0.0, 4, Level::new(), sight).sky_view(0)[0]
    };
    assert!(sky(None, f64::INFINITY) < 1.0);
    assert_eq!(sky(Some(Curvature::earth(0.0)), f64::INFINITY), 1.0);
    assert_eq!(sky(None, 139_999.0), 1.0);
    assert!(sky(None, 140_000.0) < 1.0);
}

#[test]
fn a_wall_to_the_east_stands_in_the_eastern_sectors_only() {
    // Ten metres high, ten metres to the east of the middle.
    let heights = (0..21 * 21)
        .map(|i| if i % 21 == 20 { 10.0 } else { 0.0 })
        .collect();
    let terrain = Terrain::new(21, 21, heights, [1.0, 1.0]).unwrap();
    let found = degrees(&terrain, 0.0, 8);
    let middle = &found[(10 * 21 + 10) * 8..][..8];
    let diagonal = (10.0 / 200.0_f64.sqrt()).atan().to_degrees() as f32;
    let expected = [0.0, diagonal, 45.0, diagonal, 0.0, 0.0, 0.0, 0.0];
    for (found, expected) in middle.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{middle:?}");
    }
    // From the wall's northern end nothing lies to the north, the east and between.
    let corner = &found[20 * 8..][..8];
    assert_eq!(corner[..4], [-90.0; 4]);
    assert_eq!(corner[4], 0.0, "along the wall to the south");
    assert_eq!(corner[7], -90.0);
    assert!(corner[6] < 0.0 && corner[6] > -90.0);
}

#[test]
fn rows_count_south_and_sectors_clockwise() {
    let mut heights = vec![0.0; 9 * 9];
    // A tower three rows north, a lower one three columns west.
    heights[9 + 4] = 30.0;
    heights[4 * 9 + 1] = 3.0;
    let terrain = Terrain::new(9, 9, heights, [1.0, 10.0]).unwrap();
    let middle = &degrees(&terrain, 0.0, 4)[(4 * 9 + 4) * 4..][..4];
    assert!(
        (middle[0] - 45.0).abs() < 1e-5 && (middle[3] - 45.0).abs() < 1e-5,
        "{middle:?}"
    );
    assert!(middle[1] == 0.0 && middle[2] == 0.0);
}

#[test]
fn the_whole_sky_is_over_a_plain_and_half_of_it_beside_an_endless_wall() {
    let plain = Terrain::new(30, 30, vec![5.0; 900], [1.0, 1.0]).unwrap();
    let sky = |terrain: &Terrain, eye| {
        let horizons = Horizons::new(terrain, eye, 360, Level::new());
        all(terrain, |row| horizons.sky_view(row))
    };
    assert!(
        sky(&plain, 0.0)
            .iter()
            .chain(&sky(&plain, 2.0))
            .all(|s| *s == 1.0)
    );

    let heights = (0..30 * 301)
        .map(|i| if i % 30 == 0 { 1e5 } else { 0.0 })
        .collect();
    let wall = Terrain::new(30, 301, heights, [1.0, 1.0]).unwrap();
    let beside = sky(&wall, 0.0)[150 * 30 + 1];
    assert!((beside - 0.5).abs() < 0.01, "{beside}");

    // Amid a ring of mountains 30 degrees high sin γ is a half on every side, and so is the sky.
    let heights = (0..201 * 201)
        .map(|i| {
            let (x, y) = (f64::from(i % 201) - 100.0, f64::from(i / 201) - 100.0);
            let far = x.hypot(y);
            if far < 60.0 {
                0.0
            } else {
                far * 30_f64.to_radians().tan()
            }
        })
        .collect();
    let ring = Terrain::new(201, 201, heights, [1.0, 1.0]).unwrap();
    let amid = sky(&ring, 0.0)[100 * 201 + 100];
    assert!((amid - 0.5).abs() < 0.001, "{amid}");
}

#[test]
fn a_void_has_no_horizon_and_is_none() {
    let mut heights = vec![0.0; 5];
    heights[2] = f64::NAN;
    heights[4] = 8.0;
    let terrain = Terrain::new(5, 1, heights, [1.0, 1.0]).unwrap();
    let found = degrees(&terrain, 0.0, 4);
    let east: Vec<f32> = found.chunks(4).map(|of| of[1]).collect();
    assert!(
        (east[0] - 8_f32.atan2(4.0).to_degrees()).abs() < 1e-5,
        "{east:?}"
    );
    assert!(found[2 * 4..][..4].iter().all(|angle| angle.is_nan()));
    let sky = Horizons::new(&terrain, 0.0, 4, Level::new()).sky_view(0);
    assert!(sky[2].is_nan() && sky[0] < 1.0 && sky[4] == 1.0);
}

#[test]
fn real_terrains_by_kernel_and_by_twin() {
    for name in [
        "jacksboro_fault_dem.tif",
        "slovenia_lidar_1m_nodata.tif",
        "bigtujunga_30m.tif",
    ] {
        let Some(path) = data::data(&format!("terrain/{name}")) else {
            continue;
        };
        let terrain = read_terrain(&path, &IngestOptions::default())
            .unwrap()
            .terrain;
        let earth = Curvature::earth(Curvature::REFRACTION);
        for (curvature, metres) in [(None, f64::INFINITY), (Some(earth), 8000.0)] {
            let horizons = horizons(&terrain, 1.8, 37, Level::new(), (curvature, metres));
            let row = terrain.height() / 16 * 8;
            let found = horizons.degrees(row);
            let mut compared = 0;
            for column in (0..terrain.width()).step_by(13) {
                let at = (column, row + column % 8);
                let first = ((at.1 - row) * terrain.width() + column) as usize * 37;
                for (sector, &found) in (0..).zip(&found[first..first + 37]) {
                    let expected = horizon(&terrain, curvature, metres, 1.8, at, (sector, 37));
                    assert_eq!(found.is_nan(), expected.is_nan());
                    let same = found.is_nan() || (f64::from(found) - expected).abs() < 1e-5;
                    assert!(same, "{name} {at:?} {sector}: {found} {expected}");
                    compared += u32::from(!found.is_nan());
                }
            }
            assert!(compared > 200, "{name}: {compared}");
        }
    }
}
