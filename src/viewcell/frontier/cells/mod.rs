//! Frontiers between two cells: regions of which no cell sees any of the other.
//!
//! Sources: A. Steed and C. Angus, *Supporting Scalable Peer to Peer Virtual Environments using
//! Frontier Sets*, section 4.2 (EQ 1 and EQ 2), and the region growing of their first paper, as
//! the same tells of it in sections 1 and 4.

mod regions;
mod widened;

use crate::format::bits;
use crate::format::cells::{DistanceBits, DistanceRow, PvsRow};
use crate::query::CellBundle;
pub use crate::query::ShortMemory;
pub use regions::Frontier;
pub(super) use regions::{add_seen, parts};
pub use widened::{spread, widen};

/// How frontiers are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Construction {
    /// Steed and Angus's EQ 1 and EQ 2: F_AB holds the cells that are nearer to A than to B, and
    /// F_BA those that are nearer to B by more than one step. O(N) lookups.
    Published,
    /// The same F_AB, and for F_BA everything that no cell of F_AB sees. F_BA holds the published
    /// one, and cells of components of the level where neither A nor B is.
    #[default]
    Tightened,
    /// Both regions grow from their cells over neighbours that the other does not see, a cell
    /// each in turn, until neither can. Both are connected: whoever leaves one does so through
    /// its rim.
    Grown,
    /// Both regions grow over neighbours, the nearest first by the way from middle to middle. Then each
    /// takes in whatever no cell of the other sees, connected or not: the largest sets, for players who
    /// come back somewhere else.
    Widened,
}

impl Construction {
    /// All of them; the number of each is that of the C interface.
    pub const ALL: [Self; 4] = [Self::Published, Self::Tightened, Self::Grown, Self::Widened];

    /// Its name, as options and documents have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Tightened => "tightened",
            Self::Grown => "grown",
            Self::Widened => "widened",
        }
    }

    /// Words of memory that [`CellBundle::frontier`] needs for a level of so many cells.
    pub const fn words(self, cells: u32) -> usize {
        let row = bits::words(cells);
        match self {
            Self::Published | Self::Tightened => 2 * row,
            Self::Grown => 4 * row + 2 * cells as usize,
            Self::Widened => 4 * row + 6 * cells as usize,
        }
    }

    /// Whether the bundle has to know which cells touch ([`CellBundle::has_neighbours`]).
    pub const fn needs_neighbours(self) -> bool {
        matches!(self, Self::Grown | Self::Widened)
    }
}

impl CellBundle<'_> {
    /// The frontier between two cells; none if they see each other.
    ///
    /// Nobody in F_AB sees anybody in F_BA, and the other way round: while one player stays in
    /// each, they need not hear of each other. That takes a symmetric PVS; in a bundle baked with
    /// `--symmetry none`, cells that see one way only may be on either side.
    ///
    /// Nothing is allocated: the regions lie in `memory`, which may be used again and need not be
    /// cleared. O(N) for [`Construction::Published`]; [`Construction::Tightened`] looks besides at
    /// the rows of cells that are in neither published region, and [`Construction::Grown`] at
    /// those of all cells that it takes in. [`Construction::Widened`] looks at all rows.
    ///
    /// # Errors
    ///
    /// [`ShortMemory`] if `memory` has fewer words than [`Construction::words`].
    pub fn frontier<'m>(
        &self,
        a: u32,
        b: u32,
        construction: Construction,
        memory: &'m mut [u64],
    ) -> Result<Option<Frontier<'m>>, ShortMemory> {
        let pair = |cell| (self.pvs(cell), self.distances(cell));
        if self.visible(a, b) || self.visible(b, a) {
            return Ok(None);
        }
        match construction {
            Construction::Grown => {
                let neighbours = |cell| self.neighbours(cell);
                grow(self.cells(), [a, b], |c| self.pvs(c), neighbours, memory)
            }
            Construction::Widened => {
                let neighbours = |cell| self.distant_neighbours(cell);
                widen(
                    self.cells(),
                    [&[a], &[b]],
                    |c| self.pvs(c),
                    neighbours,
                    memory,
                )
            }
            Construction::Published => by_distance([a, b], [pair(a).1, pair(b).1], memory),
            Construction::Tightened => {
                let rows = [pair(a).1, pair(b).1];
                tightened([a, b], rows, |cell| self.pvs(cell), memory)
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

/// [`by_distance`], and then F_BA is everything that no cell of F_AB sees. `pvs` gives the rows
/// of a symmetric PVS.
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

/// Two regions that grow from two cells that do not see each other, over neighbours. `pvs` gives
/// the rows of a symmetric PVS.
pub fn grow<'m, 'p, N: Iterator<Item = u32>>(
    cells: u32,
    [a, b]: [u32; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    neighbours: impl Fn(u32) -> N,
    memory: &'m mut [u64],
) -> Result<Option<Frontier<'m>>, ShortMemory> {
    let (row, queue) = (bits::words(cells), cells as usize);
    let [ab, ba, seen_a, seen_b, queue_a, queue_b] =
        parts([row, row, row, row, queue, queue], memory)?;
    let mut one = Side::new(ab, seen_a, queue_a);
    let mut other = Side::new(ba, seen_b, queue_b);
    one.take(a, pvs(a));
    other.take(b, pvs(b));
    // In turn, each takes in the neighbours of one of its cells.
    while one.is_growing() || other.is_growing() {
        one.grow(&other, cells, &pvs, &neighbours);
        other.grow(&one, cells, &pvs, &neighbours);
    }
    Ok(Some(Frontier {
        ab: one.region,
        ba: other.region,
    }))
}

/// One of two growing regions.
struct Side<'m> {
    region: &'m mut [u64],
    /// Everything that the region sees.
    seen: &'m mut [u64],
    /// Cells of the region in the order in which they came; before `head`, their neighbours have
    /// been asked.
    queue: &'m mut [u64],
    head: usize,
    tail: usize,
}

impl<'m> Side<'m> {
    fn new(region: &'m mut [u64], seen: &'m mut [u64], queue: &'m mut [u64]) -> Self {
        region.fill(0);
        seen.fill(0);
        Self {
            region,
            seen,
            queue,
            head: 0,
            tail: 0,
        }
    }

    fn is_growing(&self) -> bool {
        self.head < self.tail
    }

    fn take(&mut self, cell: u32, row: PvsRow<'_>) {
        bits::set(self.region, cell as usize);
        add_seen(self.seen, cell, row);
        if let Some(place) = self.queue.get_mut(self.tail) {
            *place = cell.into();
            self.tail += 1;
        }
    }

    fn grow<'p, N: Iterator<Item = u32>>(
        &mut self,
        other: &Side<'_>,
        cells: u32,
        pvs: &impl Fn(u32) -> PvsRow<'p>,
        neighbours: &impl Fn(u32) -> N,
    ) {
        if !self.is_growing() {
            return;
        }
        let cell = self.queue.get(self.head).copied().unwrap_or(0) as u32;
        self.head += 1;
        for next in neighbours(cell).filter(|&next| next < cells) {
            if bits::has(self.region, next as usize) || bits::has(other.seen, next as usize) {
                continue;
            }
            // In a damaged bundle a row may see what does not see it back.
            let row = pvs(next);
            if !row.meets(other.region, 0) {
                self.take(next, row);
            }
        }
    }
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
