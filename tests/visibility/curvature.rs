//! The round earth: lowered ground against the bulge as it is defined.

use super::{BODIES, Baked, Dice};
use proptest::prelude::*;
use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::VisibilityMode;
use viewcell_bake::visibility::{Curvature, TOLERANCE, sees};
use viewcell_ingest::world::Terrain;

/// By how much the ground rises above the sight from `a` to `b` at most, in metres: over each grid
/// line the straight ground between two samples, which the bulge of the way as a whole lifts and
/// that of the samples' own distance does not.
fn rises(terrain: &Terrain, curvature: Curvature, a: (u32, u32), b: (u32, u32)) -> f64 {
    let c = (1.0 - curvature.refraction) / (2.0 * curvature.radius);
    let [dx, dy] = terrain.spacing();
    let (ax, ay, bx, by) = (a.0 as f64, a.1 as f64, b.0 as f64, b.1 as f64);
    let way = ((bx - ax) * dx).hypot((by - ay) * dy);
    let eye = terrain.at(a.0, a.1) + BODIES.eye;
    let head = terrain.at(b.0, b.1) + BODIES.head;
    let mut most = f64::NEG_INFINITY;
    let mut over = |t: f64, first: f64, second: f64, w: f64, spacing: f64| {
        let ground = first + w * (second - first) - c * spacing * spacing * w * (1.0 - w);
        let rise = ground + c * way * way * t * (1.0 - t) - (eye + t * (head - eye));
        if !rise.is_nan() {
            most = most.max(rise);
        }
    };
    for column in a.0.min(b.0) + 1..a.0.max(b.0) {
        let t = (column as f64 - ax) / (bx - ax);
        let row = ay + t * (by - ay);
        let first = row.floor().min(f64::from(terrain.height() - 1));
        let second = (first as u32 + 1).min(terrain.height() - 1);
        let at = |row: u32| terrain.at(column, row);
        over(t, at(first as u32), at(second), row - first, dy);
    }
    for row in a.1.min(b.1) + 1..a.1.max(b.1) {
        let t = (row as f64 - ay) / (by - ay);
        let column = ax + t * (bx - ax);
        let first = column.floor().min(f64::from(terrain.width() - 1));
        let second = (first as u32 + 1).min(terrain.width() - 1);
        let at = |column: u32| terrain.at(column, row);
        over(t, at(first as u32), at(second), column - first, dx);
    }
    most
}

proptest! {
    #[test]
    fn sight_over_lowered_ground_is_sight_over_the_round_earth(
        seed in any::<u64>(),
        spacing in [10.0..3000.0f64, 10.0..3000.0f64],
        refraction in 0.0..0.9f64,
        rough in 0.0..60.0f64,
    ) {
        let mut dice = Dice(seed);
        let (width, height) = (30, 20);
        let heights = (0..width * height).map(|_| rough * dice.fraction());
        let terrain = Terrain::new(width, height, heights.collect(), spacing).unwrap();
        let curvature = Curvature::earth(refraction);
        let lowered = curvature.lower(&terrain).unwrap();
        for _ in 0..2000 {
            let a = (dice.roll(width), dice.roll(height));
            let b = (dice.roll(width), dice.roll(height));
            let rise = rises(&terrain, curvature, a, b) - TOLERANCE;
            if rise.abs() > 1e-6 {
                prop_assert_eq!(sees(&lowered, BODIES, a, b), rise < 0.0, "{:?} {:?}", a, b);
            }
        }
    }
}

#[test]
fn two_people_at_sea_lose_sight_of_each_other_behind_the_horizon() {
    // Both 1.8 m above the water see √(2·1.8·R / (1 - k)) far: together 10.3 km.
    let sea = Terrain::new(301, 1, vec![0.0; 301], [50.0; 2]).unwrap();
    let lowered = Curvature::earth(Curvature::REFRACTION).lower(&sea).unwrap();
    let far = (0..301).filter(|&c| sees(&lowered, BODIES, (0, 0), (c, 0)));
    let far = 50 * far.max().unwrap();
    assert!((10_250..=10_450).contains(&far), "{far} m");
    // Without refraction, 9.6 km.
    let lowered = Curvature::earth(0.0).lower(&sea).unwrap();
    assert!(sees(&lowered, BODIES, (0, 0), (190, 0)));
    assert!(!sees(&lowered, BODIES, (0, 0), (195, 0)));
}

#[test]
fn bundles_of_the_round_earth_answer_as_defined() {
    let mut dice = Dice(2);
    let heights = (0..60 * 45).map(|_| 12.0 * dice.fraction()).collect();
    let terrain = Terrain::new(60, 45, heights, [300.0, 450.0]).unwrap();
    let curvature = Curvature::earth(Curvature::REFRACTION);
    let lowered = curvature.lower(&terrain).unwrap();
    let baked = Baked::new(&terrain, VisibilityMode::Exact, Some(curvature));
    let map = MappedBundle::open(baked.path()).unwrap();
    let bundle = map.terrain().unwrap();
    let mut bent = 0;
    for _ in 0..200_000 {
        let a = (dice.roll(60), dice.roll(45));
        let b = (dice.roll(60), dice.roll(45));
        let sample = |(column, row)| Sample::new(column, row);
        let seen = bundle.visible(sample(a), sample(b));
        assert_eq!(seen, sees(&lowered, BODIES, a, b), "{a:?} {b:?}");
        bent += u32::from(seen != sees(&terrain, BODIES, a, b));
    }
    assert!(bent > 1000, "the earth's shape decides {bent} pairs only");
}
