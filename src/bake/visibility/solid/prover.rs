//! Proves again, by the occluders of a bundle and one pair of cells at a time, what a bake has proven by many at once.

use super::super::simd::at_level;
use fearless_simd::Level;
use viewcell::convex::reference::{first_met, meets};
use viewcell::convex::{
    Decider, Found, Groups, Occluder, OccluderSides, Plane, Point, Run, Scale, Span,
};
use viewcell::format::frame::{Corners, Frame};
use viewcell::query::SolidBundle;

/// Boxes are cut so often one after another, which is more than in a bake: there the pair was part of a larger one.
const DEPTH: u32 = 24;
/// So many looks are taken of a pair.
const LOOKS: u32 = 1 << 16;

/// What is found of a pair of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Again {
    /// Its occluders prove it.
    Hidden,
    /// It was not proven with this effort; no segment was found that is clear beyond doubt.
    Open,
    /// No occluder comes near this segment, from an eye to a body. [Unit: the level's, in its coordinates]
    Clear(Point, Point),
}

/// What the occluders of a solid level say of a pair of cells.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// `hidden` (proven again), `clear` (a line meets none) or `open`: neither with the effort that is made here.
    pub found: &'static str,
    /// From an eye to a point of a body: the clear line; else from the middle of all eyes to the middle of all bodies.
    pub line: [Point; 2],
    /// The first occluder that the line meets; null if it meets none.
    pub meets: Option<Met>,
}

/// An occluder that a line meets.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Met {
    /// Its number in the bundle.
    pub occluder: u32,
    /// Which of its planes the line goes through; null where it begins inside, 0 the plane of a face.
    pub plane: Option<usize>,
    /// Where.
    pub at: Point,
}

/// The occluders of a bundle, and what proofs take.
pub struct Prover<'b> {
    level: SolidBundle<'b>,
    /// What the bundle is asked with.
    asked: Frame,
    occluders: Vec<Occluder>,
    groups: Groups,
    scale: Scale,
    decider: Decider<Limited>,
}

/// Some looks, and no more.
struct Limited {
    level: Level,
    looks: u32,
}

impl Run for Limited {
    #[inline(always)]
    fn vectorize<T>(&self, kernel: impl FnOnce() -> T) -> T {
        at_level!(self.level, simd => fearless_simd::Simd::vectorize(simd, kernel))
    }

    fn goes_on(&mut self) -> bool {
        self.looks = self.looks.saturating_sub(1);
        self.looks > 0
    }
}

impl<'b> Prover<'b> {
    /// `None` where the bundle has no occluders.
    pub fn new(level: &SolidBundle<'b>) -> Option<Self> {
        let (level, asked) = (level.as_baked(), level.frame());
        let (occluders, scale) = level.occluders()?;
        let run = Limited {
            level: Level::new(),
            looks: 0,
        };
        Some(Self {
            level,
            asked,
            groups: Groups::new(0, &occluders),
            occluders,
            scale,
            decider: Decider::new(scale, run),
        })
    }

    /// Looks for a proof that no eye in cell `a` sees any part of a body in cell `b`.
    pub fn prove(&mut self, a: u32, b: u32) -> Again {
        let Some([eyes, body]) = self.ends(a, b) else {
            return Again::Open;
        };
        self.decider.run.looks = LOOKS;
        let list = (self.decider).narrow_groups(&eyes, &body, std::slice::from_ref(&self.groups));
        let found = (self.decider).witness(&self.occluders, [&eyes, &body], list, DEPTH);
        match found {
            (Found::Hidden, _) => Again::Hidden,
            (Found::Clear, Some([from, to])) if self.is_clear(from, to) => {
                Again::Clear(self.of_level(from), self.of_level(to))
            }
            _ => Again::Open,
        }
    }

