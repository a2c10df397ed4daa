//! The first of two passes of the encoder of graded bundles, level by level from the lowest up: each level takes over the
//! unions of the level below, pairs of blocks are pruned where there is a budget, and symbols are counted for the codes.

use std::collections::HashMap;
use std::io;
use viewcell::format::Answer;

use super::levels::{Levels, NearGroup};
use crate::compress::graded::{Block, Union, analyse, keep_outer, parent, rows_of, visible_pairs};
use crate::compress::pairs::{
    BlockPairSymbols, Codebook, Histogram, PairList, PairPruner, PairSymbols, PairWorth,
    encode_head_within,
};
use crate::job::budget::pruning::dithered;
use crate::job::budget::weights::Weights;
use crate::job::encode::Destination;
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::file::Store;
use crate::job::store::group::encode_told;
use crate::job::store::groups::Stores;
use viewcell::format::pairs::table_length;

/// The groups of all levels as the kernels found them, and the bundle to be made of them.
pub(super) struct LevelAssembly<'a> {
    pub levels: Levels,
    pub stored: Stores<'a>,
    pub place: &'a Destination<'a>,
    pub workers: &'a Workers<'a>,
}

/// How pairs are pruned.
pub(super) struct Trade<'a> {
    pub pruner: PairPruner<'a>,
    /// The Lagrange multiplier: hidden pairs of view cells that are given up for a byte.
    pub area: f64,
    /// What cells are worth, by level.
    pub weights: &'a [Weights],
    /// How many times as much a bit of a level is worth as one of the level below.
    pub growth: f64,
}

/// The groups of all levels as the bundle has them, and what they come to.
pub(super) struct Pass {
    /// Those that are not as the kernels found them, by number.
    store: Store,
    pub histogram: Histogram,
    /// Pairs of view cells that see each other.
    pub visible: u64,
    /// Bytes of each group before its table.
    pub heads: Vec<u32>,
    /// Bytes of all tables.
    tables: u64,
}

impl Pass {
    /// Bytes of the groups' heads.
    pub(super) fn head_bytes(&self) -> u64 {
        self.heads.iter().map(|&bytes| u64::from(bytes)).sum()
    }

    /// Bytes of the dictionary, and of the groups.
    pub(super) fn bytes(&self) -> [u64; 2] {
        let codebook = Codebook::new(&self.histogram);
        let dictionary = codebook.section().len() as u64;
        let records = codebook.cost() - dictionary;
        [dictionary, self.head_bytes() + self.tables + records]
    }
}

/// What a thread has counted, and its scratch memory.
#[derive(Default)]
struct Tally {
    histogram: Histogram,
    visible: u64,
    tree: PairSymbols,
    pruned: PairSymbols,
}

impl LevelAssembly<'_> {
    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.levels.blocks()
    }

    /// A group as a pass has left it.
    pub(super) fn read(&self, pass: &Pass, number: usize) -> Result<Vec<u8>, BakeError> {
        match pass.store.read(number)? {
            Some(bytes) => Ok(bytes),
            None => Ok(self.stored.read(number)?),
        }
    }

    /// Passes over all groups.
    pub(super) fn pass(&self, trade: Option<&Trade>) -> Result<Pass, BakeError> {
        let (levels, workers) = (&self.levels, self.workers);
        let mut pass = Pass {
            store: Store::scratch(self.place.path, self.groups())?,
            histogram: Histogram::default(),
            visible: 0,
            heads: Vec::with_capacity(self.groups()),
            tables: 0,
        };
        let mut below: Vec<Vec<u8>> = Vec::new();
        for (at, level) in (0..).zip(&levels.all) {
            let mut joined = Joined {
                levels,
                at,
                own: None,
                seen: Union::default(),
                groups: Vec::new(),
                tree: PairSymbols::default(),
            };
            let mut heads = Heads::new(levels, at);
            let tallies = workers.run(
                0..level.blocks.len(),
                |index| Ok(self.stored.read(level.first + index)?),
                |tally: &mut Tally, index, bytes| {
                    let inner = below.get(index).map(Vec::as_slice);
                    join(levels, at, index, [Some(&bytes), inner], trade, tally)
                },
                |index, found| {
                    let number = level.first + index;
                    if trade.is_none() {
                        workers.observer.advance(Stage::Compress, number as u64 + 1);
                    }
                    let whole = found.ok_or_else(|| self.stored.damaged(number))?;
                    let block = level.blocks[index];
                    let (head, records) = heads.push(block, &whole.told, &whole.sights);
                    pass.heads.push(head.len() as u32);
                    pass.tables += table_length(records) as u64;
                    if let Some(record) = whole.record {
                        let record = record.map_err(|error| pass.store.cannot_encode(error))?;
                        pass.store.append(&[(number, record)])?;
                    }
                    joined.take(block, whole.above);
                    Ok(())
                },
            )?;
            for tally in tallies {
                pass.histogram.add(&tally.histogram);
                pass.visible += tally.visible;
            }
            let encoded = joined.finish();
            below = encoded.map_err(|error| pass.store.cannot_encode(error))?;
        }
        Ok(pass)
    }
}

