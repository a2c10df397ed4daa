//! Visibility from blocks of viewpoints to every target: the fast kernel.
//!
//! All 64 viewpoints of a block look at once in the same direction and equally far: each at the
//! target that has the same *displacement* from it. Their lines of sight are parallel on the map,
//! so that one address loads the ground that all 64 cross at a grid line, one SIMD lane a
//! viewpoint. Displacements are decided in squares first ([`super::decide`]), and one by one where
//! that leaves them open. ARCHITECTURE.md has a figure.

use super::axis::{LEVELS, TOP};
use super::change::Change;
use super::height_field::HeightField;
use super::lanes::SIDE;
use super::onlookers::Onlookers;
use super::square::{Node, Slab};
use super::view_block::ViewBlock;
use super::viewers::Viewers;
use crate::format::Grid;
use crate::world::Terrain;
use fearless_simd::Level;

/// The grid lines whose ground has hidden some viewpoints last. They are tried first on the next
/// displacements: what lies behind an occluder for one target mostly does for its neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CachedOccluders {
    /// The last one last; 0 for none.
    lines: [i32; 4],
}

impl CachedOccluders {
    /// The lines nearer than `u`, the last noted first.
    #[inline(always)]
    pub fn before(self, u: i32) -> impl Iterator<Item = i32> {
        self.lines
            .into_iter()
            .rev()
            .filter(move |x| (1..u).contains(x))
    }

    /// Takes note of a line.
    #[inline(always)]
    pub fn note(&mut self, x: i32) {
        let [_, b, c, d] = self.lines;
        self.lines = [b, c, d, x];
    }

    /// Takes note of a line, unless it is there already.
    #[inline(always)]
    pub fn note_once(&mut self, x: i32) {
        if !self.lines.contains(&x) {
            self.note(x);
        }
    }
}

/// The kernel's working memory, for one thread.
pub struct Rays<'f> {
    pub(super) terrain: &'f Terrain,
    pub(super) field: &'f HeightField,
    pub(super) level: Level,
    /// For each level the slabs that may block within the last node visited there; at the end
    /// all of them.
    pub(super) slabs: [Vec<Slab>; LEVELS + 1],
    /// For each level.
    pub(super) cached: [CachedOccluders; LEVELS],
    /// For sight along columns, and along rows.
    pub(super) viewers: Box<[Viewers; 2]>,
    pub(super) stack: Vec<Node>,
    /// Whether a block comes before another; if only later ones are looked at.
    pub(super) before: Option<Order>,
    /// If only what may have changed is asked: what has, and of which pairs of blocks.
    pub(super) again: Option<Again<'f>>,
}

/// From this level on squares of displacements are looked at as a whole, before their lines are.
const MEETS: u32 = 4;

/// What is asked again.
pub(super) struct Again<'f> {
    pub change: &'f Change,
    /// Who alone may see otherwise, if that is known.
    pub onlookers: Option<&'f Onlookers>,
    /// By block of viewpoints in the quad, and block of targets, row by row: whether it may have
    /// changed, as far as is known before.
    pub open: Vec<bool>,
}

impl Again<'_> {
    /// Whether a square of displacements is to be decided again.
    #[inline]
    pub fn asks(&self, grid: Grid, block: &ViewBlock, node: &Node) -> bool {
        if node.level >= 3 && !self.is_open(grid, block, node) {
            return false;
        }
        // In small squares the tables of what has changed tell as much.
        node.level < MEETS && self.change.has_places() || self.change.meets(block, node)
    }

    /// Whether a pair of blocks that the square tells of is open.
    fn is_open(&self, grid: Grid, block: &ViewBlock, node: &Node) -> bool {
        let (columns, rows) = grid.block_shape();
        let last = (1 << node.level) + SIDE as i32 - 2;
        let range = |first: i32, limit: u32| {
            let end = ((first + last).div_euclid(8) + 1).clamp(0, limit as i32) as usize;
            (first.div_euclid(8).max(0) as usize).min(end)..end
        };
        let across = range(block.column + node.p, columns);
        let first = block.child * grid.blocks();
        range(block.row + node.q, rows).any(|row| {
            let start = first + row * columns as usize;
            self.open[start + across.start..start + across.end].contains(&true)
        })
    }
}

/// Whether the first of two blocks of 8 × 8 samples (column, row) comes before the second.
pub type Order = fn((u32, u32), (u32, u32)) -> bool;

impl<'f> Rays<'f> {
    /// A kernel over `field`, which was made of `terrain`, at a SIMD level; the level does not
    /// change any answer.
    pub fn new(terrain: &'f Terrain, field: &'f HeightField, level: Level) -> Self {
        let all: Vec<Slab> = (0..2 * TOP + field.width.max(field.height))
            .map(|x| Slab {
                x: x as u32,
                lanes: !0,
            })
            .collect();
        Self {
            terrain,
            field,
            level,
            slabs: std::array::from_fn(|_| all.clone()),
            cached: [CachedOccluders::default(); LEVELS],
            viewers: Box::new([Viewers::none(), Viewers::none()]),
            stack: Vec::new(),
            before: None,
            again: None,
        }
    }

    /// The same kernel, deciding each pair once: viewpoints see nothing in blocks of 8 × 8 samples
    /// that come `before` their own, and somebody in their own if both see each other.
    ///
    /// For eyes as high as heads only. Then the segments from one place to another are those of the
    /// way back, and what is hidden one way is hidden the other. Exact answers are the same both
    /// ways. Of two cells, one end may prove hidden what the other end leaves visible: the first
    /// block's answer counts.
    ///
    /// The order has to be total, and a block has to come before every other block that lies
    /// neither north nor west of it. Morton order is like that, and row by row.
    pub fn deciding_once(mut self, before: Order) -> Self {
        self.before = Some(before);
        self
    }

    /// The same kernel, to be asked only what may have changed ([`Rays::look_again`]).
    /// Others than `onlookers` are not asked, if those are given ([`Rays::onlookers`]).
    pub fn following(mut self, change: &'f Change, onlookers: Option<&'f Onlookers>) -> Self {
        self.again = Some(Again {
            change,
            onlookers,
            open: Vec::new(),
        });
        self
    }

    /// The lanes of a block that are looked from.
    #[inline(always)]
    pub(super) fn looking(&self, block: &ViewBlock) -> u64 {
        let onlookers = self.again.as_ref().and_then(|again| again.onlookers);
        match (onlookers, block.number) {
            (Some(onlookers), Some(number)) => block.standing & onlookers.of_block(number),
            _ => block.standing,
        }
    }

    /// Whether all blocks up to the sample (`column`, `row`) come before the block.
    #[inline(always)]
    pub(super) fn is_done(&self, block: &ViewBlock, column: i32, row: i32) -> bool {
        self.before.is_some_and(|before| {
            let last = (
                column.min(self.field.width as i32 - 1),
                row.min(self.field.height as i32 - 1),
            );
            let place = |(column, row): (i32, i32)| (column as u32 / 8, row as u32 / 8);
            before(place(last), place((block.column, block.row)))
        })
    }
}
