//! Frontier sets by every option against a slow twin, section 3.5 of the thesis over a plain matrix, sample by sample; and
//! by default against the product.

#[allow(dead_code, unreachable_pub)]
#[path = "../../../tests/common/baking.rs"]
mod baking;
#[allow(dead_code, unreachable_pub)]
#[path = "../../../tests/frontier/common.rs"]
mod common;
#[allow(dead_code, unreachable_pub)]
#[path = "../../../tests/common/data.rs"]
mod data;
#[allow(unreachable_pub)]
#[path = "../../../tests/frontier/slow.rs"]
mod slow;

use std::collections::HashSet;

use proptest::prelude::*;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Quad, Sample};
use viewcell_papers::growth::{Grow, Growth, GrowthOptions, Merge, Neighbours, Order, Turns, has};

use common::{Dice, MUTUAL, Matrix, ONE_WAY, bake, real, ridges};
use slow::{AROUND, Set, Slow, State};

struct Twin<'a> {
    slow: Slow<'a>,
    options: GrowthOptions,
    start: [Sample; 2],
    members: [Set; 2],
    seen: [Set; 2],
    queue: [Vec<(u64, Quad)>; 2],
    met: [HashSet<Quad>; 2],
}

impl Twin<'_> {
    fn merge_lossy(&self, m: &mut Set, p: &Set, quad: Quad) {
        let (Some(a), Some(b)) = (self.slow.state(m, quad), self.slow.state(p, quad)) else {
            return;
        };
        if a == State::Unknown && b == State::Unknown {
            for child in (0..4).filter_map(|i| quad.child(i)) {
                self.merge_lossy(m, p, child);
            }
        } else if a != State::Hidden || b != State::Hidden {
            m.extend(self.slow.inside(quad));
        }
    }

    /// With how many blocks the block of a small quad shares sight of some samples, but not of
    /// all; and the terrain of all blocks of which it sees something.
    fn blocks_seen(&self, quad: Quad) -> (u32, Set) {
        let up = 3 - quad.level.min(3);
        let from = self
            .slow
            .inside(Quad::new(3, quad.column >> up, quad.row >> up));
        let (columns, rows) = self.slow.grid.block_shape();
        let (mut mixed, mut seen) = (0, Set::new());
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
            let to = self.slow.inside(Quad::new(3, column, row));
            let pairs = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b)));
            let all = from.len() * to.len();
            match pairs.filter(|&(a, b)| self.slow.matrix.sees(a, b)).count() {
                0 => {}
                n => {
                    mixed += u32::from(n < all);
                    seen.extend(to);
                }
            }
        }
        (mixed, seen)
    }

    fn take(&mut self, i: usize, quad: Quad, merge: bool, go_on: bool) -> bool {
        let pvs = self.slow.pvs(quad);
        if !self.slow.mutual && pvs.iter().any(|s| self.members[1 - i].contains(s)) {
            return false;
        }
        if merge {
            match self.options.merge {
                Merge::Lossy if !self.members[i].is_empty() => {
                    let mut seen = std::mem::take(&mut self.seen[i]);
                    self.merge_lossy(&mut seen, &pvs, self.slow.grid.root());
                    self.seen[i] = seen;
                }
                Merge::Blocks(most) if quad.level < 4 => {
                    let (mixed, blocks) = self.blocks_seen(quad);
                    let too_many = mixed as usize > most;
                    self.seen[i].extend(if too_many { blocks } else { pvs });
                }
                _ => self.seen[i].extend(pvs),
            }
        }
        self.members[i].extend(self.slow.inside(quad));
        if go_on {
            let corners = self.options.neighbours == Neighbours::Eight;
            let is_next = |(dx, dy): &(i64, i64)| corners || dx * dy == 0;
            let steps: Vec<_> = AROUND.into_iter().filter(is_next).collect();
            for next in self.slow.beside(quad, &steps) {
                self.put(i, next);
            }
        }
        true
    }

    fn put(&mut self, i: usize, quad: Quad) {
        if self.slow.grid.has_quad(quad) && self.met[i].insert(quad) {
            let key = self.key(i, quad);
            self.queue[i].push((key, quad));
        }
    }

    fn key(&self, i: usize, quad: Quad) -> u64 {
        match self.options.order {
            Order::Fifo => 0,
            Order::Coarse => 100 - u64::from(quad.level),
            Order::Ground => {
                let last = (1 << quad.level) - 1;
                let o = quad.origin();
                let start = self.slow.world.at(self.start[i].column, self.start[i].row) as f32;
                let highest = [
                    (0, 0),
                    (last, 0),
                    (0, last),
                    (last, last),
                    (last / 2, last / 2),
                ]
                .map(|(dx, dy)| {
                    let c = (o.column + dx).min(self.slow.matrix.width - 1);
                    let r = (o.row + dy).min(self.slow.matrix.height - 1);
                    self.slow.world.at(c, r) as f32
                })
                .into_iter()
                .filter(|height| !height.is_nan())
                .max_by(f32::total_cmp);
                // Millimetres: exact in tests, where heights are whole metres.
                highest.map_or(u64::MAX, |h| ((h - start).abs() * 1000.0) as u64)
            }
            Order::Gain => {
                if self.slow.state(&self.seen[1 - i], quad) != Some(State::Hidden) {
                    return u64::MAX - u64::from(quad.level);
                }
                let new = self.slow.pvs(quad).difference(&self.seen[i]).count() as u64;
                (new << 16) / self.slow.inside(quad).len() as u64
            }
            Order::Toward(a, b) => {
                let goal = [a, b][i].unwrap_or(self.start[i]);
                let half = |at: u32| (2.0 * f64::from(at) + 1.0) * f64::from(1 << quad.level) - 1.0;
                let dx = half(quad.column) - 2.0 * f64::from(goal.column);
                let dy = half(quad.row) - 2.0 * f64::from(goal.row);
                (dx * dx + dy * dy) as u64
            }
        }
    }

    fn next(&mut self, i: usize) -> Option<Quad> {
        let least = self.queue[i].iter().map(|(key, _)| *key).min()?;
        let at = self.queue[i].iter().position(|(key, _)| *key == least)?;
        Some(self.queue[i].remove(at).1)
    }

    /// Returns what it counts for.
    fn consider(&mut self, i: usize, quad: Quad, merge: bool) -> u32 {
        let by_size = self.slow.grid.root_level().saturating_sub(5).min(4);
        let finest = self.options.finest.unwrap_or(by_size);
        if self.slow.state(&self.members[i], quad) == Some(State::Visible) {
            return 1;
        }
        let before = self.members[i].len();
        let corners = self.options.neighbours == Neighbours::Eight;
        let descend = match self.slow.state(&self.seen[1 - i], quad) {
            None | Some(State::Visible) => false,
            Some(State::Hidden) => !self.take(i, quad, merge, true),
            Some(State::Unknown) => true,
        };
        if descend && quad.level > finest {
            for child in (0..4).filter_map(|child| quad.child(child)) {
                if self.slow.near(&self.members[i], child, corners) {
                    self.put(i, child);
                }
            }
        }
        if self.members[i].len() > before && quad.level < finest {
            64
        } else {
            1
        }
    }

    fn run(&mut self) {
        let [a, b] = self.start;
        if self.slow.matrix.sees(a, b) || self.slow.matrix.sees(b, a) {
            return;
        }
        let mut quads = [a.quad(), b.quad()];
        if self.options.grow == Grow::Hierarchical {
            quads = self.slow.maximal(quads);
        }
        let [qa, qb] = quads;
        let points = self.options.grow == Grow::Hierarchical && qa.level + qb.level == 0;
        let grows = !(points && self.options.give_up);
        self.take(0, qa, true, grows);
        self.take(1, qb, true, grows);
        let mut extended = None;
        if grows {
            let (mut turn, mut spent) = (0, 0);
            while spent < self.options.limit.unwrap_or(u32::MAX) {
                let i = match self.options.turns {
                    Turns::Alternate => turn,
                    Turns::Balance => usize::from(self.members[1].len() < self.members[0].len()),
                };
                turn = 1 - i;
                match self.next(i) {
                    Some(quad) => spent += self.consider(i, quad, true),
                    None => {
                        if self.options.extend {
                            extended = Some(1 - i);
                        }
                        break;
                    }
                }
            }
        }
        // An empty queue is only noticed by another turn, if the limit leaves one.
        if let Some(i) = extended {
            while let Some(quad) = self.next(i) {
                self.consider(i, quad, false);
            }
        }
        if self.options.tighten && self.slow.mutual {
            let smaller = usize::from(self.members[1].len() < self.members[0].len());
            let i = extended.unwrap_or(smaller);
            let corners = self.options.neighbours == Neighbours::Eight;
            self.slow
                .flood(&mut self.members[i], &self.seen[1 - i], corners);
        }
    }
}

