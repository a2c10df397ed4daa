//! The first of two passes of the encoder: symbols counted, and the hierarchy built, before any symbol has a code.
//!
//! Codes depend on how often each symbol occurs in all groups. The hierarchy is built here, once: the PVS of a block
//! is the union of what its viewpoints see, and those of larger quads are unions of theirs ([`crate::hierarchy`]).
//!
//! Symmetric completion: where sight is mutual, groups store how a block sees itself and the blocks after it in Morton
//! order. How it sees those before follows from theirs. [`BothWays`] is shown all blocks in order, and completes each.
//! It advances in the stored lists of all blocks at once, a step for each block that is shown, so that nothing is
//! searched. It takes 8 bytes of memory for each mixed pair of blocks that is still to come.

use super::Assembly;
use crate::bundle::{Statistics, trees_in_order};
use crate::compress::pairs::{Codebook, Histogram, PairBits, PairCounts, encode_head};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::hierarchy::Unions;
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::store::group::{BlockOrder, Group};
use std::vec::IntoIter;
use viewcell::format::Answer;
use viewcell::format::Quad;
use viewcell::format::pairs::table_length;

/// What a thread has counted.
#[derive(Default)]
pub(crate) struct Tally {
    pub histogram: Histogram,
    pub counts: PairCounts,
}

impl Tally {
    /// Counts of all threads together.
    pub(crate) fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for tally in tallies {
            all.histogram.add(&tally.histogram);
            all.counts.join(&tally.counts);
        }
        all
    }

    /// Counts a block that a group of viewpoints sees entirely; `both` if sight is mutual and the pair
    /// is stored only here.
    pub(crate) fn visible(&mut self, viewpoints: u64, targets: u64, both: bool) {
        self.counts.add_visible(viewpoints, targets);
        if both {
            self.counts.add_visible(targets, viewpoints);
        }
    }
}

/// The trees of the quads above the blocks, in order.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    bytes: Vec<u8>,
    /// Where each ends, and how many samples are visible.
    ends: Vec<(usize, u64)>,
}

impl Trees {
    /// Appends the next tree.
    pub(crate) fn push(&mut self, tree: &[u8], visible: u64) {
        self.bytes.extend_from_slice(tree);
        self.ends.push((self.bytes.len(), visible));
    }

    /// Tree number `number`.
    pub(crate) fn tree(&self, number: usize) -> &[u8] {
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends[before].0);
        &self.bytes[start..self.ends[number].0]
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.ends.len()).map(|number| (self.tree(number), self.ends[number].1))
    }

    /// Bytes of all.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// The heads of groups in the making: what comes before their tables.
pub(crate) struct Heads<'a> {
    valid: &'a ValidPyramid,
    order: &'a BlockOrder,
    mutual: bool,
    /// Tells what groups do not say of the blocks before them.
    mirror: Option<BothWays>,
    next: usize,
}

impl<'a> Heads<'a> {
    pub(crate) fn new(valid: &'a ValidPyramid, order: &'a BlockOrder, mutual: bool) -> Self {
        let indices = (0..order.len()).map(|number| order.index(number));
        Self {
            valid,
            order,
            mutual,
            mirror: mutual.then(|| BothWays::new(indices.collect())),
            next: 0,
        }
    }

    /// The head of the next group in order, whose sights are completed. `seeing` and `seen` are
    /// for the [`BothWays`]. Returns with it how many records are to follow.
    pub(crate) fn push(
        &mut self,
        sights: &mut [Answer],
        seeing: Vec<u64>,
        seen: impl FnMut(usize, u64),
    ) -> (Vec<u8>, usize) {
        if let Some(mirror) = &mut self.mirror {
            mirror.push(sights, seeing, seen);
        }
        let mut head = Vec::new();
        let block = self.order.block(self.next);
        self.next += 1;
        let records = encode_head(self.valid, block, sights, self.mutual, &mut head);
        (head, records)
    }
}

/// What all groups come to.
pub(crate) struct FirstPass {
    pub tally: Tally,
    /// Bytes of each group before its table.
    pub heads: Vec<u32>,
    /// Bytes of the groups' tables.
    tables: u64,
    pub trees: Trees,
}

