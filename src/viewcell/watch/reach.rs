//! Where a player may be until some time: tight boxes of this frame, and larger ones that are kept for some frames.

use crate::convex::{Point, Span};
use crate::format::solid::Corners;
use crate::query::solid::Solids;
use crate::query::solid::reached::{MOST, ReachedCell, around};
use crate::query::solid::within::Parts;
use crate::query::{Extent, Motion, MotionLimits, Mover, SolidBundle};

/// Kinds of boxes: that of this frame, and others that hold for longer.
pub(super) const LEVELS: usize = 4;

/// By how much the box of a level is larger: so many seconds at the present velocity, and so many at the greatest speed on
/// all sides. [Unit: s]
const LONGER: [[f64; 2]; LEVELS] = [[0.0, 0.0], [0.1, 0.04], [0.15, 0.1], [0.3, 0.3]];

/// Most cells that are kept of what is reached in a frame.
const FEW: usize = 64;

/// A region of positions, cut to what of it a player can walk to.
#[derive(Clone, Debug)]
struct Walkable {
    bounds: Corners,
    /// The cells of that; `None` where they are too many.
    parts: Option<Parts>,
}

/// What of a player counts: their eyes, or their body.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    levels: [Kept; LEVELS],
    /// What is reached of each cell of the smallest box, for as long as that is kept; none if they are too many.
    cells: Vec<ReachedCell>,
    /// Where the eyes, or the body, are from an origin.
    pub offsets: Corners,
}

/// A box that holds as long as this frame's is within it.
#[derive(Clone, Debug, Default)]
struct Kept {
    of: Option<Walkable>,
    /// Where the eyes, or the bodies, are of players in it.
    span: Option<Span>,
    /// Grows with each box that takes the place of another.
    generation: u32,
}

/// What reaches are found in: a level, and memory.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    pub level: SolidBundle<'a>,
    room: Box<[ReachedCell]>,
    /// How many were reached last.
    count: usize,
}

impl<'a> Ground<'a> {
    pub(super) fn new(level: SolidBundle<'a>) -> Self {
        Self {
            level,
            room: vec![ReachedCell::default(); MOST].into(),
            count: 0,
        }
    }

    /// Positions of a region that a way leads to from where a player is now; `None` where that is no cell.
    fn walkable(&mut self, now: Corners, region: &Extent) -> Option<Walkable> {
        let path = [region, region];
        let reached = self.level.reached(now, path, &mut self.room);
        self.count = reached.unwrap_or(usize::MAX);
        let reached = reached.and_then(|count| self.room.get(..count));
        match reached.and_then(|cells| Some((cells, around(cells)?))) {
            Some((cells, bounds)) => {
                let parts = Parts::of(cells.iter().map(|reached| reached.cell));
                Some(Walkable { bounds, parts })
            }
            None => {
                let parts = self.level.parts(region);
                let bounds = region.corners();
                Some(Walkable { bounds, parts })
            }
        }
    }
}

/// The positions that a player may have at any time until `until`, walls that stop them included: along each axis they may
/// lose their velocity at any time. By stairs they come up to `step` higher at once.
///
/// A velocity along an axis that somebody keeps, or loses and makes up for, is between the two of [`Motion::region`] for it
/// and for none: both bounds grow with what it was, and hold from any instant on.
pub fn swept(motion: &Motion, limits: &MotionLimits, step: f64, until: f64) -> Extent {
    let region = motion.region(limits, [0.0, until]);
    let stopped = Motion {
        velocity: motion.velocity.map(|_| [0.0; 3]),
        ..*motion
    };
    let [mut low, mut high] = region.corners();
    let [least, most] = stopped.region(limits, [0.0, until]).corners();
    for (low, least) in low.iter_mut().zip(least) {
        *low = low.min(least);
    }
    for (high, most) in high.iter_mut().zip(most) {
        *high = high.max(most);
    }
    let [_, _, up] = &mut high;
    *up += if step.is_nan() {
        f64::INFINITY
    } else {
        step.max(0.0)
    };
    Extent::of_box([low, high])
}

impl Walkable {
    /// Whether all of another lies in it.
    fn holds(&self, other: &Self) -> bool {
        let ([a, b], [c, d]) = (self.bounds, other.bounds);
        let below =
            |low: &[f64; 3], high: &[f64; 3]| low.iter().zip(high).all(|(low, high)| low <= high);
        let parts = self.parts.as_ref().zip(other.parts.as_ref());
        below(&a, &c) && below(&d, &b) && parts.is_some_and(|(own, other)| own.holds(other))
    }
}

