//! Many sets of a large terrain, and a judge of all of them together.
//!
//! The judge shares nothing with the growth of sets. It reads what each sample sees once for all
//! sets, and asks first of the 64 samples of a block what they see together, by a union of its
//! own.

use rayon::prelude::*;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Region, Side};
use viewcell::query::{Grid, Sample, TerrainBundle};
use viewcell_bake::survey::GroupSight;

use crate::common::{Dice, MUTUAL, Matrix, ONE_WAY, bake, real, ridges};
use crate::lossy::{repacked, within};

/// Two regions, as block bitmaps, and how they came to be.
struct Set {
    members: [Vec<u64>; 2],
    options: FrontierOptions,
    starts: [Sample; 2],
}

/// A sample of region 0 or 1 of a set that sees a sample of the other region.
#[derive(Debug, PartialEq, Eq)]
struct Leak {
    set: usize,
    region: usize,
    sample: Sample,
}

fn bitmap(region: &Region<'_>) -> Vec<u64> {
    let (columns, rows) = region.grid().block_shape();
    let blocks = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    blocks
        .map(|(column, row)| region.block(column, row))
        .collect()
}

fn size(bitmap: &[u64]) -> u32 {
    bitmap.iter().map(|word| word.count_ones()).sum()
}

fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(a, b)| a & b != 0)
}

/// What the samples of a block see, and the squares of 2 × 2, 4 × 4 and 8 × 8 of them together.
struct Seen {
    /// For each level, a bitmap for each square, row by row.
    levels: [Vec<Vec<u64>>; 4],
}

impl Seen {
    /// From a block: column and row.
    fn new(sight: &mut GroupSight<'_>, [column, row]: [u32; 2], blocks: usize) -> Self {
        sight.look(column, row).expect("the bundle is whole");
        let from = |v| (0..blocks).map(|target| sight.word(v, target)).collect();
        let mut levels = [(0..64).map(from).collect(), vec![], vec![], vec![]];
        for level in 1..4 {
            let side = 8 >> level;
            let below: &Vec<Vec<u64>> = &levels[level - 1];
            let union = |square: usize| {
                let (column, row) = (square % side, square / side);
                let first = 4 * side * row + 2 * column;
                let four = [first, first + 1, first + 2 * side, first + 2 * side + 1];
                let mut all = vec![0; blocks];
                for child in four {
                    for (all, seen) in all.iter_mut().zip(&below[child]) {
                        *all |= seen;
                    }
                }
                all
            };
            levels[level] = (0..side * side).map(union).collect();
        }
        Self { levels }
    }

    /// A bit of the block, one of those in `viewers`, whose sample sees one of `targets`. Looks at
    /// a square's parts only where the square sees something, and holds a viewer.
    fn who_sees(
        &self,
        level: usize,
        [column, row]: [usize; 2],
        viewers: u64,
        targets: &[u64],
    ) -> Option<usize> {
        let part = 0x0101_0101_0101_0101 * ((1 << (1 << level)) - 1);
        let rows = u64::MAX >> (64 - (8 << level));
        let square = (part & rows) << ((column << level) + ((8 * row) << level));
        let seen = &self.levels[level][(8 >> level) * row + column];
        if viewers & square == 0 || !meet(seen, targets) {
            return None;
        }
        if level == 0 {
            return Some(8 * row + column);
        }
        let children = [[0, 0], [1, 0], [0, 1], [1, 1]];
        children.into_iter().find_map(|[dx, dy]| {
            let child = [2 * column + dx, 2 * row + dy];
            self.who_sees(level - 1, child, viewers, targets)
        })
    }
}

