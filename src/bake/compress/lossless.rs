//! Tree code 1 ([`viewcell::format::tree`]): lossless, each tree by itself.
//!
//! The encoder runs once a quad of the terrain, so it is bound by how fast it reads the bitmap.
//! Blocks are sorted into hidden, visible and mixed eight at a time; two bits a quad, *some
//! terrain visible* and *some terrain hidden*, are folded up the levels 64 quads at a time; and
//! only nodes that end up in the tree are visited one by one.

use viewcell::format::Grid;
use viewcell::format::bytes::write_varint;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::tree::{HIDDEN, UNKNOWN, VISIBLE};

/// Blocks looked at together.
const GROUP: usize = 8;

/// What the encoder needs to know of a terrain, whatever is visible: made once, shared by threads.
#[derive(Clone, Debug)]
pub struct ValidPyramid {
    grid: Grid,
    /// Block bitmap of the terrain.
    valid: Vec<u64>,
    /// By row of blocks, one bit a block: whether it has terrain.
    terrain: Vec<u64>,
    /// By row of blocks, by group: number of samples with terrain.
    group_samples: Vec<u16>,
    /// Where each level's bits are, from level 3.
    planes: Vec<Plane>,
    /// Words of all planes.
    plane_words: usize,
}

/// The bits of one level: rows of quads, each row padded to words, and to an even number of rows.
#[derive(Clone, Copy, Debug)]
struct Plane {
    start: usize,
    rows: usize,
    words: usize,
}

/// Room for the encoder to work in; one a thread, used again for every tree.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Per level and quad: bits *some visible* and *some hidden*, words side by side.
    planes: Vec<[u64; 2]>,
    /// Unknown quads of the level at hand and of the one below, in Morton order.
    quads: Vec<(u16, u16)>,
    children: Vec<(u16, u16)>,
}

impl ValidPyramid {
    /// From the block bitmap of the terrain: ones where a sample is in the grid and not void.
    /// Bits outside the grid do not count. Panics unless `valid` has one word a block.
    pub fn new(grid: Grid, valid: &[u64]) -> Self {
        assert_eq!(valid.len(), grid.blocks(), "one word a block");
        let (columns, rows) = grid.block_shape();
        let (columns, rows) = (columns as usize, rows as usize);
        let valid: Vec<u64> = (0..rows * columns)
            .map(|i| valid[i] & grid.block_mask((i % columns) as u32, (i / columns) as u32))
            .collect();
        let mut planes = Vec::new();
        let mut plane_words = 0;
        for level in BLOCK_LEVEL..=grid.root_level() {
            let (wide, high) = grid.quads_at(level);
            let plane = Plane {
                start: plane_words,
                rows: high as usize,
                words: (wide as usize).div_ceil(64),
            };
            plane_words += plane.rows.next_multiple_of(2) * plane.words;
            planes.push(plane);
        }
        let terrain = valid
            .chunks(columns)
            .flat_map(|row| row.chunks(64))
            .map(|blocks| bits(blocks.iter().map(|&block| block != 0)))
            .collect();
        let group_samples = valid
            .chunks(columns)
            .flat_map(|row| row.chunks(GROUP))
            .map(|group| group.iter().map(|block| block.count_ones() as u16).sum())
            .collect();
        Self {
            grid,
            valid,
            terrain,
            group_samples,
            planes,
            plane_words,
        }
    }

    /// From ground heights in metres, row by row, NaN for void. Panics unless there is one a
    /// sample.
    pub fn from_heights(grid: Grid, heights: &[f64]) -> Self {
        assert_eq!(heights.len() as u64, grid.samples(), "one height a sample");
        Self::from_places(grid, heights.iter().map(|height| !height.is_nan()))
    }

