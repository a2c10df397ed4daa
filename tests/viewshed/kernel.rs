//! The kernel for one viewpoint against the definition, pair by pair; sector, radius and tilt against angles.

use proptest::prelude::*;
use viewcell_bake::survey::{Lookout, Observer};
use viewcell_bake::visibility::{
    Bodies, Curvature, Looker, Stance, Viewpoint, ViewshedField, covered, sees,
};
use viewcell_ingest::world::Terrain;

/// Rough, stepped or flat ground, some of it void.
fn terrain() -> impl Strategy<Value = Terrain> {
    let sides = (1..40_u32, 1..40_u32);
    let relief = prop_oneof![Just(0.0), Just(0.5), Just(5.0), Just(100.0), Just(3000.0)];
    let step = prop_oneof![Just(0.0), Just(1.0), Just(3.0)];
    let voids = prop_oneof![Just(0.0), Just(0.05), Just(0.3)];
    let spacing = prop_oneof![Just([1.0, 1.0]), Just([3.0, 2.0]), Just([0.5, 30.0])];
    (sides, relief, step, voids, spacing).prop_flat_map(|((w, h), relief, step, voids, spacing)| {
        let sample = (0.0..1.0_f64, 0.0..1.0_f64);
        prop::collection::vec(sample, (w * h) as usize).prop_map(move |samples| {
            let height = |(i, (height, void)): (usize, (f64, f64))| {
                let height = height * relief;
                match step {
                    _ if i > 0 && void < voids => f64::NAN,
                    0.0 => height,
                    step => (height / step).round() * step,
                }
            };
            let heights = samples.into_iter().enumerate().map(height).collect();
            Terrain::new(w, h, heights, spacing).unwrap()
        })
    })
}

fn bodies() -> impl Strategy<Value = Bodies> {
    let metres = || prop_oneof![Just(0.0), Just(1.8), Just(2.5), Just(40.0)];
    (metres(), metres()).prop_map(|(eye, head)| Bodies { eye, head })
}

fn distance() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::INFINITY), Just(0.5), 1.0..60.0_f64]
}

/// The sample at these shares of the sides.
fn at(terrain: &Terrain, [x, y]: [f64; 2]) -> (u32, u32) {
    let along = |share: f64, side: u32| ((share * f64::from(side)) as u32).min(side - 1);
    (along(x, terrain.width()), along(y, terrain.height()))
}

fn samples(terrain: &Terrain) -> impl Iterator<Item = (u32, u32)> + use<> {
    let (width, height) = (terrain.width(), terrain.height());
    (0..height).flat_map(move |row| (0..width).map(move |column| (column, row)))
}

/// How far a sample is from another, east and south. [Unit: m]
fn apart(terrain: &Terrain, from: (u32, u32), to: (u32, u32)) -> [f64; 2] {
    let [dx, dy] = terrain.spacing();
    let metres = |from: u32, to: u32, step: f64| (f64::from(to) - f64::from(from)) * step;
    [metres(from.0, to.0, dx), metres(from.1, to.1, dy)]
}