/// A leak for each set and block that has one, by the PVSs of a bundle's samples. On mutual
/// bundles, what the smaller region sees tells of both directions.
fn leaks(terrain: &TerrainBundle<'_>, sets: &[Set]) -> Vec<Leak> {
    let mut looks: Vec<(usize, usize)> = Vec::new();
    for (i, set) in sets.iter().enumerate() {
        let smaller = usize::from(size(&set.members[1]) < size(&set.members[0]));
        looks.push((i, smaller));
        if !terrain.parameters().mutual {
            looks.push((i, 1 - smaller));
        }
    }
    let (blocks, columns) = (
        terrain.grid().blocks(),
        terrain.grid().block_shape().0 as usize,
    );
    let of_block = |sight: &mut GroupSight<'_>, block: usize| {
        let place = [block % columns, block / columns].map(|at| at as u32);
        let mut seen = None;
        let mut found = Vec::new();
        for &(set, region) in &looks {
            let [viewers, targets] = [region, 1 - region].map(|i| &sets[set].members[i]);
            if viewers[block] == 0 {
                continue;
            }
            let seen = seen.get_or_insert_with(|| Seen::new(sight, place, blocks));
            if let Some(bit) = seen.who_sees(3, [0, 0], viewers[block], targets) {
                let bit = bit as u32;
                let sample = Sample::new(8 * place[0] + bit % 8, 8 * place[1] + bit / 8);
                found.push(Leak {
                    set,
                    region,
                    sample,
                });
            }
        }
        found
    };
    (0..blocks)
        .into_par_iter()
        .map_init(|| GroupSight::new(*terrain), of_block)
        .flatten_iter()
        .collect()
}

/// Of so many sets one takes another limit than the default, and of so many of these one takes none, which takes a
/// thousand times as long on a large terrain.
#[derive(Clone, Copy)]
struct Mix {
    others: usize,
    unlimited: usize,
}

impl Mix {
    fn options(self, set: usize) -> FrontierOptions {
        let turn = set / self.others;
        if !set.is_multiple_of(self.others) || turn.is_multiple_of(3) {
            return FrontierOptions::default();
        }
        FrontierOptions {
            limit: (turn % self.unlimited != 10).then_some(turn as u32 % 200),
        }
    }
}

/// So many pairs that do not see each other.
fn hidden_pairs(terrain: &TerrainBundle<'_>, count: usize) -> Vec<[Sample; 2]> {
    let grid = terrain.grid();
    let mut dice = Dice(count as u64);
    let mut place = || Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
    let mut pairs = Vec::new();
    for _ in 0..1_000 * count {
        let [a, b] = [place(), place()];
        let stand = [a, b]
            .iter()
            .all(|&place| terrain.valid().has_sample(place));
        if stand && !terrain.visible(a, b) && !terrain.visible(b, a) {
            pairs.push([a, b]);
        }
        if pairs.len() == count {
            return pairs;
        }
    }
    panic!("hardly any pair is hidden");
}

/// A set, and a look at what a margin of some steps leaves of it.
fn grow(
    builder: &mut FrontierBuilder<'_>,
    options: FrontierOptions,
    margin: u32,
    starts: [Sample; 2],
) -> Set {
    builder.build(starts[0], starts[1], &options).unwrap();
    let members = Side::BOTH.map(|side| bitmap(&builder.region(side)));
    for ((side, start), members) in Side::BOTH.into_iter().zip(starts).zip(&members) {
        assert!(
            builder.region(side).contains(start),
            "{options:?}: {starts:?}"
        );
        // What is left of a region by a margin is in it, and so leaks no more than it does.
        let core = bitmap(&builder.core(side, margin).region());
        let outside = core.iter().zip(members).any(|(core, all)| core & !all != 0);
        assert!(!outside, "{options:?}: {starts:?}");
    }
    Set {
        members,
        options,
        starts,
    }
}

/// Random sets of a real terrain, judged by what the samples of `truth`
/// see; these are held to the definition by the tests of visibility.
fn hunt(terrain: &TerrainBundle<'_>, truth: &TerrainBundle<'_>, count: usize, mix: Mix) {
    assert_eq!(terrain.grid(), truth.grid());
    let pairs = hidden_pairs(terrain, count);
    let sets: Vec<Set> = pairs
        .into_par_iter()
        .enumerate()
        .map_init(
            || FrontierBuilder::new(terrain),
            |builder, (i, starts)| grow(builder, mix.options(i), 1 + i as u32 % 4, starts),
        )
        .collect();
    if let Some(leak) = leaks(truth, &sets).first() {
        let Set {
            options, starts, ..
        } = &sets[leak.set];
        panic!("{options:?}: {starts:?}: {leak:?}");
    }
    let members = sets.iter().flat_map(|set| &set.members);
    let mean = members.map(|region| u64::from(size(region))).sum::<u64>() / count as u64;
    println!("{count} sets of {mean} samples on average, no leak");
}

