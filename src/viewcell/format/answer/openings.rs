//! Ground that has changed since PVSs were made: which pairs that they hide may see each other now.
//!
//! The PVSs are those of the ground *then*. Since then there were changes, one after the other, to the
//! ground of *now*; each has an [`Opening`]. Ground is as sight sees it: lowered, if the earth is
//! round.
//!
//! **Invariant.** Let `a` be a place of quad `from` and `b` one of quad `to`, both with terrain now. If
//! the PVSs hide `b` from `a`, and [`Openings::may_open`] is false of the two quads, then `b` is
//! hidden from `a` now.
//!
//! **Why.** No opening's changed samples are in either quad (of cells: nor beside them), or
//! `may_open` is true. So the ground that `a` and `b` stand on is as it was then. Suppose that `a`
//! sees `b` now, along a line that was blocked then at some point: there the ground was higher than
//! the line, and is so no more.
//!
//! 1. *The point lies beside a sample that sank in one of the changes*, or became void. Between
//!    samples the ground is a mean of theirs: of the two beside a crossing with a grid line, or on
//!    a drawn surface of the four around. If none of these had ever sunk, each would be as high as
//!    then or higher, and so would the ground there. Where a sample had been void then, nothing
//!    would have blocked.
//! 2. *The line passes below the opening's top there.* Take the first change in which one of these
//!    samples sank. Before it they were as high as then, or higher; so the ground at the point was
//!    above the line still, and the highest of the samples is above it, too. That change's `top` is
//!    the height, just before it, of the highest sample that had sunk or lies beside one, straight
//!    or diagonally. So it is at least as high.
//! 3. *That is found.* At part t of the way from `a` to `b` the line is in the rectangle between
//!    the two quads' at t, and not below t of the way from the lowest eye of `from` to the lowest
//!    head of `to`, which is linear in t. The parts at which that rectangle meets the opening's,
//!    grown by a sample on each side, are an interval; at one of its ends the lowest sight is
//!    lowest. If it is below the top, `may_open` is true.
//!
//! **Exact sight of two samples** is looked at more closely ([`Openings::lets_see`]): what may open
//! by all that, but is blocked by the ground of now, is hidden. What a quad sees is not, so that
//! PVSs may have more than that.
//!
//! [`StalePvs`] is what is stored of a quad, with all that may open.
//!
//! Where ground only rose nothing opens but for those who stand on it. Errors of arithmetic are far
//! less than the [`SLACK`] by which rectangles and tops are greater than that.

use crate::format::grid::{BLOCK_LEVEL, Grid, Quad, Sample, Valid, quad_mask};
use crate::format::terrain::{TerrainParameters, VisibilityMode};
use crate::format::tree::Answer;
use crate::format::tree::Leaf;

use super::{Leaves, ReadPvs, StoredPvs};

/// By how many samples and metres openings are taken to be greater than they are.
pub const SLACK: f64 = 1.0 / 1024.0;

/// By how many metres ground has to be above a line to block it for certain: twice what the definition
/// of exact sight asks for, so that errors of arithmetic do not count.
const BLOCKS: f64 = SLACK;

/// A rectangle of samples: first and last column, first and last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First and last column.
    pub columns: [u32; 2],
    /// First and last row.
    pub rows: [u32; 2],
}

impl Area {
    /// The least one that holds both.
    pub fn join(self, other: Self) -> Self {
        let join = |a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self {
            columns: join(self.columns, other.columns),
            rows: join(self.rows, other.rows),
        }
    }

    /// So many samples more on each side.
    pub fn grown(self, by: u32) -> Self {
        let grow = |[first, last]: [u32; 2]| [first.saturating_sub(by), last.saturating_add(by)];
        Self {
            columns: grow(self.columns),
            rows: grow(self.rows),
        }
    }

    /// Whether a sample is in both.
    pub fn meets(self, other: Self) -> bool {
        let meet = |a: [u32; 2], b: [u32; 2]| a[0] <= b[1] && b[0] <= a[1];
        meet(self.columns, other.columns) && meet(self.rows, other.rows)
    }

    /// The samples of a quad, also those outside the grid.
    pub fn of(quad: Quad) -> Self {
        let origin = quad.origin();
        let side = (1_u32 << quad.level) - 1;
        Self {
            columns: [origin.column, origin.column.saturating_add(side)],
            rows: [origin.row, origin.row.saturating_add(side)],
        }
    }
}

