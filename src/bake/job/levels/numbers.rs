//! The levels of a bundle as a bake numbers their blocks: those of level 0 in Morton order, then those of level 1, and so on.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use crate::compress::ValidPyramid;
use crate::compress::levels::{Block, analyse, keep_outer, valid_levels};
use crate::compress::pairs::group::morton_blocks;
use crate::compress::pairs::{PairList, PairSymbols};
use crate::job::store::group::{Key, Targets, decode_told, encode_told};
use crate::job::tiles::{Tile, tiles};
use crate::visibility::LOOK_LEVEL;
use viewcell::format::Answer;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::levels::Shape;
use viewcell::format::morton::{self, comes_before};
use viewcell::format::{Grid, Quad, TerrainParameters};

/// The levels, and where there is terrain in each.
pub(crate) struct Levels {
    pub shape: Shape,
    pub targets: Targets,
    pub all: Vec<Level>,
}

/// One level.
pub(crate) struct Level {
    pub grid: Grid,
    pub valid: ValidPyramid,
    /// The number of its first block.
    pub first: usize,
    /// Its blocks in Morton order.
    pub blocks: Vec<Block>,
    /// Their places in that order, row by row.
    orders: Vec<u32>,
}

/// How the cells of a block see the blocks that its group covers.
#[derive(Debug, Default)]
pub(crate) struct LevelGroup {
    /// By block, in Morton order.
    pub sights: Vec<Answer>,
    /// Those that are mixed.
    pub pairs: PairList,
}

impl Levels {
    /// Those of a bundle with these parameters, where there is terrain at level 0.
    pub(crate) fn new(parameters: &TerrainParameters, valid: &ValidPyramid) -> Self {
        let targets = Targets::of(parameters.mutual);
        Self::of(Shape::of(parameters), targets, valid)
    }

    /// Those of a shape, whose groups cover such blocks.
    pub(crate) fn of(shape: Shape, targets: Targets, valid: &ValidPyramid) -> Self {
        let mut first = 0;
        let of_level = |valid: ValidPyramid| {
            let grid = valid.grid();
            let blocks = morton_blocks(grid);
            let across = grid.block_shape().0;
            let mut orders = vec![0; blocks.len()];
            for (order, &(column, row)) in (0..).zip(&blocks) {
                orders[(row * across + column) as usize] = order;
            }
            let level = Level {
                grid,
                valid,
                first,
                blocks,
                orders,
            };
            first += level.blocks.len();
            level
        };
        let all = valid_levels(shape, valid)
            .into_iter()
            .map(of_level)
            .collect();
        Self {
            shape,
            targets,
            all,
        }
    }

    pub(crate) fn is_mutual(&self) -> bool {
        self.targets == Targets::OwnAndLater
    }

    /// The level of a block, by its number, and the block.
    pub(crate) fn find(&self, number: usize) -> (u32, Block) {
        let level = self.all.partition_point(|level| level.first <= number) - 1;
        (
            level as u32,
            self.all[level].blocks[number - self.all[level].first],
        )
    }

    /// The quad from which a kernel looks at once that holds a block, by its number: of cells of the block's level.
    pub(crate) fn look_quad(&self, number: usize) -> Quad {
        let (_, (column, row)) = self.find(number);
        Quad::new(BLOCK_LEVEL, column, row).ancestor(LOOK_LEVEL)
    }

    /// The numbers of the blocks, those of such a quad together.
    pub(crate) fn look_quads(&self) -> Vec<Range<usize>> {
        let numbers: Vec<usize> = (0..self.blocks()).collect();
        let together = numbers.chunk_by(|&a, &b| self.look_quad(a) == self.look_quad(b));
        together
            .map(|blocks| blocks[0]..blocks[0] + blocks.len())
            .collect()
    }

    /// The place of a block, by its number, row by row in its level.
    pub(crate) fn place(&self, number: usize) -> usize {
        let (at, block) = self.find(number);
        self.all[at as usize].index(block)
    }

    /// The places of the blocks that the group of one covers, in Morton order.
    pub(crate) fn places_told_by(&self, number: usize) -> Vec<usize> {
        let (at, own) = self.find(number);
        let level = &self.all[at as usize];
        let told = self.told_by(at, own);
        told.iter().map(|&block| level.index(block)).collect()
    }

    /// Number of blocks of all levels.
    pub(crate) fn blocks(&self) -> usize {
        self.all.iter().map(|level| level.blocks.len()).sum()
    }

    /// The tiles of all levels, in Morton order of the places where they end, smaller ones first: so that each shard of a bake
    /// has as much of every level as others, for what a pair of cells of a level takes varies from terrain to terrain.
    pub(in crate::job) fn tiles(&self) -> Vec<Tile> {
        let of_level = |(at, level): (u32, &Level)| {
            let first = level.first;
            tiles(level.grid).into_iter().map(move |tile| {
                let Quad { column, row, .. } = tile.quad;
                let end = (u128::from(morton::number(column, row)) + 1) << (2 * at);
                let blocks = tile.blocks.start + first..tile.blocks.end + first;
                ((end, at), Tile { blocks, ..tile })
            })
        };
        let mut all: Vec<_> = (0..).zip(&self.all).flat_map(of_level).collect();
        all.sort_unstable_by_key(|&(place, _)| place);
        all.into_iter().map(|(_, tile)| tile).collect()
    }

