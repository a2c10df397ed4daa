//! A search for lines of sight: what flow calls hidden must not have one.

use super::passages::Passages;
use super::winding::{Point, between, cross, dot, minus, plus};
use viewcell::dice::Dice;
use viewcell_ingest::world::CellGraph;

/// Lines of sight through the portals of a level, by trial: the judge of [`flow`](super::flow()).
///
/// A line that is found is a proof. That none is found proves nothing.
pub struct Sightlines {
    passages: Passages,
    clearance: f64,
    dice: Dice,
}

impl Sightlines {
    /// Lines that pass every edge of every portal at this distance at least, in space. Above
    /// [`ON_PLANE`](super::ON_PLANE), flow must find each. The same seed gives the same lines.
    pub fn new(graph: &CellGraph, clearance: f64, seed: u64) -> Self {
        Self {
            passages: Passages::new(graph),
            clearance,
            dice: Dice(seed),
        }
    }

    /// Casts a line through two random points of two portals, one near the other in the level
    /// or any, and gives the cells that it leads through, in order; empty if the two points
    /// have no line of sight between them.
    pub fn cast(&mut self) -> Vec<u32> {
        let count = self.passages.len();
        if count == 0 {
            return Vec::new();
        }
        let source = self.roll(count);
        // A few steps at random lead to a portal that is likely to be seen.
        let mut target = source;
        for _ in 0..=self.dice.roll(12) {
            let exits = self.passages.out_of(self.passages.to[target]);
            target = exits.start + self.roll(exits.len());
        }
        let (from, to) = (self.point(source), self.point(target));
        self.follow(source, from, to, None)
    }

    /// Looks for a line of sight from one cell to another; gives the points where it leaves the
    /// one and enters the other.
    pub fn between(&mut self, a: u32, b: u32, tries: usize) -> Option<[Point; 2]> {
        let out = self.passages.out_of(a);
        let into: Vec<usize> = self
            .passages
            .out_of(b)
            .map(|passage| self.passages.reverse[passage] as usize)
            .collect();
        if out.is_empty() || into.is_empty() {
            return None;
        }
        for _ in 0..tries {
            let source = out.start + self.roll(out.len());
            let target = into[self.roll(into.len())];
            if source != target && !self.passages.may_follow(source, target, 0.0) {
                continue;
            }
            let (from, to) = (self.point(source), self.point(target));
            if self.follow(source, from, to, Some(b)).contains(&b) {
                return Some([from, to]);
            }
        }
        None
    }

    /// The cells that the line from a point of `source` through another point leads through, the
    /// cell that `source` leads out of first. It ends at a wall, or in the cell that is looked for.
    fn follow(&self, source: usize, from: Point, to: Point, goal: Option<u32>) -> Vec<u32> {
        let direction = minus(to, from);
        let passages = &self.passages;
        if !self.leads_through(source, from, direction) {
            return Vec::new();
        }
        let start = passages.to[passages.reverse[source] as usize];
        let mut cells = vec![start, passages.to[source]];
        let mut at = 0.0;
        while goal != cells.last().copied() {
            let cell = cells[cells.len() - 1];
            // The nearest portal ahead: a line leaves a convex cell through one.
            let exit = passages
                .out_of(cell)
                .filter_map(|exit| {
                    let plane = &passages.plane[exit];
                    let speed = dot(plane.normal, direction);
                    let t = -plane.height(from) / speed;
                    let point = plus(from, direction.map(|x| x * t));
                    (t > at && self.leads_through(exit, point, direction)).then_some((t, exit))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((t, exit)) = exit else { break };
            at = t;
            cells.push(passages.to[exit]);
        }
        cells
    }

    /// Whether a line in this direction, through a point of the passage's plane, leads through
    /// the passage, clear of its edges.
    fn leads_through(&self, passage: usize, point: Point, direction: Point) -> bool {
        let normal = self.passages.plane[passage].normal;
        if dot(normal, direction) <= 1e-9 * dot(direction, direction).sqrt() {
            return false;
        }
        let winding = self.passages.winding(passage);
        let hand = self.passages.hand[passage];
        winding.iter().enumerate().all(|(i, &tail)| {
            let edge = minus(winding[(i + 1) % winding.len()], tail);
            // The normal of the plane through the edge along the line.
            let inward = cross(direction, edge).map(|x| x * hand);
            dot(inward, minus(point, tail)) >= self.clearance * dot(inward, inward).sqrt()
        })
    }

    /// A random point of a passage; every other one is near an edge or a corner.
    fn point(&mut self, passage: usize) -> Point {
        let sharpness = if self.dice.roll(2) == 0 { 1 } else { 6 };
        let corners = self.passages.winding(passage).len();
        // The first step takes all of the first corner.
        let mut point = [0.0; 3];
        let mut weight = 0.0;
        for i in 0..corners {
            let share = -self.dice.fraction().ln();
            let share = share.powi(sharpness);
            weight += share;
            let corner = self.passages.winding(passage)[i];
            point = between(point, corner, share / weight);
        }
        point
    }

    /// 0 to `n` - 1; fewer than 2^32.
    fn roll(&mut self, n: usize) -> usize {
        self.dice.roll(n as u32) as usize
    }
}
