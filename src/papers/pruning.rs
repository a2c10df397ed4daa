//! Pruning PVSs to a number of nodes, the deepest first (thesis section 3.4).
//!
//! Counted are the nodes of the thesis's quadtrees, which go down to single samples: the root, and
//! four children of every quad that is neither all hidden nor all visible.

use viewcell::format::grid::{BLOCK_LEVEL, quad_mask};
use viewcell::format::{Grid, Quad};
use viewcell_bake::compress::ValidPyramid;

/// What a PVS says about the quads of a level of 3 or more.
#[derive(Clone, Debug)]
struct Level {
    columns: usize,
    rows: usize,
    /// Whether some terrain of the quad is visible.
    some: Vec<bool>,
    /// Number of children that are not all visible; of a block, whether it is not.
    gaps: Vec<u8>,
}

/// Which of a level's quads become visible first, when not all of them need to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// Row by row. The thesis leaves the order open.
    #[default]
    RowByRow,
    /// Those with the fewest hidden children, row by row (thesis section 5.2).
    FewestHidden,
}

impl Ties {
    /// Its name in provenance.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowByRow => "row-by-row",
            Self::FewestHidden => "fewest-hidden",
        }
    }
}

/// How far each PVS is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeepestFirst {
    /// Greatest number of nodes of a PVS's quadtree, which goes down to single samples.
    pub nodes: u64,
    /// What goes first of what is equally deep.
    pub ties: Ties,
}

/// A round over the quads of a level.
#[derive(Clone, Copy)]
enum Round {
    All,
    /// Those with so many children that have hidden terrain.
    Hidden(u32),
}

impl Round {
    fn takes(self, hidden: impl FnOnce() -> u32) -> bool {
        match self {
            Self::All => true,
            Self::Hidden(count) => hidden() == count,
        }
    }
}

/// Prunes one PVS after the other; keeps its memory.
#[derive(Clone, Debug)]
pub struct DepthPruner<'v> {
    valid: &'v ValidPyramid,
    /// From level 3 on.
    levels: Vec<Level>,
    nodes: u64,
}

impl<'v> DepthPruner<'v> {
    /// A pruner for the PVSs of a terrain.
    pub fn new(valid: &'v ValidPyramid) -> Self {
        let grid = valid.grid();
        let levels = (BLOCK_LEVEL..=grid.root_level())
            .map(|level| {
                let (columns, rows) = grid.quads_at(level);
                let (columns, rows) = (columns as usize, rows as usize);
                Level {
                    columns,
                    rows,
                    some: vec![false; columns * rows],
                    gaps: vec![0; columns * rows],
                }
            })
            .collect();
        Self {
            valid,
            levels,
            nodes: 0,
        }
    }

    /// Number of nodes of a PVS as a block bitmap, which may have no ones but for terrain.
    pub fn count(&mut self, pvs: &[u64]) -> u64 {
        self.classify(pvs);
        self.nodes
    }

    /// Makes quads of a PVS visible, the smallest first, until its tree has at most `limit` nodes.
    /// Returns how many it has. Pruning to fewer nodes in several goes comes to the same.
    pub fn prune(&mut self, pvs: &mut [u64], limit: u64, ties: Ties) -> u64 {
        self.classify(pvs);
        // When a level's turn comes, its unknown quads have no unknown children any more: of four
        // at least one is hidden, and one visible.
        let rounds: &[Round] = match ties {
            Ties::RowByRow => &[Round::All],
            Ties::FewestHidden => &[1, 2, 3].map(Round::Hidden),
        };
        for level in 1..=self.valid.grid().root_level() {
            for &round in rounds {
                if self.nodes <= limit {
                    return self.nodes;
                }
                if level < BLOCK_LEVEL {
                    self.prune_within_blocks(pvs, level, limit, round);
                } else {
                    self.prune_level(pvs, level, limit, round);
                }
            }
        }
        self.nodes
    }

    fn classify(&mut self, pvs: &[u64]) {
        let valid = self.valid.blocks();
        assert_eq!(pvs.len(), valid.len(), "one word a block");
        let mut unknown = 0;
        let (blocks, above) = self.levels.split_first_mut().expect("there is level 3");
        for (i, (&word, &terrain)) in pvs.iter().zip(valid).enumerate() {
            blocks.some[i] = word != 0;
            blocks.gaps[i] = u8::from(word != terrain);
            if word != 0 && word != terrain {
                unknown += 1;
                for level in 1..BLOCK_LEVEL {
                    unknown += quads_of_block(level)
                        .filter(|mask| is_unknown(word, terrain, *mask))
                        .count() as u64;
                }
            }
        }
        let mut below = &*blocks;
        for level in above {
            level.some.fill(false);
            level.gaps.fill(0);
            for row in 0..below.rows {
                for column in 0..below.columns {
                    let child = row * below.columns + column;
                    let at = row / 2 * level.columns + column / 2;
                    level.some[at] |= below.some[child];
                    level.gaps[at] += u8::from(below.gaps[child] > 0);
                }
            }
            let quads = level.some.iter().zip(&level.gaps);
            unknown += quads.filter(|(some, gaps)| **some && **gaps > 0).count() as u64;
            below = level;
        }
        self.nodes = 1 + 4 * unknown;
    }

