//! The slow twin: section 3.5 of the thesis over a plain matrix, sample by sample.

use crate::common::{MUTUAL, Matrix, ONE_WAY, bake, options, ridges};
use proptest::prelude::*;
use std::collections::HashSet;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Grid, Quad, Sample};
use viewcell_ingest::world::Terrain;

type Set = HashSet<Sample>;

/// Most pairs of blocks that are read for a small quad.
const PAIRS: u32 = 512;
const AROUND: [(i64, i64); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

struct Twin<'a> {
    matrix: &'a Matrix,
    world: &'a Terrain,
    grid: Grid,
    mutual: bool,
    options: FrontierOptions,
    start: [Sample; 2],
    members: [Set; 2],
    seen: [Set; 2],
    queue: [Vec<Quad>; 2],
    met: [HashSet<Quad>; 2],
}

#[derive(PartialEq)]
enum State {
    Hidden,
    Visible,
    Unknown,
}

impl Twin<'_> {
    fn is_terrain(&self, s: Sample) -> bool {
        self.grid.has_sample(s) && !self.world.at(s.column, s.row).is_nan()
    }

    /// The terrain of a quad.
    fn inside(&self, quad: Quad) -> Vec<Sample> {
        let within =
            |s: &Sample| s.column >> quad.level == quad.column && s.row >> quad.level == quad.row;
        self.matrix
            .samples()
            .filter(within)
            .filter(|s| self.is_terrain(*s))
            .collect()
    }

    fn pvs(&self, quad: Quad) -> Set {
        let from = self.inside(quad);
        let seen = |b: &Sample| from.iter().any(|&a| self.matrix.sees(a, *b));
        self.matrix.samples().filter(seen).collect()
    }

    fn state(&self, set: &Set, quad: Quad) -> Option<State> {
        let inside = self.inside(quad);
        let count = inside.iter().filter(|s| set.contains(s)).count();
        match count {
            _ if inside.is_empty() => None,
            0 => Some(State::Hidden),
            n if n == inside.len() => Some(State::Visible),
            _ => Some(State::Unknown),
        }
    }

    fn invisible(&self, a: Quad, b: Quad) -> bool {
        let sees = |a, b| {
            let pvs = self.pvs(a);
            self.inside(b).iter().any(|s| pvs.contains(s))
        };
        !sees(a, b) && (self.mutual || !sees(b, a))
    }

    /// With how many blocks the block of a small quad shares sight of some samples, but not of
    /// all; and the terrain of all blocks of which it sees something.
    fn blocks_seen(&self, quad: Quad) -> (u32, Set) {
        let up = 3 - quad.level.min(3);
        let from = self.inside(Quad::new(3, quad.column >> up, quad.row >> up));
        let (columns, rows) = self.grid.block_shape();
        let (mut mixed, mut seen) = (0, Set::new());
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
            let to = self.inside(Quad::new(3, column, row));
            let pairs = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b)));
            let all = from.len() * to.len();
            match pairs.filter(|&(a, b)| self.matrix.sees(a, b)).count() {
                0 => {}
                n => {
                    mixed += u32::from(n < all);
                    seen.extend(to);
                }
            }
        }
        (mixed, seen)
    }

    fn take(&mut self, i: usize, quad: Quad) -> bool {
        let pvs = self.pvs(quad);
        if !self.mutual && pvs.iter().any(|s| self.members[1 - i].contains(s)) {
            return false;
        }
        // Put together from pairs of blocks.
        let is_long = quad.level < 4 && self.blocks_seen(quad).0 > PAIRS;
        let seen = if is_long {
            self.blocks_seen(quad).1
        } else {
            pvs
        };
        self.seen[i].extend(seen);
        let inside = self.inside(quad);
        self.members[i].extend(inside);
        for (dx, dy) in AROUND {
            let (c, r) = (i64::from(quad.column) + dx, i64::from(quad.row) + dy);
            if c >= 0 && r >= 0 {
                self.put(i, Quad::new(quad.level, c as u32, r as u32));
            }
        }
        true
    }

    fn put(&mut self, i: usize, quad: Quad) {
        if self.grid.has_quad(quad) && self.met[i].insert(quad) {
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

    fn near(&self, i: usize, quad: Quad) -> bool {
        let own = |c: i64, r: i64| {
            c >= 0 && r >= 0 && self.members[i].contains(&Sample::new(c as u32, r as u32))
        };
        let (x, y) = (
            i64::from(quad.origin().column),
            i64::from(quad.origin().row),
        );
        let side = 1 << quad.level;
        let mut touches = false;
        for at in 0..side {
            touches |= own(x + at, y - 1) || own(x + at, y + side);
            touches |= own(x - 1, y + at) || own(x + side, y + at);
        }
        for (dx, dy) in [(-1, -1), (side, -1), (-1, side), (side, side)] {
            touches |= own(x + dx, y + dy);
        }
        touches
    }

    /// Returns what it counts for.
    fn consider(&mut self, i: usize, quad: Quad) -> u32 {
        let finest = self.grid.root_level().saturating_sub(5).min(4);
        if self.state(&self.members[i], quad) == Some(State::Visible) {
            return 1;
        }
        let before = self.members[i].len();
        let descend = match self.state(&self.seen[1 - i], quad) {
            None | Some(State::Visible) => false,
            Some(State::Hidden) => !self.take(i, quad),
            Some(State::Unknown) => true,
        };
        if descend && quad.level > finest {
            for child in (0..4).filter_map(|child| quad.child(child)) {
                if self.near(i, child) {
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
        if self.matrix.sees(a, b) || self.matrix.sees(b, a) {
            return;
        }
        let (mut qa, mut qb) = (a.quad(), b.quad());
        let root = self.grid.root_level();
        let (mut up_a, mut up_b) = (true, true);
        while up_a || up_b {
            up_a = up_a && qa.level < root && self.invisible(qa.parent(), qb);
            if up_a {
                qa = qa.parent();
            }
            up_b = up_b && qb.level < root && self.invisible(qa, qb.parent());
            if up_b {
                qb = qb.parent();
            }
        }
        self.take(0, qa);
        self.take(1, qb);
        let (mut turn, mut spent) = (0, 0);
        while spent < self.options.limit.unwrap_or(u32::MAX) {
            let Some(quad) = self.next(turn) else { break };
            spent += self.consider(turn, quad);
            turn = 1 - turn;
        }
        if self.mutual {
            let i = usize::from(self.members[1].len() < self.members[0].len());
            loop {
                let joins: Vec<Sample> = self
                    .matrix
                    .samples()
                    .filter(|&s| self.is_terrain(s))
                    .filter(|s| !self.members[i].contains(s) && !self.seen[1 - i].contains(s))
                    .filter(|s| self.near(i, s.quad()))
                    .collect();
                if joins.is_empty() {
                    break;
                }
                self.members[i].extend(joins);
            }
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
                matrix: &matrix,
                world: &world,
                grid: terrain.grid(),
                mutual: !one_way,
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
