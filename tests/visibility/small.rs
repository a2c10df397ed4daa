//! Small terrains of every awkward kind, all pairs.

use super::{BODIES, SIDE, Viewsheds, levels};
use proptest::prelude::*;
use viewcell::format::Quad;
use viewcell::format::morton::comes_before;
use viewcell_bake::visibility::{BlockSight, LOOK_LEVEL, Sights, Viewsheds as _};
use viewcell_bake::visibility::{Bodies, HeightField, Order, Rays, Stance, find_sight, sees};
use viewcell_ingest::world::Terrain;

/// A terrain of one of the kinds that have gone wrong somewhere: ties, spikes, pits, voids.
pub fn terrain() -> impl Strategy<Value = Terrain> {
    // Around every width of lanes, patches and blocks.
    let side = prop_oneof![
        1u32..=4,
        7u32..=9,
        15u32..=17,
        23u32..=25,
        31u32..=34,
        Just(41)
    ];
    (side.clone(), side, 0usize..8, any::<u64>()).prop_map(|(width, height, kind, seed)| {
        let mut dice = super::Dice(seed);
        let mut heights = Vec::new();
        let slope = [f64::from(dice.roll(5)) - 2.0, f64::from(dice.roll(5)) - 2.0];
        for r in 0..height {
            for c in 0..width {
                let ramp = slope[0] * f64::from(c) + slope[1] * f64::from(r);
                heights.push(match kind {
                    0 => 0.0,
                    1 => ramp,
                    2 => f64::from(dice.roll(3)),
                    3 => f64::from(dice.roll(20)),
                    4 => ramp + if dice.roll(9) == 0 { 12.5 } else { 0.0 },
                    5 => ramp - if dice.roll(9) == 0 { 12.5 } else { 0.0 },
                    6 if dice.roll(4) == 0 => f64::NAN,
                    6 => ramp + f64::from(dice.roll(4)),
                    _ => 1000.0 + 30.0 * dice.fraction() + 0.1 * ramp,
                });
            }
        }
        heights[0] = 1.0;
        Terrain::new(width, height, heights, [1.0, 2.0]).unwrap()
    })
}

/// An order of blocks.
fn row_by_row(a: (u32, u32), b: (u32, u32)) -> bool {
    (a.1, a.0) < (b.1, b.0)
}

pub fn bodies() -> impl Strategy<Value = Bodies> {
    prop_oneof![
        Just(BODIES),
        // Ties at every step.
        Just(Bodies {
            eye: 0.0,
            head: 0.0
        }),
        Just(Bodies {
            eye: 2.5,
            head: 1.0
        }),
        Just(Bodies {
            eye: 1.0,
            head: 2.0
        }),
    ]
}

/// Calls `check` with every pair of samples and whether the kernel says the first sees the
/// second.
pub fn all_pairs(
    terrain: &Terrain,
    field: &HeightField,
    level: fearless_simd::Level,
    check: impl FnMut((u32, u32), (u32, u32), bool),
) {
    all_pairs_of(terrain, Rays::new(terrain, field, level), check);
}