    fn prune_within_blocks(&mut self, pvs: &mut [u64], level: u32, limit: u64, round: Round) {
        let valid = self.valid.blocks();
        for (index, word) in pvs.iter_mut().enumerate() {
            let terrain = valid[index];
            if *word == 0 || *word == terrain {
                continue;
            }
            for mask in quads_of_block(level) {
                let hidden = || hidden_children(*word, terrain, level, mask);
                if !is_unknown(*word, terrain, mask) || !round.takes(hidden) {
                    continue;
                }
                if self.nodes <= limit {
                    return;
                }
                *word |= mask & terrain;
                self.nodes -= 4;
                // Quads of the block that hold this one were unknown, and may be visible now.
                for above in level + 1..BLOCK_LEVEL {
                    let around = quads_of_block(above).find(|around| around & mask != 0);
                    let around = around.expect("the quads of a level cover the block") & terrain;
                    self.nodes -= if *word & around == around { 4 } else { 0 };
                }
                if *word == terrain {
                    self.nodes -= 4;
                    self.fill_block(index);
                }
            }
        }
    }

    fn prune_level(&mut self, pvs: &mut [u64], level: u32, limit: u64, round: Round) {
        let at = (level - BLOCK_LEVEL) as usize;
        for row in 0..self.levels[at].rows {
            for column in 0..self.levels[at].columns {
                let index = row * self.levels[at].columns + column;
                let gaps = self.levels[at].gaps[index];
                let hidden = || match at {
                    0 => hidden_children(pvs[index], self.valid.blocks()[index], level, !0),
                    _ => gaps.into(),
                };
                if !self.levels[at].some[index] || gaps == 0 || !round.takes(hidden) {
                    continue;
                }
                if self.nodes <= limit {
                    return;
                }
                let up = level - BLOCK_LEVEL;
                let blocks = &self.levels[0];
                let wide = blocks.columns;
                let range = |at: usize, most: usize| at << up..((at + 1) << up).min(most);
                for block_row in range(row, blocks.rows) {
                    for block in range(column, wide) {
                        let block = block_row * wide + block;
                        pvs[block] = self.valid.blocks()[block];
                    }
                }
                self.nodes -= 4;
                self.levels[at].gaps[index] = 0;
                self.fill_parents(at, column, row);
            }
        }
    }

    /// A block has become visible.
    fn fill_block(&mut self, index: usize) {
        let columns = self.levels[0].columns;
        self.levels[0].gaps[index] = 0;
        self.fill_parents(0, index % columns, index / columns);
    }

    /// A quad has become visible: so does its parent, if it was the last of its children.
    fn fill_parents(&mut self, level: usize, column: usize, row: usize) {
        let (mut column, mut row) = (column / 2, row / 2);
        for level in self.levels.iter_mut().skip(level + 1) {
            let index = row * level.columns + column;
            level.gaps[index] -= 1;
            if level.gaps[index] > 0 {
                return;
            }
            self.nodes -= 4;
            (column, row) = (column / 2, row / 2);
        }
    }
}

/// The masks of a block's quads of level 1 or 2.
fn quads_of_block(level: u32) -> impl Iterator<Item = u64> {
    let side = 8 >> level;
    (0..side)
        .flat_map(move |row| (0..side).map(move |column| quad_mask(Quad::new(level, column, row))))
}

/// Number of children of a block's quad of level 1, 2 or 3 that have hidden terrain.
fn hidden_children(word: u64, terrain: u64, level: u32, quad: u64) -> u32 {
    let hidden = terrain & !word & quad;
    if level == 1 {
        return hidden.count_ones();
    }
    quads_of_block(level - 1)
        .filter(|child| hidden & child != 0)
        .count() as u32
}

fn is_unknown(word: u64, terrain: u64, mask: u64) -> bool {
    word & mask != 0 && (word ^ terrain) & mask != 0
}

/// The most nodes that each of a terrain's PVSs may have for all to fit into so many bytes, three
/// a node (thesis section 4.4, table 4.5).
pub fn nodes_for(grid: Grid, bytes: u64) -> u64 {
    bytes / 3 / grid.quad_count()
}

