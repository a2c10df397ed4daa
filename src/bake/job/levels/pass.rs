//! The first of two passes over all groups, level by level from the lowest up: each level takes over the unions of the level
//! below, pairs of blocks are pruned where there is a budget, symbols are counted for the codes, which depend on how often
//! each occurs in all groups, and the PVSs of large quads are united.

use std::borrow::Cow;
use std::io;
use viewcell::format::Answer;

use super::heads::{Heads, SeenAndSeeing, seen_and_seeing};
use super::numbers::{Level, LevelGroup, Levels};
use super::prune::{Masks, Trade};
use super::unions::{UnionTrees, Uniting};
use crate::bundle::{LevelStatistics, Statistics};
use crate::compress::levels::{Block, Union, analyse, keep_outer, parent, rows_of, visible_pairs};
use crate::compress::pairs::{Codebook, Histogram, PairBits, PairCounts, PairSymbols};
use crate::job::destination::Destination;
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::error::StoreError;
use crate::job::store::file::Store;
use crate::job::store::groups::Stores;
use viewcell::format::pairs::table_length;

/// The groups of all levels as the kernels found them, and the bundle to be made of them.
pub(super) struct Assembly<'a> {
    pub levels: Levels,
    pub stored: Stores<'a>,
    pub place: &'a Destination<'a>,
    pub workers: &'a Workers<'a>,
}

/// The groups of all levels as the bundle has them, and what they come to.
pub(super) struct Pass {
    /// Those that are not as the kernels found them, by number.
    pub store: Store,
    pub tally: Tally,
    /// Bytes of each group before its table.
    pub heads: Vec<u32>,
    /// Bytes of all tables.
    tables: u64,
    /// Where level 0 tells of all pairs.
    pub unions: UnionTrees,
}

/// What a thread has counted, and its scratch memory.
#[derive(Default)]
pub(super) struct Tally {
    pub histogram: Histogram,
    /// Pairs of view cells that see each other.
    pub visible: u64,
    /// The same by level of the quad that sees, where level 0 tells of all pairs.
    pub counts: PairCounts,
    tree: PairSymbols,
    kept: PairSymbols,
    masks: Masks,
}

impl Tally {
    /// What all threads have counted.
    pub(super) fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram);
        self.visible += other.visible;
        self.counts.join(&other.counts);
    }

    /// Counts what a block of a level sees of another by `rows`, without what the level below tells; of viewpoints and targets
    /// those that are `open`.
    fn see(
        &mut self,
        levels: &Levels,
        at: u32,
        [own, target]: [Block; 2],
        (sight, rows, open): (Answer, &[u64; 64], [u64; 2]),
    ) {
        let both = levels.is_mutual() && own != target;
        if levels.shape.is_whole() {
            let [viewpoints, targets] = open;
            if sight == Answer::Visible {
                self.counts.add_visible(viewpoints, targets);
                if both {
                    self.counts.add_visible(targets, viewpoints);
                }
            } else {
                let bits = PairBits::new(rows, viewpoints, targets);
                self.counts.add_mixed(&bits, both);
            }
            return;
        }
        let mut outer = *rows;
        if at > 0 {
            keep_outer(levels.shape, own, target, &mut outer);
        }
        let pairs = visible_pairs(&levels.all[0].valid, at, [own, target], &outer);
        self.visible += (1 + u64::from(both)) * pairs;
    }
}

impl Pass {
    /// One that is begun.
    pub(super) fn begin(assembly: &Assembly) -> Result<Self, StoreError> {
        Ok(Self {
            store: Store::scratch(assembly.place.path, assembly.groups())?,
            tally: Tally::default(),
            heads: Vec::with_capacity(assembly.groups()),
            tables: 0,
            unions: UnionTrees::default(),
        })
    }

    /// Takes note of the head of the next group, which so many records are to follow.
    pub(super) fn push_head(&mut self, (head, records): (Vec<u8>, usize)) {
        self.heads.push(head.len() as u32);
        self.tables += table_length(records) as u64;
    }

    /// Bytes of the groups' heads.
    pub(super) fn head_bytes(&self) -> u64 {
        self.heads.iter().map(|&bytes| u64::from(bytes)).sum()
    }

