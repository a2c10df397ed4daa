//! A bundle, with some of its groups and trees replaced, to another bundle.
//!
//! What stays is not taken apart: trees and the heads of groups go over as they are. Records get new
//! codes, since these depend on how often each symbol occurs. The bytes are those that
//! [`crate::job::levels`] makes of the same PVSs.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::pair_changes::Changes;
use super::replaced::NewTrees;
use crate::bundle::{LevelsWriter, Provenance, Replaced, Statistics, Written, trees_in_order};
use crate::compress::pairs::group::put_together;
use crate::compress::pairs::{Codebook, Histogram, Recoder, RecordCounts};
use crate::job::destination::Destination;
use crate::job::error::{BakeError, unreadable};
use crate::job::levels::Levels;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use viewcell::format::bytes::u64_at;
use viewcell::format::pairs::Group;
use viewcell::format::{Groups, Tag, Trees};
use viewcell::query::Bundle;

/// Groups that are coded as one piece of work: to hand over one costs a tenth of what it takes.
const AT_ONCE: usize = 32;

/// What is there, and what takes the place of parts of it. There is terrain where there was.
pub(crate) struct Splice<'a> {
    pub bundle: Bundle<'a>,
    pub groups: Groups<'a>,
    pub trees: Trees<'a>,
    pub levels: &'a Levels,
    pub new_groups: &'a Replaced,
    pub new_trees: &'a NewTrees,
    pub changes: &'a Changes,
}

/// Where the bytes of a group or a tree are.
struct Pieces<'a> {
    bytes: &'a [u8],
    /// By place in the order: where each begins; and where the last ends.
    starts: Vec<u64>,
}

impl<'a> Pieces<'a> {
    /// Pieces of a section in an order, by their entries of an index.
    fn new(bytes: &'a [u8], index: &[u8], order: impl Iterator<Item = usize>) -> Self {
        let start = |entry: usize| u64_at(index, entry * 8).unwrap_or(u64::MAX);
        let mut starts: Vec<u64> = order.map(start).collect();
        starts.push(bytes.len() as u64);
        Self { bytes, starts }
    }

    fn piece(&self, place: usize) -> Option<&'a [u8]> {
        let start = usize::try_from(*self.starts.get(place)?).ok()?;
        self.bytes
            .get(start..usize::try_from(*self.starts.get(place + 1)?).ok()?)
    }
}

/// What a thread codes in.
#[derive(Default)]
struct SpliceScratch {
    records: Vec<u8>,
    starts: Vec<u64>,
}

impl SpliceScratch {
    /// A group, whose bytes are given, in new codes.
    fn recode(&mut self, recoder: &Recoder, group: &Group, bytes: &[u8]) -> Option<Vec<u8>> {
        let (table, mut rest) = group.parts();
        let head = bytes.len().checked_sub(table.len() + rest.len())?;
        self.records.clear();
        self.starts.clear();
        for _ in 0..group.records() {
            self.starts.push(self.records.len() as u64);
            rest = recoder.record(rest, &mut self.records)?;
        }
        let mut new = Vec::with_capacity(head + table.len() + self.records.len());
        new.extend_from_slice(bytes.get(..head)?);
        put_together(&self.starts, &self.records, &mut new);
        Some(new)
    }
}

