//! Where players may be who move within limits.

use viewcell::query::{Bundle, Extent, MappedBundle, Motion, MotionLimits, Sample};
use viewcell_bake::visibility::Bodies;

use crate::baking::bake_exactly;
use crate::terrain::walls;

const BODIES: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// A generator of numbers in [0, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A vector that is no longer than some length along the ground, and than another up or down.
    fn vector(&mut self, [along, up]: [f64; 2]) -> [f64; 3] {
        let (angle, length) = (
            self.next() * std::f64::consts::TAU,
            along * self.next().sqrt(),
        );
        [
            length * angle.cos(),
            length * angle.sin(),
            up * (2.0 * self.next() - 1.0),
        ]
    }
}

fn length([x, y, z]: [f64; 3]) -> [f64; 2] {
    [x.hypot(y), z.abs()]
}

fn is_within(parts: [f64; 2], limits: [f64; 2]) -> bool {
    parts[0] <= limits[0] && parts[1] <= limits[1]
}

fn holds(region: &Extent, at: [f64; 3]) -> bool {
    let [low, high] = region.corners();
    (0..3).all(|i| (low[i] - 1e-6..=high[i] + 1e-6).contains(&at[i]))
}

#[test]
fn whoever_moves_within_the_limits_stays_in_the_region() {
    let mut numbers = Numbers(5);
    for _ in 0..2000 {
        let mut pair = |most: f64| [most * numbers.next(), most * numbers.next()];
        let limits = MotionLimits {
            speed: pair(600.0),
            acceleration: pair(3000.0),
            impulse: pair(800.0),
            error: pair(2.0),
        };
        let mut velocity = numbers.vector(limits.speed);
        let truly = numbers.vector([1000.0, 100.0]);
        let off = numbers.vector(limits.error);
        let motion = Motion {
            position: [0, 1, 2].map(|i| truly[i] + off[i]),
            velocity: (numbers.next() < 0.9).then_some(velocity),
        };
        let (mut at, mut time, mut left) = (truly, 0.0, limits.impulse);
        let times = [0.3 * numbers.next(), 0.3 + 0.3 * numbers.next()];
        let region = motion.region(&limits, times);
        // Always the same way at full power comes closest to the limits.
        let steady = (numbers.next() < 0.5).then(|| numbers.vector(limits.acceleration));
        while time < times[1] {
            let kick = numbers.vector(left);
            let kicked = [0, 1, 2].map(|i| velocity[i] + kick[i]);
            if numbers.next() < 0.2 && is_within(length(kicked), limits.speed) {
                velocity = kicked;
                let spent = length(kick);
                left = [left[0] - spent[0], left[1] - spent[1]];
            }
            let step = 0.01 * numbers.next();
            let pull = steady.unwrap_or_else(|| numbers.vector(limits.acceleration));
            let next = [0, 1, 2].map(|i| velocity[i] + pull[i] * step);
            // Who would be too fast goes on as before.
            let pull = if is_within(length(next), limits.speed) {
                pull
            } else {
                [0.0; 3]
            };
            at = [0, 1, 2].map(|i| at[i] + velocity[i] * step + pull[i] * step * step / 2.0);
            velocity = [0, 1, 2].map(|i| velocity[i] + pull[i] * step);
            time += step;
            if (times[0]..=times[1]).contains(&time) {
                assert!(
                    holds(&region, at),
                    "{at:?} after {time} of {motion:?} in {region:?}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_known_is_no_limit() {
    let motion = Motion {
        position: [1.0, 2.0, 3.0],
        velocity: Some([f64::NAN, 10.0, 0.0]),
    };
    let region = motion.region(&MotionLimits::speed(5.0), [0.0, 2.0]);
    let endless = f64::INFINITY;
    assert_eq!(
        region.corners(),
        [[-endless, -8.0, -7.0], [endless, 12.0, 13.0]]
    );
    let nowhere = Motion {
        position: [f64::NAN; 3],
        velocity: None,
    };
    let endless = nowhere.region(&MotionLimits::speed(f64::INFINITY), [0.0, 1.0]);
    let bundle = Bundle::from_bytes(super::level::LEVEL).unwrap();
    let level = bundle.cells().unwrap();
    let mut memory = vec![0; level.reach_memory()];
    let cells = level.cells_in(&endless, &mut memory).unwrap();
    assert!((0..level.cells()).all(|cell| cells.contains(cell)));
    assert!(level.visible_regions(&endless, &endless));
    assert!(level.cells_in(&endless, &mut []).is_err());
}

#[test]
fn cells_in_a_region_are_those_of_its_positions() {
    let bundle = Bundle::from_bytes(super::level::LEVEL).unwrap();
    let level = bundle.cells().unwrap();
    let mut numbers = Numbers(9);
    let mut memory = vec![0; level.reach_memory()];
    let boxes: Vec<_> = (0..level.cells())
        .filter_map(|cell| level.bounds(cell))
        .collect();
    let mut found = 0;
    for _ in 0..300 {
        let [low, high] = boxes[(numbers.next() * boxes.len() as f64) as usize];
        let middle =
            [0, 1, 2].map(|i| f64::from(low[i]) + numbers.next() * f64::from(high[i] - low[i]));
        let half = numbers.next() * 100.0;
        let region = Extent::of_box([middle.map(|x| x - half), middle.map(|x| x + half)]);
        let cells = level.cells_in(&region, &mut memory).unwrap();
        for _ in 0..100 {
            let at = [0, 1, 2].map(|i| middle[i] + (2.0 * numbers.next() - 1.0) * half);
            if let Some(cell) = level.locate(at) {
                assert!(cells.contains(cell), "{at:?} in cell {cell}");
                found += 1;
            }
        }
        // A point is in one cell, or on planes between a few.
        let point = Extent::of_box([middle, middle]);
        let cells = level.cells_in(&point, &mut memory).unwrap();
        let count: u32 = cells.words().iter().map(|word| word.count_ones()).sum();
        assert_eq!(
            count,
            u32::from(level.locate(middle).is_some()),
            "{middle:?}"
        );
    }
    assert!(found > 1000, "{found} positions were in cells");
}

#[test]
fn two_on_a_terrain_may_see_each_other_if_any_samples_of_their_regions_do() {
    let (mut hidden, mut seen) = (0, 0);
    for seed in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walls.vcb");
        bake_exactly(&walls(40, 33, seed, true), BODIES, &path);
        let map = MappedBundle::open(&path).unwrap();
        let terrain = map.terrain().unwrap();
        let [dx, dy] = terrain.parameters().cell_spacing;
        let mut numbers = Numbers(seed + 1);
        for _ in 0..200 {
            let mut region = || {
                let (x, y) = (numbers.next() * 42.0 * dx, numbers.next() * 35.0 * dy);
                let half = numbers.next() * 4.0 * dx;
                Extent::of_box([
                    [x - half, y - half, f64::NEG_INFINITY],
                    [x + half, y + half, f64::INFINITY],
                ])
            };
            let (a, b) = (region(), region());
            let samples = |region: &Extent| -> Vec<Sample> {
                let meets = |sample: &Sample| {
                    let at = [f64::from(sample.column) * dx, f64::from(sample.row) * dy];
                    let half = [dx / 2.0, dy / 2.0];
                    let [low, high] = region.corners();
                    (0..2).all(|i| at[i] - half[i] <= high[i] && low[i] <= at[i] + half[i])
                };
                terrain.grid().row_by_row().filter(meets).collect()
            };
            let truly = samples(&a).iter().any(|a| {
                samples(&b)
                    .iter()
                    .any(|b| terrain.visible(*a, *b) || terrain.visible(*b, *a))
            });
            let told = terrain.visible_regions(&a, &b);
            assert!(told || !truly, "{a:?} {b:?}");
            hidden += u32::from(!told);
            seen += u32::from(truly);
        }
    }
    assert!(hidden > 50 && seen > 50, "{hidden} hidden, {seen} seen");
}