#[cfg(test)]
#[path = "../../tests/bundle/reference.rs"]
#[allow(dead_code, unreachable_pub)]
mod reference;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use viewcell::format::Answer;

    fn nodes(grid: Grid, valid: &[u64], pvs: &[u64], quad: Quad) -> u64 {
        let mask = |words: &[u64], sample| {
            let (word, bit) = grid.block_bit(sample);
            words[word] >> bit & 1 == 1
        };
        let state = reference::state(grid, &|s| mask(valid, s), &|s| mask(pvs, s), quad);
        if !grid.has_quad(quad) || state != Answer::Mixed {
            return 1;
        }
        let children = (0..4).filter_map(|index| quad.child(index));
        1 + children
            .map(|child| nodes(grid, valid, pvs, child))
            .sum::<u64>()
    }

    /// The slow twin of [`DepthPruner::prune`]: one quad after the other, by the thesis's words.
    fn slowly(grid: Grid, valid: &[u64], pvs: &[u64], limit: u64, ties: Ties) -> Vec<u64> {
        let mut pvs = pvs.to_vec();
        let bit = |words: &[u64], sample| {
            let (word, bit) = grid.block_bit(sample);
            words[word] >> bit & 1 == 1
        };
        while nodes(grid, valid, &pvs, grid.root()) > limit {
            let of = |quad| reference::state(grid, &|s| bit(valid, s), &|s| bit(&pvs, s), quad);
            // Children with terrain that are hidden; a quad with unknown ones has deeper nodes.
            let hidden = |quad: Quad| {
                let children = (0..4).filter_map(|index| quad.child(index));
                let children = children.filter(|&child| {
                    let terrain =
                        reference::state(grid, &|s| bit(valid, s), &|s| bit(valid, s), child);
                    terrain != Answer::Hidden && of(child) == Answer::Hidden
                });
                children.count()
            };
            let deepest = (1..grid.levels()).find_map(|level| {
                let (columns, rows) = grid.quads_at(level);
                let places =
                    (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
                // Within blocks, a block's quads come before those of the next.
                let in_order = |&(column, row): &(u32, u32)| {
                    let of_block = BLOCK_LEVEL.saturating_sub(level);
                    (row >> of_block, column >> of_block, row, column)
                };
                let mut places: Vec<_> = places.collect();
                places.sort_by_key(in_order);
                let mut quads: Vec<_> = places
                    .into_iter()
                    .map(|(column, row)| Quad::new(level, column, row))
                    .filter(|&quad| of(quad) == Answer::Mixed)
                    .collect();
                if ties == Ties::FewestHidden {
                    quads.sort_by_key(|&quad| hidden(quad));
                }
                quads.first().copied()
            });
            let quad = deepest.expect("a tree of one node is within every limit");
            for sample in grid.row_by_row() {
                let around = (sample.column >> quad.level, sample.row >> quad.level);
                if around != (quad.column, quad.row) {
                    continue;
                }
                let (word, bit) = grid.block_bit(sample);
                pvs[word] |= valid[word] & 1 << bit;
            }
        }
        pvs
    }

    proptest! {
        #[test]
        fn as_many_nodes_as_the_limit_allows_and_nothing_hidden_that_was_visible(
            width in 1u32..70,
            height in 1u32..70,
            seed in any::<u64>(),
            grain in 0u32..6,
            voids in any::<bool>(),
            limits in (1u64..400, 1u64..400),
            ties in prop_oneof![Just(Ties::RowByRow), Just(Ties::FewestHidden)],
        ) {
            let grid = Grid::new(width, height).unwrap();
            let mut state = seed;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state ^ state >> 29
            };
            let mut words = |grain: u32| -> Vec<u64> {
                (0..grid.blocks())
                    .map(|_| (0..grain).fold(random(), |word, i| match i % 2 {
                        0 => word & random(),
                        _ => word | random(),
                    }))
                    .collect()
            };
            let valid = if voids { words(2) } else { vec![!0; grid.blocks()] };
            let valid = ValidPyramid::new(grid, &valid);
            let pvs: Vec<u64> = words(grain)
                .iter()
                .enumerate()
                .map(|(i, word)| match i % 5 {
                    0 => 0,
                    1 => valid.blocks()[i],
                    _ => word & valid.blocks()[i],
                })
                .collect();
            let mut pruner = DepthPruner::new(&valid);
            let before = pruner.count(&pvs);
            prop_assert_eq!(before, nodes(grid, valid.blocks(), &pvs, grid.root()));
            let (most, least) = (limits.0.max(limits.1), limits.0.min(limits.1));
            let mut pruned = pvs.clone();
            let left = pruner.prune(&mut pruned, most, ties);
            prop_assert_eq!(left, nodes(grid, valid.blocks(), &pruned, grid.root()));
            prop_assert!(left <= most);
            prop_assert!(pvs.iter().zip(&pruned).all(|(pvs, pruned)| pvs & !pruned == 0));
            prop_assert!(before > most || pruned == pvs);
            prop_assert_eq!(&pruned, &slowly(grid, valid.blocks(), &pvs, most, ties));
            let mut again = pvs.clone();
            pruner.prune(&mut again, least, ties);
            pruner.prune(&mut pruned, least, ties);
            prop_assert_eq!(again, pruned);
        }
    }

    #[test]
    fn limits_are_those_of_table_4_5() {
        // The thesis's terrains had other sides; the nodes follow from the number of quads.
        let grid = Grid::new(500, 500).unwrap();
        assert_eq!(grid.quad_count(), 333_459);
        let nodes = [1, 10].map(|tenths| nodes_for(grid, (1 << 30) / 10 * tenths));
        assert_eq!(nodes, [107, 1073]);
    }
}