    /// Bytes of dictionary, groups and unions.
    pub(super) fn bytes(&self) -> u64 {
        Codebook::new(&self.tally.histogram).cost()
            + self.head_bytes()
            + self.tables
            + self.unions.bytes()
    }

    /// What the bundle says of its PVSs: of those of large quads where they are unions, else of view cells alone.
    pub(super) fn statistics(&self, levels: &Levels) -> Statistics {
        let codebook = Codebook::new(&self.tally.histogram);
        let records = codebook.cost() - codebook.section().len() as u64;
        let bytes = self.head_bytes() + self.tables + records;
        let cells = &levels.all[0];
        if levels.shape.is_whole() {
            let mut counts = self.tally.counts.clone();
            for &block in &cells.blocks {
                counts.add_block(cells.terrain(block));
            }
            let mut statistics = Statistics::of_groups(&cells.valid, &counts, bytes);
            self.unions.count(&cells.valid, &mut statistics);
            return statistics;
        }
        of_cells(cells, self.tally.visible, bytes)
    }
}

/// What a bundle says of the PVSs of view cells alone.
fn of_cells(cells: &Level, visible: u64, bytes: u64) -> Statistics {
    let samples = cells.valid.samples();
    let pairs = samples as f64 * samples as f64;
    Statistics {
        samples,
        voids: cells.grid.samples() - samples,
        levels: vec![LevelStatistics {
            level: 0,
            quads: cells.grid.samples(),
            quads_with_terrain: samples,
            visible_samples: visible,
            tree_bytes: bytes,
            hidden_share: if samples == 0 {
                0.0
            } else {
                1.0 - visible as f64 / pairs
            },
        }],
    }
}

impl Assembly<'_> {
    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.levels.blocks()
    }

    /// A group as a pass has left it.
    pub(super) fn read(&self, pass: &Pass, number: usize) -> Result<Vec<u8>, StoreError> {
        match pass.store.read(number)? {
            Some(bytes) => Ok(bytes),
            None => self.stored.read(number),
        }
    }

    /// Passes over all groups. What is pruned has the unions of its trade.
    pub(super) fn pass(&self, trade: Option<&Trade>) -> Result<Pass, BakeError> {
        let (levels, workers) = (&self.levels, self.workers);
        let mut pass = Pass::begin(self)?;
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
            let is_united = levels.shape.is_whole() && trade.is_none();
            let mut uniting = is_united.then(|| Uniting::new(&level.valid));
            let mut heads = Heads::new(levels, at);
            let tallies = workers.run(
                0..level.blocks.len(),
                |index| Ok(self.stored.read(level.first + index)?),
                |tally: &mut Tally, index, bytes| {
                    let inner = below.get(index).map(Vec::as_slice);
                    join(levels, (at, index), (&bytes, inner), trade, tally)
                },
                |index, found| {
                    let number = level.first + index;
                    if trade.is_none() {
                        workers.observer.advance(Stage::Compress, number as u64 + 1);
                    }
                    let whole = found.ok_or_else(|| self.stored.damaged(number))?;
                    let block = level.blocks[index];
                    let Whole { told, sights, .. } = &whole;
                    let head = heads.push(told, sights, &whole.mixed, |block, cells| {
                        if let Some(uniting) = &mut uniting {
                            uniting.sees(block, cells);
                        }
                    });
                    pass.push_head(head);
                    if let Some(uniting) = &mut uniting {
                        uniting.end(block);
                    }
                    if let Some(record) = whole.record {
                        let record = record.map_err(|error| pass.store.cannot_encode(error))?;
                        pass.store.append(&[(number, record)])?;
                    }
                    joined.take(block, whole.above);
                    Ok(())
                },
            )?;
            tallies.iter().for_each(|tally| pass.tally.add(tally));
            if let Some(uniting) = uniting {
                pass.unions = uniting.finish();
            }
            let encoded = joined.finish();
            below = encoded.map_err(|error| pass.store.cannot_encode(error))?;
        }
        Ok(pass)
    }
}

