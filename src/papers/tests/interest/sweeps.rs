//! Space and time: nothing is missed between two ticks, and nothing invented.

use viewcell::interest::Bounds;
use viewcell_papers::interest::matching::{BruteForce, Grid, Kind, linear};

use crate::common::{Dice, Player, Step, WORLDS, follow, steps};

#[test]
fn the_grid_says_what_solving_for_all_pairs_says() {
    let mut passed = 0;
    for world in WORLDS {
        for seed in 0..4 {
            let mut dice = Dice(seed);
            let mut slow = Player::new(BruteForce);
            let mut fast = Player::new(Grid::default());
            let mut there = Vec::new();
            let kinds = [Kind::Update, Kind::Subscription, Kind::Both];
            let mut next: Vec<Step> = (0..50)
                .map(|number| Step::Come(kinds[number % 3], world.bounds(&mut dice, None)))
                .collect();
            for tick in 0..60 {
                slow.play(&next);
                fast.play(&next);
                follow(&mut there, &next);
                // Ticks of both sorts, in any order, keep the same pairs.
                if dice.roll(3) == 0 {
                    assert_eq!(fast.interest.tick(), slow.interest.tick());
                } else {
                    let (found, expected) = (fast.interest.sweep(), slow.interest.sweep());
                    assert_eq!(found, expected, "{world:?}, seed {seed}, tick {tick}");
                    let ends = |pair| found.ceased.iter().find(|event| event.pair == pair);
                    for event in found.began {
                        if let Some(end) = ends(event.pair) {
                            assert!(event.instant <= end.instant);
                            passed += 1;
                        }
                    }
                }
                next = steps(world, &mut dice, &there);
            }
        }
    }
    assert!(passed > 1000, "{passed} passed through each other");
}

/// A fraction of integers, the lower one positive.
type Fraction = (i128, i128);

fn less(a: Fraction, b: Fraction) -> bool {
    a.0 * b.1 < b.0 * a.1
}

/// When two boxes with integer corners overlap, by fractions.
fn exactly(was: [[[i128; 3]; 2]; 2], now: [[[i128; 3]; 2]; 2]) -> Option<(Fraction, Fraction)> {
    let (mut from, mut to): (Fraction, Fraction) = ((0, 1), (1, 1));
    for axis in 0..3 {
        for (one, other) in [(0, 1), (1, 0)] {
            let first = was[one][1][axis] - was[other][0][axis];
            let last = now[one][1][axis] - now[other][0][axis];
            match (first < 0, last < 0) {
                (true, true) => return None,
                (true, false) => {
                    let at = (-first, last - first);
                    if less(from, at) {
                        from = at;
                    }
                }
                (false, true) => {
                    let at = (first, first - last);
                    if less(at, to) {
                        to = at;
                    }
                }
                (false, false) => {}
            }
        }
    }
    (!less(to, from)).then_some((from, to))
}

#[test]
fn motion_along_lines_is_solved_as_fractions_are() {
    let mut dice = Dice(1);
    let (mut met, mut touched, mut missed) = (0, 0, 0);
    for round in 0..300_000 {
        // Few coordinates, so that boxes often touch for an instant only; or many.
        let range = [5, 40, 1 << 23][round % 3];
        let mut corners = || {
            let mut low = [0; 3];
            let mut high = [0; 3];
            for axis in 0..3 {
                let [a, b] = [(); 2].map(|()| i128::from(dice.roll(range)));
                let size = if range > 40 {
                    (a - b).abs() / 4
                } else {
                    (a - b).abs() % 3
                };
                (low[axis], high[axis]) = (b, b + size);
            }
            [low, high]
        };
        let (was, now) = ([corners(), corners()], [corners(), corners()]);
        let bounds = |[low, high]: [[i128; 3]; 2]| {
            Bounds::new(low.map(|x| x as f32), high.map(|x| x as f32)).unwrap()
        };
        let ([a, b], [c, d]) = (was.map(bounds), now.map(bounds));
        let found = linear([&a, &b], [&c, &d]);
        let expected = exactly(was, now);
        assert_eq!(found.is_some(), expected.is_some(), "{was:?} {now:?}");
        let (Some(found), Some((from, to))) = (found, expected) else {
            missed += 1;
            continue;
        };
        let value = |(a, b): Fraction| a as f64 / b as f64;
        assert!((found.from - value(from)).abs() < 1e-15, "{was:?} {now:?}");
        assert!((found.to - value(to)).abs() < 1e-15, "{was:?} {now:?}");
        met += 1;
        touched += u32::from(!less(from, to));
    }
    assert!(
        met > 30_000 && touched > 1000 && missed > 100_000,
        "{met} {touched} {missed}"
    );
}

#[test]
fn one_that_passes_through_another_is_missed_by_ticks_and_met_by_sweeps() {
    // Liu, figure 2.11.
    for sweeps in [false, true] {
        let mut player = Player::new(Grid::default());
        let at = |x: f32| Bounds::around([x, 0.0, 0.0], [1.0; 3]).unwrap();
        player.play(&[
            Step::Come(Kind::Update, at(-10.0)),
            Step::Come(Kind::Subscription, at(0.0)),
        ]);
        assert!(player.interest.tick().began.is_empty());
        player.play(&[Step::Move(0, at(10.0))]);
        if sweeps {
            let events = player.interest.sweep();
            assert_eq!((events.began.len(), events.ceased.len()), (1, 1));
            // From 8 of 20 to 12 of 20.
            assert_eq!(
                (events.began[0].instant, events.ceased[0].instant),
                (0.4, 0.6)
            );
        } else {
            let changes = player.interest.tick();
            assert!(changes.began.is_empty() && changes.ceased.is_empty());
        }
    }
}

#[test]
fn who_comes_is_there_from_the_end_and_who_goes_until_the_beginning() {
    let mut player = Player::new(Grid::default());
    let at = |x: f32| Bounds::around([x, 0.0, 0.0], [1.0; 3]).unwrap();
    player.play(&[
        Step::Come(Kind::Update, at(0.0)),
        Step::Come(Kind::Subscription, at(1.0)),
    ]);
    let events = player.interest.sweep();
    assert_eq!((events.began[0].instant, events.ceased.len()), (1.0, 0));
    player.play(&[Step::Move(0, at(0.5)), Step::Go(0)]);
    let events = player.interest.sweep();
    assert_eq!((events.began.len(), events.ceased[0].instant), (0, 0.0));
}
