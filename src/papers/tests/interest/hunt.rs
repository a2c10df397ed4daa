//! Long adversarial motion: ticks and sweeps of all worlds against comparing all pairs.
//! `scripts/check interest` asks for a million ticks.

use viewcell_papers::interest::matching::{BruteForce, Grid, Kind};

use crate::common::{Dice, Player, Step, WORLDS, follow, steps};

#[test]
fn no_change_is_missed_or_invented_however_long_it_goes_on() {
    let asked = std::env::var("VIEWCELL_HUNT").ok();
    let ticks = asked.map_or(5000, |n| {
        n.parse().expect("VIEWCELL_HUNT is a number of ticks")
    });
    let each = ticks / WORLDS.len();
    let (mut changes, mut events, mut most) = (0, 0, 0);
    for world in WORLDS {
        let mut dice = Dice(11);
        let mut slow = Player::new(BruteForce);
        let mut fast = Player::new(Grid::with_threads(2));
        let mut there = Vec::new();
        let mut next: Vec<Step> = (0..40)
            .map(|_| Step::Come(Kind::Both, world.bounds(&mut dice, None)))
            .collect();
        for tick in 0..each {
            slow.play(&next);
            fast.play(&next);
            follow(&mut there, &next);
            if dice.roll(4) == 0 {
                let (found, expected) = (fast.interest.sweep(), slow.interest.sweep());
                assert_eq!(found, expected, "{world:?}, tick {tick}");
                events += found.began.len() + found.ceased.len();
            } else {
                let (found, expected) = (fast.interest.tick(), slow.interest.tick());
                assert_eq!(found, expected, "{world:?}, tick {tick}");
                changes += found.began.len() + found.ceased.len();
            }
            most = most.max(fast.interest.count());
            // Those who have gone are forgotten, so that memory does not grow with the ticks.
            let mut gone = there.iter().map(|place| place.is_none());
            fast.regions.retain(|_| !gone.next().unwrap());
            let mut gone = there.iter().map(|place| place.is_none());
            slow.regions.retain(|_| !gone.next().unwrap());
            there.retain(Option::is_some);
            next = steps(world, &mut dice, &there);
        }
    }
    println!(
        "{ticks} ticks, at most {most} regions: {changes} changes and {events} events, all equal"
    );
    assert!(changes + events > ticks);
}
