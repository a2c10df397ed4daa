//! Damaged bundles: no crash, no hang.

use crate::common::{Dice, MUTUAL, all_options, bake, ridges};
use viewcell::frontier::{FrontierBuilder, Side};
use viewcell::query::{Bundle, Place, Sample, World};
use viewcell::session::{Session, SessionOptions};

#[test]
fn frontiers_of_damaged_bundles_end() {
    let world = ridges(21, 18, 5, true);
    let baked = bake(&world, MUTUAL);
    let bytes = &baked.bytes;
    let all = all_options();
    let mut dice = Dice(1);
    let mut opened = 0;
    for i in 0..600 {
        let mut damaged = bytes.clone();
        for _ in 0..=dice.roll(8) {
            // The header and the table refuse damage: leave them whole most of the time.
            let at = if i % 10 == 0 { 0 } else { 600 };
            let at = (at + dice.roll(bytes.len() as u32 - at)) as usize;
            damaged[at] = [0, 0xFF, 0x7F, dice.roll(256) as u8][dice.roll(4) as usize];
        }
        let Ok(terrain) = Bundle::from_bytes(&damaged).and_then(|bundle| bundle.terrain()) else {
            continue;
        };
        opened += 1;
        let mut session = Session::new(&World::Terrain(terrain), 4, SessionOptions::default());
        for _ in 0..12 {
            session.tick();
            let place = Place::Sample(Sample::new(dice.roll(22), dice.roll(19)));
            let _ = session.move_to(dice.roll(4) as usize, Some(Some(place)), |_| ());
        }
        let mut builder = FrontierBuilder::new(&terrain);
        for options in all.iter().skip(i % 7).step_by(7) {
            let a = Sample::new(dice.roll(22), dice.roll(19));
            let b = Sample::new(dice.roll(22), dice.roll(19));
            let _ = builder.build(a, b, options);
            for side in Side::BOTH {
                let region = builder.region(side);
                assert_eq!(region.samples().count() as u64, region.area());
                let _ = region.encode();
            }
        }
    }
    assert!(opened > 300, "{opened}");
}
