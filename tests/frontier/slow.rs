//! What a slow twin of growth asks: quads, what they see and what lies next to them, by the plain matrix.

use std::collections::HashSet;

use viewcell::query::{Grid, Quad, Sample};
use viewcell_ingest::world::Terrain;

use crate::common::Matrix;

pub type Set = HashSet<Sample>;

/// A quad and those around it: the eight steps.
pub const AROUND: [(i64, i64); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

#[derive(PartialEq)]
pub enum State {
    Hidden,
    Visible,
    Unknown,
}

pub struct Slow<'a> {
    pub matrix: &'a Matrix,
    pub world: &'a Terrain,
    pub grid: Grid,
    pub mutual: bool,
}

impl Slow<'_> {
    pub fn is_terrain(&self, s: Sample) -> bool {
        self.grid.has_sample(s) && !self.world.at(s.column, s.row).is_nan()
    }

    /// The terrain of a quad.
    pub fn inside(&self, quad: Quad) -> Vec<Sample> {
        let within =
            |s: &Sample| s.column >> quad.level == quad.column && s.row >> quad.level == quad.row;
        self.matrix
            .samples()
            .filter(within)
            .filter(|s| self.is_terrain(*s))
            .collect()
    }

    pub fn pvs(&self, quad: Quad) -> Set {
        let from = self.inside(quad);
        let seen = |b: &Sample| from.iter().any(|&a| self.matrix.sees(a, *b));
        self.matrix.samples().filter(seen).collect()
    }

    pub fn state(&self, set: &Set, quad: Quad) -> Option<State> {
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

    /// Step 1: the maximal mutually invisible quads.
    pub fn maximal(&self, [mut a, mut b]: [Quad; 2]) -> [Quad; 2] {
        let root = self.grid.root_level();
        let (mut up_a, mut up_b) = (true, true);
        while up_a || up_b {
            up_a = up_a && a.level < root && self.invisible(a.parent(), b);
            if up_a {
                a = a.parent();
            }
            up_b = up_b && b.level < root && self.invisible(a, b.parent());
            if up_b {
                b = b.parent();
            }
        }
        [a, b]
    }

    /// The quads of the same size at some steps, as far as they have numbers.
    pub fn beside(&self, quad: Quad, steps: &[(i64, i64)]) -> Vec<Quad> {
        let step = |&(dx, dy): &(i64, i64)| {
            let column = (i64::from(quad.column) + dx).try_into().ok()?;
            let row = (i64::from(quad.row) + dy).try_into().ok()?;
            Some(Quad::new(quad.level, column, row))
        };
        steps.iter().filter_map(step).collect()
    }

    /// Whether a member lies next to a quad, over a side or, if `corners` says so, over a corner.
    pub fn near(&self, members: &Set, quad: Quad, corners: bool) -> bool {
        let own =
            |c: i64, r: i64| c >= 0 && r >= 0 && members.contains(&Sample::new(c as u32, r as u32));
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
            touches |= corners && own(x + dx, y + dy);
        }
        touches
    }

    /// All that is connected to members and not closed joins them.
    pub fn flood(&self, members: &mut Set, closed: &Set, corners: bool) {
        loop {
            let open =
                |s: &Sample| self.is_terrain(*s) && !members.contains(s) && !closed.contains(s);
            let joins: Vec<Sample> = self
                .matrix
                .samples()
                .filter(open)
                .filter(|s| self.near(members, s.quad(), corners))
                .collect();
            if joins.is_empty() {
                break;
            }
            members.extend(joins);
        }
    }
}