pub fn all_pairs_of(
    terrain: &Terrain,
    mut rays: Rays<'_>,
    mut check: impl FnMut((u32, u32), (u32, u32), bool),
) {
    let (width, height) = (terrain.width(), terrain.height());
    for row in (0..height).step_by(SIDE as usize) {
        for column in (0..width).step_by(SIDE as usize) {
            let viewsheds = Viewsheds::new(&mut rays, width, column, row);
            for r in row..height.min(row + SIDE) {
                for c in column..width.min(column + SIDE) {
                    for to in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                        check((c, r), to, viewsheds.sees((c, r), to));
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_kernel_equals_the_definition_on_every_pair(
        terrain in terrain(),
        bodies in bodies(),
        level in 0..levels().len(),
    ) {
        let field = HeightField::new(&terrain, bodies, Stance::Sample);
        let mut wrong = None;
        all_pairs(&terrain, &field, levels()[level], |from, to, seen| {
            if seen != sees(&terrain, bodies, from, to) {
                wrong.get_or_insert((from, to, seen));
            }
        });
        prop_assert_eq!(wrong, None);
    }

    #[test]
    fn cells_see_whatever_their_samples_see(
        terrain in terrain(),
        bodies in bodies(),
        level in 0..levels().len(),
    ) {
        let field = HeightField::new(&terrain, bodies, Stance::Cell);
        let mut wrong = None;
        all_pairs(&terrain, &field, levels()[level], |from, to, seen| {
            if !seen && sees(&terrain, bodies, from, to) {
                wrong.get_or_insert((from, to));
            }
        });
        prop_assert_eq!(wrong, None);
    }

    #[test]
    fn no_search_finds_a_line_of_sight_between_hidden_cells(
        terrain in terrain(),
        bodies in bodies(),
        level in 0..levels().len(),
        metres in prop_oneof![Just(f64::INFINITY), 0.1f64..60.0],
    ) {
        let field = HeightField::new(&terrain, bodies, Stance::Cell).with_max_distance(metres);
        let mut wrong = None;
        let mut dice = super::Dice(u64::from(terrain.width()));
        all_pairs(&terrain, &field, levels()[level], |from, to, seen| {
            // Some of them: a search takes long.
            if !seen && dice.roll(16) == 0 && find_sight(&terrain, bodies, metres, from, to, 20, 1) {
                wrong.get_or_insert((from, to));
            }
        });
        prop_assert_eq!(wrong, None);
    }

    #[test]
    fn cells_do_not_depend_on_what_was_asked_before(terrain in terrain()) {
        let field = HeightField::new(&terrain, BODIES, Stance::Cell);
        let level = *levels().last().unwrap();
        let mut used = Rays::new(&terrain, &field, level);
        let (width, height) = (terrain.width(), terrain.height());
        for row in (0..height).step_by(SIDE as usize).rev() {
            for column in (0..width).step_by(SIDE as usize).rev() {
                let again = Viewsheds::new(&mut used, width, column, row);
                let mut fresh = Rays::new(&terrain, &field, level);
                let first = Viewsheds::new(&mut fresh, width, column, row);
                prop_assert!(again.all() == first.all(), "from {}, {}", column, row);
            }
        }
    }

    #[test]
    fn what_is_said_of_a_pair_of_blocks_is_what_its_rows_and_the_terrain_say(
        terrain in terrain(),
        stance in prop_oneof![Just(Stance::Sample), Just(Stance::Cell)],
        once in prop_oneof![Just(None), Just(Some(comes_before as Order))],
    ) {
        let field = HeightField::new(&terrain, BODIES, stance);
        let mut rays = Rays::new(&terrain, &field, *levels().last().unwrap());
        if let Some(order) = once {
            rays = rays.deciding_once(order);
        }
        let grid = rays.grid();
        let mut valid = vec![0u64; grid.blocks()];
        for (sample, height) in grid.row_by_row().zip(terrain.heights()) {
            let (word, bit) = grid.block_bit(sample);
            valid[word] |= u64::from(!height.is_nan()) << bit;
        }
        let (across, _) = grid.block_shape();
        let (columns, rows) = grid.quads_at(LOOK_LEVEL);
        let mut sights = Sights::new(grid);
        for quad in (0..rows).flat_map(|r| (0..columns).map(move |c| Quad::new(LOOK_LEVEL, c, r))) {
            rays.look(quad, &mut sights);
            let mut seen = [vec![], vec![], vec![], vec![]];
            for (block, target) in (0..4).flat_map(|b| (0..grid.blocks()).map(move |t| (b, t))) {
                let (c, r) = (quad.column * 2 + block as u32 % 2, quad.row * 2 + block as u32 / 2);
                let own = if grid.has_quad(Quad::new(3, c, r)) {
                    valid[(r * across + c) as usize]
                } else {
                    0
                };
                let rows = sights.rows(block, target).copied().unwrap_or([0; 64]);
                let full: [u64; 64] =
                    std::array::from_fn(|v| if own >> v & 1 == 1 { valid[target] } else { 0 });
                let expected = if own == 0 || valid[target] == 0 {
                    BlockSight::Void
                } else if rows == [0; 64] {
                    BlockSight::Hidden
                } else if rows == full {
                    BlockSight::Visible
                } else {
                    BlockSight::Mixed(&rows)
                };
                prop_assert_eq!(sights.sight(block, target), expected);
                if rows != [0; 64] {
                    seen[block].push(target);
                }
            }
            for (block, seen) in seen.iter().enumerate() {
                let told: Vec<usize> = sights.seen(block).map(|(target, _)| target).collect();
                prop_assert_eq!(&told, seen);
            }
        }
    }

    #[test]
    fn deciding_once_says_the_same_of_each_pair_and_says_it_once(
        terrain in terrain(),
        stance in prop_oneof![Just(Stance::Sample), Just(Stance::Cell)],
        order in prop_oneof![Just(comes_before as Order), Just(row_by_row as Order)],
    ) {
        let field = HeightField::new(&terrain, BODIES, stance);
        let level = *levels().last().unwrap();
        let mut seen = std::collections::HashSet::new();
        all_pairs(&terrain, &field, level, |from, to, sees| {
            if sees {
                seen.insert((from, to));
            }
        });
        let block = |(column, row): (u32, u32)| (column / 8, row / 8);
        let mut wrong = None;
        let once = Rays::new(&terrain, &field, level).deciding_once(order);
        all_pairs_of(&terrain, once, |from, to, sees| {
            let (a, b) = (block(from), block(to));
            let there = seen.contains(&(from, to));
            let expected = if a == b {
                there && seen.contains(&(to, from))
            } else {
                there && !order(b, a)
            };
            if sees != expected {
                wrong.get_or_insert((from, to, sees));
            }
        });
        prop_assert_eq!(wrong, None);
    }

    #[test]
    fn nobody_sees_beyond_the_greatest_distance(terrain in terrain(), metres in 0.1f64..60.0) {
        let near = HeightField::new(&terrain, BODIES, Stance::Sample).with_max_distance(metres);
        let mut wrong = None;
        all_pairs(&terrain, &near, levels()[0], |from, to, seen| {
            let x = f64::from(from.0.abs_diff(to.0)) * 1.0;
            let y = f64::from(from.1.abs_diff(to.1)) * 2.0;
            let within = x * x + y * y <= metres * metres;
            if seen != (within && sees(&terrain, BODIES, from, to)) {
                wrong.get_or_insert((from, to, seen));
            }
        });
        prop_assert_eq!(wrong, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn cells_are_the_same_at_every_level_of_simd(terrain in terrain()) {
        let field = HeightField::new(&terrain, BODIES, Stance::Cell);
        let mut answers = levels().into_iter().map(|level| {
            let mut bits = Vec::new();
            all_pairs(&terrain, &field, level, |_, _, seen| bits.push(seen));
            bits
        });
        let first = answers.next().unwrap();
        for (k, other) in answers.enumerate() {
            prop_assert!(first == other, "level {} differs from the lowest", k + 1);
        }
    }
}

#[test]
fn no_search_goes_beyond_the_greatest_distance() {
    let plain = Terrain::new(9, 3, vec![0.0; 27], [10.0, 10.0]).unwrap();
    let found = |metres, to| find_sight(&plain, BODIES, metres, (0, 1), (to, 1), 1000, 1);
    assert!(found(40.0, 4) && found(f64::INFINITY, 8));
    // Samples five apart are 50 m apart; the edges of their squares 40 m.
    assert!(found(40.1, 5) && !found(39.9, 5));
}

#[test]
fn a_lone_sample_sees_itself() {
    let terrain = Terrain::new(1, 1, vec![7.0], [1.0, 1.0]).unwrap();
    for stance in [Stance::Sample, Stance::Cell] {
        let field = HeightField::new(&terrain, BODIES, stance);
        all_pairs(&terrain, &field, levels()[0], |_, _, seen| assert!(seen));
    }
}

#[test]
fn a_wall_of_ten_kilometres_hides_what_is_behind_it() {
    let heights = (0..33 * 33)
        .map(|i| if i % 33 == 16 { 10_000.0 } else { 0.0 })
        .collect();
    let terrain = Terrain::new(33, 33, heights, [1.0, 1.0]).unwrap();
    let field = HeightField::new(&terrain, BODIES, Stance::Sample);
    all_pairs(&terrain, &field, levels()[0], |from, to, seen| {
        if (from.0 < 16) != (to.0 < 16) && from.0 != 16 && to.0 != 16 {
            assert!(!seen, "{from:?} {to:?}");
        }
        assert_eq!(seen, sees(&terrain, BODIES, from, to), "{from:?} {to:?}");
    });
}

#[test]
fn a_touch_does_not_block() {
    // Eye, ridge and head in one line: the ridge touches.
    let heights = vec![0.0, 1.8, 3.6 - 1.8 + 1.8, 3.6, 3.6];
    let terrain = Terrain::new(5, 1, heights, [1.0, 1.0]).unwrap();
    let flat = Bodies {
        eye: 0.0,
        head: 0.0,
    };
    assert!(sees(&terrain, flat, (0, 0), (2, 0)));
    let field = HeightField::new(&terrain, flat, Stance::Sample);
    all_pairs(&terrain, &field, levels()[0], |from, to, seen| {
        assert_eq!(seen, sees(&terrain, flat, from, to), "{from:?} {to:?}");
    });
}