/// Every kind of options in turn: the product of all choices, and budgets.
fn all_options() -> Vec<GrowthOptions> {
    let goal = Some(Sample::new(3, 2));
    let mut all = vec![GrowthOptions::default()];
    for grow in [Grow::Hierarchical, Grow::Simple] {
        for merge in [Merge::Lossless, Merge::Lossy, Merge::Blocks(0)] {
            for order in [
                Order::Fifo,
                Order::Coarse,
                Order::Ground,
                Order::Gain,
                Order::Toward(goal, None),
            ] {
                for (i, turns) in [Turns::Alternate, Turns::Balance].into_iter().enumerate() {
                    for end in 0..4 {
                        let n = all.len();
                        let merge = match merge {
                            // Up to the number of blocks of small terrains.
                            Merge::Blocks(_) => Merge::Blocks(n % 7),
                            merge => merge,
                        };
                        all.push(GrowthOptions {
                            grow,
                            merge,
                            neighbours: [Neighbours::Four, Neighbours::Eight][(i + end) % 2],
                            order,
                            turns,
                            finest: [None, Some(0), Some(1), Some(2)][n % 4],
                            give_up: n.is_multiple_of(5),
                            extend: end & 1 == 1,
                            tighten: end & 2 == 2,
                            limit: [None, Some(n as u32 % 7), Some(20)][n % 3],
                        });
                    }
                }
            }
        }
    }
    all
}

