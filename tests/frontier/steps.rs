//! In steps: usable at any point, and the same in the end.

use crate::common::{MUTUAL, Matrix, ONE_WAY, all_options, bake, ridges};
use viewcell::frontier::{FrontierBuilder, FrontierError, FrontierOptions, Side};
use viewcell::query::Sample;

#[test]
fn a_set_may_be_used_after_any_step() {
    let world = ridges(17, 14, 11, false);
    for bodies in [MUTUAL, ONE_WAY] {
        let baked = bake(&world, bodies);
        let terrain = baked.map.terrain().unwrap();
        let matrix = Matrix::new(&world, bodies);
        let (mut at_once, mut in_steps) = (
            FrontierBuilder::new(&terrain),
            FrontierBuilder::new(&terrain),
        );
        for (i, options) in all_options().iter().enumerate() {
            let (a, b) = (Sample::new(1, i as u32 % 14), Sample::new(15, 9));
            at_once.build(a, b, options).unwrap();
            in_steps.begin(a, b, options).unwrap();
            let mut area = 0;
            loop {
                assert_eq!(matrix.leak(&in_steps), None, "{options:?} {a:?} {b:?}");
                let now = Side::BOTH.map(|side| in_steps.region(side).area());
                assert!(now[0] + now[1] >= area, "nothing is taken back");
                area = now[0] + now[1];
                let done = in_steps.is_done();
                assert_eq!(in_steps.step(1 + i as u32 % 4), in_steps.is_done());
                if done {
                    break;
                }
            }
            for side in Side::BOTH {
                let (once, steps) = (at_once.region(side), in_steps.region(side));
                assert_eq!(once.to_frontier(), steps.to_frontier(), "{options:?}");
            }
            assert_eq!(at_once.work(), in_steps.work());
        }
    }
}

#[test]
fn a_builder_remembers_nothing_of_the_set_before() {
    let world = ridges(20, 20, 12, true);
    let baked = bake(&world, MUTUAL);
    let terrain = baked.map.terrain().unwrap();
    let mut used = FrontierBuilder::new(&terrain);
    for (i, options) in all_options().iter().enumerate() {
        let (a, b) = (
            Sample::new(i as u32 % 20, 2),
            Sample::new(18, i as u32 % 19),
        );
        let mut fresh = FrontierBuilder::new(&terrain);
        // Break one off half way.
        let _ = used.begin(b, Sample::new(0, 0), options);
        used.step(3);
        assert_eq!(used.build(a, b, options), fresh.build(a, b, options));
        for side in Side::BOTH {
            assert_eq!(
                used.region(side).to_frontier(),
                fresh.region(side).to_frontier()
            );
        }
    }
}

#[test]
fn players_who_see_each_other_have_no_set_and_nobody_stands_outside_or_on_a_void() {
    let world = ridges(13, 9, 2, true);
    let baked = bake(&world, MUTUAL);
    let terrain = baked.map.terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let options = FrontierOptions::default();
    let inside = Sample::new(0, 0);
    builder.build(inside, inside, &options).unwrap();
    assert!(builder.is_done());
    assert!(
        Side::BOTH
            .iter()
            .all(|&side| builder.region(side).is_empty())
    );
    let void = terrain
        .grid()
        .row_by_row()
        .find(|&s| !terrain.valid().has_sample(s))
        .unwrap();
    for (a, b, expected) in [
        (
            inside,
            Sample::new(13, 0),
            FrontierError::Outside(Sample::new(13, 0)),
        ),
        (
            Sample::new(0, u32::MAX),
            inside,
            FrontierError::Outside(Sample::new(0, u32::MAX)),
        ),
        (inside, void, FrontierError::Void(void)),
        (void, void, FrontierError::Void(void)),
    ] {
        assert_eq!(builder.build(a, b, &options), Err(expected));
        assert!(builder.is_done() && builder.region(Side::A).is_empty());
    }
}
