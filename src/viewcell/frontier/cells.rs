//! Frontiers between two cells: regions of which no cell sees any of the other.
//!
//! Source: A. Steed and C. Angus, *Supporting Scalable Peer to Peer Virtual Environments using
//! Frontier Sets*, section 4.2 (EQ 1 and EQ 2).

use crate::format::bits;
use crate::format::cells::{DistanceBits, DistanceRow, PvsRow};
use crate::query::CellBundle;
pub use crate::query::ShortMemory;

/// Two regions: bit c of `ab` is set if cell c is in F_AB, where A's player may walk, and bit c of
/// `ba` if it is in F_BA. 64 cells a word, the lowest bit first. No cell of one sees any of the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frontier<'m> {
    /// F_AB. Holds A.
    pub ab: &'m [u64],
    /// F_BA. Holds B.
    pub ba: &'m [u64],
}

/// Words of memory that [`CellBundle::frontier`] needs for a level of so many cells.
pub const fn words(cells: u32) -> usize {
    2 * bits::words(cells)
}

impl CellBundle<'_> {
    /// The frontier between two cells; none if they see each other.
    ///
    /// F_AB holds the cells that are nearer to A than to B (EQ 1), and F_BA everything that no cell of F_AB sees: the
    /// published one (EQ 2: what is nearer to B by more than one step), and cells of components of the level where neither
    /// A nor B is.
    ///
    /// Nobody in F_AB sees anybody in F_BA, and the other way round: while one player stays in
    /// each, they need not hear of each other. That takes a symmetric PVS; in a bundle baked with
    /// `--symmetry none`, cells that see one way only may be on either side.
    ///
    /// Nothing is allocated: the regions lie in `memory`, which may be used again and need not be
    /// cleared. O(N) lookups, and a look at the rows of cells that are in neither published region.
    ///
    /// # Errors
    ///
    /// [`ShortMemory`] if `memory` has fewer words than [`words`].
    pub fn frontier<'m>(
        &self,
        a: u32,
        b: u32,
        memory: &'m mut [u64],
    ) -> Result<Option<Frontier<'m>>, ShortMemory> {
        if self.visible(a, b) || self.visible(b, a) {
            return Ok(None);
        }
        let rows = [a, b].map(|cell| self.distances(cell));
        tightened([a, b], rows, |cell| self.pvs(cell), memory)
    }

    /// Takes out of the second of two regions what sees the first one or is seen by it, where sight is not mutual. The
    /// regions are the first of three rows of memory; empty where there are fewer.
    pub(crate) fn hide_both_ways(&self, memory: &mut [u64]) {
        let row = bits::words(self.cells());
        let Ok([ab, ba, seen]) = parts([row; 3], &mut *memory) else {
            return memory.fill(0);
        };
        seen.fill(0);
        for cell in (0..self.cells()).filter(|cell| bits::has(ab, *cell as usize)) {
            add_seen(seen, cell, self.pvs(cell));
        }
        for cell in 0..self.cells() {
            if let Some(word) = ba.get_mut(cell as usize / 64)
                && (bits::has(seen, cell as usize) || self.pvs(cell).meets(ab, 0))
            {
                *word &= !(1 << (cell % 64));
            }
        }
    }
}

/// EQ 1 and EQ 2 for two cells that do not see each other, by their rows of distances. None if
/// the rows are not all there.
///
/// Cells that no chain of visible steps joins to either A or B are in neither region.
pub fn by_distance<'m>(
    [a, b]: [u32; 2],
    [row_a, row_b]: [DistanceRow<'_>; 2],
    memory: &'m mut [u64],
) -> Result<Option<Frontier<'m>>, ShortMemory> {
    let cells = row_a.cells();
    let [ab, ba] = parts([bits::words(cells); 2], memory)?;
    let bits = row_a.bits();
    let length = bits.row_len(cells);
    let whole = |row: &DistanceRow| row.bits() == bits && row.bytes().len() >= length;
    if row_b.cells() != cells || !whole(&row_a) || !whole(&row_b) {
        return Ok(None);
    }
    match bits {
        DistanceBits::Four => compare_nibbles(row_a.bytes(), row_b.bytes(), ab, ba),
        _ => compare(row_a, row_b, ab, ba),
    }
    // Behind the last cell is nothing, whatever the last byte of a row says.
    bits::cut(ab, cells);
    bits::cut(ba, cells);
    // A row's entry for its own cell is 1, not 0.
    bits::set(ab, a as usize);
    bits::set(ba, b as usize);
    Ok(Some(Frontier { ab, ba }))
}