/// What one change of the ground may have opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// All samples that are higher or lower, void or no longer so, are in here.
    pub changed: Area,
    /// Of these, what is lower or void now, if any is.
    pub sunk: Option<Sunk>,
}

/// Where ground sank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sunk {
    /// All samples that are lower, or void.
    pub area: Area,
    /// The greatest height before, as sight sees it, of those and of all beside them, in metres.
    pub top: f64,
}

/// All changes since the PVSs of a bundle were made.
#[derive(Clone, Copy, Debug)]
pub struct Openings<'a> {
    grid: Grid,
    list: &'a [Opening],
    lows: &'a [f32],
    eye: f64,
    head: f64,
    /// Whether view cells reach beyond samples.
    cells: bool,
    spacing: [f64; 2],
    /// The square of the longest sight.
    longest: f64,
}

/// A rectangle on the ground, in columns and rows with fractions.
#[derive(Clone, Copy)]
struct Extent {
    columns: [f64; 2],
    rows: [f64; 2],
}

impl Extent {
    fn new(area: Area, grown: f64) -> Self {
        let grow = |[first, last]: [u32; 2]| [f64::from(first) - grown, f64::from(last) + grown];
        Self {
            columns: grow(area.columns),
            rows: grow(area.rows),
        }
    }

    /// The first and the last part of the way to `target` at which what lies between the two meets
    /// `other`.
    fn meets_on_the_way(self, target: Self, other: Self) -> Option<[f64; 2]> {
        meets_on_the_way([
            [self.columns, target.columns, other.columns],
            [self.rows, target.rows, other.rows],
        ])
    }
}

/// The first and the last part of the way from one rectangle to another at which what lies between
/// the two meets a third; of each axis the least and the greatest of the three. `None` if it never
/// does.
pub fn meets_on_the_way(axes: [[[f64; 2]; 3]; 2]) -> Option<[f64; 2]> {
    let mut part = [0.0, 1.0];
    for [from, to, other] in axes {
        // The lower side not beyond the other's upper one, and the other way round.
        limit(&mut part, from[0] - other[1], to[0] - other[1]);
        limit(&mut part, other[0] - from[1], other[0] - to[1]);
    }
    // Rounding must not lose a touch.
    (part[0] <= part[1] + 1e-9).then_some(part)
}

/// Limits parts of the way to those where what goes from `from` to `to` is not above 0.
fn limit(part: &mut [f64; 2], from: f64, to: f64) {
    match (from > 0.0, to > 0.0) {
        (false, false) => {}
        (true, true) => part[1] = -1.0,
        (true, false) => part[0] = part[0].max(from / (from - to)),
        (false, true) => part[1] = part[1].min(from / (from - to)),
    }
}

impl<'a> Openings<'a> {
    /// The changes in `list`, in any order. `lows` has for each quad ([`Grid::quad_index`]) a
    /// height that is not above the lowest ground with terrain in it now, as sight sees it, and
    /// infinity where there is none; of cells also not above that beside it, straight or
    /// diagonally.
    pub fn new(parameters: &TerrainParameters, list: &'a [Opening], lows: &'a [f32]) -> Self {
        let longest = parameters.max_distance * (1.0 + SLACK);
        Self {
            grid: parameters.grid,
            list,
            lows,
            eye: parameters.eye_height,
            head: parameters.player_height,
            cells: parameters.visibility != VisibilityMode::Exact,
            spacing: parameters.cell_spacing,
            longest: longest * longest,
        }
    }

    /// Whether somebody in `to` whom PVSs hide from somebody in `from` may be seen from there now.
    /// O(changes).
    pub fn may_open(&self, from: Quad, to: Quad) -> bool {
        let (Some(eye), Some(head)) = (self.low(from), self.low(to)) else {
            return false;
        };
        let grown = if self.cells { 0.5 } else { 0.0 };
        let [areas, extents] = [[from, to].map(Area::of); 2];
        let [a, b] = extents.map(|area| Extent::new(area, grown));
        if self.is_too_far(a, b) {
            return false;
        }
        let (eye, rise) = (eye + self.eye, head + self.head - (eye + self.eye));
        self.list.iter().any(|opening| {
            let changed = opening.changed.grown(u32::from(self.cells));
            if areas.into_iter().any(|area| area.meets(changed)) {
                return true;
            }
            let Some(sunk) = opening.sunk else {
                return false;
            };
            let sunken = Extent::new(sunk.area, 1.0 + SLACK);
            let Some([first, last]) = a.meets_on_the_way(b, sunken) else {
                return false;
            };
            let lowest = eye + (rise * first).min(rise * last);
            // Not what is no number.
            let passes_above = lowest >= sunk.top + SLACK;
            !passes_above
        })
    }