/// How a block sees those that its group tells of.
struct Whole<'l> {
    /// Those, in Morton order.
    told: Cow<'l, [Block]>,
    sights: Vec<Answer>,
    /// Where unions are made: of those that are mixed who is seen.
    mixed: Vec<SeenAndSeeing>,
    /// The record of the group, where it is not as the kernel found it.
    record: Option<io::Result<Vec<u8>>>,
    /// What it tells the level above: blocks of this level, and what its cells see of theirs.
    above: Above,
}

type Above = Vec<(Block, Box<[u64; 64]>)>;

/// Puts together how a block sees those near it: what a kernel found, and what the levels below tell.
fn join<'l>(
    levels: &'l Levels,
    (at, index): (u32, usize),
    (found, inner): (&[u8], Option<&[u8]>),
    trade: Option<&Trade>,
    tally: &mut Tally,
) -> Option<Whole<'l>> {
    let level = &levels.all[at as usize];
    let own = level.blocks[index];
    let told = levels.told_by(at, own);
    let mut group = levels.decode(found, told.len())?;
    let is_other = inner.is_some() || trade.is_some();
    if let Some(inner) = inner {
        let inner = levels.decode(inner, told.len())?;
        group = united(level, own, &told, [&group, &inner], &mut tally.tree);
    }
    if let Some(trade) = trade {
        group = trade.prune(
            levels,
            (at, own),
            &told,
            &group,
            (&mut tally.kept, &mut tally.masks),
        )?;
    }
    tally.histogram.count_all(&group.pairs);
    let is_last = at as usize + 1 == levels.all.len();
    let is_united = levels.shape.is_whole() && trade.is_none();
    let (mut above, mut mixed) = (Above::new(), Vec::new());
    let mut pairs = group.pairs.iter();
    for (&target, &sight) in told.iter().zip(&group.sights) {
        let rows = match sight {
            Answer::Hidden => continue,
            Answer::Visible => None,
            Answer::Mixed => pairs.next().map(|pair| pair.rows()),
        };
        let terrain = [level.terrain(own), level.terrain(target)];
        let seen = rows_of(sight, rows, terrain);
        let open = match trade {
            Some(_) => tally.masks.open(level.index(target)).unwrap_or(terrain),
            None => terrain,
        };
        tally.see(levels, at, [own, target], (sight, &seen, open));
        if is_united && sight == Answer::Mixed {
            mixed.push(seen_and_seeing(&seen));
        }
        if !is_last {
            above.push((target, Box::new(seen)));
        }
    }
    let record = is_other.then(|| levels.record(level.first + index, &group));
    Some(Whole {
        told,
        sights: group.sights,
        mixed,
        record,
        above,
    })
}

/// What a kernel found, and what the levels below tell.
fn united(
    level: &Level,
    own: Block,
    told: &[Block],
    [outer, inner]: [&LevelGroup; 2],
    tree: &mut PairSymbols,
) -> LevelGroup {
    let (outer_rows, inner_rows) = (outer.rows(), inner.rows());
    let mut group = LevelGroup::default();
    for (k, &target) in told.iter().enumerate() {
        let terrain = [level.terrain(own), level.terrain(target)];
        let mut sight = Answer::Hidden;
        let both = [
            (outer.sights[k], outer_rows[k]),
            (inner.sights[k], inner_rows[k]),
        ];
        if both.iter().any(|&(sight, _)| sight != Answer::Hidden) {
            let [mut seen, more] = both.map(|(sight, rows)| rows_of(sight, rows, terrain));
            for (seen, more) in seen.iter_mut().zip(more) {
                *seen |= more;
            }
            sight = analyse(tree, &seen, terrain);
        }
        group.push(sight, tree);
    }
    group
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
        let mut group = LevelGroup::default();
        let seen = std::mem::take(&mut self.seen);
        let told = self.levels.told_by(at, own);
        for &target in told.iter() {
            let sight = match seen.seen(target) {
                None => Answer::Hidden,
                Some(rows) => {
                    let terrain = [level.terrain(own), level.terrain(target)];
                    analyse(&mut self.tree, rows, terrain)
                }
            };
            group.push(sight, &self.tree);
        }
        let number = level.first + self.groups.len();
        self.groups.push(self.levels.record(number, &group));
    }

    fn finish(mut self) -> std::io::Result<Vec<Vec<u8>>> {
        self.end();
        self.groups.into_iter().collect()
    }
}
