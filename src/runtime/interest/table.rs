//! Regions of one kind, sorted by the cells of a grid for each level.
//!
//! Space is endless and a table is not, so a grid wraps around like a torus: cells that share a place
//! in the table cost a comparison, and never an answer. Neighbours in space are neighbours in memory,
//! along rows, planes and from one level to the next, so that a search for one region after the other
//! runs through memory as it lies.

use super::levels::{Boxes, Levels, Used, cell, reach};
use super::{Bounds, Kind, Regions};

/// A region in the table.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Entry {
    pub bounds: Bounds,
    pub index: u32,
    pub moved: bool,
}

/// Cells of a table, for each region, at most; rounded up to a power of two.
const CELLS: u32 = 2;

const NOBODY: Entry = Entry {
    bounds: Bounds::NOWHERE,
    index: u32::MAX,
    moved: false,
};

/// The cells of one level. Of each number of cells an axis its logarithm.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Torus {
    used: Used,
    per_cell: [f32; 3],
    /// Its first cell in the table.
    first: u32,
    x: u32,
    y: u32,
    z: u32,
}

impl Torus {
    fn new(used: Used, first: u32) -> Self {
        let log = |cells: f32| {
            (cells as u32)
                .min(1 << 24)
                .next_power_of_two()
                .trailing_zeros()
        };
        let [mut x, mut y, mut z] = used.cells.map(log);
        let most = (CELLS * used.count.min(1 << 28))
            .next_power_of_two()
            .trailing_zeros();
        while x + y + z > most {
            let longest = x.max(y).max(z);
            // Rows are kept long: they lie in one piece.
            if z == longest {
                z -= 1;
            } else if y == longest {
                y -= 1;
            } else {
                x -= 1;
            }
        }
        // What is left makes rows finer, which costs no more of them.
        let finer = (most - (x + y + z)).min(3);
        let [px, py, pz] = used.per_cell;
        Self {
            used,
            per_cell: [px * (1 << finer) as f32, py, pz],
            first,
            x: x + finer,
            y,
            z,
        }
    }

    fn cells(&self) -> u32 {
        1 << (self.x + self.y + self.z)
    }

    #[inline]
    fn row(&self, y: u32, z: u32) -> u32 {
        let (y, z) = (y & ((1 << self.y) - 1), z & ((1 << self.z) - 1));
        self.first + ((z << self.y | y) << self.x)
    }

    /// The place in the table of a region by its lower corner.
    #[inline]
    fn place(&self, bounds: &Bounds) -> u32 {
        let ([x, y, z], [px, py, pz]) = (bounds.min(), self.per_cell);
        self.row(cell(y, py), cell(z, pz)) + (cell(x, px) & ((1 << self.x) - 1))
    }

    /// Whether cells are large enough for a region.
    #[inline]
    fn fits(&self, [x, y, z]: [f32; 3]) -> bool {
        let [lx, ly, lz] = self.used.longest;
        (x <= lx) & (y <= ly) & (z <= lz)
    }

    pub fn level(&self) -> u8 {
        self.used.level
    }
}

#[derive(Debug, Default)]
pub(super) struct Table {
    /// From the lowest level.
    levels: Vec<Torus>,
    /// Which of them a level is.
    of_level: Vec<u8>,
    /// Sorted by cell, of one cell by index from the highest.
    entries: Vec<Entry>,
    /// Where each of them was.
    was: Vec<Bounds>,
    /// Where each cell's entries begin; one more at the end.
    starts: Vec<u32>,
    /// A bit for each cell that has an entry that moved.
    news: Vec<u64>,
    /// In the order of the regions: which cell.
    cells: Vec<u32>,
}

#[inline]
fn is_kind(kind: usize, of: Kind) -> bool {
    match kind {
        0 => of.updates(),
        _ => of.subscribes(),
    }
}

impl Table {
    /// Takes over the levels of a kind (0 for updates, 1 for subscriptions).
    pub fn set_levels(&mut self, kind: usize, levels: &Levels) {
        self.levels.clear();
        self.of_level.clear();
        self.of_level.resize(256, u8::MAX);
        let mut size = 0;
        for (number, used) in (0..u8::MAX).zip(levels.used(kind)) {
            let torus = Torus::new(*used, size);
            size += torus.cells();
            self.levels.push(torus);
            if let Some(of_level) = self.of_level.get_mut(usize::from(used.level)) {
                *of_level = number;
            }
        }
        self.starts.clear();
        self.starts.resize(size as usize + 1, 0);
        self.news.clear();
        self.news.resize(size.div_ceil(64) as usize, 0);
    }

