//! Estimates against the proof that they spare, and proofs of neighbours against those of pairs by themselves.

use super::estimate::{Boxes, Estimate, EstimateRoom};
use super::reference::meets;
use super::shaft::LANES;
use super::slabs::Slabs;
use super::*;
use crate::dice::Dice;

const SCALE: f64 = 100.0;

fn point(dice: &mut Dice, reach: f64) -> Point {
    std::array::from_fn(|_| reach * (2.0 * dice.fraction() - 1.0))
}

/// A box, or what planes leave of one.
fn solid(dice: &mut Dice, at: Point, margin: f64) -> Occluder {
    let half: Point = std::array::from_fn(|_| 1.0 + 15.0 * dice.fraction());
    let mut planes = Vec::new();
    for k in 0..3 {
        for side in [-1.0, 1.0] {
            let mut normal = [0.0; 3];
            normal[k] = side;
            let dist = side * at[k] + half[k];
            planes.push(Plane { normal, dist });
        }
    }
    for _ in 0..[0, 0, 0, 1, 5, 20][dice.roll(6) as usize] {
        let normal = point(dice, 1.0);
        let length = dot(normal, normal).sqrt().max(0.01);
        let normal = normal.map(|x| x / length);
        let dist = dot(normal, at) + half[0] * (0.5 + 0.5 * dice.fraction());
        planes.push(Plane { normal, dist });
    }
    Occluder::solid(planes, Span { centre: at, half }, margin)
}

/// A rectangle of a wall, from both sides or from the front.
fn wall(dice: &mut Dice, at: Point, margin: f64) -> Occluder {
    let (axis, half) = (dice.roll(3) as usize, 5.0 + 20.0 * dice.fraction());
    let mut normal = [0.0; 3];
    normal[axis] = 1.0;
    let mut planes = vec![Plane {
        normal,
        dist: at[axis],
    }];
    let mut halves = [half; 3];
    halves[axis] = 0.0;
    for k in (0..3).filter(|k| *k != axis) {
        for side in [-1.0, 1.0] {
            let mut normal = [0.0; 3];
            normal[k] = side;
            let dist = side * at[k] + half - margin;
            planes.push(Plane { normal, dist });
        }
    }
    let kind = [OccluderSides::Flat, OccluderSides::FrontOnly][dice.roll(2) as usize];
    let bounds = Span {
        centre: at,
        half: halves,
    };
    Occluder::new(kind, planes, bounds, 1e-4)
}

#[test]
fn estimates_reject_next_to_nothing_that_is_proved_and_cut_where_the_proof_does() {
    let (scale, mut dice) = (Scale::new(SCALE), Dice(1));
    let tolerance = 8.0 * scale.margin as f32;
    let (mut room, mut estimates) = (ShadowScratch::new(), EstimateRoom::new());
    let (mut whole, mut part, mut lost, mut more, mut apart) = (0, 0, 0, 0, 0);
    for round in 0..200_000 {
        let at = point(&mut dice, 5.0);
        let occluder = match round % 3 {
            0 => wall(&mut dice, at, scale.margin),
            _ => solid(&mut dice, at, scale.margin),
        };
        let way = point(&mut dice, 1.0);
        let [a, b] = [-1.0, 1.0].map(|side| {
            let far = side * 40.0 * dice.fraction();
            let off = point(&mut dice, 6.0);
            let half = point(&mut dice, 6.0).map(f64::abs);
            // Half of them on whole numbers, where boxes and planes touch.
            let whole = |x: f64| if round % 2 == 0 { x } else { x.round() };
            Span {
                centre: std::array::from_fn(|k| whole(at[k] + off[k] + far * way[k])),
                half: half.map(whole),
            }
        });
        let shadow = occluder.shadow(&a, &b, scale, f64::INFINITY, &mut room);
        let of =
            |of: fn(&Span) -> Point| [0, 1, 2].map(|k| [of(&occluder.bounds)[k] as f32; LANES]);
        let ([x, y, z], [u, v, w]) = (of(|of| of.centre), of(|of| of.half));
        let slabs = Slabs::new(&a, &b, tolerance);
        let beyond = slabs.beyond([&x, &y, &z], [&u, &v, &w])[dice.roll(16) as usize];
        let boxes = Boxes::new(&a, &b);
        let estimate = occluder.estimate(&boxes, tolerance, f32::INFINITY, &mut estimates);
        match shadow {
            Shadow::Whole => {
                whole += 1;
                assert_eq!(
                    beyond,
                    f32::NEG_INFINITY,
                    "round {round}: {occluder:?} {a:?} {b:?}"
                );
                lost += u32::from(!matches!(estimate, Estimate::Whole));
            }
            Shadow::Part(cut) => {
                part += 1;
                more += u32::from(matches!(estimate, Estimate::Whole));
                if let Estimate::Part(of) = estimate {
                    let is_alike = (of.beyond - cut.beyond).abs() < 1e-2 && of.axis == cut.axis;
                    apart += u32::from(!is_alike);
                }
                if occluder.is_box && beyond.is_finite() {
                    let of = slabs.cut(&occluder.bounds, beyond);
                    let is_alike = (of.beyond - cut.beyond).abs() < 1e-2 && of.axis == cut.axis;
                    apart += u32::from(!is_alike);
                }
            }
            Shadow::None | Shadow::Beside => {}
        }
    }
    assert!(whole > 2_000 && part > 10_000, "{whole} {part}");
    assert!(lost < whole / 100, "{lost} of {whole}");
    assert!(
        more < part / 6 && apart < part / 12,
        "{more} {apart} of {part}"
    );
}