impl Trade<'_> {
    /// Leaves in `kept` what is kept of how a block of a level sees another; false where it becomes visible.
    ///
    /// What a lower level tells as well counts like the rest: PVSs of quads and frontier sets ask for it.
    pub(super) fn prune(
        &self,
        levels: &Levels,
        at: u32,
        [from, to]: [Block; 2],
        pair: BlockPairSymbols,
        kept: &mut PairSymbols,
    ) -> bool {
        let level = &levels.all[at as usize];
        let worth = |block| self.weights[at as usize].of_block(&level.valid, level.index(block));
        let (viewpoints, targets) = (worth(from), worth(to));
        let mutual = levels.is_mutual();
        let worth = PairWorth {
            viewpoints,
            targets,
            both: mutual && from != to,
            open: [!0; 2],
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

/// How a block sees those near it.
struct Whole {
    /// The blocks that the group covers, and how each is seen.
    told: Vec<Block>,
    sights: Vec<Answer>,
    /// The record of the group, where it is not as the kernel found it.
    record: Option<io::Result<Vec<u8>>>,
    /// What it tells the level above: blocks of this level, and what its cells see of theirs.
    above: Above,
}

type Above = Vec<(Block, Box<[u64; 64]>)>;

/// Puts together how a block sees those near it: what a kernel found, and what the levels below tell.
fn join(
    levels: &Levels,
    at: u32,
    index: usize,
    [found, inner]: [Option<&[u8]>; 2],
    trade: Option<&Trade>,
    tally: &mut Tally,
) -> Option<Whole> {
    let level = &levels.all[at as usize];
    let own = level.blocks[index];
    let told = levels.told_by(at, own);
    let found = levels.decode(found?, told.len())?;
    let inner = match inner {
        Some(bytes) => Some(levels.decode(bytes, told.len())?),
        None => None,
    };
    let (outer_rows, inner_rows) = (found.rows(), inner.as_ref().map(NearGroup::rows));
    let mut above = Above::new();
    let mut group = NearGroup::default();
    for (k, &target) in told.iter().enumerate() {
        let terrain = [level.terrain(own), level.terrain(target)];
        let mut seen = rows_of(found.sights[k], outer_rows[k], terrain);
        let mut sight = found.sights[k];
        if let (Some(inner), Some(rows)) = (&inner, &inner_rows)
            && inner.sights[k] != Answer::Hidden
        {
            let more = rows_of(inner.sights[k], rows[k], terrain);
            for (seen, more) in seen.iter_mut().zip(more) {
                *seen |= more;
            }
            sight = analyse(&mut tally.tree, &seen, terrain);
        } else if sight == Answer::Mixed {
            sight = analyse(&mut tally.tree, &seen, terrain);
        }
        if sight == Answer::Mixed {
            let mut pair = tally.tree.pair();
            if let Some(trade) = trade {
                let is_kept = trade.prune(levels, at, [own, target], pair, &mut tally.pruned);
                sight = if is_kept { sight } else { Answer::Visible };
                pair = tally.pruned.pair();
                seen = rows_of(sight, is_kept.then(|| pair.rows()), terrain);
            }
            if sight == Answer::Mixed {
                tally.histogram.count(pair);
                group.pairs.push(pair);
            }
        }
        group.sights.push(sight);
        let mut outer = seen;
        if at > 0 {
            keep_outer(levels.shape, own, target, &mut outer);
        }
        let both = 1 + u64::from(levels.is_mutual() && own != target);
        tally.visible += both * visible_pairs(&levels.all[0].valid, at, [own, target], &outer);
        if sight != Answer::Hidden {
            above.push((target, Box::new(seen)));
        }
    }
    let is_other = inner.is_some() || trade.is_some();
    let record = is_other.then(|| {
        let sights = group.sights.iter().copied();
        encode_told(level.first + index, levels.targets, sights, &group.pairs)
    });
    Some(Whole {
        told,
        sights: group.sights,
        record,
        above,
    })
}

/// Gathers what blocks of a level tell the level above.
struct Joined<'a> {
    levels: &'a Levels,
    /// The level that tells.
    at: u32,
    /// The block of the level above whose quarters come at the moment.
    own: Option<Block>,
    seen: Union,
    /// The groups that are done, which cover what is near by this level alone.
    groups: Vec<io::Result<Vec<u8>>>,
    tree: PairSymbols,
}

impl Joined<'_> {
    /// Takes what a block sees, the next in Morton order.
    fn take(&mut self, own: Block, above: Above) {
        if self.at as usize + 1 == self.levels.all.len() {
            return;
        }
        if self.own != Some(parent(own)) {
            self.end();
            self.own = Some(parent(own));
        }
        for (target, rows) in above {
            self.seen.add(own, target, &rows, self.levels.is_mutual());
        }
    }

    fn end(&mut self) {
        let Some(own) = self.own.take() else {
            return;
        };
        let at = self.at + 1;
        let level = &self.levels.all[at as usize];
        let mut pairs = PairList::default();
        let seen = std::mem::take(&mut self.seen);
        let told = self.levels.told_by(at, own);
        let mut sights = Vec::with_capacity(told.len());
        for target in told {
            let sight = match seen.seen(target) {
                None => Answer::Hidden,
                Some(rows) => {
                    let terrain = [level.terrain(own), level.terrain(target)];
                    analyse(&mut self.tree, rows, terrain)
                }
            };
            if sight == Answer::Mixed {
                pairs.push(self.tree.pair());
            }
            sights.push(sight);
        }
        let number = level.first + self.groups.len();
        let record = encode_told(number, self.levels.targets, sights.into_iter(), &pairs);
        self.groups.push(record);
    }

    fn finish(mut self) -> std::io::Result<Vec<Vec<u8>>> {
        self.end();
        self.groups.into_iter().collect()
    }
}

