//! A builder that remembers what quads see makes the sets that one makes that does not.

use viewcell::frontier::{FrontierBuilder, Side};
use viewcell::query::Sample;

use crate::common::{Dice, MUTUAL, ONE_WAY, all_options, bake, ridges};

#[test]
fn whoever_remembers_makes_the_same_sets() {
    let mut dice = Dice(11);
    let mut found = 0;
    for (bodies, seed) in [(MUTUAL, 1), (MUTUAL, 2), (ONE_WAY, 3)] {
        let terrain = ridges(33, 26, seed, true);
        let baked = bake(&terrain, bodies);
        let bundle = baked.map.terrain().unwrap();
        let mut plain = FrontierBuilder::new(&bundle);
        // All, some, and none fit in.
        let mut others =
            [usize::MAX, 2_000, 0].map(|bytes| FrontierBuilder::new(&bundle).remembering(bytes));
        for options in all_options() {
            let mut place = || Sample::new(dice.roll(33), dice.roll(26));
            let (a, b) = (place(), place());
            let built = plain.build(a, b, &options);
            for other in &mut others {
                assert_eq!(other.build(a, b, &options), built);
                assert_eq!(other.work(), plain.work());
                for side in Side::BOTH {
                    let [one, two] = [&plain, &*other].map(|builder| builder.region(side));
                    assert!(one.samples().eq(two.samples()), "{a:?} {b:?} {options:?}");
                }
            }
            found += usize::from(!plain.region(Side::A).is_empty());
        }
    }
    assert!(found > 50, "{found} sets");
}