    /// The blocks that the group of one covers, in Morton order: those near it, or of them itself and those after it.
    pub(crate) fn told_by(&self, level: u32, block: Block) -> Cow<'_, [Block]> {
        if self.shape.is_whole() {
            let of = &self.all[level as usize];
            let first = if self.is_mutual() { of.order(block) } else { 0 };
            return Cow::Borrowed(&of.blocks[first..]);
        }
        let mut told: Vec<Block> = self.covered_by(level, block).collect();
        told.sort_unstable_by_key(|&(column, row)| morton::number(column, row));
        Cow::Owned(told)
    }

    /// The same, row by row.
    fn covered_by(&self, level: u32, block: Block) -> impl Iterator<Item = Block> {
        let mutual = self.is_mutual();
        let [columns, rows] = self.shape.window(level, block);
        let near = rows.flat_map(move |row| columns.clone().map(move |column| (column, row)));
        near.filter(move |&target| !mutual || !comes_before(target, block))
    }

    /// How many blocks the group of one covers, about: of a block with itself and its neighbours half count where each
    /// pair is covered once.
    pub(crate) fn told(&self, level: u32, block: Block) -> u64 {
        let [columns, rows] = self.shape.window(level, block);
        let near = columns.len() as u64 * rows.len() as u64;
        if self.is_mutual() {
            near.div_ceil(2)
        } else {
            near
        }
    }

    /// Pairs of blocks with terrain that the group of a block covers.
    pub(crate) fn pairs_with_terrain(&self, level: u32, block: Block) -> u64 {
        let of = &self.all[level as usize];
        if of.terrain(block) == 0 {
            return 0;
        }
        let told = self.covered_by(level, block);
        told.filter(|&target| of.terrain(target) != 0).count() as u64
    }

    /// A group as a kernel leaves it, by what its block sees of each that it covers: without what the level below tells. Of one
    /// that is seen in part `sight_of` says which cells see which.
    pub(crate) fn group(
        &self,
        number: usize,
        tree: &mut PairSymbols,
        mut sight_of: impl FnMut(Block, &mut [u64; 64]) -> Answer,
    ) -> LevelGroup {
        let (at, own) = self.find(number);
        let level = &self.all[at as usize];
        let (mut group, mut rows) = (LevelGroup::default(), [0; 64]);
        for &target in self.told_by(at, own).iter() {
            let mut sight = sight_of(target, &mut rows);
            if at > 0 && sight != Answer::Hidden {
                if sight == Answer::Visible {
                    rows = [!0; 64];
                }
                keep_outer(self.shape, own, target, &mut rows);
                sight = Answer::Mixed;
            }
            if sight == Answer::Mixed {
                let terrain = [level.terrain(own), level.terrain(target)];
                sight = analyse(tree, &rows, terrain);
            }
            group.push(sight, tree);
        }
        group
    }

    /// The record of a group, by the number of its block.
    pub(crate) fn record(&self, number: usize, group: &LevelGroup) -> io::Result<Vec<u8>> {
        let sights = group.sights.iter().copied();
        encode_told(number, self.targets, sights, &group.pairs)
    }

    /// The group of a record, which covers so many blocks; `None` where it is damaged.
    pub(crate) fn decode(&self, payload: &[u8], told: usize) -> Option<LevelGroup> {
        let (key, frame) = Key::split(payload)?;
        let mut sights = Vec::with_capacity(told);
        let mut tell = |sight| {
            sights.push(sight);
            (sights.len() <= told).then_some(())
        };
        let pairs = decode_told((key, frame), told, &mut tell)?;
        let is_whole = key.targets == self.targets && sights.len() == told;
        is_whole.then_some(LevelGroup { sights, pairs })
    }
}

impl LevelGroup {
    /// Takes in how the next block is seen; `tree` says it of one that is mixed.
    pub(crate) fn push(&mut self, sight: Answer, tree: &PairSymbols) {
        if sight == Answer::Mixed {
            self.pairs.push(tree.pair());
        }
        self.sights.push(sight);
    }

    /// By block, in Morton order: the bits of those that are mixed.
    pub(crate) fn rows(&self) -> Vec<Option<[u64; 64]>> {
        let mut pairs = self.pairs.iter();
        let mut rows = |sight| match sight {
            Answer::Mixed => pairs.next().map(|pair| pair.rows()),
            _ => None,
        };
        self.sights.iter().map(|&sight| rows(sight)).collect()
    }
}

impl Level {
    /// The place of a block, row by row.
    pub(crate) fn index(&self, (column, row): Block) -> usize {
        row as usize * self.grid.block_shape().0 as usize + column as usize
    }

    /// Its place in Morton order.
    pub(crate) fn order(&self, block: Block) -> usize {
        self.orders[self.index(block)] as usize
    }

    /// The cells of a block that have terrain.
    pub(crate) fn terrain(&self, block: Block) -> u64 {
        self.valid.blocks()[self.index(block)]
    }
}
