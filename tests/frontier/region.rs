//! Regions: members, cores, outlines, and the compact form.

use crate::common::{Dice, MUTUAL, bake, ridges};
use proptest::prelude::*;
use std::collections::HashSet;
use viewcell::frontier::{Frontier, FrontierBuilder, FrontierCodeError, FrontierOptions, Side};
use viewcell::query::{Grid, Sample};

/// Whether a sample lies within closed rings: by counting edges to its north.
fn within(rings: &[Vec<[u32; 2]>], sample: Sample) -> bool {
    let mut inside = false;
    for ring in rings {
        for (i, from) in ring.iter().enumerate() {
            let to = ring[(i + 1) % ring.len()];
            assert!(
                from[0] == to[0] || from[1] == to[1],
                "rings go along rows and columns"
            );
            assert_ne!(*from, to);
            let (left, right) = (from[0].min(to[0]), from[0].max(to[0]));
            inside ^= (left..right).contains(&sample.column) && from[1] <= sample.row;
        }
    }
    inside
}

/// Twice the signed area: positive for rings that have the region to their right.
fn area(ring: &[[u32; 2]]) -> i64 {
    let mut sum = 0;
    for (i, from) in ring.iter().enumerate() {
        let to = ring[(i + 1) % ring.len()];
        sum += i64::from(from[0]) * i64::from(to[1]) - i64::from(to[0]) * i64::from(from[1]);
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_region_is_the_same_by_members_outline_and_code(
        width in 9u32..40,
        height in 9u32..40,
        seed in any::<u64>(),
        voids in any::<bool>(),
        margin in 0u32..4,
    ) {
        let world = ridges(width, height, seed, voids);
        let baked = bake(&world, MUTUAL);
        let terrain = baked.map.terrain().unwrap();
        let grid = terrain.grid();
        let mut builder = FrontierBuilder::new(&terrain);
        let mut dice = Dice(seed);
        for _ in 0..8 {
            let mut place = || Sample::new(dice.roll(width), dice.roll(height));
            let _ = builder.build(place(), place(), &FrontierOptions::default());
            for side in Side::BOTH {
                let region = builder.region(side);
                let members: HashSet<Sample> = region.samples().collect();
                let rings = region.outline();
                let twice: i64 = rings.iter().map(|ring| area(ring)).sum();
                prop_assert_eq!(twice, 2 * members.len() as i64);
                for sample in grid.row_by_row() {
                    prop_assert_eq!(region.contains(sample), members.contains(&sample));
                    prop_assert_eq!(within(&rings, sample), members.contains(&sample));
                }
                let code = region.encode();
                let decoded = Frontier::decode(grid, &code).unwrap();
                prop_assert_eq!(&decoded, &region.to_frontier());
                prop_assert!(!decoded.contains(Sample::new(width, 0)));
                prop_assert_eq!(decoded.region().encode(), code.clone());
                for end in 0..code.len() {
                    prop_assert!(Frontier::decode(grid, &code[..end]).is_err());
                }

                // The core, step by step over terrain.
                let mut core = members.clone();
                for _ in 0..margin {
                    let before = core.clone();
                    core.retain(|s| {
                        (-1..=1).all(|dy: i32| {
                            (-1..=1).all(|dx: i32| {
                                let near = Sample::new(
                                    s.column.wrapping_add_signed(dx),
                                    s.row.wrapping_add_signed(dy),
                                );
                                !terrain.valid().has_sample(near) || before.contains(&near)
                            })
                        })
                    });
                }
                let found: HashSet<Sample> = builder.core(side, margin).region().samples().collect();
                prop_assert_eq!(found, core);
            }
        }
    }

    #[test]
    fn any_bytes_are_a_region_or_an_error(
        width in 1u32..70,
        height in 1u32..70,
        mut bytes in prop::collection::vec(any::<u8>(), 0..60),
        honest in any::<bool>(),
    ) {
        let grid = Grid::new(width, height).unwrap();
        if honest && bytes.len() > 3 {
            bytes[..3].copy_from_slice(&[1, width as u8, height as u8]);
        }
        if let Ok(frontier) = Frontier::decode(grid, &bytes) {
            prop_assert!(frontier.region().samples().all(|s| grid.has_sample(s)));
            prop_assert_eq!(frontier.area(), frontier.region().samples().count() as u64);
        }
    }
}

#[test]
fn a_code_of_another_grid_or_version_is_refused() {
    let grid = Grid::new(13, 9).unwrap();
    // Nothing of the root.
    assert_eq!(Frontier::decode(grid, &[1, 13, 9, 0]).unwrap().area(), 0);
    // All of it.
    assert_eq!(Frontier::decode(grid, &[1, 13, 9, 1]).unwrap().area(), 117);
    for (bytes, error) in [
        (&[2, 13, 9, 0][..], FrontierCodeError::Version),
        (&[1, 13, 10, 0], FrontierCodeError::OtherGrid),
        (&[1, 13, 9], FrontierCodeError::Short),
        (&[], FrontierCodeError::Short),
        (&[1, 13, 9, 0, 0], FrontierCodeError::Long),
    ] {
        assert_eq!(Frontier::decode(grid, bytes), Err(error));
        assert!(error.to_string().len() > 20);
    }
}

#[test]
fn the_builder_of_the_greatest_core_ends() {
    let world = ridges(20, 20, 1, false);
    let baked = bake(&world, MUTUAL);
    let terrain = baked.map.terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    builder
        .build(
            Sample::new(1, 1),
            Sample::new(18, 18),
            &FrontierOptions::default(),
        )
        .unwrap();
    assert_eq!(builder.core(Side::A, u32::MAX).area(), 0);
}
