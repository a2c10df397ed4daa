//! Proves again, by the occluders of a bundle and one pair of cells at a time, what a bake has proven by many at once.

use super::super::simd::at_level;
use fearless_simd::Level;
use viewcell::convex::reference::meets;
use viewcell::convex::{
    Decider, Found, Groups, Occluder, OccluderSides, Plane, Point, Run, Scale, Span,
};
use viewcell::format::frame::Corners;
use viewcell::query::SolidBundle;

/// Boxes are cut so often one after another, which is more than in a bake: there the pair was part of a larger one.
const DEPTH: u32 = 24;
/// So many looks are taken of a pair.
const LOOKS: u32 = 1 << 16;

/// What is found of a pair of cells that a bundle says are hidden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Again {
    /// Its occluders prove it.
    Hidden,
    /// It was not proven with this effort; no segment was found that is clear beyond doubt.
    Open,
    /// No occluder comes near this segment, from an eye to a body. [Unit: the level's, in its coordinates]
    Clear(Point, Point),
}

/// The occluders of a bundle, and what proofs take.
pub(crate) struct Prover<'b> {
    level: &'b SolidBundle<'b>,
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
    pub(crate) fn new(level: &'b SolidBundle<'b>) -> Option<Self> {
        let (occluders, scale) = level.occluders()?;
        let run = Limited {
            level: Level::new(),
            looks: 0,
        };
        Some(Self {
            level,
            groups: Groups::new(0, &occluders),
            occluders,
            scale,
            decider: Decider::new(scale, run),
        })
    }

    /// Looks for a proof that no eye in cell `a` sees any part of a body in cell `b`.
    pub(crate) fn prove(&mut self, a: u32, b: u32) -> Again {
        let solid = self.level.parameters();
        let [lowest, highest] = solid.eye;
        let eyes = [[0.0, 0.0, lowest], [0.0, 0.0, highest]];
        let (Some(eyes), Some(body)) = (self.around(a, eyes), self.around(b, solid.hull)) else {
            return Again::Open;
        };
        self.decider.run.looks = LOOKS;
        let list = (self.decider).narrow_groups(&eyes, &body, std::slice::from_ref(&self.groups));
        let found = (self.decider).witness(&self.occluders, [&eyes, &body], list, DEPTH);
        match found {
            (Found::Hidden, _) => Again::Hidden,
            (Found::Clear, Some([from, to])) if self.is_clear(from, to) => {
                let middle = solid.middle;
                let of_level = |at: Point| std::array::from_fn(|k| at[k] + middle[k]);
                Again::Clear(of_level(from), of_level(to))
            }
            _ => Again::Open,
        }
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