    /// Whether sample `b`, which PVSs hide from sample `a`, may be seen from there now: by
    /// [`Openings::may_open`], and in exact sight only if the ground as it is now is not in the
    /// way. O(changes), and where one of them is on the way O(distance in samples).
    pub fn lets_see(&self, a: Sample, b: Sample) -> bool {
        self.may_open(a.quad(), b.quad()) && (self.cells || !self.is_blocked(a, b))
    }

    /// Whether the ground of now blocks the line between two samples by the definition of exact
    /// sight. It is known to the precision of an `f32`: taken at its lowest between the two, and at
    /// its highest under them, it has to rise above the line by more than the definition asks for.
    fn is_blocked(&self, a: Sample, b: Sample) -> bool {
        let width = u64::from(self.grid.width());
        let ground = |column: u32, row: u32| {
            let at = usize::try_from(u64::from(row) * width + u64::from(column)).ok();
            let low = at.and_then(|at| self.lows.get(at));
            low.copied().unwrap_or(f32::INFINITY)
        };
        let top = |sample: Sample| f64::from(ground(sample.column, sample.row).next_up());
        let ends = [top(a) + self.eye, top(b) + self.head];
        let [from, to] = [a, b].map(|sample| [sample.column, sample.row]);
        let turned = |[column, row]: [u32; 2]| [row, column];
        is_crossed(from, to, ends, ground)
            || is_crossed(turned(from), turned(to), ends, |row, column| {
                ground(column, row)
            })
    }

    /// The word of a block bitmap whose ones are the samples of a block that may be seen now from
    /// `from`, by squares that are as large as that, but no larger than the block.
    pub fn word(&self, from: Quad, block: Quad) -> u64 {
        if !self.may_open(from, block) {
            return 0;
        }
        self.part(from, block)
    }

    /// Hands over the blocks in a quad of level 3 or more of which some may be seen now from `from`, as
    /// [`Openings::word`] has them. Stops when `take` returns `false`; returns whether it never did.
    pub(super) fn sweep(
        &self,
        from: Quad,
        quad: Quad,
        take: &mut impl FnMut(Leaf) -> bool,
    ) -> bool {
        if !self.may_open(from, quad) {
            return true;
        }
        if quad.level > BLOCK_LEVEL {
            let mut children = (0..4).filter_map(|index| quad.child(index));
            return children.all(|child| self.sweep(from, child, take));
        }
        let bits = self.part(from, quad);
        bits == 0 || take(Leaf::Block(quad, bits))
    }

    /// The same of a quad that may be seen.
    fn part(&self, from: Quad, quad: Quad) -> u64 {
        if quad.level <= self.grain(from) {
            return quad_mask(quad);
        }
        (0..4)
            .filter_map(|index| quad.child(index))
            .filter(|child| self.may_open(from, *child))
            .fold(0, |word, child| word | self.part(from, child))
    }

    /// Whether any of the samples `from` of block `viewer` may see now any of the samples `to` of block
    /// `target`: words of a block bitmap.
    pub fn may_open_any(&self, viewer: Quad, from: u64, target: Quad, to: u64) -> bool {
        let (own, other) = (from & quad_mask(viewer), to & quad_mask(target));
        if own == 0 || other == 0 || !self.may_open(viewer, target) {
            return false;
        }
        if viewer.level == 0 && target.level == 0 {
            return true;
        }
        // Both are of the same level.
        let parts = |quad: Quad| (0..4).map(move |index| quad.child(index).unwrap_or(quad));
        parts(viewer).any(|a| parts(target).any(|b| self.may_open_any(a, own, b, other)))
    }

    /// Level of the least quads that are distinguished in what a quad sees.
    pub(super) fn grain(&self, from: Quad) -> u32 {
        from.level.min(BLOCK_LEVEL)
    }

    /// The lowest ground of a quad; `None` where nobody can be.
    fn low(&self, quad: Quad) -> Option<f64> {
        let index = usize::try_from(self.grid.quad_index(quad)?).ok()?;
        let low = self.lows.get(index).copied().unwrap_or(f32::NEG_INFINITY);
        (low < f32::INFINITY).then_some(f64::from(low))
    }