impl Reach {
    /// Becomes that of nobody, or of somebody of whom nothing can be proven.
    pub(super) fn clear(&mut self) {
        for kept in &mut self.levels {
            if kept.of.is_some() || kept.span.is_some() {
                kept.generation = kept.generation.wrapping_add(1);
            }
            kept.of = None;
            kept.span = None;
        }
        self.cells.clear();
    }

    /// Becomes that of somebody in motion; `offsets` are where the eyes, or the body, are from an origin. Boxes of before are
    /// kept where they hold. False where nothing can be proven.
    pub(super) fn set(
        &mut self,
        ground: &mut Ground<'_>,
        solids: &Solids,
        Mover { motion, limits, .. }: &Mover,
        [step, until]: [f64; 2],
        offsets: Corners,
    ) -> bool {
        let is_somewhere = ground.level.locate(motion.position).is_some();
        let now = motion.region(limits, [0.0, 0.0]).corners();
        let region = swept(motion, limits, step, until);
        let fresh = is_somewhere.then(|| ground.walkable(now, &region));
        let Some(fresh) = fresh.flatten() else {
            self.clear();
            return false;
        };
        if self.offsets != offsets {
            self.clear();
            self.offsets = offsets;
        }
        // A proof cell by cell is kept with the box, and so must be of its cells, not of those of a frame within it.
        if !self.holds(0, &fresh) {
            self.cells.clear();
            self.cells.reserve(FEW);
            if ground.count <= FEW {
                let reached = ground.room.get(..ground.count).unwrap_or_default();
                self.cells.extend_from_slice(reached);
            }
        }
        for (kept, [longer, more]) in self.levels.iter_mut().zip(LONGER) {
            if kept.of.as_ref().is_some_and(|of| of.holds(&fresh)) {
                continue;
            }
            let of = if longer > 0.0 {
                let [along, up] = limits.speed.map(|speed| speed * more);
                let region = grown(&region, motion, longer, [along, along, up]);
                ground.walkable(now, &region)
            } else {
                Some(fresh.clone())
            };
            kept.span = of.as_ref().and_then(|of| solids.around(of.bounds, offsets));
            kept.of = of;
            kept.generation = kept.generation.wrapping_add(1);
        }
        true
    }

    /// Whether the box of a level holds all that is reached.
    fn holds(&self, level: usize, reached: &Walkable) -> bool {
        let of = self.levels.get(level).and_then(|kept| kept.of.as_ref());
        of.is_some_and(|of| of.holds(reached))
    }

    /// The box of a level, if there is one.
    pub(super) fn span(&self, level: usize) -> Option<&Span> {
        self.levels.get(level)?.span.as_ref()
    }

    /// The cells of a level, if they are known.
    pub(super) fn parts(&self, level: usize) -> Option<&Parts> {
        self.levels.get(level)?.of.as_ref()?.parts.as_ref()
    }

    /// What is reached of each cell of the smallest box; none if they are too many.
    pub(super) fn cells(&self) -> &[ReachedCell] {
        &self.cells
    }

    /// Whether an eye, or a part of the body, of somebody who is in a reached cell may be at a point.
    pub(super) fn meets(&self, solids: &Solids, at: Point) -> bool {
        let spans = self
            .cells
            .iter()
            .map(|of| solids.around(of.bounds, self.offsets));
        let mut spans = spans.flatten();
        self.cells.is_empty() || spans.any(|span| span.holds(at))
    }

    /// What tells a box of a level from those before.
    pub(super) fn generation(&self, level: usize) -> u32 {
        self.levels.get(level).map_or(0, |kept| kept.generation)
    }
}

/// A region that somebody stays in for longer, if they go on as they do.
fn grown(region: &Extent, motion: &Motion, longer: f64, more: [f64; 3]) -> Extent {
    let [mut low, mut high] = region.corners();
    let velocity = motion.velocity.unwrap_or([0.0; 3]);
    for (((low, high), velocity), more) in low.iter_mut().zip(&mut high).zip(velocity).zip(more) {
        let way = velocity * longer;
        *low += way.min(0.0) - more;
        *high += way.max(0.0) + more;
    }
    Extent::of_box([low, high])
}
