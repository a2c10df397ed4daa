//! Sight with a look-ahead on terrains, beside a slow twin that looks at every pair of samples.

use proptest::prelude::*;
use viewcell::dice::Dice;
use viewcell::query::{MappedBundle, Sample, TerrainBundle};
use viewcell_bake::visibility::{Bodies, sees};
use viewcell_ingest::world::Terrain;

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