    /// Sorts the regions of a kind by the levels that were set. False, and nothing is sorted, if a
    /// region has outgrown these.
    #[must_use]
    pub fn fill(&mut self, regions: &Regions, kind: usize, levels: &Levels, boxes: Boxes) -> bool {
        self.starts.fill(0);
        self.news.fill(0);
        self.cells.clear();
        for (_, of, moved, was, now) in regions.iter() {
            if !is_kind(kind, of) {
                continue;
            }
            let bounds = boxes.of(was, now);
            let (level, sides) = levels.level(kind, &bounds);
            let number = self
                .of_level
                .get(usize::from(level))
                .copied()
                .unwrap_or(u8::MAX);
            let Some(torus) = self.levels.get(usize::from(number)) else {
                return false;
            };
            if !torus.fits(sides) {
                return false;
            }
            let place = torus.place(&bounds);
            self.cells.push(place);
            if let Some(start) = self.starts.get_mut(place as usize) {
                *start += 1;
            }
            if let Some(news) = self.news.get_mut(place as usize / 64) {
                *news |= u64::from(moved) << (place % 64);
            }
        }
        // Where each cell's entries end. Filled from the end they come to begin there.
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(self.cells.len(), NOBODY);
        self.was.resize(self.cells.len(), Bounds::NOWHERE);
        let mut cells = self.cells.iter();
        for (index, of, moved, was, now) in regions.iter() {
            if !is_kind(kind, of) {
                continue;
            }
            let at = cells
                .next()
                .and_then(|&at| self.starts.get_mut(at as usize));
            let Some(start) = at else {
                continue;
            };
            *start -= 1;
            if let Some(entry) = self.entries.get_mut(*start as usize) {
                *entry = Entry {
                    bounds: boxes.of(was, now),
                    index,
                    moved,
                };
            }
            if let Some(place) = self.was.get_mut(*start as usize) {
                *place = *was;
            }
        }
        true
    }

    /// The levels, from the lowest.
    pub fn levels(&self) -> &[Torus] {
        &self.levels
    }

    /// How many regions there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// A part (which, of how many) of the regions of a level, so that those close to each other are
    /// close in memory, and where they were.
    pub fn entries(
        &self,
        torus: &Torus,
        (part, parts): (usize, usize),
    ) -> impl Iterator<Item = (&Entry, &Bounds)> {
        let start = |cell: u32| self.starts.get(cell as usize).map_or(0, |&at| at as usize);
        let (first, end) = (start(torus.first), start(torus.first + torus.cells()));
        let cut = |part: usize| first + (end - first) * part / parts;
        let range = cut(part)..cut(part + 1);
        let entries = self.entries.get(range.clone()).unwrap_or_default();
        entries.iter().zip(self.was.get(range).unwrap_or_default())
    }

    /// Calls `found` with each region of a level that overlaps a box, once, and where it was.
    /// `only_moved` may leave out some that did not move.
    #[inline]
    pub fn search(
        &self,
        torus: &Torus,
        bounds: &Bounds,
        only_moved: bool,
        mut found: impl FnMut(&Entry, &Bounds),
    ) {
        let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
        let ([lx, ly, lz], [px, py, pz]) = (torus.used.longest, torus.per_cell);
        let (x0, x1) = reach(ax, bx, lx, px);
        let (y0, y1) = reach(ay, by, ly, py);
        let (z0, z1) = reach(az, bz, lz, pz);
        // Never more than once around.
        let (columns, rows, planes) = (1 << torus.x, 1 << torus.y, 1 << torus.z);
        let x1 = x1.min(x0 + columns - 1);
        let (y1, z1) = (y1.min(y0 + rows - 1), z1.min(z0 + planes - 1));
        let (first, last) = (x0 & (columns - 1), x1 & (columns - 1));
        let mut z = z0;
        while z <= z1 {
            let mut y = y0;
            while y <= y1 {
                let row = torus.row(y, z);
                if first <= last {
                    self.row(row + first, row + last, bounds, only_moved, &mut found);
                } else {
                    self.row(row, row + last, bounds, only_moved, &mut found);
                    self.row(
                        row + first,
                        row + columns - 1,
                        bounds,
                        only_moved,
                        &mut found,
                    );
                }
                y += 1;
            }
            z += 1;
        }
    }

    #[inline]
    fn row(
        &self,
        first: u32,
        last: u32,
        bounds: &Bounds,
        only_moved: bool,
        found: &mut impl FnMut(&Entry, &Bounds),
    ) {
        if only_moved && !(first..=last).any(|cell| self.has_news(cell)) {
            return;
        }
        let start = self.starts.get(first as usize).map_or(0, |&at| at as usize);
        let end = self
            .starts
            .get(last as usize + 1)
            .map_or(0, |&at| at as usize);
        let entries = self.entries.get(start..end).unwrap_or_default();
        for (number, entry) in (start..end).zip(entries) {
            if entry.bounds.overlaps(bounds)
                && let Some(was) = self.was.get(number)
            {
                found(entry, was);
            }
        }
    }

    #[inline]
    fn has_news(&self, cell: u32) -> bool {
        let news = self.news.get(cell as usize / 64).copied().unwrap_or(0);
        news >> (cell % 64) & 1 == 1
    }

    pub fn bytes(&self) -> usize {
        self.levels.capacity() * size_of::<Torus>()
            + self.of_level.capacity()
            + self.entries.capacity() * size_of::<Entry>()
            + self.was.capacity() * size_of::<Bounds>()
            + (self.starts.capacity() + self.cells.capacity()) * size_of::<u32>()
            + self.news.capacity() * size_of::<u64>()
    }
}
