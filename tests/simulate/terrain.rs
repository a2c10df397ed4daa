//! Sight with a look-ahead on terrains, beside a slow twin that looks at every pair of samples; frontier
//! sets of schemes, beside those that are made as a whole.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use viewcell::dice::Dice;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Order, Side};
use viewcell::query::{MappedBundle, Quad, Sample, TerrainBundle, World};
use viewcell_bake::visibility::{Bodies, sees};
use viewcell_ingest::world::Terrain;
use viewcell_simulate::field::Field;
use viewcell_simulate::regions::{Construction, KeptHalf, Regions};
use viewcell_simulate::store::Store;

use crate::baking::bake_exactly;

/// Ground with walls and gaps, and voids or not.
pub fn walls(width: u32, height: u32, seed: u64, voids: bool) -> Terrain {
    let mut dice = Dice(seed);
    let every = 3 + dice.roll(7);
    let heights = (0..width * height)
        .map(|i| {
            let (column, row) = (i % width, i / width);
            let wall = (column + row / 4) % every == 0 || row % (every + 2) == 0;
            if voids && i > 0 && dice.roll(10) == 0 {
                f64::NAN
            } else if wall && dice.roll(7) > 0 {
                20.0 + f64::from(dice.roll(3))
            } else {
                f64::from(dice.roll(3))
            }
        })
        .collect();
    Terrain::new(width, height, heights, [2.0, 1.5]).unwrap()
}

/// Rooms with high walls, a door in each, and voids.
fn rooms(width: u32, height: u32, seed: u64) -> Terrain {
    let mut dice = Dice(seed);
    let heights = (0..width * height)
        .map(|i| {
            let (column, row) = (i % width, i / width);
            let is_wall = |at: u32, along: u32| at % 27 >= 25 && !(9..12).contains(&(along % 27));
            if is_wall(column, row) || is_wall(row, column) {
                50.0
            } else if dice.roll(40) == 0 {
                f64::NAN
            } else {
                f64::from(dice.roll(3)) / 4.0
            }
        })
        .collect();
    Terrain::new(width, height, heights, [2.0, 1.5]).unwrap()
}

/// The samples that somebody may come to: those whose unit squares lie less than the reach away.
fn in_reach(terrain: &TerrainBundle, from: Sample, reach: f64) -> Vec<Sample> {
    let [dx, dy] = terrain.parameters().cell_spacing;
    let gap = |a: u32, b: u32, step: f64| f64::from(a.abs_diff(b).saturating_sub(1)) * step;
    terrain
        .grid()
        .row_by_row()
        .filter(|to| {
            let (x, y) = (gap(from.column, to.column, dx), gap(from.row, to.row, dy));
            *to == from || x * x + y * y < reach * reach
        })
        .filter(|to| terrain.valid().has_sample(*to))
        .collect()
}

fn check(width: u32, height: u32, seed: u64, voids: bool, bodies: Bodies) {
    let ground = walls(width, height, seed, voids);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    bake_exactly(&ground, bodies, &path);
    let map = MappedBundle::open(&path).unwrap();
    let terrain = map.terrain().unwrap();
    let see_each_other = |a: Sample, b: Sample| {
        let sees =
            |a: Sample, b: Sample| sees(&ground, bodies, (a.column, a.row), (b.column, b.row));
        sees(a, b) || sees(b, a)
    };
    let mut dice = Dice(seed);
    let (mut asked, mut too_careful) = (0, 0);
    for _ in 0..60 {
        let mut anywhere = || Sample::new(dice.roll(width), dice.roll(height));
        let (a, b) = (anywhere(), anywhere());
        let mut reach = || [0.0, 0.5, 1.9, 4.0, 7.0][dice.roll(5) as usize];
        let reach = [reach(), reach()];
        let found = terrain.visible_within(a, b, reach);
        if !terrain.valid().has_sample(a) || !terrain.valid().has_sample(b) {
            assert!(!found, "nobody is in a void");
            continue;
        }
        let others = in_reach(&terrain, b, reach[1]);
        let expected = in_reach(&terrain, a, reach[0])
            .iter()
            .any(|&a| others.iter().any(|&b| see_each_other(a, b)));
        assert!(found || !expected, "{a:?} {b:?} {reach:?}: told too late");
        assert_eq!(found, terrain.visible_within(b, a, [reach[1], reach[0]]));
        if reach == [0.0; 2] {
            assert_eq!(found, expected);
        }
        asked += 1;
        too_careful += u32::from(found && !expected);
    }
    // In so small a world there is time to find out.
    assert!(
        too_careful * 20 <= asked,
        "{too_careful} of {asked} visible for nothing"
    );
}

