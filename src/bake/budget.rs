//! A bundle within a budget: what a trade of hidden area against bytes comes to ([`super::search`]
//! finds the trade).

use std::path::Path;

use rayon::prelude::*;

use super::compression::Budget;
use super::pack::{PairSource, Target, TreeRoom, pack, pack_aside, pool, reading};
use super::search::EVERYTHING;
use super::weights::Weights;
use super::{BakeError, Observer};
use crate::bundle::{Given, Loss, PairsWriter, Provenance, Statistics, Written, trees_in_order};
use crate::compress::ValidPyramid;
use crate::compress::pairs::{
    Codebook, GroupSymbols, Histogram, PairCounts, PairSymbols, PairWorth, Pruner, Sight,
    encode_group, prune_tree, transpose,
};
use crate::dice::{Dice, mixed};
use crate::format::groups::{comes_before, table_length};
use crate::format::quadtree::write_varint;
use crate::format::{Groups, Quad, Tag, TreeCode};
use crate::runtime::MappedBundle;

/// A number between 0 and 1 that a pair of blocks always has, well mixed.
fn dither(a: usize, b: usize) -> f64 {
    Dice(mixed(a as u64) ^ b as u64).fraction()
}

/// A lossless bundle of pairs, and what is asked of it.
pub(super) struct Search<'a> {
    pub source: PairSource<'a>,
    groups: Groups<'a>,
    valid: &'a ValidPyramid,
    weights: Weights,
    quads: Vec<(Quad, f64)>,
    pub pool: rayon::ThreadPool,
    pub observer: &'a dyn Observer,
    /// Bytes that do not depend on the trade.
    fixed: u64,
}

/// What a trade comes to.
pub(super) struct Outcome {
    /// Bytes of the whole file, or a few more.
    pub bytes: u64,
    pub histogram: Histogram,
    /// By group in order, by record: whether the pair becomes visible.
    dropped: Vec<Vec<bool>>,
}