/// Sets of a part of a real terrain; if `VIEWCELL_HUNT_SETS` says how many (`scripts/check leaks`), of all of it, with one in
/// `others` of other options than the default, and of what a sixth of its bytes keeps.
fn hunt_real(name: &str, vertical_scale: f64, part: [u32; 4], others: usize) {
    let sets = std::env::var("VIEWCELL_HUNT_SETS").map(|sets| sets.parse().unwrap());
    let crop = sets.is_err().then_some(part);
    let Some((_, baked)) = real(name, vertical_scale, crop) else {
        return;
    };
    let terrain = baked.map.terrain().unwrap();
    let Ok(sets) = sets else {
        let (others, unlimited) = (1, 15);
        return hunt(&terrain, &terrain, 300, Mix { others, unlimited });
    };
    let unlimited = 600;
    hunt(&terrain, &terrain, sets, Mix { others, unlimited });
    let sixth = within(baked.bytes.len() as u64 / 6);
    let (_folder, map) = repacked(&baked.folder.path().join("a.vcb"), sixth);
    let lossy = map.terrain().unwrap();
    hunt(&lossy, &terrain, sets, Mix { others, unlimited });
}

#[test]
fn no_set_of_gale_leaks() {
    hunt_real("Gale_HRSC_DEM_50m_300x285.bin", 0.1, [60, 60, 120, 110], 1);
}

#[test]
fn no_set_of_bilbao_leaks() {
    hunt_real("bilbao_dsm_500.tif", 1.0, [200, 200, 100, 100], 20);
}

/// Regions at random leak or not; the judge says which of their samples see the other region.
#[test]
fn the_judge_finds_the_leaks_there_are() {
    for (bodies, seed) in [(MUTUAL, 6), (ONE_WAY, 7)] {
        let world = ridges(19, 17, seed, true);
        let baked = bake(&world, bodies);
        let terrain = baked.map.terrain().unwrap();
        let grid: Grid = terrain.grid();
        let matrix = Matrix::new(&world, bodies);
        let mut dice = Dice(seed);
        let mut found = [0, 0];
        for _ in 0..400 {
            let mut starts = [Sample::new(0, 0); 2];
            let members = [0, 1].map(|region| {
                let mut members = vec![0; grid.blocks()];
                for _ in 0..1 + dice.roll(3) {
                    let sample = Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
                    let (block, bit) = grid.block_bit(sample);
                    members[block] |= 1 << bit;
                    starts[region] = sample;
                }
                members
            });
            let has = |region: usize, sample| {
                let (block, bit) = grid.block_bit(sample);
                let members: &[Vec<u64>; 2] = &members;
                members[region][block] >> bit & 1 == 1
            };
            let of = |region| matrix.samples().filter(move |&sample| has(region, sample));
            let sees = |region, sample| of(1 - region).any(|other| matrix.sees(sample, other));
            let leaks_at_all = (0..2).any(|region| of(region).any(|sample| sees(region, sample)));
            let set = Set {
                members: members.clone(),
                options: FrontierOptions::default(),
                starts,
            };
            let leaks = leaks(&terrain, &[set]);
            assert_eq!(!leaks.is_empty(), leaks_at_all);
            assert!(
                leaks.iter().all(|leak| {
                    has(leak.region, leak.sample) && sees(leak.region, leak.sample)
                })
            );
            found[usize::from(leaks_at_all)] += 1;
        }
        assert!(found.iter().all(|&count| count > 50), "{found:?}");
    }
}