#[test]
fn witnesses_are_the_segments_that_no_occluder_meets() {
    let (scale, mut dice) = (Scale::new(SCALE), Dice(2));
    let tolerance = 8.0 * scale.margin as f32;
    let (mut clear, mut met, mut lost) = (0, 0, 0);
    for round in 0..20_000 {
        let occluders: Vec<Occluder> = (0..dice.roll(4))
            .map(|_| {
                let at = point(&mut dice, 30.0);
                match dice.roll(2) {
                    0 => wall(&mut dice, at, scale.margin),
                    _ => solid(&mut dice, at, scale.margin),
                }
            })
            .collect();
        let mut candidates = candidates::Candidates::default();
        let list = candidates.fill(occluders.iter().map(|occluder| &occluder.bounds));
        let mut segments = Segments::default();
        let ends: Vec<[Point; 2]> = (0..dice.roll(LANES as u32 + 1))
            .map(|_| {
                // Many along axes, and some from whole numbers, where planes are.
                let mut ends = [0; 2].map(|_| point(&mut dice, 60.0));
                if round % 2 == 0 {
                    ends = ends.map(|end| end.map(f64::round));
                }
                let axis = dice.roll(6) as usize;
                if axis < 3 {
                    ends[1][axis] = ends[0][axis];
                }
                segments.push(ends[0], ends[1]);
                ends
            })
            .collect();
        assert_eq!(segments.len(), ends.len());
        let found = segments.clear_of(&occluders, &candidates, list, tolerance);
        assert_eq!(found >> ends.len(), 0, "round {round}");
        for (lane, [a, b]) in ends.into_iter().enumerate() {
            let meets = occluders.iter().any(|occluder| meets(occluder, a, b));
            // What may be hidden is not called clear: the occluders of a proof are a margin smaller still.
            assert!(
                !(meets && found >> lane & 1 == 1),
                "round {round}: {a:?} {b:?} {occluders:?}"
            );
            met += u32::from(meets);
            clear += found >> lane & 1;
            lost += u32::from(!meets && found >> lane & 1 == 0);
        }
    }
    assert!(met > 5_000 && clear > 50_000, "{met} {clear}");
    assert!(lost < clear / 500, "{lost} of {clear}");
}

#[test]
fn segments_spread_over_two_boxes_lie_in_them() {
    let mut dice = Dice(3);
    let mut span = || Span {
        centre: point(&mut dice, 50.0),
        half: point(&mut dice, 9.0).map(f64::abs),
    };
    let (mut a, mut b) = (span(), span());
    (a.centre[0], b.centre[0]) = (-40.0, 40.0);
    let wall = |at: f64| {
        let plane = Plane {
            normal: [1.0, 0.0, 0.0],
            dist: at,
        };
        let behind = Plane {
            normal: [-1.0, 0.0, 0.0],
            dist: -at + 0.1,
        };
        let bounds = Span {
            centre: [at, 0.0, 0.0],
            half: [0.1, 1e3, 1e3],
        };
        Occluder::solid([plane, behind], bounds, 0.0)
    };
    let between = 0.5 * (a.centre[0] + b.centre[0]);
    let beyond = a.max()[0].max(b.max()[0]) + 1.0;
    let segments = Segments::spread(&a, &b);
    for (at, expected) in [(beyond, 0xffff), (between, 0)] {
        let occluders = [wall(at)];
        let mut candidates = candidates::Candidates::default();
        let list = candidates.fill(occluders.iter().map(|occluder| &occluder.bounds));
        assert_eq!(
            segments.clear_of(&occluders, &candidates, list, 1e-4),
            expected
        );
    }
}

