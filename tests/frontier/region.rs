//! Regions: members, cores, and the compact form.

use crate::common::{Dice, MUTUAL, bake, ridges};
use proptest::prelude::*;
use std::collections::HashSet;
use viewcell::frontier::{Frontier, FrontierBuilder, FrontierCodeError, FrontierOptions, Side};
use viewcell::query::{Grid, Sample};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_region_is_the_same_by_members_and_code(
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
                for sample in grid.row_by_row() {
                    prop_assert_eq!(region.contains(sample), members.contains(&sample));
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