    /// What stands behind the answer for two cells, with positions as the bundle is asked; `None` for cells that are not there.
    pub fn explain(&mut self, a: u32, b: u32) -> Option<Evidence> {
        let [from, to] = self.ends(a, b)?.map(|span| span.centre);
        let asked = |at: Point| self.asked.to_asked(self.of_level(at));
        let met = (0..).zip(&self.occluders).filter_map(|(number, occluder)| {
            let (along, plane) = first_met(occluder, from, to)?;
            Some((along, number, plane))
        });
        let first = met.min_by(|(p, ..), (q, ..)| p.total_cmp(q));
        let meets = first.map(|(along, occluder, plane)| Met {
            occluder,
            plane,
            at: asked(std::array::from_fn(|k| from[k] + along * (to[k] - from[k]))),
        });
        let (line, frame) = ([from, to].map(asked), self.asked);
        let (found, line, meets) = match self.prove(a, b) {
            Again::Clear(eye, body) => ("clear", [eye, body].map(|at| frame.to_asked(at)), None),
            Again::Hidden => ("hidden", line, meets),
            Again::Open => ("open", line, meets),
        };
        Some(Evidence { found, line, meets })
    }

    /// The eyes of a cell and the bodies of another, relative to the middle.
    fn ends(&self, a: u32, b: u32) -> Option<[Span; 2]> {
        let solid = self.level.parameters();
        let [lowest, highest] = solid.eye;
        let eyes = [[0.0, 0.0, lowest], [0.0, 0.0, highest]];
        Some([self.around(a, eyes)?, self.around(b, solid.hull)?])
    }

    /// What is relative to the middle, in the level's coordinates.
    fn of_level(&self, at: Point) -> Point {
        let middle = self.level.parameters().middle;
        std::array::from_fn(|k| at[k] + middle[k])
    }

    /// Whether two cells that touch surely see each other: an eye that is possible in both is in no occluder, and in the body
    /// of whoever stands there.
    pub(crate) fn must_see(&self, a: u32, b: u32) -> bool {
        let (Some(a), Some(b)) = (self.level.bounds(a), self.level.bounds(b)) else {
            return false;
        };
        let solid = self.level.parameters();
        let [low, high] = solid.hull;
        let eye = [solid.eye[0].max(low[2]), solid.eye[1].min(high[2])];
        let around = (0..2).all(|k| low[k] <= 0.0 && high[k] >= 0.0);
        if !around || eye[0] > eye[1] {
            return false;
        }
        let at: Point = std::array::from_fn(|k| {
            let [least, most] = [a[0][k].max(b[0][k]), a[1][k].min(b[1][k])];
            let above = if k == 2 { 0.5 * (eye[0] + eye[1]) } else { 0.0 };
            0.5 * (least + most) + above - solid.middle[k]
        });
        self.is_clear(at, at)
    }

    /// What is around a place of a cell, relative to the middle.
    fn around(&self, cell: u32, [below, above]: Corners) -> Option<Span> {
        let [low, high] = self.level.bounds(cell)?;
        let middle = self.level.parameters().middle;
        let plus = |at: Point, by: Point| std::array::from_fn(|k| at[k] + by[k] - middle[k]);
        Some(Span::between(plus(low, below), plus(high, above)))
    }

    /// Whether a segment keeps away from all occluders by more than arithmetic errs by.
    fn is_clear(&self, from: Point, to: Point) -> bool {
        let slack = 16.0 * self.scale.margin;
        let grown = |occluder: &Occluder| {
            let own = usize::from(occluder.kind != OccluderSides::Solid);
            let planes = occluder.planes.iter().enumerate().map(|(i, plane)| Plane {
                dist: plane.dist + if i < own { 0.0 } else { slack },
                ..*plane
            });
            Occluder::new(
                occluder.kind,
                planes.collect(),
                occluder.bounds,
                occluder.thick,
            )
        };
        !self.occluders.iter().any(|of| meets(&grown(of), from, to))
    }
}
