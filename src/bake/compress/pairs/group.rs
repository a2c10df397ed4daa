//! The group of a block ([`viewcell::format::pairs`]), before and after it has bytes.

use super::bits::PairBits;
use super::codebook::Codebook;
use super::symbols::PairList;
use crate::compress::ValidPyramid;
use std::ops::Range;
use viewcell::format::Answer;
use viewcell::format::bytes::write_varint;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::morton::{self, comes_before};
use viewcell::format::pairs::TABLE_RUN;
use viewcell::format::tree::{HIDDEN, UNKNOWN, VISIBLE};
use viewcell::format::{Grid, Leaf, Tree};

/// Whether the record of a pair of blocks is in the group of the first.
pub fn is_kept(mutual: bool, block: (u32, u32), target: (u32, u32)) -> bool {
    !mutual || !comes_before(target, block)
}

/// The blocks of a grid in Morton order, which is their bake order.
pub fn morton_blocks(grid: Grid) -> Vec<(u32, u32)> {
    let (columns, rows) = grid.block_shape();
    let mut blocks: Vec<_> = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (column, row)))
        .collect();
    blocks.sort_unstable_by_key(|&(column, row)| morton::number(column, row));
    blocks
}

/// Appends what comes before the table of a group; returns how many records are to follow. Panics
/// unless there is one sight a block of the grid.
pub fn encode_head(
    valid: &ValidPyramid,
    block: (u32, u32),
    sights: &[Answer],
    mutual: bool,
    out: &mut Vec<u8>,
) -> usize {
    let (columns, rows) = valid.grid().block_shape();
    encode_head_within(valid, block, [0..columns, 0..rows], sights, mutual, out)
}

/// The same of a group that covers some columns and rows of blocks alone, with one sight for each of them, row by
/// row. What lies outside counts as hidden.
pub fn encode_head_within(
    valid: &ValidPyramid,
    block: (u32, u32),
    window: [Range<u32>; 2],
    sights: &[Answer],
    mutual: bool,
    out: &mut Vec<u8>,
) -> usize {
    let Some(mixed) = skeleton(valid, window, sights, out) else {
        return 0;
    };
    let kept = |&target: &(u32, u32)| is_kept(mutual, block, target);
    let own = mixed.iter().filter(|target| kept(target)).count();
    for count in [mixed.len() - own, own] {
        let (bytes, length) = write_varint(count as u32);
        out.extend_from_slice(&bytes[..length]);
    }
    own
}

/// Appends the table of a group and its records.
pub fn encode_records(pairs: &PairList, codebook: &Codebook, out: &mut Vec<u8>) {
    let mut records = Vec::new();
    let mut starts = Vec::new();
    for pair in pairs.iter() {
        starts.push(records.len() as u64);
        codebook.write(pair, &mut records);
    }
    put_together(&starts, &records, out);
}

/// Appends the table of a group and its records, which have their bytes.
pub fn encode_table<'a>(pieces: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    let mut records = Vec::new();
    let mut starts = Vec::new();
    for piece in pieces {
        starts.push(records.len() as u64);
        records.extend_from_slice(piece);
    }
    put_together(&starts, &records, out);
}

/// Appends the table of records that begin at `starts`, and the records.
pub fn put_together(starts: &[u64], records: &[u8], out: &mut Vec<u8>) {
    for run in starts.chunks(TABLE_RUN) {
        out.extend(run[0].to_le_bytes());
        // A record has less than 1,700 bytes.
        out.extend(
            run.iter()
                .flat_map(|start| ((start - run[0]) as u16).to_le_bytes()),
        );
    }
    out.extend_from_slice(records);
}

/// Quads of a level that a window meets: their columns and rows, and of each, row by row, whether somebody sees something
/// in it, and whether not all.
struct Quads {
    window: [Range<u32>; 2],
    flags: Vec<(bool, bool)>,
}

impl Quads {
    fn index(&self, (column, row): (u32, u32)) -> Option<usize> {
        let [columns, rows] = &self.window;
        let is_there = columns.contains(&column) && rows.contains(&row);
        let index = (row - rows.start.min(row)) as usize * columns.len()
            + (column - columns.start.min(column)) as usize;
        is_there.then_some(index)
    }

    /// Those of the level above, where the quads of this one have so many columns and rows.
    fn above(&self, (across, down): (u32, u32)) -> Self {
        let [columns, rows] = &self.window;
        let up = |range: &Range<u32>| range.start >> 1..range.end.div_ceil(2);
        let window = [up(columns), up(rows)];
        // What is left out of the window is hidden; it may have no terrain, which nobody looks for.
        let is_cut = |at: u32, range: &Range<u32>, end: u32| {
            2 * at < range.start || (2 * at + 2).min(end) > range.end
        };
        let quads = window[1].clone().flat_map(|row| {
            let cut = is_cut(row, rows, down);
            let columns_of_it = window[0].clone();
            columns_of_it.map(move |column| (false, cut || is_cut(column, columns, across)))
        });
        let mut quads = Self {
            flags: quads.collect(),
            window: window.clone(),
        };
        let places = rows
            .clone()
            .flat_map(|r| columns.clone().map(move |c| (c, r)));
        for (&(some, not_all), (column, row)) in self.flags.iter().zip(places) {
            if let Some(index) = quads.index((column >> 1, row >> 1)) {
                let to = &mut quads.flags[index];
                *to = (to.0 | some, to.1 | not_all);
            }
        }
        quads
    }
}