/// Of each mixed block that a group covers, in order, which of its samples are seen, and which of
/// the group's viewpoints see some.
type SeenAndSeeing = Vec<[u64; 2]>;

impl FirstPass {
    /// Of what all threads have counted. Head by head and tree by tree is still to come.
    pub(crate) fn new(tally: Tally) -> Self {
        Self {
            tally,
            heads: Vec::new(),
            tables: 0,
            trees: Trees::default(),
        }
    }

    /// Takes note of the head of the next group, which so many records are to follow.
    pub(crate) fn push_head(&mut self, head: &[u8], records: usize) {
        self.heads.push(head.len() as u32);
        self.tables += table_length(records) as u64;
    }

    /// Reads all groups once, and unites them up the quadtree.
    pub(crate) fn of(assembly: &Assembly) -> Result<Self, BakeError> {
        let Assembly {
            groups,
            place,
            workers,
        } = *assembly;
        let (valid, order, mutual) = (place.valid, groups.order, place.mutual());
        let mut pass = Self::new(Tally::default());
        let mut heads = Heads::new(valid, order, mutual);
        let mut unions = Unions::new(valid.grid());
        let (mut scratch, mut tree) = (Scratch::default(), Vec::new());
        let mut pvs = vec![0; order.len()];
        workers
            .observer
            .stage(Stage::Compress, 2 * order.len() as u64);
        let tallies = workers.run(
            0..order.len(),
            |number| Ok(groups.read(number)?),
            |tally: &mut Tally, number, bytes| {
                let group = groups.decode(&bytes)?;
                let mixed = count(tally, &group, number, valid, order, mutual);
                Some((group, mixed))
            },
            |number, counted| {
                workers.observer.advance(Stage::Compress, number as u64 + 1);
                let (group, mixed) = counted.ok_or_else(|| groups.damaged(number))?;
                let mut sights = group.sights;
                pvs.fill(0);
                let told = order.told_by(number);
                let told = told.filter(|&target| sights[target] == Answer::Mixed);
                let mut seeing = Vec::with_capacity(mixed.len());
                for (target, [seen, by]) in told.zip(mixed) {
                    pvs[target] = seen;
                    if target != order.index(number) {
                        seeing.push(by);
                    }
                }
                let (head, records) =
                    heads.push(&mut sights, seeing, |target, seen| pvs[target] = seen);
                pass.push_head(&head, records);
                for ((pvs, terrain), sight) in pvs.iter_mut().zip(valid.blocks()).zip(&sights) {
                    *pvs = match sight {
                        Answer::Hidden => 0,
                        Answer::Visible => *terrain,
                        Answer::Mixed => *pvs & terrain,
                    };
                }
                let (column, row) = order.block(number);
                unions.push(Quad::new(3, column, row), &pvs, &mut |_, pvs| {
                    tree.clear();
                    let visible = encode(valid, pvs, &mut scratch, &mut tree);
                    pass.trees.push(&tree, visible);
                });
                Ok(())
            },
        )?;
        pass.tally = Tally::sum(tallies);
        Ok(pass)
    }

    /// Bytes of the groups' heads.
    pub(crate) fn head_bytes(&self) -> u64 {
        self.heads.iter().map(|&bytes| u64::from(bytes)).sum()
    }

    /// Bytes of dictionary, groups and trees in the bundle.
    pub(crate) fn bytes(&self) -> u64 {
        let codes = Codebook::new(&self.tally.histogram).cost();
        codes + self.head_bytes() + self.tables + self.trees.bytes()
    }

    /// What the bundle says of its PVSs.
    pub(crate) fn statistics(&self, valid: &ValidPyramid) -> Statistics {
        let codebook = Codebook::new(&self.tally.histogram);
        let records = codebook.cost() - codebook.section().len() as u64;
        let groups = self.head_bytes() + self.tables + records;
        let mut statistics = Statistics::of_groups(valid, &self.tally.counts, groups);
        for (quad, (tree, visible)) in trees_in_order(valid.grid()).zip(self.trees.iter()) {
            statistics.record(quad, visible > 0, visible, tree.len());
        }
        statistics
    }
}

