//! The slow twin: section 3.5 of the thesis over a plain matrix, sample by sample.

use std::collections::HashSet;

use proptest::prelude::*;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Quad, Sample};

use crate::common::{MUTUAL, Matrix, ONE_WAY, bake, options, ridges};
use crate::slow::{AROUND, Set, Slow, State};

/// Where terrains are so small, no PVS is joined by whole blocks: src/papers/tests/growth.rs holds that to a twin of its own.
struct Twin<'a> {
    slow: Slow<'a>,
    options: FrontierOptions,
    start: [Sample; 2],
    members: [Set; 2],
    seen: [Set; 2],
    queue: [Vec<Quad>; 2],
    met: [HashSet<Quad>; 2],
}

impl Twin<'_> {
    fn take(&mut self, i: usize, quad: Quad) -> bool {
        let pvs = self.slow.pvs(quad);
        if !self.slow.mutual && pvs.iter().any(|s| self.members[1 - i].contains(s)) {
            return false;
        }
        self.seen[i].extend(pvs);
        self.members[i].extend(self.slow.inside(quad));
        for next in self.slow.beside(quad, &AROUND) {
            self.put(i, next);
        }
        true
    }

    fn put(&mut self, i: usize, quad: Quad) {
        if self.slow.grid.has_quad(quad) && self.met[i].insert(quad) {
            self.queue[i].push(quad);
        }
    }

    /// The first of the largest.
    fn next(&mut self, i: usize) -> Option<Quad> {
        let largest = self.queue[i].iter().map(|quad| quad.level).max()?;
        let at = self.queue[i]
            .iter()
            .position(|quad| quad.level == largest)?;
        Some(self.queue[i].remove(at))
    }

    /// Returns what it counts for.
    fn consider(&mut self, i: usize, quad: Quad) -> u32 {
        let finest = self.slow.grid.root_level().saturating_sub(5).min(4);
        if self.slow.state(&self.members[i], quad) == Some(State::Visible) {
            return 1;
        }
        let before = self.members[i].len();
        let descend = match self.slow.state(&self.seen[1 - i], quad) {
            None | Some(State::Visible) => false,
            Some(State::Hidden) => !self.take(i, quad),
            Some(State::Unknown) => true,
        };
        if descend && quad.level > finest {
            for child in (0..4).filter_map(|child| quad.child(child)) {
                if self.slow.near(&self.members[i], child, true) {
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
        let quads = self.slow.maximal([a.quad(), b.quad()]);
        self.take(0, quads[0]);
        self.take(1, quads[1]);
        let (mut turn, mut spent) = (0, 0);
        while spent < self.options.limit.unwrap_or(u32::MAX) {
            let Some(quad) = self.next(turn) else { break };
            spent += self.consider(turn, quad);
            turn = 1 - turn;
        }
        if self.slow.mutual {
            let i = usize::from(self.members[1].len() < self.members[0].len());
            self.slow
                .flood(&mut self.members[i], &self.seen[1 - i], true);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_builder_grows_what_the_slow_twin_grows(
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
        let mut builder = FrontierBuilder::new(&terrain);
        for (options, a, b) in all {
            let place = |(x, y): (u32, u32)| Sample::new(x % width, y % height);
            let start = [place(a), place(b)];
            if builder.build(start[0], start[1], &options).is_err() {
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
                let found: Set = builder.region(side).samples().collect();
                prop_assert_eq!(&found, expected, "{:?} {:?} {:?}", side, options, start);
            }
        }
    }

    #[test]
    fn step_1_ends_at_quads_that_are_maximal(
        seed in any::<u64>(),
        a in (0u32..24, 0u32..18),
        b in (0u32..24, 0u32..18),
    ) {
        let world = ridges(24, 18, seed, false);
        let baked = bake(&world, MUTUAL);
        let terrain = baked.map.terrain().unwrap();
        let mut builder = FrontierBuilder::new(&terrain);
        let (a, b) = (Sample::new(a.0, a.1), Sample::new(b.0, b.1));
        builder.begin(a, b, &FrontierOptions::default()).unwrap();
        let quad = |side: Side, start: Sample| {
            let members: Vec<Sample> = builder.region(side).samples().collect();
            (0..=terrain.grid().root_level())
                .map(|level| Quad::new(level, start.column >> level, start.row >> level))
                // At the edge of the grid a quad and its parent may hold the same.
                .rfind(|quad| {
                    let valid = terrain.valid();
                    valid.count(*quad) == members.len() as u64
                        && members.iter().all(|s| {
                            s.column >> quad.level == quad.column && s.row >> quad.level == quad.row
                        })
                })
        };
        if builder.region(Side::A).is_empty() {
            prop_assert!(terrain.visible(a, b));
        } else {
            use viewcell::query::Answer::Hidden;
            let (of_a, of_b) = (quad(Side::A, a).unwrap(), quad(Side::B, b).unwrap());
            prop_assert_eq!(terrain.visible_quads(of_a, of_b), Hidden);
            prop_assert!(terrain.visible_quads(of_a.parent(), of_b) != Hidden);
            prop_assert!(terrain.visible_quads(of_a, of_b.parent()) != Hidden);
        }
    }
}
