//! All methods say the same.

use viewcell_papers::interest::matching::{BruteForce, Grid, Kind};

use crate::common::{Dice, Player, Step, WORLDS, follow, steps};

#[test]
fn the_grid_says_what_comparing_all_pairs_says() {
    let mut changes = 0;
    for world in WORLDS {
        for seed in 0..6 {
            let mut dice = Dice(seed);
            let mut slow = Player::new(BruteForce);
            let mut fast = Player::new(Grid::default());
            let mut there = Vec::new();
            let kinds = [Kind::Update, Kind::Subscription, Kind::Both];
            let first: Vec<Step> = (0..60)
                .map(|number| Step::Come(kinds[number % 3], world.bounds(&mut dice, None)))
                .collect();
            let mut next = first;
            for tick in 0..100 {
                slow.play(&next);
                fast.play(&next);
                follow(&mut there, &next);
                let expected = slow.interest.tick();
                let found = fast.interest.tick();
                assert_eq!(found, expected, "{world:?}, seed {seed}, tick {tick}");
                changes += found.began.len() + found.ceased.len();
                next = steps(world, &mut dice, &there);
            }
        }
    }
    assert!(changes > 100_000, "{changes}");
}

#[test]
fn pairs_are_what_began_and_did_not_cease() {
    let mut dice = Dice(5);
    let mut player = Player::new(Grid::default());
    let mut there = Vec::new();
    let mut pairs = std::collections::BTreeSet::new();
    let world = WORLDS[0];
    let mut next: Vec<Step> = (0..80)
        .map(|_| Step::Come(Kind::Both, world.bounds(&mut dice, None)))
        .collect();
    for _ in 0..50 {
        player.play(&next);
        follow(&mut there, &next);
        let changes = player.interest.tick();
        for pair in changes.ceased {
            assert!(pairs.remove(&(pair.update.index(), pair.subscription.index())));
        }
        for pair in changes.began {
            assert!(pairs.insert((pair.update.index(), pair.subscription.index())));
        }
        let held: Vec<_> = player.interest.method().pairs().collect();
        assert!(held.iter().eq(pairs.iter()));
        next = steps(world, &mut dice, &there);
    }
}
