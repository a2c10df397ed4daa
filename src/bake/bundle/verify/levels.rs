//! Rules on the groups of all levels, and that what follows from them does.

use crate::bundle::verify::rules::{self, DICTIONARY, GROUPS, PAIR_INDEX};
use std::io;
use std::ops::Range;

use super::container::Container;
use super::report::{Checker, Faults};
use super::trees;
use crate::bundle::provenance::{Provenance, Statistics};
use crate::compress::ValidPyramid;
use crate::compress::levels::{Block, Union, keep_outer, rows_of, valid_levels, visible_pairs};
use crate::compress::pairs::group::{is_kept, morton_blocks, sights_of};
use crate::compress::pairs::{
    Codebook, Histogram, PairBits, PairCounts, PairList, PairSymbols, encode_head_within,
    encode_records,
};
use viewcell::format::levels::Shape;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{Answer, Levels, Narrowing, Tag, TerrainParameters, Trees, Valid};

/// The sections that hold the groups, in memory.
struct PairSections {
    /// `DICT`, `PIDX` and `PAIR`.
    bytes: [Vec<u8>; 3],
    /// Where they begin in the file.
    places: [u64; 3],
}

/// Checks the rules of this file, and those on unions.
pub(super) fn check(
    checker: &mut Checker,
    container: &Container,
    parameters: &TerrainParameters,
    terrain: &ValidPyramid,
    provenance: Option<&Provenance>,
) -> io::Result<()> {
    let shape = Shape::of(parameters);
    let sections = PairSections::read(container)?;
    let starts = sections.starts(shape);
    if !checker.check(PAIR_INDEX, |faults| sections.index_faults(&starts, faults))? {
        return Ok(());
    }
    let levels = valid_levels(shape, terrain);
    let words = levels.iter().flat_map(|level| level.blocks());
    let words: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    let [dictionary, index, pairs] = &sections.bytes;
    let parts = [dictionary, index, pairs].map(Vec::as_slice);
    let bundle = Levels::new(shape, parameters.mutual, Some(&words), parts);
    let (Some(bundle), Some(codebook)) = (bundle, Codebook::parse(dictionary)) else {
        let mut faults = Faults::default();
        let found = format!("{} bytes", dictionary.len());
        let expected = "as many symbols as it says";
        faults.add("section DICT", sections.places[0], expected, found);
        checker.note(DICTIONARY, faults);
        return Ok(());
    };
    let is_narrowed = shape.is_whole() && parameters.lossy;
    let mut trees_of_file = [const { Vec::new() }; 2];
    if is_narrowed {
        trees_of_file = trees::read(container)?;
    }
    let mask = terrain.block_bytes();
    let valid = Valid::from_blocks(parameters.grid, &mask);
    let unions = Trees::new(valid, TREE_LEVEL, &trees_of_file[0], &trees_of_file[1]);
    let narrowing = is_narrowed.then(|| Narrowing::new(unions, parameters.mutual));
    let mut pass = Pass {
        bundle,
        shape,
        levels,
        mutual: parameters.mutual,
        codebook,
        sections: &sections,
        starts,
        histogram: Histogram::default(),
        visible: 0,
        counts: PairCounts::default(),
        masks: [const { Vec::new() }; 2],
        narrowing,
        lossy: parameters.lossy,
        groups: Faults::default(),
        unions: Faults::default(),
        symmetry: Faults::default(),
    };
    let top = shape.levels() - 1;
    let blocks = morton_blocks(shape.level(top));
    for (done, &block) in blocks.iter().enumerate() {
        checker.tell(GROUPS, done as u64, blocks.len() as u64);
        pass.visit(top, block);
    }
    if !checker.note(GROUPS, std::mem::take(&mut pass.groups)) {
        return Ok(());
    }
    checker.check(DICTIONARY, |faults| {
        sections.dictionary_faults(&pass.histogram, faults)
    })?;
    let Pass {
        visible,
        mut counts,
        unions: faults,
        symmetry,
        ..
    } = pass;
    let mut statistics = Statistics::default();
    let mut are_sound = true;
    if shape.is_whole() {
        for &word in terrain.blocks() {
            counts.add_block(word);
        }
        statistics = Statistics::of_groups(terrain, &counts, pairs.len() as u64);
        let of = (terrain, bundle.groups(0), parameters.lossy);
        are_sound = trees::check_unions(checker, container, of, faults, &mut statistics)?;
        if let Some(narrowing) = narrowing.filter(|_| are_sound) {
            let of_groups = Some((counts.visible, narrowing));
            statistics = trees::narrowed((terrain, unions), of_groups, &statistics);
        }
    } else {
        // What there is none of is as it should be.
        for rule in [rules::INDEX, rules::TREES, rules::VOIDS] {
            checker.note(rule, Faults::default());
        }
        checker.note(rules::UNIONS, faults);
    }
    checker.note(rules::SYMMETRY, symmetry);
    if let Some(provenance) = provenance.filter(|_| are_sound) {
        checker.check(rules::STATISTICS, |faults| {
            let told = &provenance.statistics;
            if shape.is_whole() {
                trees::compare(told, &statistics, faults);
                return Ok(());
            }
            let found = told.levels.first().map(|level| level.visible_samples);
            if found != Some(visible) {
                let expected = format!("{visible} visible samples of level 0");
                faults.add("statistics in PROV", None, expected, format!("{found:?}"));
            }
            if told.samples != terrain.samples() {
                let expected = format!("{} samples", terrain.samples());
                faults.add("statistics in PROV", None, expected, told.samples);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// What a block sees of others that its group has the records of.
type Seen = Vec<(Block, [u64; 64])>;

/// The pass over all groups, those of the quarters of a block before its own.
struct Pass<'a> {
    bundle: Levels<'a>,
    shape: Shape,
    levels: Vec<ValidPyramid>,
    mutual: bool,
    codebook: Codebook,
    sections: &'a PairSections,
    /// Where groups begin, in order.
    starts: Vec<u64>,
    histogram: Histogram,
    /// Pairs of view cells that see each other, and the same by level of the quad that sees where level 0 tells of all pairs.
    visible: u64,
    counts: PairCounts,
    /// Where unions narrow what groups say, what they leave of the pairs of the block at hand: targets and viewpoints.
    masks: [Vec<u64>; 2],
    narrowing: Option<Narrowing<'a>>,
    lossy: bool,
    groups: Faults,
    unions: Faults,
    symmetry: Faults,
}

/// A group, made anew of the bits that its bytes say.
struct Symbols {
    window: [Range<u32>; 2],
    sights: Vec<Answer>,
    pairs: PairList,
    seen: Seen,
}

impl Pass<'_> {
    /// Checks the group of a block, and those of its quarters.
    fn visit(&mut self, level: u32, block: Block) -> Seen {
        let mut union = Union::default();
        if let Some(below) = level.checked_sub(1) {
            let (columns, rows) = self.shape.level(below).block_shape();
            for i in 0..4 {
                let child = (2 * block.0 + (i & 1), 2 * block.1 + (i >> 1));
                if child.0 < columns && child.1 < rows {
                    for (target, rows) in self.visit(below, child) {
                        union.add(child, target, &rows, self.mutual);
                    }
                }
            }
        }
        let start = self.sections.offset(self.shape, level, block);
        let next = self.starts.partition_point(|&other| other <= start);
        let [_, _, pairs] = &self.sections.bytes;
        let end = self
            .starts
            .get(next)
            .map_or(pairs.len(), |&end| end as usize);
        let bytes = &pairs[start as usize..end];
        let place = self.sections.places[2] + start;
        let name = || format!("group of block {block:?} of level {level}");
        let mut recoded = Vec::new();
        let symbols = self.symbols(level, block);
        if let Some(symbols) = &symbols {
            self.histogram.count_all(&symbols.pairs);
            let valid = &self.levels[level as usize];
            let window = symbols.window.clone();
            let count = encode_head_within(
                valid,
                block,
                window,
                &symbols.sights,
                self.mutual,
                &mut recoded,
            );
            if count > 0 {
                encode_records(&symbols.pairs, &self.codebook, &mut recoded);
            }
        }
        if recoded != bytes {
            let (expected, found) = trees::other_bytes(bytes, &recoded);
            self.groups.add(name(), place, expected, found);
        }
        let Some(symbols) = symbols else {
            return Seen::new();
        };
        if self.mutual {
            self.check_symmetry(level, block, &symbols, place);
        }
        if let Some(narrowing) = &self.narrowing {
            let blocks = self.levels[0].grid().blocks();
            let [targets, viewpoints] = &mut self.masks;
            targets.resize(blocks, 0);
            viewpoints.resize(blocks, 0);
            narrowing.masks(block.0, block.1, targets, viewpoints);
        }
        for (target, rows) in &symbols.seen {
            let mut outer = *rows;
            if level > 0 {
                // Without what the level below tells.
                keep_outer(self.shape, block, *target, &mut outer);
                let below = union.seen(*target).copied().unwrap_or([0; 64]);
                let inner = rows.iter().zip(&outer).map(|(all, outer)| all & !outer);
                let is_union = if self.lossy {
                    inner.zip(below).all(|(inner, below)| below & !inner == 0)
                } else {
                    inner.eq(below)
                };
                if !is_union {
                    let expected = "what the cells of the level below see";
                    let found = format!("another of block {target:?}");
                    self.unions.add(name(), place, expected, found);
                }
            }
            self.count(level, [block, *target], &outer);
        }
        symbols.seen
    }

    /// Counts how a block sees another, without what the level below tells.
    fn count(&mut self, level: u32, [own, target]: [Block; 2], rows: &[u64; 64]) {
        let both = self.mutual && own != target;
        if !self.shape.is_whole() {
            let seen = visible_pairs(&self.levels[0], level, [own, target], rows);
            self.visible += seen * (1 + u64::from(both));
        } else {
            let [viewpoints, targets] = match self.narrowing {
                None => [own, target].map(|block| self.terrain(0, block)),
                Some(_) => {
                    let across = self.levels[0].grid().block_shape().0;
                    let index = (target.1 * across + target.0) as usize;
                    [self.masks[1][index], self.masks[0][index]]
                }
            };
            let bits = PairBits::new(rows, viewpoints, targets);
            self.counts.add_mixed(&bits, both);
        }
    }

    /// The cells of a block that have terrain.
    fn terrain(&self, level: u32, (column, row): Block) -> u64 {
        let valid = &self.levels[level as usize];
        let (across, _) = valid.grid().block_shape();
        valid.blocks()[(row * across + column) as usize]
    }

    /// What the group of a block says; `None` where it is none, or covers blocks that are not near.
    fn symbols(&self, level: u32, block: Block) -> Option<Symbols> {
        let [columns, rows] = self.shape.window(level, block);
        let group = self.bundle.groups(level).group(block.0, block.1)?;
        let mut symbols = Symbols {
            window: [columns.clone(), rows.clone()],
            sights: vec![Answer::Hidden; columns.len() * rows.len()],
            pairs: PairList::default(),
            seen: Seen::new(),
        };
        let mut records = 0;
        for (mut sight, target) in sights_of(group.skeleton()) {
            if !columns.contains(&target.0) || !rows.contains(&target.1) {
                return None;
            }
            let both = [block, target].map(|block| self.terrain(level, block));
            if both.contains(&0) {
                continue;
            }
            let is_kept = is_kept(self.mutual, block, target);
            let mut bits = None;
            if sight == Answer::Mixed && is_kept {
                let record = group.record(records)?;
                records += 1;
                let mut pair = PairSymbols::default();
                let rows = record.rows();
                // One record too many shows in the bytes.
                sight = pair.analyse(&rows, both[0], both[1]);
                if sight != Answer::Mixed {
                    return None;
                }
                symbols.pairs.push(pair.pair());
                bits = Some(rows);
            }
            let index = (target.1 - rows.start) as usize * columns.len()
                + (target.0 - columns.start) as usize;
            symbols.sights[index] = sight;
            if is_kept {
                symbols.seen.push((target, rows_of(sight, bits, both)));
            }
        }
        if level == 0 {
            return Some(symbols);
        }
        // What is hidden as a whole may be seen by cells of the level below all the same.
        let told = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        for (target, sight) in told.zip(&symbols.sights) {
            if *sight == Answer::Hidden && is_kept(self.mutual, block, target) {
                symbols.seen.push((target, [0; 64]));
            }
        }
        Some(symbols)
    }

    /// What a block says of those before it, and what they say of it.
    fn check_symmetry(&mut self, level: u32, block: Block, symbols: &Symbols, place: u64) {
        let [columns, rows] = symbols.window.clone();
        let told = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        for (target, sight) in told.zip(&symbols.sights) {
            // A quad that is visible as a whole may have blocks without terrain, which nobody asks for.
            let terrain = [block, target].map(|block| self.terrain(level, block));
            if is_kept(true, block, target) || terrain.contains(&0) {
                continue;
            }
            let back = self.bundle.groups(level).group(target.0, target.1);
            let back = back.map(|group| group.state(block.0, block.1));
            if back != Some(*sight) {
                let blocks = format!("blocks {target:?} and {block:?} of level {level}");
                let word = |sight| match sight {
                    None => "no group",
                    Some(Answer::Hidden) => "hidden",
                    Some(Answer::Visible) => "visible",
                    Some(Answer::Mixed) => "mixed",
                };
                let found = format!("{} and {}", word(back), word(Some(*sight)));
                self.symmetry
                    .add(blocks, place, "the same both ways", found);
            }
        }
        let own = symbols.seen.iter().find(|(target, _)| *target == block);
        if let Some((_, rows)) = own {
            let differs = |i: usize, j: usize| rows[i] >> j & 1 != rows[j] >> i & 1;
            if (0..64).any(|i| (0..i).any(|j| differs(i, j))) {
                let blocks = format!("block {block:?} of level {level} with itself");
                self.symmetry
                    .add(blocks, place, "the same both ways", "a difference");
            }
        }
    }
}

impl PairSections {
    fn read(container: &Container) -> io::Result<Self> {
        let stored = |tag| container.stored(tag);
        Ok(Self {
            bytes: [stored(Tag::DICT)?, stored(Tag::PIDX)?, stored(Tag::PAIR)?],
            places: [Tag::DICT, Tag::PIDX, Tag::PAIR].map(|tag| container.start(tag)),
        })
    }

    /// Notes if the codes are not those that take least bytes.
    fn dictionary_faults(&self, histogram: &Histogram, faults: &mut Faults) {
        let [found, _, _] = &self.bytes;
        let expected = Codebook::new(histogram).section();
        if expected != *found {
            let at = expected.iter().zip(found).position(|(a, b)| a != b);
            let at = at.unwrap_or(expected.len().min(found.len()));
            let place = self.places[0] + at as u64;
            let found = format!("{} bytes that differ from byte {at}", found.len());
            let expected = format!("{} bytes, by the symbols in PAIR", expected.len());
            faults.add("section DICT", place, expected, found);
        }
    }

    /// Where the groups begin: level by level, in Morton order.
    fn starts(&self, shape: Shape) -> Vec<u64> {
        let of_level = |level: u32| {
            let blocks = morton_blocks(shape.level(level)).into_iter();
            blocks.map(move |block| self.offset(shape, level, block))
        };
        (0..shape.levels()).flat_map(of_level).collect()
    }

    /// Notes where a group does not begin where the one before ends.
    fn index_faults(&self, starts: &[u64], faults: &mut Faults) {
        let [_, _, pairs] = &self.bytes;
        let ends = starts.iter().skip(1).copied();
        let mut due = 0;
        for (group, (&start, end)) in starts
            .iter()
            .zip(ends.chain([pairs.len() as u64]))
            .enumerate()
        {
            if start != due || end <= start || end > pairs.len() as u64 {
                let expected = format!("{due}, and an end behind it in PAIR");
                let found = format!("{start} to {end}");
                faults.add(
                    format!("group number {group}"),
                    self.places[1],
                    expected,
                    found,
                );
                // What follows is measured from a wrong place.
                return;
            }
            due = end;
        }
    }

    /// The offset of a block's group in `PAIR`.
    fn offset(&self, shape: Shape, level: u32, (column, row): Block) -> u64 {
        let across = shape.level(level).block_shape().0;
        let number = shape.blocks_below(level) + row as usize * across as usize + column as usize;
        let [_, index, _] = &self.bytes;
        viewcell::format::bytes::u64_at(index, 8 * number).unwrap_or(u64::MAX)
    }
}
