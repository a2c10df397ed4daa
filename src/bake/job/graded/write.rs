//! Writes a graded bundle: what the lower levels tell is put into the higher ones, symbols are counted, and the groups of
//! all levels are written with one dictionary.

use std::collections::HashMap;
use viewcell::format::Answer;

use super::levels::{Level, Levels, NearGroup};
use crate::bundle::{GradedWriter, LevelStatistics, Provenance, Statistics, Written};
use crate::compress::graded::{Block, Union, analyse, parent, rows_of, visible_pairs};
use crate::compress::pairs::{
    Codebook, Histogram, PairList, PairSymbols, encode_head_within, encode_records,
};
use crate::job::budget::options::Compression;
use crate::job::encode::Destination;
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::file::Store;
use crate::job::store::group::encode_told;
use crate::job::store::groups::Stores;

/// What a thread has counted.
#[derive(Default)]
struct Tally {
    histogram: Histogram,
    visible: u64,
    tree: PairSymbols,
}

/// Writes the bundle of the groups in some stores. The provenance is given the statistics.
pub(crate) fn write(
    stores: &[Store],
    place: &Destination,
    workers: &Workers,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    if *compression != Compression::Lossless {
        let expected =
            "none for a graded bundle: a lower grade, or coarser cells, takes fewer bytes";
        return Err(BakeError::option("budget", expected, "one"));
    }
    let parameters = &place.header.parameters;
    let levels = Levels::new(parameters, place.valid);
    let stored = Stores(stores);
    let blocks: usize = levels.all.iter().map(|level| level.blocks.len()).sum();
    workers.observer.stage(Stage::Compress, 2 * blocks as u64);
    let mut all = Tally::default();
    // Of the levels above the first: groups with what the levels below tell.
    let mut whole: Vec<Vec<u8>> = Vec::new();
    let mut below: Vec<Vec<u8>> = Vec::new();
    for (at, level) in (0..).zip(&levels.all) {
        let mut joined = Joined {
            levels: &levels,
            at,
            own: None,
            seen: Union::default(),
            groups: Vec::new(),
            tree: PairSymbols::default(),
        };
        let mut kept = Vec::new();
        let tallies = workers.run(
            0..level.blocks.len(),
            |index| Ok(stored.read(level.first + index)?),
            |tally: &mut Tally, index, bytes| {
                let inner = below.get(index).map(Vec::as_slice);
                join(&levels, at, index, [Some(&bytes), inner], tally)
            },
            |index, found| {
                let number = level.first + index;
                workers.observer.advance(Stage::Compress, number as u64 + 1);
                let Whole { record, above } = found.ok_or_else(|| stored.damaged(number))?;
                if let Some(record) = record {
                    kept.push(record.map_err(|error| stores[0].cannot_encode(error))?);
                }
                joined.take(level.blocks[index], above);
                Ok(())
            },
        )?;
        for tally in tallies {
            all.histogram.add(&tally.histogram);
            all.visible += tally.visible;
        }
        whole.append(&mut kept);
        let encoded = joined.finish();
        below = encoded.map_err(|error| stores[0].cannot_encode(error))?;
    }
    let codebook = Codebook::new(&all.histogram);
    let mut writer = GradedWriter::create(
        place.path,
        place.overwrite,
        place.header,
        (place.heights, place.valid),
        &codebook.section(),
    )?;
    let mut bytes = 0;
    for (at, level) in (0..).zip(&levels.all) {
        let mut heads = Heads {
            levels: &levels,
            at,
            earlier: HashMap::new(),
        };
        workers.run(
            0..level.blocks.len(),
            |index| {
                let number = level.first + index;
                let above = number.checked_sub(levels.all[0].blocks.len());
                Ok(match above {
                    None => stored.read(number)?,
                    Some(above) => whole[above].clone(),
                })
            },
            |(): &mut (), index, bytes| {
                let block = level.blocks[index];
                let told = levels.told_by(at, block);
                let group = levels.decode(&bytes, told.len())?;
                let mut records = Vec::new();
                encode_records(&group.pairs, &codebook, &mut records);
                Some((told, group.sights, records))
            },
            |index, encoded| {
                let number = level.first + index;
                workers
                    .observer
                    .advance(Stage::Compress, (blocks + number + 1) as u64);
                let (told, sights, records) = encoded.ok_or_else(|| stored.damaged(number))?;
                let block = level.blocks[index];
                let (mut group, count) = heads.push(block, &told, &sights);
                if count > 0 {
                    group.extend(records);
                }
                bytes += group.len() as u64;
                Ok(writer.push_group(at, block, &group)?)
            },
        )?;
    }
    provenance.statistics = statistics(&levels.all[0], all.visible, bytes);
    Ok(writer.finish(provenance)?)
}

/// What the bundle says of its PVSs: of view cells alone, since those of larger quads are told by larger cells.
fn statistics(cells: &Level, visible: u64, bytes: u64) -> Statistics {
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

/// How a block sees those near it.
struct Whole {
    /// The record of all, where the levels below tell of some.
    record: Option<std::io::Result<Vec<u8>>>,
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
    let rows = |group: &NearGroup| {
        let mut pairs = group.pairs.iter();
        let mixed: Vec<_> = group
            .sights
            .iter()
            .map(|&sight| match sight {
                Answer::Mixed => pairs.next().map(|pair| pair.rows()),
                _ => None,
            })
            .collect();
        mixed
    };
    let (outer_rows, inner_rows) = (rows(&found), inner.as_ref().map(rows));
    let mut above = Above::new();
    let mut group = NearGroup::default();
    for (k, &target) in told.iter().enumerate() {
        let terrain = [level.terrain(own), level.terrain(target)];
        let mut seen = rows_of(found.sights[k], outer_rows[k], terrain);
        let both = 1 + u64::from(levels.is_mutual() && own != target);
        tally.visible += both * visible_pairs(&levels.all[0].valid, at, [own, target], &seen);
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
            tally.histogram.count(tally.tree.pair());
            group.pairs.push(tally.tree.pair());
        }
        group.sights.push(sight);
        if sight != Answer::Hidden {
            above.push((target, Box::new(seen)));
        }
    }
    let record = inner.is_some().then(|| {
        let sights = group.sights.into_iter();
        encode_told(level.first + index, levels.targets, sights, &group.pairs)
    });
    Some(Whole { record, above })
}

/// Gathers what blocks of a level tell the level above.
struct Joined<'a> {
    levels: &'a Levels,
    /// The level that tells.
    at: u32,
    /// The block of the level above whose quarters come at the moment.
    own: Option<Block>,
    seen: Union,
    /// The groups that are done, which tell of what is near by this level alone.
    groups: Vec<std::io::Result<Vec<u8>>>,
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

/// The heads of a level's groups, which tell of the blocks before them as well.
struct Heads<'a> {
    levels: &'a Levels,
    at: u32,
    /// Of blocks that are still to come: how those before them are seen.
    earlier: HashMap<Block, Vec<(Block, Answer)>>,
}

impl Heads<'_> {
    /// The head of the next group in Morton order, and how many records are to follow.
    fn push(&mut self, own: Block, told: &[Block], sights: &[Answer]) -> (Vec<u8>, usize) {
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