/// [`CellBundle::frontier`] for two cells that do not see each other, by their rows of distances. None if the rows are not
/// all there. `pvs` gives the rows of a symmetric PVS.
pub fn tightened<'m, 'p>(
    pair: [u32; 2],
    rows: [DistanceRow<'_>; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    memory: &'m mut [u64],
) -> Result<Option<Frontier<'m>>, ShortMemory> {
    let cells = rows[0].cells();
    if by_distance(pair, rows, memory)?.is_none() {
        return Ok(None);
    }
    let [ab, ba] = parts([bits::words(cells); 2], memory)?;
    for i in 0..ab.len() {
        let (Some(&in_ab), Some(in_ba)) = (ab.get(i), ba.get_mut(i)) else {
            break;
        };
        // What is in a region already sees itself or is hidden: the rest is to be asked.
        for bit in bits::ones(!(in_ab | *in_ba)) {
            let cell = 64 * i as u32 + bit;
            // What no chain joins to A, no cell of F_AB sees. Cells see most of what is numbered
            // near them.
            let apart = rows[0].code(cell) == rows[0].bits().unreachable();
            if cell < cells && (apart || !pvs(cell).meets(ab, i)) {
                *in_ba |= 1 << bit;
            }
        }
    }
    Ok(Some(Frontier { ab, ba }))
}

/// EQ 1 and EQ 2, a cell at a time.
fn compare(row_a: DistanceRow<'_>, row_b: DistanceRow<'_>, ab: &mut [u64], ba: &mut [u64]) {
    let unreachable = row_a.bits().unreachable();
    // Unreachable is further than anything, by any number of steps.
    let far = |code: u32| if code == unreachable { u32::MAX } else { code };
    ab.fill(0);
    ba.fill(0);
    for (cell, (a, b)) in (0_u32..).zip(row_a.codes().zip(row_b.codes())) {
        let (a, b) = (far(a), far(b));
        if a < b {
            bits::set(ab, cell as usize);
        } else if b < a.saturating_sub(1) {
            bits::set(ba, cell as usize);
        }
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;
const NIBBLES: u64 = LOW * 15;

/// EQ 1 and EQ 2 for distances of four bits, 16 cells at a time.
fn compare_nibbles(row_a: &[u8], row_b: &[u8], ab: &mut [u64], ba: &mut [u64]) {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        // The last word of a row may be a short one.
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        u64::from_le_bytes(word)
    };
    let quarter = |a: u64, b: u64| {
        let [even, odd] = [(a, b), (a >> 4, b >> 4)].map(|(a, b)| {
            let (a, b) = (a & NIBBLES, b & NIBBLES);
            // Unreachable, 15, becomes 17: further than 14, the greatest, by more than one.
            let far = |x: u64| x + (((x + LOW) >> 3) & (LOW << 1));
            let (a, b) = (far(a), far(b));
            // In each byte, the highest bit of 128 + x - y is set if x >= y.
            (
                ((b | HIGH) - (a + LOW)) & HIGH,
                ((a | HIGH) - (b + LOW * 2)) & HIGH,
            )
        });
        (pack(even.0, odd.0), pack(even.1, odd.1))
    };
    let quarters = row_a.chunks(8).zip(row_b.chunks(8));
    let mut quarters = quarters.map(|(a, b)| match (a.as_array(), b.as_array()) {
        (Some(a), Some(b)) => quarter(u64::from_le_bytes(*a), u64::from_le_bytes(*b)),
        _ => quarter(word(a), word(b)),
    });
    for (ab, ba) in ab.iter_mut().zip(ba) {
        (*ab, *ba) = (0, 0);
        for shift in [0, 16, 32, 48] {
            let Some(found) = quarters.next() else { break };
            *ab |= found.0 << shift;
            *ba |= found.1 << shift;
        }
    }
}

/// The highest bits of the bytes of `even` and `odd`, one of each in turn, 16 together.
#[inline]
fn pack(even: u64, odd: u64) -> u64 {
    let mut bits = even >> 7 | odd >> 6;
    bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
    bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
    (bits | bits >> 24) & 0xffff
}

/// Memory cut into parts of these lengths.
fn parts<const N: usize>(
    lengths: [usize; N],
    memory: &mut [u64],
) -> Result<[&mut [u64]; N], ShortMemory> {
    let (expected, found) = (lengths.iter().sum(), memory.len());
    if found < expected {
        return Err(ShortMemory { expected, found });
    }
    let mut rest = memory;
    Ok(lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default()))
}

/// Adds what a cell sees.
fn add_seen(seen: &mut [u64], cell: u32, row: PvsRow<'_>) {
    let words = row.words();
    if words.len() < seen.len() {
        seen.fill(u64::MAX); // a row that is not there sees everything
    }
    for (seen, word) in seen.iter_mut().zip(words) {
        *seen |= word;
    }
    bits::set(seen, cell as usize);
}
