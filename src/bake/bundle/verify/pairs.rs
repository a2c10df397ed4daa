//! Rules on the groups of tree code 2.

use std::io::{self, Read, Seek, SeekFrom};

use super::container::Container;
use super::report::Rule;
use super::report::{Checker, Faults};
use crate::bundle::provenance::Statistics;
use crate::compress::ValidPyramid;
use crate::compress::pairs::group::{is_kept, morton_blocks, sights_of};
use crate::compress::pairs::{
    Codebook, GroupSymbols, Histogram, PairBits, PairCounts, PairList, PairSymbols, encode_group,
};
use viewcell::format::{
    Answer, Grid, GroupPvs, Groups, Narrowing, Quad, ReadPvs, Tag, TerrainParameters, Valid,
};

pub(super) const PAIR_INDEX: Rule = Rule {
    name: "pair-index",
    demands: "PIDX places the groups in PAIR in Morton order, the first at 0, each after the one before",
};
pub(super) const GROUPS: Rule = Rule {
    name: "groups",
    demands: "every group fills the bytes up to the next, and is the one canonical code of its pairs",
};
pub(super) const DICTIONARY: Rule = Rule {
    name: "dictionary",
    demands: "DICT holds the codes that take least bytes for the symbols in PAIR",
};

/// The sections that hold the groups, in memory.
pub(super) struct PairSections {
    dictionary: Vec<u8>,
    index: Vec<u8>,
    pairs: Vec<u8>,
    mutual: bool,
    /// Where `DICT`, `PIDX` and `PAIR` begin in the file.
    places: [u64; 3],
}

impl PairSections {
    pub(super) fn read(container: &Container, parameters: &TerrainParameters) -> io::Result<Self> {
        let mut places = [0; 3];
        let mut sections = [Tag::DICT, Tag::PIDX, Tag::PAIR].map(|_| Vec::new());
        let tags = [Tag::DICT, Tag::PIDX, Tag::PAIR];
        for ((tag, place), bytes) in tags.into_iter().zip(&mut places).zip(&mut sections) {
            if let Some(section) = container.section(tag) {
                *place = section.offset;
                let mut file = &container.file;
                file.seek(SeekFrom::Start(section.offset))?;
                file.take(section.stored_length).read_to_end(bytes)?;
            }
        }
        let [dictionary, index, pairs] = sections;
        Ok(Self {
            dictionary,
            index,
            pairs,
            mutual: parameters.mutual,
            places,
        })
    }

    /// The groups; `None` where `DICT` is none.
    pub(super) fn groups<'a>(&'a self, valid: Valid<'a>) -> Option<Groups<'a>> {
        Groups::new(
            valid,
            self.mutual,
            &self.dictionary,
            &self.index,
            &self.pairs,
        )
    }

    /// Offset of a block's group in `PAIR`.
    fn offset(&self, grid: Grid, (column, row): (u32, u32)) -> u64 {
        let index = row as usize * grid.block_shape().0 as usize + column as usize;
        viewcell::format::bytes::u64_at(&self.index, 8 * index).unwrap_or(u64::MAX)
    }