/// Counts a group; returns, for each mixed block, which targets are seen and which viewpoints see any.
fn count(
    tally: &mut Tally,
    group: &Group,
    number: usize,
    valid: &ValidPyramid,
    order: &BlockOrder,
    mutual: bool,
) -> SeenAndSeeing {
    let (own, terrain) = (order.index(number), valid.blocks());
    let viewpoints = terrain[own];
    tally.histogram.count_all(&group.pairs);
    tally.counts.add_block(viewpoints);
    let mut mixed = Vec::new();
    let mut pairs = group.pairs.iter();
    for target in order.told_by(number) {
        let both = mutual && target != own;
        match group.sights[target] {
            Answer::Hidden => {}
            Answer::Visible => tally.visible(viewpoints, terrain[target], both),
            Answer::Mixed => {
                let rows = pairs.next().map_or([!0; 64], |pair| pair.rows());
                let bits = PairBits::new(&rows, viewpoints, terrain[target]);
                tally.counts.add_mixed(&bits, both);
                mixed.push(seen_and_seeing(&rows));
            }
        }
    }
    mixed
}

/// Which targets are seen, and which viewpoints see some.
fn seen_and_seeing(rows: &[u64; 64]) -> [u64; 2] {
    let (mut seen, mut seeing) = (0, 0);
    for (viewpoint, &row) in rows.iter().enumerate() {
        seen |= row;
        seeing |= u64::from(row != 0) << viewpoint;
    }
    [seen, seeing]
}

/// What the group of one block says of the blocks that come later.
struct Told {
    /// Runs of blocks that it sees alike, and how many there are.
    runs: IntoIter<(Answer, u32)>,
    run: (Answer, u32),
    /// For each mixed block which of its own viewpoints see some of it.
    seeing: IntoIter<u64>,
}

impl Told {
    /// How it sees the next block, and if that is mixed which of its viewpoints do.
    fn next(&mut self) -> (Answer, u64) {
        while self.run.1 == 0 {
            self.run = self.runs.next().unwrap_or((Answer::Hidden, u32::MAX));
        }
        self.run.1 -= 1;
        let seeing = match self.run.0 {
            Answer::Mixed => self.seeing.next().unwrap_or(!0),
            _ => 0,
        };
        (self.run.0, seeing)
    }
}

/// Is shown all blocks, and tells how they see those before them.
pub(crate) struct BothWays {
    /// The blocks in Morton order, by their indices row by row.
    order: Vec<usize>,
    told: Vec<Told>,
}

impl BothWays {
    /// Has been shown none of the blocks, which are given in Morton order by their indices.
    pub(crate) fn new(order: Vec<usize>) -> Self {
        Self {
            order,
            told: Vec::new(),
        }
    }

    /// Takes how the next block sees itself and those after it, by index in `sights`, and puts in
    /// how it sees those before. `seeing` has, for each mixed block after it in order, which of
    /// its viewpoints see some of that; each mixed block before it is shown to `seen` with those
    /// of its samples that are seen.
    pub(crate) fn push(
        &mut self,
        sights: &mut [Answer],
        seeing: Vec<u64>,
        mut seen: impl FnMut(usize, u64),
    ) {
        let later = &self.order[self.told.len() + 1..];
        let mut runs: Vec<(Answer, u32)> = Vec::new();
        for &target in later {
            match runs.last_mut() {
                Some((last, count)) if *last == sights[target] => *count += 1,
                _ => runs.push((sights[target], 1)),
            }
        }
        for (told, &earlier) in self.told.iter_mut().zip(&self.order) {
            let (sight, seeing) = told.next();
            sights[earlier] = sight;
            if sight == Answer::Mixed {
                seen(earlier, seeing);
            }
        }
        self.told.push(Told {
            runs: runs.into_iter(),
            run: (Answer::Hidden, 0),
            seeing: seeing.into_iter(),
        });
    }
}
