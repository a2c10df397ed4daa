//! Prunes the pairs of blocks of a level for a Lagrange multiplier ([`crate::compress::pairs::PairPruner`]).

use super::numbers::{LevelGroup, Levels};
use crate::compress::levels::Block;
use crate::compress::pairs::{BlockPairSymbols, PairList, PairPruner, PairSymbols, PairWorth};
use crate::job::budget::weights::Weights;
use viewcell::dice::{Dice, mixed};
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{Answer, Narrowing};

/// How pairs are pruned.
pub(super) struct Trade<'a> {
    pub pruner: PairPruner<'a>,
    /// The Lagrange multiplier: hidden pairs of view cells that are given up for a byte.
    pub area: f64,
    /// What cells are worth, by level.
    pub weights: &'a [Weights],
    /// How many times as much a bit of a level is worth as one of the level below.
    pub growth: f64,
    /// What unions hide; `None` where there are none.
    pub narrowing: Option<Narrowing<'a>>,
}

/// What unions leave of the pairs of a block with all others.
#[derive(Default)]
pub(super) struct Masks {
    /// By block, row by row: the targets in it, and the viewpoints that may see any of it. None where there are no unions.
    targets: Vec<u64>,
    viewpoints: Vec<u64>,
    /// The quad with a union whose targets these are.
    quad: Option<Block>,
}

impl Masks {
    /// Learns what unions leave visible from a block. They are for one narrowing.
    fn look(&mut self, narrowing: &Narrowing, (column, row): Block) {
        let blocks = narrowing.trees().valid().grid().blocks();
        self.targets.resize(blocks, 0);
        self.viewpoints.resize(blocks, 0);
        let up = TREE_LEVEL - BLOCK_LEVEL;
        let quad = (column >> up, row >> up);
        if self.quad != Some(quad) {
            narrowing.targets(column, row, &mut self.targets);
            self.quad = Some(quad);
        }
        narrowing.viewpoints(column, row, &mut self.viewpoints);
    }

    /// The viewpoints, and the targets of a block, that no union hides from each other.
    pub(super) fn open(&self, target: usize) -> Option<[u64; 2]> {
        Some([*self.viewpoints.get(target)?, *self.targets.get(target)?])
    }
}

impl Trade<'_> {
    /// What is kept of a group that tells of the blocks `told`.
    pub(super) fn prune(
        &self,
        levels: &Levels,
        (at, own): (u32, Block),
        told: &[Block],
        group: &LevelGroup,
        (kept, masks): (&mut PairSymbols, &mut Masks),
    ) -> Option<LevelGroup> {
        if let Some(narrowing) = &self.narrowing {
            masks.look(narrowing, own);
        }
        let level = &levels.all[at as usize];
        let mut left = LevelGroup {
            sights: Vec::with_capacity(told.len()),
            pairs: PairList::default(),
        };
        let mut pairs = group.pairs.iter();
        for (&target, &sight) in told.iter().zip(&group.sights) {
            let mut sight = sight;
            if sight == Answer::Mixed {
                let open = masks.open(level.index(target)).unwrap_or([!0; 2]);
                if self.prune_pair(levels, at, [own, target], (pairs.next()?, open), kept) {
                    left.pairs.push(kept.pair());
                } else {
                    sight = Answer::Visible;
                }
            }
            left.sights.push(sight);
        }
        Some(left)
    }

    /// Leaves in `kept` what is kept of how a block of a level sees another, of viewpoints and targets those that are `open`;
    /// false where it becomes visible.
    ///
    /// What a lower level tells as well counts like the rest: PVSs of quads and frontier sets ask for it.
    fn prune_pair(
        &self,
        levels: &Levels,
        at: u32,
        [from, to]: [Block; 2],
        (pair, open): (BlockPairSymbols, [u64; 2]),
        kept: &mut PairSymbols,
    ) -> bool {
        let level = &levels.all[at as usize];
        let worth = |block| self.weights[at as usize].of_block(&level.valid, level.index(block));
        let mutual = levels.is_mutual();
        let worth = PairWorth {
            viewpoints: worth(from),
            targets: worth(to),
            both: mutual && from != to,
            open,
        };
        let area = self.area / self.growth.powi(at as i32);
        let number = |block| level.first + level.index(block);
        let area = dithered(area, number(from), number(to));
        if mutual && from == to {
            self.pruner.prune_own(pair, &worth, area, kept)
        } else {
            self.pruner.prune(pair, &worth, area, kept)
        }
    }
}

/// The multiplier, varied by up to a tenth from pair to pair of blocks: with one value for all, equal pairs would all be
/// pruned at the same value, and the size would jump past the budget.
fn dithered(trade: f64, a: usize, b: usize) -> f64 {
    trade * (0.9 + 0.2 * Dice(mixed(a as u64) ^ b as u64).fraction())
}
