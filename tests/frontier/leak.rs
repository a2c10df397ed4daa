//! No member of one half sees a member of the other, by the uncompressed PVS, in both directions.

use crate::common::{Dice, MUTUAL, Matrix, ONE_WAY, all_options, bake, ridges};
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Bundle, Sample};
use viewcell_bake::visibility::Bodies;
use viewcell_ingest::world::Terrain;

/// What a set must be, beside free of leaks.
fn check(matrix: &Matrix, builder: &mut FrontierBuilder<'_>, [a, b]: [Sample; 2], what: &str) {
    let terrain = *builder.terrain();
    if let Some([x, y]) = matrix.leak(builder) {
        panic!("{what}: {a:?} {b:?}: {x:?} and {y:?} see each other");
    }
    let of_a = builder.region(Side::A);
    let of_b = builder.region(Side::B);
    let empty = matrix.sees(a, b) || matrix.sees(b, a);
    for (region, start) in [(of_a, a), (of_b, b)] {
        assert_eq!(region.is_empty(), empty, "{what}: {a:?} {b:?}");
        assert_eq!(region.contains(start), !empty);
        assert_eq!(region.area(), region.samples().count() as u64);
        assert!(region.samples().all(|s| terrain.valid().has_sample(s)));
    }
    for (side, region) in [(Side::A, of_a.to_frontier()), (Side::B, of_b.to_frontier())] {
        assert_eq!(builder.core(side, 0), region);
        let core = builder.core(side, 2);
        assert!(core.region().samples().all(|s| region.contains(s)));
    }
}

/// All pairs of a small terrain; each pair takes so many of the options in turn.
fn exhaust(world: &Terrain, bodies: Bodies, at_once: usize) {
    let baked = bake(world, bodies);
    let terrain = baked.map.terrain().unwrap();
    let matrix = Matrix::new(world, bodies);
    let mut builder = FrontierBuilder::new(&terrain);
    let all = all_options();
    let mut next = 0;
    let mut sets = 0;
    for a in matrix.samples() {
        for b in matrix.samples() {
            if !terrain.valid().has_sample(a) || !terrain.valid().has_sample(b) {
                assert!(builder.build(a, b, &all[0]).is_err());
                continue;
            }
            for _ in 0..at_once {
                next += 1;
                let options = &all[next % all.len()];
                builder.build(a, b, options).unwrap();
                check(&matrix, &mut builder, [a, b], &format!("{options:?}"));
                sets += 1;
            }
        }
    }
    assert!(sets > 1_000);
}

#[test]
fn no_set_of_any_pair_of_a_small_terrain_leaks() {
    for (seed, voids) in [(1, false), (2, true), (3, false)] {
        exhaust(&ridges(13, 10, seed, voids), MUTUAL, 3);
    }
}

#[test]
fn no_set_leaks_where_sight_is_one_way() {
    for (seed, voids) in [(4, false), (5, true)] {
        exhaust(&ridges(12, 11, seed, voids), ONE_WAY, 3);
    }
}

#[test]
fn no_set_of_some_pairs_leaks_with_any_options() {
    let world = ridges(19, 17, 6, true);
    for bodies in [MUTUAL, ONE_WAY] {
        let baked = bake(&world, bodies);
        let terrain = baked.map.terrain().unwrap();
        let matrix = Matrix::new(&world, bodies);
        let mut builder = FrontierBuilder::new(&terrain);
        let mut dice = Dice(9);
        for options in all_options() {
            for _ in 0..12 {
                let mut place = || loop {
                    let place = Sample::new(dice.roll(19), dice.roll(17));
                    if terrain.valid().has_sample(place) {
                        return place;
                    }
                };
                let (a, b) = (place(), place());
                builder.build(a, b, &options).unwrap();
                check(&matrix, &mut builder, [a, b], &format!("{options:?}"));
            }
        }
    }
}

#[test]
fn the_test_of_leaks_finds_one() {
    let world = ridges(9, 9, 3, false);
    let baked = bake(&world, MUTUAL);
    // The same bundle, but all its heights' visibility of another world: sets must leak.
    let other = ridges(9, 9, 8, false);
    let matrix = Matrix::new(&other, MUTUAL);
    let terrain = Bundle::from_bytes(&baked.bytes).unwrap().terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let leaks = matrix.samples().filter(|&b| {
        builder
            .build(Sample::new(1, 1), b, &FrontierOptions::default())
            .unwrap();
        matrix.leak(&builder).is_some()
    });
    assert!(leaks.count() > 0);
}