impl Splice<'_> {
    /// Writes the bundle. The provenance has the statistics of the old one, and is given those of
    /// the new one.
    pub(crate) fn write(
        &self,
        place: &Destination,
        provenance: &mut Provenance,
        workers: &Workers,
    ) -> Result<Written, BakeError> {
        let grid = place.valid.grid();
        let damaged = |what: &str| unreadable(place.path, format!("{what} is damaged"));
        let section = |tag: Tag| self.bundle.section(tag).map_or(&[][..], |(_, bytes)| bytes);
        let numbers = 0..self.levels.blocks();
        let indices = numbers.clone().map(|number| self.levels.place(number));
        let groups = Pieces::new(section(Tag::PAIR), self.groups.index(), indices);
        let replaced: FxHashMap<u32, &[u8]> = self.new_groups.pieces().collect();
        let group = |number: usize| -> Option<(Group, &[u8])> {
            let new = replaced.get(&(self.levels.place(number) as u32)).copied();
            let bytes = new.or_else(|| groups.piece(number))?;
            let group = Group::parse(self.groups.valid(), self.groups.dictionary(), bytes)?;
            Some((group, bytes))
        };
        let blocks = self.levels.blocks() as u64;
        let old = self.groups.dictionary();
        workers.observer.stage(Stage::Compress, 2 * blocks);
        let runs = 0..self.levels.blocks().div_ceil(AT_ONCE);
        let groups_of = |run: usize| run * AT_ONCE..self.levels.blocks().min((run + 1) * AT_ONCE);
        let tallies = workers.run(
            runs.clone(),
            |_| Ok(()),
            |counts: &mut RecordCounts, run, ()| {
                groups_of(run).try_for_each(|number| {
                    let (group, _) = group(number)?;
                    counts.count(&old, group.parts().1, group.records())
                })
            },
            |run, counted| {
                let done = groups_of(run).end as u64;
                workers.observer.advance(Stage::Compress, done);
                counted.ok_or_else(|| damaged("a group"))
            },
        )?;
        let mut histogram = Histogram::default();
        for counts in &tallies {
            counts.add_to(&old, &mut histogram);
        }
        let codebook = Codebook::new(&histogram);
        let dictionary = codebook.section();
        let mut writer = LevelsWriter::create(
            place.path,
            place.overwrite,
            &place.header(false),
            (place.heights, place.valid),
            &dictionary,
        )?;
        let same_codes = dictionary == section(Tag::DICT);
        let recoder = Recoder::new(old, &codebook);
        let mut bytes = 0;
        workers.run(
            runs,
            |_| Ok(()),
            |room: &mut SpliceScratch, run, ()| {
                let groups = groups_of(run).map(|number| {
                    let (group, bytes) = group(number)?;
                    if same_codes || group.records() == 0 {
                        return Some(Cow::Borrowed(bytes));
                    }
                    room.recode(&recoder, &group, bytes).map(Cow::Owned)
                });
                groups.collect::<Option<Vec<Cow<[u8]>>>>()
            },
            |run, groups| {
                let groups = groups.ok_or_else(|| damaged("a group"))?;
                let done = blocks + groups_of(run).end as u64;
                workers.observer.advance(Stage::Compress, done);
                for (number, group) in groups_of(run).zip(groups) {
                    bytes += group.len() as u64;
                    writer.push_group(0, self.levels.find(number).1, &group)?;
                }
                Ok(())
            },
        )?;
        let quads = || trees_in_order(grid);
        let entries = quads().filter_map(|quad| self.trees.entry(quad));
        let trees = Pieces::new(section(Tag::TREE), self.trees.index(), entries);
        let replaced: FxHashMap<u32, &[u8]> = self.new_trees.new.whole.pieces().collect();
        for (number, quad) in quads().enumerate() {
            let entry = self.trees.entry(quad).unwrap_or(usize::MAX) as u32;
            let tree = replaced
                .get(&entry)
                .copied()
                .or_else(|| trees.piece(number));
            writer.push_union(quad, tree.ok_or_else(|| damaged("a tree"))?)?;
        }
        self.count(&mut provenance.statistics, bytes);
        Ok(writer.finish(provenance)?)
    }

    /// From the statistics of the old bundle to those of the new one, whose groups have so many bytes.
    fn count(&self, statistics: &mut Statistics, group_bytes: u64) {
        let samples = statistics.samples;
        for (level, of_level) in (0..).zip(&mut statistics.levels) {
            let [visible, bytes] = match level {
                0..=3 => [self.changes.visible[level], 0],
                _ => self.new_trees.more.get(level).copied().unwrap_or_default(),
            };
            let visible = of_level.visible_samples.saturating_add_signed(visible);
            let bytes = match level {
                3 => group_bytes,
                _ => of_level.tree_bytes.saturating_add_signed(bytes),
            };
            let quads = of_level.quads_with_terrain;
            (of_level.visible_samples, of_level.tree_bytes) = (visible, bytes);
            let pairs = quads as f64 * samples as f64;
            of_level.hidden_share = if pairs > 0.0 {
                1.0 - visible as f64 / pairs
            } else {
                0.0
            };
        }
    }
}
