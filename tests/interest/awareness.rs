//! Near and maybe visible, against asking for all pairs.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use viewcell::interest::{Awareness, InterestError, Senses, Sight};

use viewcell::dice::Dice;

/// Places are rooms; neighbours see each other, and every third room sees the one before it only.
struct Rooms<'c> {
    asked: &'c Cell<u64>,
}

fn sees(from: u32, to: u32) -> bool {
    from == to || from + 1 == to && !from.is_multiple_of(3) || to + 1 == from
}

impl Sight for Rooms<'_> {
    type Place = u32;

    fn visible(&self, from: u32, to: u32) -> bool {
        self.asked.set(self.asked.get() + 1);
        sees(from, to)
    }
}

#[test]
fn players_hear_of_those_who_are_near_and_maybe_visible() {
    let asked = Cell::new(0);
    let mut awareness = Awareness::new(Rooms { asked: &asked });
    let mut dice = Dice(6);
    let mut there: BTreeMap<u32, ([f32; 3], u32, Senses)> = BTreeMap::new();
    let mut told: BTreeSet<[u32; 2]> = BTreeSet::new();
    let mut changes = 0;
    let place = |position: [f32; 3]| (position[0] / 5.0) as u32;
    for tick in 0..200 {
        for _ in 0..if tick == 0 { 60 } else { dice.roll(3) } {
            let position = [(); 3].map(|()| (dice.fraction() as f32) * 20.0);
            let senses = Senses {
                reach: [0.0, 4.0, 9.0][dice.roll(3) as usize],
                acuity: [f32::INFINITY, 5.0][dice.roll(2) as usize],
                radius: [0.0, 1.0][dice.roll(2) as usize],
            };
            let number = awareness.insert(position, place(position), senses).unwrap();
            assert!(
                there
                    .insert(number, (position, place(position), senses))
                    .is_none()
            );
        }
        for (number, player) in &mut there {
            if dice.roll(3) == 0 {
                player.0 = player
                    .0
                    .map(|x| (x + (dice.fraction() as f32) - 0.5).clamp(0.0, 20.0));
                player.1 = place(player.0);
                awareness.move_to(*number, player.0, player.1).unwrap();
            }
        }
        let leaving: Vec<u32> = there
            .keys()
            .copied()
            .filter(|_| dice.roll(80) == 0)
            .collect();
        for number in leaving {
            there.remove(&number);
            awareness.remove(number).unwrap();
            assert_eq!(awareness.remove(number), Err(InterestError::Unknown));
        }
        let mut expected = BTreeSet::new();
        for (a, (here, from, senses)) in &there {
            for (b, (other, to, of)) in &there {
                let apart: f64 = (0..3)
                    .map(|axis| (f64::from(here[axis]) - f64::from(other[axis])).powi(2))
                    .sum::<f64>()
                    .sqrt();
                let perceived =
                    senses.acuity.is_infinite() || apart <= f64::from(senses.acuity * of.radius);
                // What is infinitely acute perceives even a point.
                let near = apart <= f64::from(senses.reach) && perceived;
                if a != b && near && sees(*from, *to) {
                    expected.insert([*a, *b]);
                }
            }
        }
        let found = awareness.tick();
        let began: Vec<_> = expected.difference(&told).copied().collect();
        let ceased: Vec<_> = told.difference(&expected).copied().collect();
        assert_eq!(found.began, began, "tick {tick}");
        assert_eq!(found.ceased, ceased, "tick {tick}");
        changes += began.len() + ceased.len();
        told = expected;
        assert!(awareness.pairs().eq(told.iter().copied()));
    }
    assert!(changes > 1000, "{changes}");
    let before = asked.get();
    awareness.tick();
    assert_eq!(asked.get(), before, "nobody moved, nothing is asked");
}

/// Squares of a board; those whose numbers differ by a multiple of 3 see each other.
struct Board {
    mutual: bool,
}

impl Board {
    fn place([x, y, _]: [f32; 3]) -> u32 {
        (x / 3.0) as u32 * 64 + (y / 3.0) as u32
    }
}

impl Sight for Board {
    type Place = u32;

    fn visible(&self, from: u32, to: u32) -> bool {
        from.abs_diff(to).is_multiple_of(3) || !self.mutual && from.is_multiple_of(5)
    }

    fn is_mutual(&self) -> bool {
        self.mutual
    }
}