impl Search<'_> {
    fn index(&self, (column, row): (u32, u32)) -> usize {
        (row * self.valid.grid().block_shape().0 + column) as usize
    }

    /// What is kept of a group's pairs; `None` for those that become visible.
    fn prune(&self, group: &GroupSymbols, pruner: &Pruner, trade: f64) -> Vec<Option<PairSymbols>> {
        let mutual = self.source.mutual();
        let from = self.index(group.block);
        let viewpoints = self.weights.of_block(self.valid, from);
        let targets = group.kept(self.valid.grid(), mutual);
        let pruned = targets.zip(&group.pairs).map(|(target, pair)| {
            let to = self.index(target);
            let worth = PairWorth {
                viewpoints,
                targets: self.weights.of_block(self.valid, to),
                both: mutual && from != to,
            };
            let trade = trade * (0.9 + 0.2 * dither(from, to));
            let mut kept = PairSymbols::default();
            if !pruner.prune(pair, &worth, trade, &mut kept) {
                return None;
            }
            if mutual && from == to {
                // What was given up of A and B is given up of B and A.
                let mut rows = kept.rows();
                let mut back = rows;
                transpose(&mut back);
                rows.iter_mut()
                    .zip(back)
                    .for_each(|(row, back)| *row |= back);
                let terrain = viewpoints.terrain;
                if kept.analyse(&rows, terrain, terrain) != Sight::Mixed {
                    return None;
                }
            }
            Some(kept)
        });
        pruned.collect()
    }

    /// What a trade comes to, by every `stride`-th group; by all of them with a stride of 1.
    pub fn evaluate(
        &self,
        codebook: &Codebook,
        trade: f64,
        stride: usize,
    ) -> Result<Outcome, BakeError> {
        let pruner = Pruner::new(codebook);
        let blocks = &self.source.blocks;
        let mut histogram = Histogram::default();
        let mut dropped = Vec::with_capacity(blocks.len());
        let mut around = 0;
        let chosen: Vec<_> = blocks.iter().copied().step_by(stride).collect();
        for chunk in chosen.chunks(8 * self.pool.current_num_threads()) {
            if self.observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            let pruned: Vec<_> = self.pool.install(|| {
                let pruned = chunk.par_iter().map(|&block| {
                    let group = self.source.group(block, &mut Vec::new());
                    (self.prune(&group, &pruner, trade), self.skeleton(block))
                });
                pruned.collect()
            });
            for (pairs, skeleton) in pruned {
                let kept = pairs.iter().flatten().count();
                around += skeleton + table_length(kept) as u64;
                pairs
                    .iter()
                    .flatten()
                    .for_each(|pair| histogram.count(pair));
                dropped.push(pairs.iter().map(Option::is_none).collect());
            }
        }
        let codebook = Codebook::new(&histogram);
        let dictionary = codebook.section().len() as u64;
        let sampled = codebook.cost() - dictionary + around;
        let scaled = sampled * blocks.len() as u64 / chosen.len() as u64;
        Ok(Outcome {
            bytes: self.fixed + dictionary + scaled + self.tree_bytes(trade, stride),
            histogram,
            dropped,
        })
    }

    /// Bytes of the trees, by every `stride`-th of them.
    fn tree_bytes(&self, trade: f64, stride: usize) -> u64 {
        let chosen: Vec<_> = self.quads.iter().step_by(stride).collect();
        let bytes: u64 = self.pool.install(|| {
            let lengths = chosen
                .par_iter()
                .map_init(TreeRoom::default, |room, &&quad| {
                    self.tree(quad, trade, room);
                    room.tree.len() as u64
                });
            lengths.sum()
        });
        bytes * self.quads.len() as u64 / chosen.len().max(1) as u64
    }

    /// Bytes of the file if everything is given up that can be.
    pub fn least(&self) -> u64 {
        let dictionary = Codebook::new(&Histogram::default()).section().len() as u64;
        let blocks = self.source.blocks.iter();
        let groups: u64 = blocks
            .map(|&block| self.skeleton(block) + table_length(0) as u64)
            .sum();
        self.fixed + dictionary + groups + self.tree_bytes(EVERYTHING, 1)
    }

    /// Bytes of a group before its table; with a loss they become no more.
    fn skeleton(&self, block: (u32, u32)) -> u64 {
        let Some(group) = self.groups.group(block.0, block.1) else {
            return 1;
        };
        let nodes = group.skeleton().nodes().len();
        let (_, head) = write_varint(2 + nodes as u32);
        (head + nodes + 2 * 3) as u64
    }

    /// The tree of a quad, with what is kept of it; its visible samples.
    fn tree(&self, (quad, weight): (Quad, f64), trade: f64, room: &mut TreeRoom) -> u64 {
        self.source.pvs(quad, room);
        prune_tree(self.valid, weight, trade, &mut room.pvs);
        self.source.encode(room)
    }

    /// Writes the bundle that a trade comes to; it has its name only if it is within the budget.
    pub fn write(
        &self,
        codebook: &Codebook,
        trade: f64,
        outcome: &Outcome,
        target: &Target,
        provenance: &mut Provenance,
        budget: &Budget,
    ) -> Result<Written, BakeError> {
        let mutual = self.source.mutual();
        let grid = self.valid.grid();
        let pruner = Pruner::new(codebook);
        let book = Codebook::new(&outcome.histogram);
        let mut header = target.header.clone();
        header.parameters.tree_code = TreeCode::Pairs;
        header.parameters.lossy = true;
        let mut writer = PairsWriter::create(
            target.path,
            target.making(),
            target.overwrite,
            &header,
            target.heights,
            &book.section(),
        )?;
        let order: Vec<usize> = {
            let mut order = vec![0; grid.blocks()];
            let blocks = self.source.blocks.iter().enumerate();
            blocks.for_each(|(i, &block)| order[self.index(block)] = i);
            order
        };
        let across = grid.block_shape().0;
        let mut bytes_of_groups = 0;
        let mut counts = PairCounts::new(self.valid);
        let changed = |group: GroupSymbols| {
            let pruned = self.prune(&group, &pruner, trade);
            let dropped = |index: usize| {
                let block = (index as u32 % across, index as u32 / across);
                let (first, second) = match mutual && comes_before(block, group.block) {
                    true => (block, group.block),
                    false => (group.block, block),
                };
                let number = self
                    .groups
                    .group(first.0, first.1)
                    .and_then(|first| first.record_number(second.0, second.1));
                number.is_some_and(|number| outcome.dropped[order[self.index(first)]][number])
            };
            let sights = group
                .sights
                .iter()
                .enumerate()
                .map(|(index, &sight)| match sight {
                    Sight::Mixed if dropped(index) => Sight::Visible,
                    sight => sight,
                });
            GroupSymbols {
                block: group.block,
                sights: sights.collect(),
                pairs: pruned.into_iter().flatten().collect(),
            }
        };
        self.source.for_each(
            &self.pool,
            self.observer,
            |_, group| {
                let group = changed(group);
                let mut bytes = Vec::new();
                encode_group(self.valid, &group, mutual, &book, &mut bytes);
                let mut counts = PairCounts::new(self.valid);
                counts.add(&group, mutual);
                (bytes, counts)
            },
            |block, (bytes, group)| {
                bytes_of_groups += bytes.len() as u64;
                counts.join(&group);
                Ok(writer.push_group(block, &bytes)?)
            },
        )?;
        let mut statistics = Statistics::of_groups(self.valid, &counts, bytes_of_groups);
        let mut room = TreeRoom::default();
        for &quad in &self.quads {
            let visible = self.tree(quad, trade, &mut room);
            writer.push_tree(quad.0, &room.tree)?;
            statistics.record(quad.0, visible > 0, visible, room.tree.len());
        }
        let given = Given::Optimal {
            budget_bytes: budget.bytes,
            weight: budget.weight.name().to_owned(),
            area_per_byte: trade,
        };
        provenance.loss = Some(Loss::between(given, &provenance.statistics, &statistics));
        provenance.statistics = statistics;
        Ok(writer.finish_within(budget.bytes, provenance)?)
    }
}