/// The heads of a level's groups, which cover the blocks before them as well.
pub(super) struct Heads<'a> {
    levels: &'a Levels,
    at: u32,
    /// Of blocks that are still to come: how those before them are seen.
    earlier: HashMap<Block, Vec<(Block, Answer)>>,
}

impl<'a> Heads<'a> {
    pub(super) fn new(levels: &'a Levels, at: u32) -> Self {
        Self {
            levels,
            at,
            earlier: HashMap::new(),
        }
    }

    /// The head of the next group in Morton order, and how many records are to follow.
    pub(super) fn push(
        &mut self,
        own: Block,
        told: &[Block],
        sights: &[Answer],
    ) -> (Vec<u8>, usize) {
        let window = self.levels.shape.window(self.at, own);
        let [columns, rows] = window.clone();
        let mut all = vec![Answer::Hidden; columns.len() * rows.len()];
        let place = |(column, row): Block| {
            (row - rows.start) as usize * columns.len() + (column - columns.start) as usize
        };
        for (target, sight) in self.earlier.remove(&own).unwrap_or_default() {
            all[place(target)] = sight;
        }
        for (&target, &sight) in told.iter().zip(sights) {
            all[place(target)] = sight;
            if self.levels.is_mutual() && target != own && sight != Answer::Hidden {
                self.earlier.entry(target).or_default().push((own, sight));
            }
        }
        let valid = &self.levels.all[self.at as usize].valid;
        let mut head = Vec::new();
        let mutual = self.levels.is_mutual();
        let records = encode_head_within(valid, own, window, &all, mutual, &mut head);
        (head, records)
    }
}