fn options() -> impl Strategy<Value = GrowthOptions> {
    (0..all_options().len()).prop_map(|i| all_options()[i])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sets_are_those_of_the_slow_twin_and_never_leak(
        width in 5u32..20,
        height in 5u32..20,
        seed in any::<u64>(),
        voids in any::<bool>(),
        one_way in any::<bool>(),
        all in prop::collection::vec((options(), any::<(u32, u32)>(), any::<(u32, u32)>()), 12),
    ) {
        let world = ridges(width, height, seed, voids);
        let bodies = if one_way { ONE_WAY } else { MUTUAL };
        let baked = bake(&world, bodies);
        let terrain = baked.map.terrain().unwrap();
        let matrix = Matrix::new(&world, bodies);
        let mut growth = Growth::new(&terrain);
        for (options, a, b) in all {
            let place = |(x, y): (u32, u32)| Sample::new(x % width, y % height);
            let start = [place(a), place(b)];
            if growth.build(start[0], start[1], &options).is_err() {
                continue;
            }
            let mut twin = Twin {
                slow: Slow { matrix: &matrix, world: &world, grid: terrain.grid(), mutual: !one_way },
                options,
                start,
                members: Default::default(),
                seen: Default::default(),
                queue: Default::default(),
                met: Default::default(),
            };
            twin.run();
            for (side, expected) in Side::BOTH.into_iter().zip(&twin.members) {
                let is_in = |sample: &Sample| has(terrain.grid(), growth.words(side), *sample);
                let found: Set = matrix.samples().filter(is_in).collect();
                prop_assert_eq!(&found, expected, "{:?} {:?} {:?}", side, options, start);
                prop_assert_eq!(growth.area(side), expected.len() as u64);
            }
            let leak = |&a: &Sample| twin.members[1].iter().any(|&b| matrix.sees(a, b) || matrix.sees(b, a));
            prop_assert!(!twin.members[0].iter().any(leak));
        }
    }
}

/// Also where small quads' PVSs are joined by whole blocks, of which small terrains have too few.
#[test]
fn by_default_and_by_margins_sets_are_those_of_the_product() {
    let Some((_, baked)) = real("bilbao_dsm_500.tif", 1.0, Some([150, 150, 260, 250])) else {
        return;
    };
    let terrain = baked.map.terrain().unwrap();
    let (mut growth, mut builder) = (Growth::new(&terrain), FrontierBuilder::new(&terrain));
    let (mut dice, mut sets, mut by_blocks) = (Dice(5), 0, 0);
    for turn in 0..300 {
        let limit = [Some(64), Some(7), None][turn % 3];
        let mut place = || Sample::new(dice.roll(260), dice.roll(250));
        let (a, b) = (place(), place());
        let options = GrowthOptions {
            limit,
            ..GrowthOptions::default()
        };
        let built = builder.build(a, b, &FrontierOptions { limit });
        assert_eq!(growth.build(a, b, &options), built);
        if built.is_err() {
            continue;
        }
        assert_eq!(growth.work(), builder.work(), "{a:?} {b:?}");
        let margin = turn as u32 % 4;
        for side in Side::BOTH {
            let (words, core) = (growth.core(side, margin), builder.core(side, margin));
            let grid = terrain.grid();
            let differs = |sample: &Sample| has(grid, &words, *sample) != core.contains(*sample);
            assert_eq!(grid.row_by_row().find(differs), None, "{a:?} {b:?}");
        }
        sets += usize::from(growth.area(Side::A) > 0);
        let halves = Side::BOTH.map(|side| growth.area(side));
        let merge = Merge::Lossless;
        growth
            .build(a, b, &GrowthOptions { merge, ..options })
            .unwrap();
        by_blocks += usize::from(Side::BOTH.map(|side| growth.area(side)) != halves);
    }
    assert!(
        sets > 100 && by_blocks > 0,
        "{sets} sets, {by_blocks} by blocks"
    );
}