    /// Checks the rules of this file, and adds to the statistics. Says whether the groups may be
    /// relied on.
    pub(super) fn check(
        &self,
        checker: &mut Checker,
        terrain: &ValidPyramid,
        valid: Valid,
        statistics: &mut Statistics,
    ) -> io::Result<bool> {
        let grid = terrain.grid();
        let blocks = morton_blocks(grid);
        let ends = self.ends(grid, &blocks);
        if !checker.check(PAIR_INDEX, |faults| {
            self.index_faults(grid, &blocks, &ends, faults);
            Ok(())
        })? {
            return Ok(false);
        }
        let (Some(groups), Some(codebook)) =
            (self.groups(valid), Codebook::parse(&self.dictionary))
        else {
            let mut faults = Faults::default();
            let found = format!("{} bytes", self.dictionary.len());
            faults.add(
                "section DICT",
                self.places[0],
                "as many symbols as it says",
                found,
            );
            checker.note(DICTIONARY, faults);
            return Ok(false);
        };
        let mut faults = Faults::default();
        let mut histogram = Histogram::default();
        let mut counts = PairCounts::default();
        let mut recoded = Vec::new();
        for (done, (&block, &end)) in blocks.iter().zip(&ends).enumerate() {
            checker.tell(GROUPS, done as u64, blocks.len() as u64);
            let start = self.offset(grid, block);
            let bytes = &self.pairs[start as usize..end as usize];
            let symbols = canonical(&groups, terrain, block, self.mutual);
            recoded.clear();
            if let Some(symbols) = &symbols {
                histogram.count_all(&symbols.pairs);
                encode_group(terrain, symbols, self.mutual, &codebook, &mut recoded);
                counts.add(terrain, symbols, self.mutual);
            }
            if recoded != bytes {
                let at = bytes.iter().zip(&recoded).position(|(a, b)| a != b);
                let at = at.unwrap_or(bytes.len().min(recoded.len()));
                let place = format!("group of block ({}, {})", block.0, block.1);
                let expected = format!("the canonical code, {} bytes", recoded.len());
                let found = format!("{} bytes that differ from byte {at}", bytes.len());
                faults.add(place, self.places[2] + start, expected, found);
            }
        }
        if !checker.note(GROUPS, faults) {
            return Ok(false);
        }
        checker.check(DICTIONARY, |faults| {
            self.dictionary_faults(&histogram, faults);
            Ok(())
        })?;
        for (level, (visible, quads)) in (0..).zip(counts.visible.into_iter().zip(counts.quads)) {
            let bytes = if level == 3 {
                self.pairs.len() as u64
            } else {
                0
            };
            statistics.add(level, quads, visible, bytes);
        }
        Ok(true)
    }

    /// Notes if the codes are not those that take least bytes.
    pub(super) fn dictionary_faults(&self, histogram: &Histogram, faults: &mut Faults) {
        let expected = Codebook::new(histogram).section();
        if expected != self.dictionary {
            let at = expected
                .iter()
                .zip(&self.dictionary)
                .position(|(a, b)| a != b);
            let at = at.unwrap_or(expected.len().min(self.dictionary.len()));
            let found = format!("{} bytes that differ from byte {at}", self.dictionary.len());
            let expected = format!("{} bytes, by the symbols in PAIR", expected.len());
            faults.add("section DICT", self.places[0] + at as u64, expected, found);
        }
    }

    /// `DICT`, `PIDX` and `PAIR`.
    pub(super) fn parts(&self) -> (&[u8], &[u8], &[u8]) {
        (&self.dictionary, &self.index, &self.pairs)
    }

    /// Where `DICT`, `PIDX` or `PAIR` begins in the file.
    pub(super) fn place(&self, which: usize) -> u64 {
        self.places[which]
    }

    /// Where the group of each block ends.
    fn ends(&self, grid: Grid, blocks: &[(u32, u32)]) -> Vec<u64> {
        let next = blocks.iter().skip(1).map(|&block| self.offset(grid, block));
        next.chain([self.pairs.len() as u64]).collect()
    }

    fn index_faults(&self, grid: Grid, blocks: &[(u32, u32)], ends: &[u64], faults: &mut Faults) {
        let mut due = 0;
        for (&block, &end) in blocks.iter().zip(ends) {
            let start = self.offset(grid, block);
            let right = start == due && end > start && end <= self.pairs.len() as u64;
            if !right {
                let place = format!("group of block ({}, {})", block.0, block.1);
                let expected = format!("{due}, and an end behind it in PAIR");
                faults.add(place, self.places[1], expected, format!("{start} to {end}"));
                // What follows is measured from a wrong place.
                break;
            }
            due = end;
        }
    }

