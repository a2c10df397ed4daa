//! The PVS of a quad, out of levels of groups.

use core::ops::Range;

use super::{Block, Levels, quad_in_block, up};
use crate::format::answer::{GroupPvs, ReadPvs};
use crate::format::grid::{BLOCK_LEVEL, Quad, Sample, Valid, quad_mask};
use crate::format::tree::{Answer, Leaf, state_of};

/// Everything that may be seen from a quad, out of levels of groups.
///
/// That of a view cell is what its pairs are. That of a quad of level l > 3 is told by levels l - 3 and more: quads smaller
/// than 2^(l - 3) cells are visible from it where anything in them is. But where level 0 tells of all pairs, it is the union
/// of those of its view cells, which takes time for each of its blocks.
#[derive(Clone, Copy, Debug)]
pub struct LevelsPvs<'a> {
    levels: Levels<'a>,
    quad: Quad,
    /// The lowest level that is asked: there the quad lies in one block, or is several of the highest level.
    lowest: u32,
    /// The block of level 0 that the quad begins in.
    block: Block,
}

impl<'a> LevelsPvs<'a> {
    /// The PVS of a quad. `None` outside the grid.
    pub fn new(levels: Levels<'a>, quad: Quad) -> Option<Self> {
        // Before anything is shifted by a level that there is not.
        if !levels.shape.grid.has_quad(quad) {
            return None;
        }
        let origin = quad.origin();
        Some(Self {
            levels,
            quad,
            lowest: quad.level.saturating_sub(BLOCK_LEVEL).min(levels.count - 1),
            block: (origin.column >> BLOCK_LEVEL, origin.row >> BLOCK_LEVEL),
        })
    }

    /// The cells of a block of a level that are seen, and those that have terrain.
    fn seen(&self, level: u32, target: Block) -> [u64; 2] {
        let groups = self.levels.groups(level);
        let terrain = groups.valid().block(target.0, target.1);
        let seen = if self.quad.level > level + BLOCK_LEVEL {
            // It is several blocks of a level where each covers all others.
            let inner = quad_in_block(self.quad, level);
            let (columns, rows) = groups.grid().block_range(inner);
            let blocks = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
            blocks.fold(0, |seen, block| seen | groups.seen_from(block, !0, target))
        } else {
            let own = quad_mask(quad_in_block(self.quad, level));
            groups.seen_from(up(self.block, level), own, target)
        };
        [seen & terrain, terrain]
    }

    /// The lowest level that covers a block of level 0 or of a quad of more.
    fn level_of(&self, quad: Quad) -> u32 {
        let origin = quad.origin();
        let block = (origin.column >> BLOCK_LEVEL, origin.row >> BLOCK_LEVEL);
        let own = quad.level.saturating_sub(BLOCK_LEVEL);
        let lowest = self.lowest.max(own);
        self.levels.shape.level_of(self.block, block, lowest)
    }

    /// How a quad is seen by the lowest level that covers the whole of it: which of its cells, and which have terrain;
    /// and whether a lower level tells more of parts of it.
    fn look(&self, quad: Quad) -> (u32, [u64; 2], bool) {
        let level = self.level_of(quad);
        let inner = quad_in_block(quad, level);
        let cell = inner.origin();
        let block = (cell.column >> BLOCK_LEVEL, cell.row >> BLOCK_LEVEL);
        let mask = quad_mask(inner);
        let words = self.seen(level, block).map(|word| word & mask);
        // A quad is a block of its own level where that is near enough.
        let is_divided = level > self.lowest && quad.level == level + BLOCK_LEVEL;
        (level, words, is_divided)
    }

    /// What is visible of a quad, which exists.
    fn find(&self, quad: Quad) -> Answer {
        if !self.is_above(quad) {
            let (_, [seen, terrain], is_divided) = self.look(quad);
            let state = state_of(seen, terrain);
            if !is_divided || state == Answer::Hidden {
                return state;
            }
        }
        let (mut hidden, mut visible) = (false, false);
        for child in self.children(quad) {
            let found = self.find(child);
            hidden |= found != Answer::Visible;
            visible |= found != Answer::Hidden;
            if hidden && visible {
                return Answer::Mixed;
            }
        }
        if visible {
            Answer::Visible
        } else {
            Answer::Hidden
        }
    }

