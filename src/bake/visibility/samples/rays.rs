//! The working memory of the fast kernel: visibility from blocks of viewpoints to every target.
//!
//! All 64 viewpoints of a block look at once in the same direction and equally far: each at the
//! target that has the same *displacement* from it. Their lines of sight are parallel on the map,
//! so that one address loads the ground that all 64 cross at a grid line, one SIMD lane a
//! viewpoint. Displacements are decided in squares first ([`super::squares`]), and one by one where
//! that leaves them open. ARCHITECTURE.md has a figure.

use super::height_field::{HeightField, LEVELS, TOP};
use super::nodes::{OpenSquare, Slab};
use super::view_block::ViewBlock;
use super::viewers::Viewers;
use crate::visibility::window::Window;
use fearless_simd::Level;
use viewcell_ingest::world::Terrain;

/// The grid lines whose ground has hidden some viewpoints last. They are tried first on the next
/// displacements: what lies behind an occluder for one target mostly does for its neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CachedOccluders {
    /// The last one last; 0 for none.
    lines: [i32; 4],
}

impl CachedOccluders {
    /// The lines nearer than `u`, the last noted first.
    #[inline(always)]
    pub(crate) fn before(self, u: i32) -> impl Iterator<Item = i32> {
        self.lines
            .into_iter()
            .rev()
            .filter(move |x| (1..u).contains(x))
    }

    /// Takes note of a line.
    #[inline(always)]
    pub(crate) fn note(&mut self, x: i32) {
        let [_, b, c, d] = self.lines;
        self.lines = [b, c, d, x];
    }

    /// Takes note of a line, unless it is there already.
    #[inline(always)]
    pub(crate) fn note_once(&mut self, x: i32) {
        if !self.lines.contains(&x) {
            self.note(x);
        }
    }
}

/// The kernel's working memory, for one thread.
pub struct Rays<'f> {
    pub(crate) terrain: &'f Terrain,
    pub(crate) field: &'f HeightField,
    pub(crate) level: Level,
    /// For each level the slabs that may block within the last node visited there; at the end
    /// all of them.
    pub(crate) slabs: [Vec<Slab>; LEVELS + 1],
    /// For each level.
    pub(crate) cached: [CachedOccluders; LEVELS],
    /// For sight along columns, and along rows.
    pub(crate) viewers: Box<[Viewers; 2]>,
    pub(crate) stack: Vec<OpenSquare>,
    /// Whether a block comes before another; if only later ones are looked at.
    pub(crate) before: Option<Order>,
    pub(crate) window: Window,
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
            window: Window::ALL,
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

    /// The same kernel over a part of a grid, looking no further than a window says. What is outside of it may be seen
    /// or not.
    pub fn within(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Whether one block comes before another; not where all are looked at.
    #[inline(always)]
    pub(crate) fn comes_before(&self, a: (u32, u32), b: (u32, u32)) -> bool {
        let whole = |block| self.window.in_whole(0, block);
        self.before.is_some_and(|before| before(whole(a), whole(b)))
    }

    /// Whether targets at least `p` columns or `q` rows away are beyond the window.
    #[inline(always)]
    pub(crate) fn is_outside(&self, p: i32, q: i32) -> bool {
        p.max(q) as u32 > self.window.reach.saturating_mul(8).saturating_add(7)
    }

    /// Whether all blocks up to the sample (`column`, `row`) come before the block.
    #[inline(always)]
    pub(crate) fn is_done(&self, block: &ViewBlock, column: i32, row: i32) -> bool {
        let last = (
            column.min(self.field.width as i32 - 1),
            row.min(self.field.height as i32 - 1),
        );
        let place = |(column, row): (i32, i32)| (column as u32 / 8, row as u32 / 8);
        self.comes_before(place(last), place((block.column, block.row)))
    }
}