/// Appends the head and nodes of a group; returns the mixed blocks in their order, if the root is
/// unknown. Panics unless there is one sight a block of the window.
fn skeleton(
    valid: &ValidPyramid,
    window: [Range<u32>; 2],
    sights: &[Answer],
    out: &mut Vec<u8>,
) -> Option<Vec<(u32, u32)>> {
    let grid = valid.grid();
    let across = grid.block_shape().0 as usize;
    let [columns, rows] = window.clone();
    assert_eq!(
        sights.len(),
        columns.len() * rows.len(),
        "one sight a block"
    );
    let terrain = rows.flat_map(|row| {
        let start = row as usize * across;
        &valid.blocks()[start + columns.start as usize..start + columns.end as usize]
    });
    let flags = |(&sight, &terrain): (&Answer, &u64)| match sight {
        Answer::Hidden => (false, terrain != 0),
        Answer::Visible => (terrain != 0, false),
        Answer::Mixed => (true, true),
    };
    let mut levels = vec![Quads {
        window,
        flags: sights.iter().zip(terrain).map(flags).collect(),
    }];
    for level in BLOCK_LEVEL..grid.root_level() {
        levels.push(levels[levels.len() - 1].above(grid.quads_at(level)));
    }
    let code = |level: u32, quad: (u32, u32)| {
        let quads = &levels[(level - BLOCK_LEVEL) as usize];
        match quads.index(quad).map(|index| quads.flags[index]) {
            None | Some((false, _)) => HIDDEN,
            Some((_, false)) => VISIBLE,
            _ => UNKNOWN,
        }
    };
    let root = code(grid.root_level(), (0, 0));
    if root != UNKNOWN {
        out.push(root);
        return None;
    }
    let mut nodes = Vec::new();
    let mut quads = vec![(0, 0)];
    for level in (BLOCK_LEVEL..grid.root_level()).rev() {
        let mut children = Vec::new();
        for &(column, row) in &quads {
            let mut node = 0;
            for i in 0..4 {
                let child = (2 * column + (i & 1), 2 * row + (i >> 1));
                let code = code(level, child);
                node |= code << (2 * i);
                if code == UNKNOWN {
                    children.push(child);
                }
            }
            nodes.push(node);
        }
        quads = children;
    }
    let (bytes, length) = write_varint(2 + nodes.len() as u32);
    out.extend_from_slice(&bytes[..length]);
    out.extend(nodes);
    Some(quads)
}

/// How the blocks of a grid are seen by a skeleton, in its order; hidden ones are left out.
pub fn sights_of(skeleton: Tree<'_>) -> impl Iterator<Item = (Answer, (u32, u32))> {
    let sights = skeleton.leaves().filter_map(|leaf| match leaf {
        Leaf::Hidden(_) => None,
        Leaf::Visible(quad) => Some((Answer::Visible, quad)),
        Leaf::Block(quad, _) => Some((Answer::Mixed, quad)),
    });
    let valid = skeleton.valid();
    sights.flat_map(move |(sight, quad)| {
        let (columns, rows) = valid.grid().block_range(quad);
        rows.flat_map(move |row| columns.clone().map(move |column| (sight, (column, row))))
    })
}

/// Visible samples by level of the viewpoint quad, 0 to 3, summed over the quads.
#[derive(Clone, Debug, Default)]
pub struct PairCounts {
    /// Visible samples.
    pub visible: [u64; 4],
    /// Quads that have terrain.
    pub quads: [u64; 4],
}

impl PairCounts {
    /// Adds the quads of a block; of it and all blocks below, the terrain is given.
    pub fn add_block(&mut self, viewpoints: u64) {
        for (sum, quads) in self.quads.iter_mut().zip(quads_with(viewpoints)) {
            *sum += quads;
        }
    }

    /// Counts a pair of blocks of which each viewpoint sees each target.
    pub fn add_visible(&mut self, viewpoints: u64, targets: u64) {
        let samples = u64::from(targets.count_ones());
        for (sum, quads) in self.visible.iter_mut().zip(quads_with(viewpoints)) {
            *sum += quads * samples;
        }
    }

    /// Adds what the quads of a block see of another, and perhaps what is seen back.
    pub fn add_mixed(&mut self, bits: &PairBits, both: bool) {
        let [there, back] = bits.visible();
        for (sum, (there, back)) in self.visible.iter_mut().zip(there.into_iter().zip(back)) {
            *sum += there + if both { back } else { 0 };
        }
    }

    /// Adds the counts of another part of the groups.
    pub fn join(&mut self, other: &Self) {
        for (to, from) in self.visible.iter_mut().zip(other.visible) {
            *to += from;
        }
        for (to, from) in self.quads.iter_mut().zip(other.quads) {
            *to += from;
        }
    }
}

/// The first samples of the squares of `side` samples in a block.
fn corners(side: usize) -> impl Iterator<Item = usize> {
    (0..8)
        .step_by(side)
        .flat_map(move |row| (0..8).step_by(side).map(move |column| row * 8 + column))
}

/// Quads with terrain by level, 0 to 3, in a block.
fn quads_with(terrain: u64) -> [u64; 4] {
    if terrain == !0 {
        return [64, 16, 4, 1];
    }
    [0, 1, 2, 3].map(|level| {
        let side = 1 << level;
        let line = (1u64 << side) - 1;
        let square = (0..side).fold(0, |square, row| square | line << (8 * row));
        corners(side)
            .filter(|&v| terrain >> v & square != 0)
            .count() as u64
    })
}