    /// Whether nothing of a quad is visible, which exists.
    fn none_is_seen(&self, quad: Quad) -> bool {
        if !self.is_above(quad) {
            let (_, [seen, _], is_divided) = self.look(quad);
            if seen == 0 || !is_divided {
                return seen == 0;
            }
        }
        self.children(quad).all(|child| self.none_is_seen(child))
    }

    /// The children of a quad that have terrain.
    fn children(&self, quad: Quad) -> impl Iterator<Item = Quad> + use<'a> {
        let valid = self.levels.valid;
        let children = (0..4).filter_map(move |child| quad.child(child));
        children.filter(move |&child| valid.has_quad(child))
    }

    /// Whether a quad is larger than the blocks of the highest level, so that only its children are covered.
    fn is_above(&self, quad: Quad) -> bool {
        quad.level >= self.levels.count + BLOCK_LEVEL
    }

    /// Hands over what is visible, level by level, each in one pass over a group.
    fn by_levels(&self, take: &mut dyn FnMut(Leaf) -> bool) -> bool {
        let valid = self.levels.valid;
        if !valid.has_quad(self.quad) {
            return true;
        }
        let levels = self.lowest..self.levels.count;
        // Several blocks of the highest level, or damaged.
        if levels.clone().any(|level| self.by_level(level).is_none()) {
            let (columns, rows) = valid.grid().block_shape();
            return (0..rows).all(|row| {
                (0..columns).all(|column| {
                    let word = self.word(column, row);
                    word == 0 || take(Leaf::Block(Quad::new(BLOCK_LEVEL, column, row), word))
                })
            });
        }
        levels.into_iter().all(|level| {
            self.by_level(level).is_none_or(|pvs| {
                pvs.sweep(|leaf| match leaf {
                    Leaf::Hidden(_) => true,
                    Leaf::Visible(quad) => self.tell(level, quad, !0, take),
                    Leaf::Block(block, cells) => self.tell(level, block, cells, take),
                })
            })
        })
    }

    /// What a level says of the quad, where that lies in one block of it.
    fn by_level(&self, level: u32) -> Option<GroupPvs<'a>> {
        let own = quad_in_block(self.quad, level);
        GroupPvs::new(self.levels.groups(level), own)
    }

    /// Hands over what a level says of a quad of its cells, of level 3 or more, and no lower level: of a block the cells that
    /// are seen, of more all.
    fn tell(&self, level: u32, quad: Quad, seen: u64, take: &mut dyn FnMut(Leaf) -> bool) -> bool {
        let Quad { column, row, .. } = quad;
        let whole = Quad::new(quad.level + level, column, row);
        if !self.levels.valid.grid().has_quad(whole) {
            return true;
        }
        if quad.level > BLOCK_LEVEL {
            let mut children = (0..4).filter_map(|child| quad.child(child));
            return match self.is_told_below(level, quad) {
                Some(false) => take(Leaf::Visible(whole)),
                _ => children.all(|child| self.tell(level, child, seen, take)),
            };
        }
        let terrain = self.levels.groups(level).valid().block(column, row);
        let part = |quad: Quad, take: &mut dyn FnMut(Leaf) -> bool| {
            let terrain = terrain & quad_mask(quad_in_block(quad, level));
            let seen = seen & terrain;
            match seen {
                0 => true,
                _ if seen == terrain => take(Leaf::Visible(quad)),
                _ => self.spread(quad, level, seen, take),
            }
        };
        match self.is_told_below(level, quad) {
            Some(true) => true,
            Some(false) => part(whole, take),
            None => (0..4).filter_map(|child| whole.child(child)).all(|child| {
                let below = Quad::new(BLOCK_LEVEL, child.column, child.row);
                self.is_near(level - 1, below) || part(child, take)
            }),
        }
    }

    /// Whether a level below tells of all of a quad of a level; `None` where of some.
    fn is_told_below(&self, level: u32, quad: Quad) -> Option<bool> {
        let Some(below) = level.checked_sub(1).filter(|_| level > self.lowest) else {
            return Some(false);
        };
        let [columns, rows] = self.levels.shape.window(below, up(self.block, below));
        let side = 1 << (quad.level + 1 - BLOCK_LEVEL);
        let (column, row) = (quad.column * side, quad.row * side);
        let meets = |at: u32, near: &Range<u32>| at < near.end && at + side > near.start;
        let holds = |at: u32, near: &Range<u32>| near.start <= at && at + side <= near.end;
        if !meets(column, &columns) || !meets(row, &rows) {
            return Some(false);
        }
        (holds(column, &columns) && holds(row, &rows)).then_some(true)
    }

    /// Whether a level tells of a block.
    fn is_near(&self, level: u32, block: Quad) -> bool {
        let shape = self.levels.shape;
        shape.is_near(up(self.block, level), (block.column, block.row))
    }

    /// Hands over what is visible of a quad by one level, the lowest that covers any part of it: `seen` are the cells of
    /// its block that are seen.
    fn spread(
        &self,
        quad: Quad,
        level: u32,
        seen: u64,
        take: &mut dyn FnMut(Leaf) -> bool,
    ) -> bool {
        if quad.level == BLOCK_LEVEL {
            let valid = self.levels.valid.block(quad.column, quad.row);
            let word = spread_out(seen, (quad.column, quad.row), level) & valid;
            return word == 0 || take(Leaf::Block(quad, word));
        }
        if quad.level == level {
            return take(Leaf::Visible(quad));
        }
        self.children(quad).all(|child| {
            let seen = seen & quad_mask(quad_in_block(child, level));
            seen == 0 || self.spread(child, level, seen, take)
        })
    }
}