fn is_near(terrain: &Terrain, from: (u32, u32), to: (u32, u32), most: f64) -> bool {
    let [x, y] = apart(terrain, from, to);
    x * x + y * y <= most * most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_viewpoint_sees_what_the_definition_says(
        terrain in terrain(),
        bodies in bodies(),
        max_distance in distance(),
        places in prop::collection::vec([0.0..1.0_f64, 0.0..1.0_f64], 1..4),
    ) {
        let field = ViewshedField::new(&terrain);
        // One after another in the same memory.
        let mut looker = Looker::default();
        for sample in places.into_iter().map(|place| at(&terrain, place)) {
            let shed = looker.look(&field, &Viewpoint { sample, bodies, max_distance });
            let found: Vec<_> = shed.samples().collect();
            let due = samples(&terrain).filter(|to| {
                is_near(&terrain, sample, *to, max_distance) && sees(&terrain, bodies, sample, *to)
            });
            prop_assert_eq!(found, due.collect::<Vec<_>>(), "from {:?}", sample);
        }
    }

    #[test]
    fn a_surface_over_the_ground_and_places_where_nobody_can_be_count(
        terrain in terrain(),
        bodies in bodies(),
        over in prop::collection::vec(prop_oneof![Just(0.0), 0.0..6.0_f64], 40 * 40),
        walkable in prop::collection::vec(prop::bool::weighted(0.8), 40 * 40),
        place in [0.0..1.0_f64, 0.0..1.0_f64],
    ) {
        let ground = terrain.heights().iter().zip(&over).map(|(h, over)| h - over);
        let terrain = terrain.clone().with_ground(ground.collect()).unwrap();
        let mut walkable = walkable[..terrain.samples()].to_vec();
        walkable[0] = true;
        let terrain = terrain.with_walkable(&walkable).unwrap();
        let sample = at(&terrain, place);
        let shed = Looker::default().look(&ViewshedField::new(&terrain), &Viewpoint {
            sample,
            bodies,
            max_distance: f64::INFINITY,
        });
        let [blind, unseen] = [bodies.eye, bodies.head].map(|top| covered(&terrain, top, Stance::Sample));
        let index = |(column, row): (u32, u32)| (row * terrain.width() + column) as usize;
        let due = samples(&terrain).filter(|&to| {
            terrain.has_place(sample.0, sample.1)
                && (to == sample
                    || terrain.has_place(to.0, to.1)
                        && !blind[index(sample)]
                        && !unseen[index(to)]
                        && sees(&terrain, bodies, sample, to))
        });
        prop_assert_eq!(shed.samples().collect::<Vec<_>>(), due.collect::<Vec<_>>());
    }

    #[test]
    fn sector_radius_and_tilt_are_cut_off_by_angles(
        terrain in terrain(),
        bodies in bodies(),
        place in [0.0..1.0_f64, 0.0..1.0_f64],
        (near, far) in (0.0..10.0_f64, prop_oneof![Just(f64::INFINITY), 10.0..60.0]),
        azimuths in prop_oneof![Just([0.0, 360.0]), [-360.0..720.0_f64, -360.0..720.0_f64]],
        (low, high) in (-90.0..0.0_f64, 0.0..=90.0_f64),
        round in prop::option::of(1e3..1e5_f64),
    ) {
        let sample = at(&terrain, place);
        let curvature = round.map(|radius| Curvature { radius, refraction: 0.1 });
        let seen = match curvature {
            Some(earth) => earth.lower(&terrain).unwrap(),
            None => terrain.clone(),
        };
        let observer = Observer {
            radius: [near, far],
            sector: Some(azimuths),
            tilt: [low, high],
            ..Observer::new(sample, bodies, far)
        };
        let found: std::collections::HashSet<_> =
            Lookout::new(&terrain, &seen, curvature).look(&observer).samples().collect();
        let [first, last] = azimuths;
        for to in samples(&terrain) {
            let [x, y] = apart(&terrain, sample, to);
            let metres = x.hypot(y);
            let azimuth = x.atan2(-y).to_degrees();
            let beyond = (azimuth - first).rem_euclid(360.0);
            let width = if last - first >= 360.0 { 360.0 } else { (last - first).rem_euclid(360.0) };
            let drop = curvature.map_or(0.0, |earth| earth.drop_at(metres));
            let rise = terrain.ground_at(to.0, to.1) + bodies.head - drop
                - terrain.ground_at(sample.0, sample.1) - bodies.eye;
            let tilt = rise.atan2(metres).to_degrees();
            // What lies on a limit may fall on either side.
            let edges = [beyond, beyond - width, beyond - 360.0, tilt - low, tilt - high, metres - near, metres - far];
            if to != sample && edges.iter().any(|edge| edge.abs() < 1e-6) {
                continue;
            }
            let looked = metres >= near
                && metres <= far
                && (to == sample || beyond <= width && tilt >= low && tilt <= high);
            let due = looked && sees(&seen, bodies, sample, to);
            prop_assert_eq!(found.contains(&to), due, "{:?} to {:?}: {} {}", sample, to, azimuth, tilt);
        }
    }
}