const MUTUAL: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};
const ONE_WAY: Bodies = Bodies {
    eye: 2.4,
    head: 0.9,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nobody_is_told_too_late(
        width in 1..44_u32,
        height in 1..40_u32,
        seed in any::<u64>(),
        voids: bool,
        one_way: bool,
    ) {
        check(width, height, seed, voids, if one_way { ONE_WAY } else { MUTUAL });
    }
}

#[test]
fn a_reach_that_is_no_number_is_endless() {
    let ground = walls(20, 20, 4, false);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    bake_exactly(&ground, MUTUAL, &path);
    let map = MappedBundle::open(&path).unwrap();
    let terrain = map.terrain().unwrap();
    let (a, b) = (Sample::new(0, 0), Sample::new(19, 19));
    for reach in [f64::NAN, f64::INFINITY, 1e300, -1.0] {
        assert!(terrain.visible_within(a, b, [reach; 2]), "{reach}");
    }
    assert!(!terrain.visible_within(a, Sample::new(20, 0), [f64::INFINITY; 2]));
}

/// Schemes do not fill a set that they have grown. Whoever asks for a sample of it is told what the whole
/// set says, wherever they come from.
#[test]
fn sets_that_are_not_filled_say_what_whole_ones_say() {
    let ground = rooms(80, 64, 9);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    bake_exactly(&ground, MUTUAL, &path);
    let map = MappedBundle::open(&path).unwrap();
    let field = Field::new(World::Terrain(map.terrain().unwrap()));
    let terrain = map.terrain().unwrap();
    let mut whole = FrontierBuilder::new(&terrain);
    let mut dice = Dice(3);
    let (mut found, mut left) = (0, 0);
    for construction in [
        Construction::Published,
        Construction::Tightened,
        Construction::Wide,
    ] {
        let options = match construction {
            Construction::Published | Construction::Tightened => FrontierOptions {
                order: Order::Fifo,
                tighten: construction == Construction::Tightened,
                ..FrontierOptions::default()
            },
            _ => FrontierOptions::default(),
        };
        let store = Arc::new(Store::new(&[], || Duration::ZERO));
        let mut regions = Regions::new(&field, construction, 0.0, store);
        for _ in 0..120 {
            let mut anywhere = || Sample::new(dice.roll(80), dice.roll(64));
            let samples = [anywhere(), anywhere()];
            if !samples
                .iter()
                .all(|sample| terrain.valid().has_sample(*sample))
            {
                continue;
            }
            let Some(set) = regions.make(samples.map(|sample| field.place_of(sample))) else {
                continue;
            };
            if matches!(set[0], KeptHalf::Few(_)) {
                continue;
            }
            // From the first quads of these levels that are hidden from each other.
            let levels = [[6, 6], [5, 5], [4, 4], [4, 3], [3, 4], [3, 3]];
            let is_made = levels.iter().any(|levels| {
                let quad = |i: usize| {
                    let Sample { column, row } = samples[i];
                    Quad::new(levels[i], column >> levels[i], row >> levels[i])
                };
                whole.begin_at([quad(0), quad(1)], &options).is_ok()
                    && !whole.region(Side::A).is_empty()
            });
            assert!(is_made, "{samples:?}");
            while !whole.step(u32::MAX) {}
            for (half, side) in set.iter().zip(Side::BOTH) {
                let region = whole.region(side);
                let mut last = None;
                for sample in terrain.grid().row_by_row() {
                    let place = field.place_of(sample);
                    let expected = region.contains(sample);
                    let near = last.filter(|_| dice.roll(2) == 0);
                    assert_eq!(
                        regions.keeps(half, place, near),
                        expected,
                        "{construction:?} {samples:?} {side:?} {sample:?} from {near:?}"
                    );
                    if expected && (dice.roll(3) == 0 || last.is_none()) {
                        last = Some(place);
                    }
                    left += usize::from(!expected);
                }
            }
            found += 1;
        }
    }
    assert!(found > 30 && left > 10_000, "{found} sets, {left} outside");
}