/// Writes the bundle `source`, of either tree code and without loss, within a budget; without
/// loss if it fits. The provenance is given what was lost.
///
/// Errors where nothing comes to so few bytes.
pub(super) fn shrink(
    source: &Path,
    valid: &ValidPyramid,
    target: &Target,
    provenance: &mut Provenance,
    budget: &Budget,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Written, BakeError> {
    // Pairs are looked at many times over: they are to be had without their trees.
    let (lossless, written) = pack_aside(source, valid, target, provenance, threads, observer)?;
    if written.bytes <= budget.bytes {
        return pack(
            lossless.path(),
            valid,
            target,
            provenance,
            threads,
            observer,
        );
    }
    let cannot = |error: &dyn std::fmt::Display| reading(lossless.path(), error);
    let map = MappedBundle::open(lossless.path()).map_err(|error| cannot(&error))?;
    let pairs = PairSource::new(&map, valid).map_err(|error| cannot(&error))?;
    let groups = pairs.terrain.groups().ok_or_else(|| cannot(&"no pairs"))?;
    let weights = Weights::new(valid, &budget.weight);
    let mut of_pvss = 0;
    for section in &written.sections {
        if [Tag::DICT, Tag::PAIR, Tag::TREE].contains(&section.tag) {
            of_pvss += section.stored_length;
        }
    }
    let search = Search {
        quads: trees_in_order(valid.grid())
            .map(|quad| (quad, weights.of_quad(valid, quad)))
            .collect(),
        source: pairs,
        groups,
        valid,
        weights,
        pool: pool(threads)?,
        observer,
        // Where sections begin may differ by less than 64 bytes each.
        fixed: written.bytes - of_pvss,
    };
    let fits = search.run(written.bytes, target, provenance, budget)?;
    lossless.remove()?;
    Ok(fits)
}
