//! Agreements that follow from who sees whom, and frontier sets of schemes, beside those that are made as a whole.

use viewcell::dice::Dice;
use viewcell::frontier::Side;
use viewcell::query::{CellBundle, MappedBundle, Quad, Sample, World};
use viewcell_bake::visibility::Bodies;
use viewcell_ingest::world::Terrain;
use viewcell_papers::constructions::Construction;
use viewcell_papers::growth::{Growth, GrowthOptions, Order, has};
use viewcell_papers::simulate::regions::{Construction as Made, KeptHalf, Regions};
use viewcell_simulate::field::Field;
use viewcell_simulate::play::Play;
use viewcell_simulate::score::bound;

use crate::baking::bake_exactly;
use crate::schemes::{PLAYERS, all, golden, instant, options, packets, played, wanderers};

#[test]
fn packets_of_peers_are_those_that_see_each_other_and_agree() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    for seed in 0..6 {
        let play = played(&field, &wanderers(&level, seed));
        let outcomes = all(&field, &play, &options(instant(), seed));
        let sees = packets(&outcomes, "PPP");
        for (name, construction) in [
            ("FB", Construction::Published),
            ("tightened", Construction::Tightened),
        ] {
            let expected = sees + 2 * agreements(&level, &play, construction);
            assert_eq!(packets(&outcomes, name), expected, "{name}");
        }
        let least = bound(&field, &play);
        assert_eq!(least.perfect, sees);
        assert!(packets(&outcomes, "agreed") >= sees + least.agreements);
        assert!(packets(&outcomes, "agreed") <= packets(&outcomes, "grown"));
    }
}

/// How often a pair that is out of sight agrees on a set, by the pseudo-code of figure 4.
fn agreements(level: &CellBundle, play: &Play, construction: Construction) -> u64 {
    let has = |words: &[u64], cell: u32| words[cell as usize / 64] >> (cell % 64) & 1 == 1;
    let mut count = 0;
    for b in 0..PLAYERS {
        for a in 0..b {
            let mut set: Option<[Vec<u64>; 2]> = None;
            for frame in 0..play.frames {
                let places = play.places(frame);
                let (here, there) = (places[a].unwrap(), places[b].unwrap());
                if let Some([of_a, of_b]) = &set
                    && has(of_a, here)
                    && has(of_b, there)
                {
                    continue;
                }
                set = construction.regions(level, [here, there]);
                count += u64::from(set.is_some());
            }
        }
    }
    count
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

/// Whoever asks a scheme's set for a sample is told what the set says as it was grown.
#[test]
fn sets_that_are_kept_say_what_they_said_when_grown() {
    let ground = rooms(80, 64, 9);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let bodies = Bodies {
        eye: 1.8,
        head: 1.8,
    };
    bake_exactly(&ground, bodies, &path);
    let map = MappedBundle::open(&path).unwrap();
    let field = Field::new(World::Terrain(map.terrain().unwrap()));
    let terrain = map.terrain().unwrap();
    let mut whole = Growth::new(&terrain);
    let mut dice = Dice(3);
    let (mut found, mut left) = (0, 0);
    for construction in [Made::Published, Made::Tightened, Made::Wide] {
        let options = match construction {
            Made::Published | Made::Tightened => GrowthOptions {
                order: Order::Fifo,
                tighten: construction == Made::Tightened,
                ..GrowthOptions::default()
            },
            _ => GrowthOptions::default(),
        };
        let mut regions = Regions::new(&field, construction, 0.0);
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
                whole.build_at([quad(0), quad(1)], &options);
                whole.area(Side::A) > 0
            });
            assert!(is_made, "{samples:?}");
            for (half, side) in set.iter().zip(Side::BOTH) {
                let region = whole.words(side);
                for sample in terrain.grid().row_by_row() {
                    let place = field.place_of(sample);
                    let expected = has(terrain.grid(), region, sample);
                    assert_eq!(
                        regions.keeps(half, place),
                        expected,
                        "{construction:?} {samples:?} {side:?} {sample:?}"
                    );
                    left += usize::from(!expected);
                }
            }
            found += 1;
        }
    }
    assert!(found > 30 && left > 10_000, "{found} sets, {left} outside");
}