/// The instructions that the crate is compiled for.
struct Plain;

impl Run for Plain {
    fn vectorize<T>(&self, kernel: impl FnOnce() -> T) -> T {
        kernel()
    }

    fn goes_on(&mut self) -> bool {
        true
    }
}

/// So many walls and solids in the way.
fn clutter(dice: &mut Dice, count: u32, margin: f64) -> Vec<Occluder> {
    let occluder = |_| {
        let at = point(dice, 25.0);
        match dice.roll(2) {
            0 => wall(dice, at, margin),
            _ => solid(dice, at, margin),
        }
    };
    (0..count).map(occluder).collect()
}

/// Servers with different processors must not differ about who is hidden.
#[test]
fn decisions_do_not_depend_on_the_instructions() {
    let (scale, mut dice) = (Scale::new(SCALE), Dice(4));
    let mut plain = Decider::new(scale, Plain);
    let mut best = Decider::new(scale, crate::query::solid::Budget::new());
    let mut found = [0; 3];
    for round in 0..6_000 {
        let count = 1 + dice.roll(40);
        let occluders = clutter(&mut dice, count, scale.margin);
        let [a, b] = [-45.0, 45.0].map(|x| {
            let mut centre = point(&mut dice, 20.0);
            centre[0] += x;
            Span {
                centre,
                half: point(&mut dice, 6.0).map(f64::abs),
            }
        });
        let groups = Groups::new(0, &occluders);
        let list = plain.narrow_groups(&a, &b, std::slice::from_ref(&groups));
        let expected = plain.decide(&occluders, &a, &b, list, 10);
        best.run.go_on_with(u32::MAX);
        let list = best.narrow_groups(&a, &b, std::slice::from_ref(&groups));
        assert_eq!(
            best.decide(&occluders, &a, &b, list, 10),
            expected,
            "round {round}"
        );
        assert_eq!(best.guess, plain.guess, "round {round}");
        found[expected as usize] += 1;
    }
    assert!(found.iter().all(|times| *times > 100), "{found:?}");
}

/// Against all segments between corners, and pairs that are decided each by itself.
#[test]
fn proofs_of_neighbours_hide_what_is_hidden_and_nothing_else() {
    let (scale, mut dice) = (Scale::new(SCALE), Dice(5));
    let mut decider = Decider::new(scale, Plain);
    let mut alone = Decider::new(scale, Plain);
    let (mut replayed, mut by_parts, mut hidden_alone) = (0, 0, 0);
    for _ in 0..600 {
        let count = 20 + dice.roll(40);
        let occluders = clutter(&mut dice, count, scale.margin);
        let mut proofs = Proofs::default();
        decider.movable = Movable {
            first: 0,
            marks: (0..count).map(|number| 1 << number).collect(),
            used: 0,
        };
        let list = decider.all(&occluders);
        let all = alone.all(&occluders);
        let half = [2.0, 2.0, 3.0];
        let at = [-45.0, 45.0].map(|x| {
            let [_, y, z] = point(&mut dice, 20.0);
            [x, y, z]
        });
        for step in 0..8 {
            let a = Span {
                centre: at[0],
                half,
            };
            let mut b = Span {
                centre: at[1],
                half,
            };
            b.centre[1] += f64::from(step);
            decider.movable.used = 0;
            let at_once = proofs.replay(&mut decider, &occluders, [&a, &b], 10);
            let hidden =
                at_once || proofs.decide_rest(&mut decider, &occluders, list) == Found::Hidden;
            hidden_alone += i32::from(alone.decide(&occluders, &a, &b, all, 10) == Found::Hidden);
            replayed += i32::from(at_once);
            by_parts += i32::from(hidden && !at_once);
            if !hidden {
                continue;
            }
            // Those that are marked do it without the others.
            let used = |number: usize| decider.movable.used >> number & 1 == 1;
            for (from, to) in a.corners().into_iter().flat_map(|from| {
                let inner = point(&mut dice, 1.0);
                let inner = [0, 1, 2].map(|k| b.centre[k] + inner[k] * half[k]);
                b.corners()
                    .into_iter()
                    .chain([inner])
                    .map(move |to| (from, to))
            }) {
                let mut those = occluders.iter().enumerate();
                let met = those.any(|(number, of)| used(number) && meets(of, from, to));
                assert!(met, "{from:?} to {to:?}");
            }
        }
    }
    assert!(replayed > 500 && by_parts > 500, "{replayed}, {by_parts}");
    assert!(
        (replayed + by_parts - hidden_alone).abs() < hidden_alone / 50,
        "{replayed} and {by_parts} of {hidden_alone}"
    );
}