/// A crowd within each other's reach that walks, stands, teleports, comes and goes, for which most is
/// told without looking at it: against all pairs in each tick.
fn crowd(mutual: bool, reaches: &[f32], flat: bool, seed: u64) {
    let board = Board { mutual };
    let mut awareness = Awareness::new(Board { mutual });
    let mut dice = Dice(seed);
    let mut there: BTreeMap<u32, ([f32; 3], [f32; 3], Senses)> = BTreeMap::new();
    let mut told: BTreeSet<[u32; 2]> = BTreeSet::new();
    let anywhere = |dice: &mut Dice| {
        [100.0, 100.0, if flat { 0.0 } else { 40.0 }]
            .map(|side: f32| (dice.fraction() as f32) * side)
    };
    for tick in 0..150 {
        for _ in 0..if tick == 0 { 150 } else { dice.roll(2) } {
            let position = anywhere(&mut dice);
            let senses = Senses {
                reach: reaches[dice.roll(reaches.len() as u32) as usize],
                acuity: f32::INFINITY,
                radius: 1.0,
            };
            let number = awareness.insert(position, Board::place(position), senses);
            let known = there.insert(number.unwrap(), (position, [0.0; 3], senses));
            assert!(known.is_none());
        }
        let mut leaving = Vec::new();
        for (&number, (at, step, _)) in &mut there {
            match dice.roll(200) {
                0 => leaving.push(number),
                1 => *at = anywhere(&mut dice),
                2..=20 => *step = [0.0; 3],
                21..=60 => {
                    let long = [0.01, 0.3, 3.0][dice.roll(3) as usize];
                    *step = [(); 3].map(|()| ((dice.fraction() as f32) - 0.5) * long);
                    step[2] *= if flat { 0.0 } else { 1.0 };
                }
                _ => {}
            }
            for (at, step) in at.iter_mut().zip(step) {
                *at = (*at + *step).clamp(0.0, 100.0);
            }
            awareness.move_to(number, *at, Board::place(*at)).unwrap();
        }
        for number in leaving {
            there.remove(&number);
            awareness.remove(number).unwrap();
        }
        let mut expected = BTreeSet::new();
        for (&a, (here, _, senses)) in &there {
            for (&b, (other, ..)) in &there {
                let square = |axis: usize| (f64::from(here[axis]) - f64::from(other[axis])).powi(2);
                let near = square(0) + square(1) + square(2) <= f64::from(senses.reach).powi(2);
                if a != b && near && board.visible(Board::place(*here), Board::place(*other)) {
                    expected.insert([a, b]);
                }
            }
        }
        let found = awareness.tick();
        assert!(found.began.iter().eq(expected.difference(&told)), "{tick}");
        assert!(found.ceased.iter().eq(told.difference(&expected)), "{tick}");
        told = expected;
        assert!(awareness.pairs().eq(told.iter().copied()), "{tick}");
        assert_eq!(awareness.count(), told.len());
    }
    assert!(told.len() > 1000 || reaches == [8.0], "{}", told.len());
}

#[test]
fn a_crowd_is_told_what_all_pairs_say() {
    for mutual in [true, false] {
        for (seed, reaches) in [[60.0; 3].as_slice(), &[8.0], &[5.0, 40.0, 1000.0]]
            .into_iter()
            .enumerate()
        {
            crowd(mutual, reaches, true, seed as u64);
            crowd(mutual, reaches, false, 10 + seed as u64);
        }
    }
}

/// Far from the middle floats are coarse, and beyond that nothing is left of a step.
#[test]
fn a_crowd_far_away_is_told_what_all_pairs_say() {
    for far in [1e4, 1e6, 1e9, 1e30] {
        let mut awareness = Awareness::new(Board { mutual: true });
        let mut dice = Dice(4);
        let reach = far * 1e-3;
        let senses = Senses {
            reach,
            acuity: f32::INFINITY,
            radius: 1.0,
        };
        let mut there: Vec<[f32; 3]> = Vec::new();
        for _ in 0..60 {
            let at =
                [far, -far, 0.0].map(|x: f32| x + ((dice.fraction() as f32) - 0.5) * 4.0 * reach);
            awareness.insert(at, 0, senses).unwrap();
            there.push(at);
        }
        for tick in 0..60 {
            for (number, at) in (0..).zip(&mut there) {
                *at = at.map(|x| x + ((dice.fraction() as f32) - 0.5) * 0.05 * reach);
                awareness.move_to(number, *at, 0).unwrap();
            }
            awareness.tick();
            let mut expected = Vec::new();
            for (a, here) in (0..).zip(&there) {
                for (b, other) in (0..).zip(&there) {
                    let square = |i: usize| (f64::from(here[i]) - f64::from(other[i])).powi(2);
                    let near = square(0) + square(1) + square(2) <= f64::from(reach).powi(2);
                    if a != b && near {
                        expected.push([a, b]);
                    }
                }
            }
            assert!(awareness.pairs().eq(expected), "{far} {tick}");
        }
    }
}

#[test]
fn positions_and_reaches_that_are_none_are_refused() {
    let asked = Cell::new(0);
    let mut awareness = Awareness::new(Rooms { asked: &asked });
    let senses = |reach| Senses {
        reach,
        acuity: f32::INFINITY,
        radius: 1.0,
    };
    for reach in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(
            awareness.insert([0.0; 3], 0, senses(reach)).is_err(),
            "{reach}"
        );
    }
    assert!(awareness.insert([f32::NAN; 3], 0, senses(1.0)).is_err());
    let number = awareness.insert([0.0; 3], 0, senses(1.0)).unwrap();
    assert!(awareness.move_to(number, [f32::INFINITY; 3], 0).is_err());
    assert_eq!(
        awareness.move_to(number + 1, [0.0; 3], 0),
        Err(InterestError::Unknown)
    );
    awareness.insert([1.0, 0.0, 0.0], 1, senses(0.5)).unwrap();
    assert_eq!(
        awareness.tick().began.len(),
        0,
        "room 0 does not see room 1, nor 1 so far"
    );
}