    /// Whether all paths between two are longer than sight.
    fn is_too_far(&self, a: Extent, b: Extent) -> bool {
        let gap = |a: [f64; 2], b: [f64; 2]| (a[0] - b[1]).max(b[0] - a[1]).max(0.0);
        let x = gap(a.columns, b.columns) * self.spacing[0];
        let y = gap(a.rows, b.rows) * self.spacing[1];
        x * x + y * y > self.longest
    }
}

/// Whether ground is certain to be above the line from one end to the other where that crosses one
/// of the lines u = integer between them. Places are [u, v]; ground is infinite at voids, beside
/// which nothing blocks.
fn is_crossed(
    from: [u32; 2],
    to: [u32; 2],
    [eye, head]: [f64; 2],
    ground: impl Fn(u32, u32) -> f32,
) -> bool {
    let span = i64::from(from[0].abs_diff(to[0]));
    let step = (i64::from(to[0]) - i64::from(from[0])).signum();
    let rise = i64::from(to[1]) - i64::from(from[1]);
    let at = |u: i64, v: i64| match (u32::try_from(u), u32::try_from(v)) {
        (Ok(u), Ok(v)) => ground(u, v),
        _ => f32::INFINITY,
    };
    (1..span).any(|i| {
        let (u, v) = (
            i64::from(from[0]) + i * step,
            i64::from(from[1]) + (i * rise).div_euclid(span),
        );
        let part = (i * rise).rem_euclid(span) as f64 / span as f64;
        let first = at(u, v);
        let second = if part == 0.0 { first } else { at(u, v + 1) };
        if first == f32::INFINITY || second == f32::INFINITY {
            return false;
        }
        let (first, second) = (f64::from(first), f64::from(second));
        let sight = eye + i as f64 / span as f64 * (head - eye);
        first + part * (second - first) - sight > BLOCKS
    })
}

/// A PVS, and what may be seen beside it since the ground has changed.
#[derive(Clone, Copy, Debug)]
pub struct StalePvs<'a> {
    quad: Quad,
    own: StoredPvs<'a>,
    openings: Openings<'a>,
}

impl<'a> StalePvs<'a> {
    /// What is stored of a quad of the grid, and what may open.
    pub const fn new(quad: Quad, own: StoredPvs<'a>, openings: Openings<'a>) -> Self {
        Self {
            quad,
            own,
            openings,
        }
    }

    /// Whether a quad may be seen beside what is stored, by the least quad that is distinguished and holds it.
    fn may_open(&self, quad: Quad) -> bool {
        let level = quad.level.max(self.openings.grain(self.quad));
        self.openings.may_open(self.quad, quad.ancestor(level))
    }

    fn sweep_openings(&self, take: &mut impl FnMut(Leaf) -> bool) -> bool {
        let root = self.valid().grid().root();
        self.openings.sweep(self.quad, root, take)
    }
}

impl<'a> ReadPvs<'a> for StalePvs<'a> {
    fn valid(&self) -> Valid<'a> {
        self.own.valid()
    }

    /// Unknown if some of a large quad may be seen now.
    fn state(&self, quad: Quad) -> Answer {
        let stored = self.own.state(quad);
        if stored == Answer::Visible || !self.valid().has_quad(quad) {
            return stored;
        }
        match self.may_open(quad) {
            false => stored,
            true if quad.level <= self.openings.grain(self.quad) => Answer::Visible,
            true => Answer::Mixed,
        }
    }

    fn word(&self, column: u32, row: u32) -> u64 {
        let block = Quad::new(BLOCK_LEVEL, column, row);
        self.own.word(column, row) | self.openings.word(self.quad, block)
    }

    /// What is stored, and after that what may be seen beside it, block by block: of a block both may come.
    fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.own.sweep(&mut take) && self.sweep_openings(&mut take)
    }

    fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.own.sweep_blocks(&mut take)
            && self.sweep_openings(&mut |leaf: Leaf| take(Leaf::Visible(leaf.quad())))
    }

    fn pairs(&self) -> usize {
        self.own.pairs()
    }

    fn contains(&self, sample: Sample) -> bool {
        self.valid().has_sample(sample)
            && (self.own.contains(sample) || self.may_open(sample.quad()))
    }

    /// A sweep may have a sample twice.
    fn count(&self) -> u64 {
        let valid = self.valid();
        Leaves::new(*self)
            .map(|leaf| leaf.visible_samples(&valid))
            .sum()
    }
}
