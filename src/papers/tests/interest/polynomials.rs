//! Motion along polynomials: nothing is missed, and nothing is called that is not close.

use viewcell::interest::{Bounds, InterestError};
use viewcell_papers::interest::matching::{Path, RESOLUTION, Span, linear, polynomial};

use crate::common::Dice;

fn spans(one: &Path, other: &Path) -> Vec<Span> {
    let mut spans = Vec::new();
    polynomial(one, other, |span| spans.push(span));
    spans
}

/// How far apart two boxes are at an instant that is a fraction of 2^10, exactly, as a multiple of
/// 2^-30: coefficients are integers. 0 or less if they overlap.
fn gap(one: &([[i64; 4]; 3], i64), other: &([[i64; 4]; 3], i64), numerator: i64) -> i128 {
    let (t, whole) = (i128::from(numerator), 1_i128 << 10);
    (0..3)
        .map(|axis| {
            let apart = (0..4_u32)
                .map(|power| {
                    let of = |path: &([[i64; 4]; 3], i64)| i128::from(path.0[axis][power as usize]);
                    (of(one) - of(other)) * t.pow(power) * whole.pow(3 - power)
                })
                .sum::<i128>();
            apart.abs() - i128::from(one.1 + other.1) * whole.pow(3)
        })
        .max()
        .unwrap()
}

#[test]
fn boxes_on_polynomials_are_found_as_integers_have_them() {
    let mut dice = Dice(8);
    let (mut met, mut twice) = (0, 0);
    for round in 0..4000 {
        let degree = 2 + round % 2;
        let mut integers = || {
            let mut powers = [[0_i64; 4]; 3];
            for axis in &mut powers {
                for power in axis.iter_mut().take(degree + 1) {
                    *power = dice.roll(41) as i64 - 20;
                }
            }
            (powers, dice.roll(16) as i64)
        };
        let (one, other) = (integers(), integers());
        let path = |(powers, half): ([[i64; 4]; 3], i64)| {
            Path::new(powers.map(|axis| axis.map(|x| x as f32)), [half as f32; 3]).unwrap()
        };
        let found = spans(&path(one), &path(other));
        assert!(found.iter().all(|span| span.from <= span.to));
        assert!(found.is_sorted_by(|a, b| a.to < b.from));
        for numerator in 0..=1 << 10 {
            let t = numerator as f64 / 1024.0;
            let gap = gap(&one, &other, numerator);
            let inside = found.iter().any(|span| span.from <= t && t <= span.to);
            // Nothing is missed, and what is called overlaps or is closer than can be told apart:
            // speeds are below 400 a tick.
            let close = 400.0 * RESOLUTION * 2_f64.powi(30);
            assert!(
                inside || gap > 0,
                "missed at {t}: {one:?} {other:?} {found:?}"
            );
            assert!(
                !inside || gap as f64 <= close,
                "invented at {t}: {one:?} {other:?}"
            );
        }
        met += usize::from(!found.is_empty());
        twice += usize::from(found.len() > 1);
    }
    assert!(met > 300 && twice > 10, "{met} met, {twice} more than once");
}

#[test]
fn on_straight_lines_spans_are_those_of_linear_motion() {
    let mut dice = Dice(9);
    let mut met = 0;
    for _ in 0..20_000 {
        let mut path = || {
            let from = [(); 3].map(|()| dice.roll(24) as f32);
            let by = [(); 3].map(|()| dice.roll(33) as f32 - 16.0);
            let half = [1.0 + dice.roll(2) as f32; 3];
            let to = [from[0] + by[0], from[1] + by[1], from[2] + by[2]];
            let powers = [0, 1, 2].map(|axis| [from[axis], by[axis], 0.0, 0.0]);
            let bounds = |middle| Bounds::around(middle, half).unwrap();
            (Path::new(powers, half).unwrap(), bounds(from), bounds(to))
        };
        let ((one, a, c), (other, b, d)) = (path(), path());
        let found = spans(&one, &other);
        match linear([&a, &b], [&c, &d]) {
            None => assert!(found.is_empty(), "{a:?} {b:?} {c:?} {d:?} {found:?}"),
            Some(span) => {
                met += 1;
                assert_eq!(found.len(), 1);
                assert!((found[0].from - span.from).abs() <= 2.0 * RESOLUTION);
                assert!((found[0].to - span.to).abs() <= 2.0 * RESOLUTION);
            }
        }
    }
    assert!(met > 500, "{met}");
}

#[test]
fn a_stone_that_is_thrown_over_a_wall_and_one_that_hits_it() {
    // A wall from x = 9 to 11 and 3 high; stones fly from 0 to 20 in a tick, up to 5 and up to 2.
    let wall = Path::new(
        [[10.0, 0.0, 0.0, 0.0], [1.5, 0.0, 0.0, 0.0], [0.0; 4]],
        [1.0, 1.5, 1.0],
    );
    let stone = |height: f32| {
        let up = [0.0, 4.0 * height, -4.0 * height, 0.0];
        Path::new([[0.0, 20.0, 0.0, 0.0], up, [0.0; 4]], [0.25; 3]).unwrap()
    };
    let wall = wall.unwrap();
    assert!(spans(&stone(5.0), &wall).is_empty());
    let hit = spans(&stone(2.0), &wall);
    assert_eq!(hit.len(), 1);
    assert!(
        (hit[0].from - 8.75 / 20.0).abs() <= 2.0 * RESOLUTION,
        "{hit:?}"
    );
}

#[test]
fn a_swept_box_holds_the_whole_path() {
    let mut dice = Dice(10);
    for _ in 0..2000 {
        let powers = [(); 3].map(|()| [(); 4].map(|()| dice.fraction() * 100.0 - 50.0));
        let swept = Path::new(powers, [0.5; 3]).unwrap().swept().unwrap();
        for step in 0..=64 {
            let t = f64::from(step) / 64.0;
            for (axis, powers) in powers.iter().enumerate() {
                let [a, b, c, d] = powers.map(f64::from);
                let at = a + t * (b + t * (c + t * d));
                assert!(f64::from(swept.min()[axis]) <= at - 0.5);
                assert!(f64::from(swept.max()[axis]) >= at + 0.5);
            }
        }
    }
}

#[test]
fn paths_that_are_none_are_refused() {
    let mut powers = [[0.0; 4]; 3];
    assert_eq!(
        Path::new(powers, [1.0, -1.0, 1.0]),
        Err(InterestError::Inverted { dimension: 1 })
    );
    powers[2][3] = f32::NAN;
    assert_eq!(
        Path::new(powers, [1.0; 3]),
        Err(InterestError::NotFinite { dimension: 2 })
    );
    let far = Path::new([[f32::MAX; 4]; 3], [1.0; 3]).unwrap();
    assert!(matches!(far.swept(), Err(InterestError::NotFinite { .. })));
}