    /// From whether somebody can be at each sample, row by row.
    pub fn from_places(grid: Grid, places: impl Iterator<Item = bool>) -> Self {
        let mut valid = vec![0; grid.blocks()];
        for (sample, place) in grid.row_by_row().zip(places) {
            let (word, bit) = grid.block_bit(sample);
            valid[word] |= u64::from(place) << bit;
        }
        Self::new(grid, &valid)
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The block bitmap of the terrain.
    pub fn blocks(&self) -> &[u64] {
        &self.valid
    }

    /// The same as bytes, as a section has it.
    pub(crate) fn block_bytes(&self) -> Vec<u8> {
        let words = self.valid.iter();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Number of samples with terrain.
    pub fn samples(&self) -> u64 {
        self.group_samples.iter().map(|&n| u64::from(n)).sum()
    }
}

/// Appends the tree of a PVS to `out`, and returns the number of visible samples.
///
/// `pvs` is a block bitmap; bits without terrain do not count. Panics unless it has one word a
/// block.
///
/// Time: linear in blocks, with little more than a load a block where all is hidden or all
/// visible; no allocation once `scratch` and `out` have grown.
pub fn encode(valid: &ValidPyramid, pvs: &[u64], scratch: &mut Scratch, out: &mut Vec<u8>) -> u64 {
    assert_eq!(pvs.len(), valid.valid.len(), "one word a block");
    // Rows that pad a plane must be zero, whatever grid the scratch served before.
    scratch.planes.clear();
    scratch.planes.resize(valid.plane_words, [0; 2]);
    let visible = classify(valid, pvs, &mut scratch.planes);
    for pair in valid.planes.windows(2) {
        fold(&mut scratch.planes, pair[0], pair[1]);
    }
    write_tree(valid, pvs, scratch, out);
    visible
}

/// One bit for each of at most 64 answers, the first lowest.
fn bits(answers: impl Iterator<Item = bool>) -> u64 {
    answers
        .enumerate()
        .fold(0, |word, (i, answer)| word | u64::from(answer) << i)
}

/// Fills the plane of level 3; returns the number of visible samples.
fn classify(valid: &ValidPyramid, pvs: &[u64], planes: &mut [[u64; 2]]) -> u64 {
    let columns = valid.grid.block_shape().0 as usize;
    let plane = valid.planes[0];
    let mut count = 0;
    let mut group_samples = valid.group_samples.iter();
    let rows = pvs
        .chunks(columns)
        .zip(valid.valid.chunks(columns))
        .flat_map(|(pvs, valid)| pvs.chunks(64).zip(valid.chunks(64)));
    let planes = planes.iter_mut().skip(plane.start);
    for (((pvs, samples), &terrain), plane) in rows.zip(&valid.terrain).zip(planes) {
        let (mut some_visible, mut all_visible) = (0, 0);
        let groups = pvs.chunks(GROUP).zip(samples.chunks(GROUP));
        for (g, ((pvs, samples), in_group)) in groups.zip(&mut group_samples).enumerate() {
            let (mut any, mut differ) = (0, 0);
            for (&pvs, &samples) in pvs.iter().zip(samples) {
                any |= pvs & samples;
                differ |= !pvs & samples;
            }
            let shift = g * GROUP;
            if any == 0 {
                continue;
            }
            if differ == 0 {
                let all = terrain & (0xFF << shift);
                some_visible |= all;
                all_visible |= all;
                count += u64::from(*in_group);
                continue;
            }
            for (i, (&pvs, &samples)) in pvs.iter().zip(samples).enumerate() {
                some_visible |= u64::from(pvs & samples != 0) << (shift + i);
                all_visible |= u64::from(!pvs & samples == 0) << (shift + i);
                count += u64::from((pvs & samples).count_ones());
            }
        }
        *plane = [some_visible, terrain & !all_visible];
    }
    count
}

/// Ors the bits of four quads into the bit of their parent.
fn fold(planes: &mut [[u64; 2]], from: Plane, to: Plane) {
    let (below, above) = planes.split_at_mut(to.start);
    let below = &below[from.start..];
    for (pair, row) in below
        .chunks(2 * from.words)
        .zip(above.chunks_mut(to.words))
        .take(to.rows)
    {
        let (north, south) = pair.split_at(from.words);
        for (i, word) in row.iter_mut().enumerate() {
            let half = |at: usize, which: usize| match (north.get(at), south.get(at)) {
                (Some(north), Some(south)) => or_of_pairs(north[which] | south[which]),
                _ => 0,
            };
            *word = [0, 1].map(|which| half(2 * i, which) | half(2 * i + 1, which) << 32);
        }
    }
}

/// Bit i of the result is the or of bits 2i and 2i + 1.
fn or_of_pairs(word: u64) -> u64 {
    let mut word = (word | word >> 1) & 0x5555_5555_5555_5555;
    word = (word | word >> 1) & 0x3333_3333_3333_3333;
    word = (word | word >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    word = (word | word >> 4) & 0x00FF_00FF_00FF_00FF;
    word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF;
    (word | word >> 16) & 0x0000_0000_FFFF_FFFF
}

/// Node byte by *some visible* of the four children (low bits) and *some hidden* (high bits).
const NODE: [u8; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut child = 0;
        while child < 4 {
            let code = match (index >> child & 1, index >> (4 + child) & 1) {
                (0, _) => HIDDEN,
                (_, 0) => VISIBLE,
                _ => UNKNOWN,
            };
            table[index] |= code << (2 * child);
            child += 1;
        }
        index += 1;
    }
    table
};

/// Writes the tree, level by level from the root.
fn write_tree(valid: &ValidPyramid, pvs: &[u64], scratch: &mut Scratch, out: &mut Vec<u8>) {
    let Scratch {
        planes,
        quads,
        children,
    } = scratch;
    let (&root, _) = valid.planes.split_last().expect("a root");
    let head = match planes[root.start] {
        [0, _] => 0,
        [_, 0] => 1,
        _ => 2 + unknown_nodes(valid, planes),
    };
    let (bytes, length) = write_varint(head);
    out.extend_from_slice(&bytes[..length]);
    if head < 2 {
        return;
    }
    quads.clear();
    quads.push((0, 0));
    for &below in valid.planes.iter().rev().skip(1) {
        // Every unknown quad may have four unknown children; all four are written, and the
        // length moves on past those that are unknown.
        children.resize(4 * quads.len(), (0, 0));
        let mut length = 0;
        let start = out.len();
        out.resize(start + quads.len(), 0);
        let rows = &planes[below.start..];
        for (node, &(column, row)) in out[start..].iter_mut().zip(&*quads) {
            let at = 2 * usize::from(row) * below.words + usize::from(column) / 32;
            let shift = 2 * (column % 32);
            let (north, south) = (rows[at], rows[at + below.words]);
            let visible = (north[0] >> shift & 3 | (south[0] >> shift & 3) << 2) as usize;
            let hidden = (north[1] >> shift & 3 | (south[1] >> shift & 3) << 2) as usize;
            *node = NODE[hidden << 4 | visible];
            let unknown = visible & hidden;
            let next = &mut children[length..];
            let mut at = 0;
            for child in 0..4u16 {
                next[at] = (2 * column + (child & 1), 2 * row + (child >> 1));
                at += unknown >> child & 1;
            }
            length += at;
        }
        children.truncate(length);
        std::mem::swap(quads, children);
    }
    let columns = valid.grid.block_shape().0 as usize;
    let start = out.len();
    out.resize(start + 8 * quads.len(), 0);
    for (literal, &(column, row)) in out[start..].chunks_exact_mut(8).zip(&*quads) {
        let at = usize::from(row) * columns + usize::from(column);
        literal.copy_from_slice(&(pvs[at] & valid.valid[at]).to_le_bytes());
    }
}

/// Number of unknown quads of level 4 or more.
fn unknown_nodes(valid: &ValidPyramid, planes: &[[u64; 2]]) -> u32 {
    let first = valid
        .planes
        .get(1)
        .map_or(planes.len(), |plane| plane.start);
    planes[first..]
        .iter()
        .map(|[visible, hidden]| (visible & hidden).count_ones())
        .sum()
}
