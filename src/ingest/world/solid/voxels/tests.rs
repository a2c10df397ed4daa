//! Rows and words of voxels at once, against single voxels.

use super::*;
use crate::world::solid::face::Face;
use viewcell::dice::Dice;

fn grid(count: [usize; 3]) -> Voxels {
    Voxels::free([0.0; 3], [1.0; 3], [0; 3], count)
}

/// The slow twin of [`Voxels::flood`]: from voxel to voxel, and up only where players can rise to.
fn reached_by_steps(voxels: &Voxels, from: [usize; 3]) -> Words {
    let mut reached = Words::new(voxels.row * voxels.count[1] * voxels.count[2]);
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        let (word, bit) = voxels.word(at);
        if (voxels.blocked.get(word) | reached.get(word)) & bit != 0 {
            continue;
        }
        reached.set(word, bit);
        for axis in 0..3 {
            for step in [-1, 1] {
                let mut next = at;
                next[axis] = at[axis].wrapping_add_signed(step);
                if next[axis] >= voxels.count[axis] {
                    continue;
                }
                let (word, bit) = voxels.word(next);
                let near = voxels.near_support.as_ref();
                let rises = axis == 2 && step == 1;
                if !rises || near.is_none_or(|near| near.get(word) & bit != 0) {
                    waiting.push(next);
                }
            }
        }
    }
    reached
}

/// Whether a voxel is found to lie within a sum that is shrunk by `slack`, and on slopes by `slope`; `None` where
/// rounding decides.
fn lies_within(voxels: &Voxels, at: [usize; 3], sum: &Sum, slack: f64, slope: f64) -> Option<bool> {
    let excess = sum.planes.iter().map(|(normal, dist)| {
        let along =
            |k: usize| normal[k] * voxels.centre(k, at[k]) + 0.5 * normal[k].abs() * voxels.size[k];
        let is_slope = normal.iter().all(|x| x.abs() < 0.9999);
        let slack = if is_slope { slope.max(slack) } else { slack };
        (0..3).map(along).sum::<f64>() + slack - dist - ROUNDING
    });
    let most = excess.fold(f64::NEG_INFINITY, f64::max);
    (most.abs() > 1e-9).then_some(most < 0.0)
}

#[test]
fn rows_are_blocked_where_each_voxel_is() {
    let mut dice = Dice(7);
    let (mut taken, mut blocked) = (0, 0);
    for round in 0..60 {
        let count = [1 + dice.roll(150), 1 + dice.roll(12), 1 + dice.roll(12)].map(|n| n as usize);
        let mut voxels = grid(count);
        let mut point = |scale: f64| count.map(|n| scale * n as f64 * dice.fraction());
        let hull = Aabb {
            min: [-2.1, -2.1, -2.4],
            max: [2.1, 2.1, 3.2],
        };
        let mut vertices = [0; 3].map(|_| point(1.3));
        // Upright and level ones, and those that lean.
        if let axis @ 0..3 = round % 4 {
            let along = vertices[0][axis];
            vertices.iter_mut().for_each(|vertex| vertex[axis] = along);
        }
        let faces = Face::from_polygon(&vertices, true).unwrap_or_default();
        let Some(face) = faces.first() else { continue };
        let sum = Sum::of_face(face, &hull);
        voxels.block(&sum, 0.3);
        for z in 0..count[2] {
            for y in 0..count[1] {
                for x in 0..count[0] {
                    let at = [x, y, z];
                    let (word, bit) = voxels.word(at);
                    let [is_taken, is_blocked] =
                        [&voxels.taken, &voxels.blocked].map(|of| of.get(word) & bit != 0);
                    if let Some(expected) = lies_within(&voxels, at, &sum, 0.0, 0.15) {
                        assert_eq!(is_taken, expected, "round {round}, {at:?}");
                    }
                    if let Some(expected) = lies_within(&voxels, at, &sum, 0.3, 0.15) {
                        assert_eq!(is_blocked, expected, "round {round}, {at:?}");
                    }
                    taken += u32::from(is_taken);
                    blocked += u32::from(is_blocked);
                }
            }
        }
    }
    assert!(taken > blocked && blocked > 1000, "{taken}, {blocked}");
}

#[test]
fn cells_are_flagged_for_each_voxel() {
    let mut dice = Dice(11);
    for _ in 0..100 {
        let mut voxels = grid([192, 6, 5]);
        voxels.per_cell = [dice.roll(4), 1, 0];
        let many = voxels.row * 30;
        for at in 0..many {
            let bits = std::array::from_fn::<u64, 3, _>(|_| {
                u64::from(dice.roll(1 << 31)) << dice.roll(33)
            });
            voxels.reached.set(at, bits[0] & bits[1]);
            voxels.taken.set(at, bits[2]);
        }
        let mut near = Words::new(many);
        (0..many).for_each(|at| near.set(at, u64::from(dice.roll(1 << 31)) << 7));
        let mut flags = vec![0; (192 >> voxels.per_cell[0]) * 3 * 5];
        let mut expected = flags.clone();
        voxels.flag(&near, LOW, &mut flags);
        for z in 0..5 {
            for y in 0..6 {
                for x in 0..192 {
                    let (word, bit) = voxels.word([x, y, z]);
                    if voxels.reached.get(word) & !voxels.taken.get(word) & bit == 0 {
                        continue;
                    }
                    let found = if near.get(word) & bit == 0 { 0 } else { LOW };
                    expected[(z * 3 + y / 2) * (192 >> voxels.per_cell[0])
                        + (x >> voxels.per_cell[0])] |= REACHED | found;
                }
            }
        }
        assert_eq!(flags, expected);
    }
}

#[test]
fn words_at_once_reach_what_steps_reach() {
    let mut dice = Dice(5);
    for round in 0..200 {
        let count = [1 + dice.roll(150), 1 + dice.roll(9), 1 + dice.roll(9)].map(|n| n as usize);
        let mut voxels = grid(count);
        let full = dice.fraction();
        let mut random = |full: f64| {
            let mut words = Words::new(voxels.row * count[1] * count[2]);
            for i in 0..voxels.row * count[1] * count[2] {
                for bit in 0..64 {
                    let there = i % voxels.row * 64 + bit < count[0];
                    words.set(i, u64::from(there && dice.fraction() < full) << bit);
                }
            }
            words
        };
        voxels.blocked = random(0.7 * full);
        voxels.near_support = (round % 2 == 0).then(|| random(0.5));
        let seed = count.map(|n| dice.roll(n as u32) as usize);
        let point = seed.map(|x| x as f64 + 0.5);
        let expected = reached_by_steps(&voxels, seed);
        let found = voxels.flood(&Aabb {
            min: point,
            max: point,
        });
        let count = Some(expected.count()).filter(|&count| count > 0);
        assert_eq!(found, count, "round {round}");
        assert_eq!(voxels.reached, expected, "round {round}");
        assert!(voxels.pending.iter().all(Option::is_none));
    }
}