/// The cells of a block of level 0 that lie in cells of a level, which are bits of the block that holds it.
fn spread_out(seen: u64, (column, row): Block, level: u32) -> u64 {
    match level {
        0 => seen,
        1 | 2 => {
            let side = 8 >> level;
            (0..side * side).fold(0, |word, at| {
                let (x, y) = (at % side, at / side);
                let place = ((side * row + y) & 7) << 3 | (side * column + x) & 7;
                let square = quad_mask(Quad::new(level, x, y));
                word | square & (seen >> place & 1).wrapping_neg()
            })
        }
        _ if seen != 0 => !0,
        _ => 0,
    }
}

impl<'a> ReadPvs<'a> for LevelsPvs<'a> {
    fn valid(&self) -> Valid<'a> {
        self.levels.valid
    }

    /// Goes down the quads that the level of their own size does not decide, until both something hidden and something
    /// visible is found.
    fn state(&self, quad: Quad) -> Answer {
        let valid = self.levels.valid;
        if !valid.has_quad(self.quad) || !valid.has_quad(quad) {
            return Answer::Hidden;
        }
        self.find(quad)
    }

    fn is_hidden(&self, quad: Quad) -> bool {
        let valid = self.levels.valid;
        !valid.has_quad(self.quad) || !valid.has_quad(quad) || self.none_is_seen(quad)
    }

    fn word(&self, column: u32, row: u32) -> u64 {
        let valid = self.levels.valid;
        let block = Quad::new(BLOCK_LEVEL, column, row);
        if !valid.has_quad(self.quad) || !valid.has_quad(block) {
            return 0;
        }
        let (level, [seen, _], _) = self.look(block);
        spread_out(seen, (column, row), level) & valid.block(column, row)
    }

    fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.by_levels(&mut take)
    }

    fn contains(&self, sample: Sample) -> bool {
        if self.quad.level == 0 {
            return self.levels.sees(self.quad.origin(), sample);
        }
        self.levels.valid.has_sample(sample)
            && self.word(sample.column >> BLOCK_LEVEL, sample.row >> BLOCK_LEVEL)
                & quad_mask(sample.quad())
                != 0
    }
}