    /// Pairs of blocks of which one says other than the other; for mutual bundles.
    pub(super) fn asymmetries(&self, terrain: &ValidPyramid, valid: Valid, faults: &mut Faults) {
        let grid = terrain.grid();
        let Some(groups) = self.groups(valid) else {
            return;
        };
        let across = grid.block_shape().0;
        let place = |block: u32| (block % across, block / across);
        for (a, &in_a) in (0..).zip(terrain.blocks()) {
            let from = place(a);
            let Some(symbols) = canonical(&groups, terrain, from, true) else {
                continue;
            };
            for (b, &sight) in (0..).zip(&symbols.sights) {
                let to = place(b);
                if b >= a || in_a == 0 || terrain.blocks()[b as usize] == 0 {
                    continue;
                }
                let back = groups.group(to.0, to.1);
                let back = back.map(|group| group.state(from.0, from.1));
                if back != Some(sight) {
                    let place = format!("blocks {to:?} and {from:?}");
                    let found = format!("{back:?} and {sight:?}");
                    faults.add(place, self.places[2], "the same both ways", found);
                }
            }
            // The pair of a block with itself is the first of its own, where it is mixed.
            let itself = symbols.sights[a as usize] == Answer::Mixed;
            if let Some(pair) = symbols.pairs.iter().next().filter(|_| itself) {
                let rows = pair.rows();
                let differs = |i: usize, j: usize| {
                    let there = in_a >> i & in_a >> j & 1 == 1;
                    there && rows[i] >> j & 1 != rows[j] >> i & 1
                };
                if (0..64).any(|i| (0..i).any(|j| differs(i, j))) {
                    let place = format!("block {from:?} with itself");
                    faults.add(place, self.places[2], "the same both ways", "a difference");
                }
            }
        }
    }

    /// Visible samples by level, 0 to 3, summed over the quads, as trees narrow what the groups say.
    pub(super) fn narrowed(
        &self,
        terrain: &ValidPyramid,
        valid: Valid,
        by: &Narrowing,
    ) -> [u64; 4] {
        let grid = terrain.grid();
        let across = grid.block_shape().0;
        let (mut targets, mut viewpoints) = (vec![0; grid.blocks()], vec![0; grid.blocks()]);
        let mut counts = PairCounts::default();
        let groups = self.groups(valid);
        for block in morton_blocks(grid) {
            let symbols = groups.and_then(|groups| canonical(&groups, terrain, block, self.mutual));
            let Some(symbols) = symbols else {
                continue;
            };
            by.masks(block.0, block.1, &mut targets, &mut viewpoints);
            let own = (block.1 * across + block.0) as usize;
            for (target, sight) in symbols.sights.iter().enumerate() {
                if *sight == Answer::Visible {
                    counts.add_visible(viewpoints[target], targets[target]);
                }
            }
            for (target, pair) in symbols.kept(grid, self.mutual).zip(symbols.pairs.iter()) {
                let target = (target.1 * across + target.0) as usize;
                let bits = PairBits::new(&pair.rows(), viewpoints[target], targets[target]);
                counts.add_mixed(&bits, self.mutual && target != own);
            }
        }
        counts.visible
    }

    /// Writes the PVS of a quad of level 3.
    pub(super) fn expand(&self, valid: Valid, quad: Quad, out: &mut [u64]) {
        let pvs = self
            .groups(valid)
            .and_then(|groups| GroupPvs::new(groups, quad));
        match pvs {
            Some(pvs) => pvs.expand(out),
            None => out.fill(0),
        }
    }
}

/// The symbols of a group, made anew of the bits that its bytes say; `None` where it is none.
fn canonical(
    groups: &Groups,
    terrain: &ValidPyramid,
    block: (u32, u32),
    mutual: bool,
) -> Option<GroupSymbols> {
    let grid = terrain.grid();
    let across = grid.block_shape().0;
    let group = groups.group(block.0, block.1)?;
    let viewpoints = terrain.blocks()[(block.1 * across + block.0) as usize];
    let mut symbols = GroupSymbols {
        block,
        sights: vec![Answer::Hidden; grid.blocks()],
        pairs: PairList::default(),
    };
    let mut records = 0;
    for (sight, target) in sights_of(group.skeleton()) {
        let index = (target.1 * across + target.0) as usize;
        let targets = terrain.blocks()[index];
        if viewpoints != 0 && targets != 0 {
            symbols.sights[index] = sight;
        }
        if sight == Answer::Mixed && is_kept(mutual, block, target) {
            let record = group.record(records)?;
            records += 1;
            let mut pair = PairSymbols::default();
            let found = pair.analyse(&record.rows(), viewpoints, targets);
            symbols.sights[index] = found;
            if found == Answer::Mixed {
                symbols.pairs.push(pair.pair());
            } else {
                // One record too many: it shows in the bytes.
                return None;
            }
        }
    }
    Some(symbols)
}
