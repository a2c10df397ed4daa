//! Whether a terrain that is mirrored or turned says the same.
//!
//! Exact sight does, of every pair. Conservative sight need not: ARCHITECTURE.md says why. What it
//! may do is to prove of one orientation's pair what it leaves visible in another, and that seldom.

use super::{BODIES, Viewsheds, levels};
use viewcell::dice::Dice;
use viewcell::format::morton::comes_before;
use viewcell_bake::visibility::{HeightField, LOOK_LEVEL, Rays, Stance, find_sight, sees};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// The eight ways to lay a square on a grid.
#[derive(Clone, Copy, Debug)]
struct Orientation {
    /// First columns and rows change places, then either may be counted from the other end.
    turned: bool,
    east_west: bool,
    north_south: bool,
}

impl Orientation {
    fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|bits| Self {
            turned: bits & 1 == 1,
            east_west: bits & 2 == 2,
            north_south: bits & 4 == 4,
        })
    }

    /// Where sample (c, r) of a terrain of `width` × `height` samples comes to lie.
    fn place(self, (width, height): (u32, u32), (c, r): (u32, u32)) -> (u32, u32) {
        let (width, height, c, r) = if self.turned {
            (height, width, r, c)
        } else {
            (width, height, c, r)
        };
        (
            if self.east_west { width - 1 - c } else { c },
            if self.north_south { height - 1 - r } else { r },
        )
    }

    fn lay(self, terrain: &Terrain) -> Terrain {
        let (width, height) = (terrain.width(), terrain.height());
        let [dx, dy] = terrain.spacing();
        let (wide, high, spacing) = if self.turned {
            (height, width, [dy, dx])
        } else {
            (width, height, [dx, dy])
        };
        let mut heights = vec![f64::NAN; terrain.samples()];
        for (c, r) in (0..height).flat_map(|r| (0..width).map(move |c| (c, r))) {
            let (x, y) = self.place((width, height), (c, r));
            heights[(y * wide + x) as usize] = terrain.at(c, r);
        }
        Terrain::new(wide, high, heights, spacing).unwrap()
    }
}

/// Who sees whom on a terrain that was laid so, by the samples of the terrain itself: a matrix, row
/// by row. As a bake asks: each pair once.
fn matrix(terrain: &Terrain, orientation: Orientation, stance: Stance) -> Vec<bool> {
    let (width, height) = (terrain.width(), terrain.height());
    let samples = terrain.samples();
    let laid = orientation.lay(terrain);
    let field = HeightField::new(&laid, BODIES, stance);
    let level = *levels().last().unwrap();
    let mut rays = Rays::new(&laid, &field, level).deciding_once(comes_before);
    let side = 1 << LOOK_LEVEL;
    let mut views = Vec::new();
    let columns = laid.width().div_ceil(side);
    for row in 0..laid.height().div_ceil(side) {
        for column in 0..columns {
            views.push(Viewsheds::new(
                &mut rays,
                laid.width(),
                column * side,
                row * side,
            ));
        }
    }
    let once = |a: (u32, u32), b: (u32, u32)| {
        views[(a.1 / side * columns + a.0 / side) as usize].sees(a, b)
    };
    let places: Vec<(u32, u32)> = (0..height)
        .flat_map(|r| (0..width).map(move |c| (c, r)))
        .map(|sample| orientation.place((width, height), sample))
        .collect();
    let mut seen = Vec::with_capacity(samples * samples);
    for &a in &places {
        seen.extend(places.iter().map(|&b| {
            let later = comes_before((b.0 / 8, b.1 / 8), (a.0 / 8, a.1 / 8));
            if later { once(b, a) } else { once(a, b) }
        }));
    }
    seen
}

/// Part of the demonstration's terrain, and made-up ground.
fn terrains() -> Vec<(&'static str, Terrain)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/jacksboro.tif");
    let all = read_terrain(path.as_ref(), &IngestOptions::default()).unwrap();
    let part = |(column, row): (u32, u32), width: u32, height: u32| {
        let samples = (0..height).flat_map(|r| (0..width).map(move |c| (c, r)));
        let heights = samples
            .map(|(c, r)| all.terrain.at(column + c, row + r))
            .collect();
        Terrain::new(width, height, heights, all.terrain.spacing()).unwrap()
    };
    let mut dice = Dice(3);
    let rough = (0..37 * 30).map(|_| 6.0 * dice.fraction()).collect();
    vec![
        ("jacksboro, 41 x 40", part((100, 100), 41, 40)),
        ("jacksboro, 40 x 40", part((250, 200), 40, 40)),
        (
            "rough ground, 37 x 30",
            Terrain::new(37, 30, rough, [1.0, 1.0]).unwrap(),
        ),
    ]
}

#[test]
fn exact_sight_is_the_same_however_a_terrain_is_turned_or_mirrored() {
    for (name, terrain) in terrains() {
        let mut all = Orientation::all();
        let first = matrix(&terrain, all.next().unwrap(), Stance::Sample);
        for orientation in all {
            let other = matrix(&terrain, orientation, Stance::Sample);
            let differ = first.iter().zip(&other).filter(|(a, b)| a != b).count();
            assert_eq!(differ, 0, "{name}, {orientation:?}");
        }
    }
}

#[test]
fn of_conservative_sight_one_pair_in_two_hundred_depends_on_orientation_at_most() {
    for (name, terrain) in terrains() {
        let all: Vec<_> = Orientation::all()
            .map(|orientation| matrix(&terrain, orientation, Stance::Cell))
            .collect();
        let width = terrain.width();
        let sample = |i: usize| (i as u32 % width, i as u32 / width);
        let samples = terrain.samples();
        let pairs = all[0].len();
        for (other, orientation) in all.iter().zip(Orientation::all()).skip(1) {
            let differ = all[0].iter().zip(other).filter(|(a, b)| a != b).count();
            println!("{name}: {differ} of {pairs} pairs differ under {orientation:?}");
            assert!(differ * 200 <= pairs, "{name}, {orientation:?}: {differ}");
        }
        // Whichever orientation hides a pair has proved it.
        let (mut sometimes, mut always) = (0, 0);
        for pair in 0..pairs {
            let hidden = all.iter().filter(|seen| !seen[pair]).count();
            always += usize::from(hidden == all.len());
            if hidden == 0 || hidden == all.len() {
                continue;
            }
            sometimes += 1;
            let (a, b) = (sample(pair / samples), sample(pair % samples));
            assert!(!sees(&terrain, BODIES, a, b), "{name}: {a:?} {b:?}");
            if sometimes % 50 == 0 {
                let found = find_sight(&terrain, BODIES, f64::INFINITY, a, b, 200, pair as u64);
                assert!(!found, "{name}: {a:?} {b:?}");
            }
        }
        println!("{name}: {always} pairs hidden in all orientations, {sometimes} in some");
        assert!(sometimes * 100 <= pairs, "{name}: {sometimes} of {pairs}");
    }
}
