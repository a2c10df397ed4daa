//! Voxels that players can reach: a bit each, rows along x of whole words.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use viewcell::format::bits;

use super::aabb::Aabb;
use super::cells::{MOST_ALONG, PlaceBox, PlaceCells};
use super::error::PlacesError;
use super::minkowski::Sum;
use super::words::Words;
use viewcell::convex::Point;
use viewcell::format::solid::STEPS;

/// What is free by less than this is not. [Unit: of the file]
const ROUNDING: f64 = 1e-6;

/// The most voxels to follow players in, rows filled up to whole words: up to four bits of memory each.
const MOST_VOXELS: f64 = (1u64 << 31) as f64;
/// The most rows of them, each of which costs time and memory however short it is.
const MOST_ROWS: f64 = (1u64 << 22) as f64;
/// Bytes of a row beside its bits.
const ROW_BYTES: f64 = 16.0;

/// A plane of a sum for centres of voxels: a voxel lies within the sum if its centre is behind all of them.
struct CentrePlane {
    normal: Point,
    /// Its distance, of the sum and of the sum shrunk by a slack.
    dists: [f64; 2],
}

impl CentrePlane {
    /// What x times the normal's x may come to at most, by the first distance or the second.
    #[inline(always)]
    fn rest(&self, which: usize, [y, z]: [f64; 2]) -> f64 {
        self.dists[which] - self.normal[1] * y - self.normal[2] * z
    }
}

/// A grid of voxels of origins, and a bit each of what is known of them; rows along x, of whole words.
pub(super) struct Voxels {
    origin: Point,
    size: [f64; 3],
    /// Voxels to a cell along each axis, as binary logarithms.
    per_cell: [u32; 3],
    count: [usize; 3],
    /// Words a row.
    row: usize,
    /// Where no player can be, even with some slack: what players cannot get through.
    blocked: Words,
    /// Where no player can be: of no view cell.
    taken: Words,
    reached: Words,
    /// By row: what is come to and not yet reached, if anything.
    pending: Vec<Option<Box<[u64]>>>,
    /// Where players can rise to; none if they can rise everywhere.
    near_support: Option<Words>,
}

impl Voxels {
    /// Those of a box of origins.
    pub(super) fn new(
        bounds: Aabb,
        cell: [f64; 3],
        hull: &Aabb,
        memory: Option<u64>,
    ) -> Result<Self, PlacesError> {
        let width = hull.size().into_iter().fold(f64::INFINITY, f64::min);
        // Less than half a player, lest a wall between two voxels let somebody through.
        let finer = cell.map(|side| (side / (0.45 * width)).log2().ceil().max(0.0) as u32);
        let mut finer = finer.map(|finer| finer.max(STEPS.ilog2()));
        // Off by a step, since whoever stands at a wall would often be on the border of two cells, of which
        // one is within the wall.
        let start: Point = std::array::from_fn(|k| {
            let step = cell[k] / f64::from(STEPS);
            ((bounds.min[k] + step) / cell[k]).floor() * cell[k] - step
        });
        let cells: [f64; 3] =
            std::array::from_fn(|k| ((bounds.max[k] - start[k]) / cell[k]).floor() + 1.0);
        // How many there are, rows filled up, and how many rows.
        let voxels = |finer: [u32; 3]| {
            let [x, y, z] = [0, 1, 2].map(|k| cells[k] * f64::from(1_u32 << finer[k].min(20)));
            [(x / 64.0).ceil() * 64.0 * y * z, y * z]
        };
        // How many times too many.
        let excess = |finer: [u32; 3]| {
            let [bits, rows] = voxels(finer);
            (bits / MOST_VOXELS).max(rows / MOST_ROWS)
        };
        while excess(finer) > 1.0 && finer != [0; 3] {
            finer = finer.map(|k| k.saturating_sub(1));
        }
        let across = cells.into_iter().fold(0.0, f64::max);
        if excess(finer) > 1.0 || across > f64::from(MOST_ALONG) || excess(finer).is_nan() {
            let times = excess(finer).sqrt().max(across / f64::from(MOST_ALONG));
            return Err(PlacesError::Large {
                size: cell[0],
                across: bounds.size().into_iter().fold(0.0, f64::max),
                enough: cell[0] * times.log2().ceil().exp2(),
            });
        }
        let [bits, rows] = voxels(finer);
        let needed = (bits / 2.0 + rows * ROW_BYTES + cells.iter().product::<f64>()) as u64;
        if let Some(limit) = memory.filter(|&limit| needed > limit) {
            return Err(PlacesError::Memory {
                needed,
                limit,
                size: 2.0 * cell[0],
            });
        }
        let count = std::array::from_fn(|k| (cells[k] as usize) << finer[k]);
        let size = std::array::from_fn(|k| cell[k] / f64::from(1_u32 << finer[k]));
        Ok(Self::free(start, size, finer, count))
    }

    /// So many, all free, of this size, and so many binary levels of them to a cell.
    fn free(origin: Point, size: [f64; 3], per_cell: [u32; 3], count: [usize; 3]) -> Self {
        let row = count[0].div_ceil(64);
        let words = row * count[1] * count[2];
        Self {
            origin,
            size,
            per_cell,
            count,
            row,
            blocked: Words::new(words),
            taken: Words::new(words),
            reached: Words::new(words),
            pending: vec![None; count[1] * count[2]],
            near_support: None,
        }
    }

    /// Sides of a voxel.
    pub(super) fn size(&self) -> [f64; 3] {
        self.size
    }

    /// Number of voxels that are reached.
    pub(super) fn reached(&self) -> u64 {
        self.reached.count()
    }

    fn word(&self, [x, y, z]: [usize; 3]) -> (usize, u64) {
        ((z * self.count[1] + y) * self.row + x / 64, 1 << (x % 64))
    }

    fn centre(&self, axis: usize, index: usize) -> f64 {
        self.origin[axis] + (index as f64 + 0.5) * self.size[axis]
    }

    /// Voxels along an axis whose interval shares a point with one of coordinates.
    fn range(&self, axis: usize, low: f64, high: f64) -> Range<usize> {
        let at = |x: f64| (x - self.origin[axis]) / self.size[axis];
        let first = at(low).floor().max(0.0) as usize;
        let end = (at(high).floor() + 1.0).clamp(0.0, self.count[axis] as f64) as usize;
        first.min(end)..end
    }

    /// Blocks all voxels that lie within a sum, shrunk by a slack, and takes those that do without.
    pub(super) fn block(&mut self, sum: &Sum, slack: f64) {
        let half = self.size.map(|x| 0.5 * x);
        let plane = |(normal, dist): &(Point, f64)| {
            let reach: f64 = (0..3).map(|k| normal[k].abs() * half[k]).sum();
            // On slopes engines are less exact; and voxels lie across them anyway.
            let is_slope = normal.iter().all(|x| x.abs() < 0.9999);
            let dist = dist - reach + ROUNDING;
            CentrePlane {
                normal: *normal,
                dists: [
                    dist - if is_slope { 0.5 * slack } else { 0.0 },
                    dist - slack,
                ],
            }
        };
        // Planes along x rule out most rows that are missed, without a division.
        let (along, across): (Vec<CentrePlane>, Vec<CentrePlane>) =
            (sum.planes.iter().map(plane)).partition(|plane| plane.normal[0].abs() <= 1e-12);
        let ys = self.range(1, sum.bounds.min[1], sum.bounds.max[1]);
        for z in self.range(2, sum.bounds.min[2], sum.bounds.max[2]) {
            for y in self.rows(ys.clone(), self.centre(2, z), &along) {
                let centre = [self.centre(1, y), self.centre(2, z)];
                let is_missed =
                    |which: usize| along.iter().any(|plane| plane.rest(which, centre) < 0.0);
                if is_missed(0) {
                    continue;
                }
                let mut low = [f64::NEG_INFINITY; 2];
                let mut high = [f64::INFINITY; 2];
                for plane in &across {
                    let x = plane.normal[0];
                    let [free, shrunk] = [plane.rest(0, centre) / x, plane.rest(1, centre) / x];
                    if x > 0.0 {
                        high[0] = if free < high[0] { free } else { high[0] };
                        high[1] = if shrunk < high[1] { shrunk } else { high[1] };
                    } else {
                        low[0] = if free > low[0] { free } else { low[0] };
                        low[1] = if shrunk > low[1] { shrunk } else { low[1] };
                    }
                }
                let start = (z * self.count[1] + y) * self.row;
                let at = |x: f64| (x - self.origin[0]) / self.size[0] - 0.5;
                for (k, bits) in [&mut self.taken, &mut self.blocked].into_iter().enumerate() {
                    let first = at(low[k]).ceil().max(0.0);
                    let last = at(high[k]).floor().min(self.count[0] as f64 - 1.0);
                    // A row that misses the sum misses the shrunk one.
                    if first > last || k == 1 && is_missed(1) {
                        break;
                    }
                    for (word, run) in runs(first as usize, last as usize) {
                        bits.set(start + word, run);
                    }
                }
            }
        }
    }

    /// The rows at a height that planes along x do not rule out, of some, and one more at either end for rounding.
    fn rows(&self, mut rows: Range<usize>, z: f64, along: &[CentrePlane]) -> Range<usize> {
        for plane in along {
            let slope = plane.normal[1];
            if slope.abs() < 1e-3 {
                continue;
            }
            let end = (plane.dists[0] - plane.normal[2] * z) / slope;
            let end = (end - self.origin[1]) / self.size[1] - 0.5;
            if slope > 0.0 {
                rows.end = rows.end.min((end + 2.0).max(0.0) as usize);
            } else {
                rows.start = rows.start.max((end - 1.0).max(0.0) as usize);
            }
        }
        rows
    }

    /// How far above a blocked voxel a player gets by jumping or climbing. [Unit: m]
    const CLIMB: f64 = 3.0;

    /// Lets players rise no higher than [`Self::CLIMB`] above what blocks them.
    pub(super) fn bound_climbs(&mut self) {
        self.near_support = Some(self.near_above(Self::CLIMB));
    }

    /// Voxels with a taken one in them, or up to so far below.
    fn near_above(&self, height: f64) -> Words {
        let layers = (height / self.size[2]).ceil() as usize + 1;
        let layer = self.row * self.count[1];
        let mut near = self.taken.clone();
        // How many layers down each looks by now: twice as many each time.
        let mut seen = 1;
        while seen < layers {
            let down = seen.min(layers - seen);
            near.spread(layer * down);
            seen += down;
        }
        near
    }

    /// Reaches all that can be come to from the free voxels in a box, and counts it; none if none there is free, 0 if one there
    /// was reached before.
    ///
    /// A row of voxels along x at a time, whole words at once: `pending` has those that are come to from beside.
    pub(super) fn flood(&mut self, from: &Aabb) -> Option<u64> {
        let [xs, ys, zs] = [0, 1, 2].map(|k| self.range(k, from.min[k], from.max[k]));
        let (mut found, mut is_known, mut count) = (false, false, 0);
        let mut waiting = VecDeque::new();
        for z in zs {
            for y in ys.clone() {
                let mut come: Box<[u64]> = vec![0; self.row].into();
                for x in xs.clone() {
                    let (word, bit) = self.word([x, y, z]);
                    if self.blocked.get(word) & bit == 0 {
                        found = true;
                        is_known |= self.reached.get(word) & bit != 0;
                        come[x / 64] |= bit & !self.reached.get(word);
                    }
                }
                self.pending[z * self.count[1] + y] = Some(come);
                waiting.push_back([y, z]);
            }
        }
        let mut open = vec![0; self.row];
        while let Some([y, z]) = waiting.pop_front() {
            let row = z * self.count[1] + y;
            let Some(mut fresh) = self.pending[row].take() else {
                continue;
            };
            for (open, word) in open.iter_mut().zip(row * self.row..) {
                *open = !(self.blocked.get(word) | self.reached.get(word));
            }
            // Bits beyond the last voxel are none.
            if !self.count[0].is_multiple_of(64) {
                open[self.row - 1] &= (1 << (self.count[0] % 64)) - 1;
            }
            fill_runs(&open, &mut fresh);
            for (word, fresh) in (row * self.row..).zip(fresh.iter()) {
                self.reached.set(word, *fresh);
                count += u64::from(fresh.count_ones());
            }
            let beside = [
                (y > 0).then(|| [y - 1, z]),
                (y + 1 < self.count[1]).then_some([y + 1, z]),
                (z > 0).then(|| [y, z - 1]),
                (z + 1 < self.count[2]).then_some([y, z + 1]),
            ];
            for at in beside.into_iter().flatten() {
                let next = at[1] * self.count[1] + at[0];
                let support = self.near_support.as_ref().filter(|_| at[1] > z);
                for (at_word, (word, &fresh)) in (next * self.row..).zip(fresh.iter()).enumerate() {
                    if fresh == 0 {
                        continue;
                    }
                    let closed = self.blocked.get(word) | self.reached.get(word);
                    let come = fresh & !closed & support.map_or(!0, |near| near.get(word));
                    if come != 0 {
                        let pending = self.pending[next].get_or_insert_with(|| {
                            waiting.push_back(at);
                            vec![0; self.row].into()
                        });
                        pending[at_word] |= come;
                    }
                }
            }
        }
        found.then_some(if is_known { 0 } else { count })
    }

    /// The voxels that are reached and have no taken one above.
    fn open_above(&self) -> Words {
        let layer = self.row * self.count[1];
        let mut open = Words::new(layer * self.count[2]);
        let mut taken = vec![0; layer];
        for z in (0..self.count[2]).rev() {
            for (taken, word) in taken.iter_mut().zip(z * layer..) {
                *taken |= self.taken.get(word);
                open.set(word, self.reached.get(word) & !*taken);
            }
        }
        open
    }

    /// Whether any of these voxels is in a box.
    fn is_any(&self, of: &Words, within: &Aabb) -> bool {
        let [xs, ys, zs] = [0, 1, 2].map(|k| self.range(k, within.min[k], within.max[k]));
        let mut all = zs.flat_map(|z| ys.clone().map(move |y| [y, z]));
        all.any(|[y, z]| {
            xs.clone().any(|x| {
                let (word, bit) = self.word([x, y, z]);
                of.get(word) & bit != 0
            })
        })
    }

    /// View cells, each with the box around what is reached of it.
    pub(super) fn trimmed(
        &self,
        cell: [f64; 3],
        boxes: impl Iterator<Item = PlaceBox>,
    ) -> PlaceCells {
        let inner = |one: &PlaceBox| {
            let first: [usize; 3] =
                std::array::from_fn(|k| (one.min[k] as usize) << self.per_cell[k]);
            let end: [usize; 3] = std::array::from_fn(|k| {
                (first[k] + (1 << (usize::from(one.level) as u32 + self.per_cell[k])))
                    .min(self.count[k])
            });
            let (mut low, mut high) = (end, first);
            for z in first[2]..end[2] {
                for y in first[1]..end[1] {
                    let (start, _) = self.word([0, y, z]);
                    for (word, run) in runs(first[0], end[0] - 1) {
                        let at = start + word;
                        let free = self.reached.get(at) & !self.taken.get(at) & run;
                        if free != 0 {
                            let x = 64 * word + free.trailing_zeros() as usize;
                            let last = 64 * word + 63 - free.leading_zeros() as usize;
                            low = std::array::from_fn(|k| low[k].min([x, y, z][k]));
                            high = std::array::from_fn(|k| high[k].max([last, y, z][k] + 1));
                        }
                    }
                }
            }
            // In steps, outwards.
            let steps = |k: usize, at: usize, up: usize| {
                let voxels = 1 << self.per_cell[k];
                ((at * STEPS as usize + up * (voxels - 1)) / voxels) as u16
            };
            [
                std::array::from_fn(|k| steps(k, low[k], 0)),
                std::array::from_fn(|k| steps(k, high[k], 1)),
            ]
        };
        let boxes = boxes.map(|one| (one, inner(&one)));
        PlaceCells::trimmed(cell, self.origin, boxes.collect())
    }

    /// What finest cells hold, once all is reached: whether it is near a floor, by two heights, and whether it is open
    /// above; and which of some boxes are.
    pub(super) fn cells(&mut self, near_floor: [f64; 2], boxes: &[Aabb]) -> (Flags, Vec<bool>) {
        self.near_support = None;
        let open = self.open_above();
        let are_open = boxes.iter().map(|one| self.is_any(&open, one)).collect();
        let count: [usize; 3] = std::array::from_fn(|k| self.count[k] >> self.per_cell[k]);
        let mut flags = vec![0; count.iter().product()];
        self.flag(&self.near_above(near_floor[0]), LOW, &mut flags);
        if near_floor[1] != near_floor[0] {
            self.flag(&self.near_above(near_floor[1]), JUMP, &mut flags);
        }
        self.flag(&open, OPEN, &mut flags);
        (Flags { count, flags }, are_open)
    }

    /// For each cell that has any of these voxels of a word, its first voxel.
    fn by_cell(&self, mut voxels: u64) -> u64 {
        let levels = self.per_cell[0].min(u64::BITS.ilog2());
        for level in 0..levels {
            voxels |= voxels >> (1 << level);
        }
        voxels & (u64::MAX / (u64::MAX >> (u64::BITS - (1 << levels))))
    }

    /// Flags the cells of which anything is reached, and with `flag` those where it is in `near`.
    fn flag(&self, near: &Words, flag: u8, flags: &mut [u8]) {
        let count = [0, 1].map(|k| self.count[k] >> self.per_cell[k]);
        for z in 0..self.count[2] {
            for y in 0..self.count[1] {
                let (start, _) = self.word([0, y, z]);
                let row = ((z >> self.per_cell[2]) * count[1] + (y >> self.per_cell[1])) * count[0];
                for word in 0..self.row {
                    let taken = self.taken.get(start + word);
                    let reached = self.reached.get(start + word) & !taken;
                    if reached == 0 {
                        continue;
                    }
                    let near = self.by_cell(reached & near.get(start + word));
                    for bit in bits::ones(self.by_cell(reached)) {
                        let found = if near >> bit & 1 == 1 { flag } else { 0 };
                        flags[row + ((64 * word + bit as usize) >> self.per_cell[0])] |=
                            REACHED | found;
                    }
                }
            }
        }
    }
}

/// Spreads the bits of `seeds`, all of them also in `open`, over the runs of `open` that have one of them.
fn fill_runs(open: &[u64], seeds: &mut [u64]) {
    // To a run of ones its lowest seed is added: from there on up all become zero. A seed above it stays one.
    let up = |open: u64, seeds: u64, carry: &mut bool| {
        let (sum, first) = open.overflowing_add(seeds);
        let (sum, second) = sum.overflowing_add(u64::from(*carry));
        *carry = first | second;
        open & (!sum | seeds)
    };
    let mut carry = false;
    for (open, seeds) in open.iter().zip(seeds.iter_mut()) {
        *seeds = up(*open, *seeds, &mut carry);
    }
    carry = false;
    for (open, seeds) in open.iter().zip(seeds).rev() {
        *seeds = up(open.reverse_bits(), seeds.reverse_bits(), &mut carry).reverse_bits();
    }
}

/// The words that bits from the first to the last lie in, with those bits set.
fn runs(first: usize, last: usize) -> impl Iterator<Item = (usize, u64)> {
    (first / 64..=last / 64).map(move |word| {
        let low = if word == first / 64 {
            u64::MAX << (first % 64)
        } else {
            u64::MAX
        };
        let high = if word == last / 64 {
            u64::MAX >> (63 - last % 64)
        } else {
            u64::MAX
        };
        (word, low & high)
    })
}

/// Of a finest cell: it is reached.
const REACHED: u8 = 1;
/// It is near a floor by the first height, and by the second, which is no less.
const LOW: u8 = 2;
const JUMP: u8 = 4;
/// Nothing is above some of it.
const OPEN: u8 = 8;

/// For each finest cell what it holds.
pub(super) struct Flags {
    count: [usize; 3],
    flags: Vec<u8>,
}

impl Flags {
    /// In the air as many finest cells make one, each way, as a binary logarithm.
    const COARSEST: u8 = 2;

    fn of(&self, min: [usize; 3], level: u8) -> u8 {
        let mut all = 0;
        let end: [usize; 3] = std::array::from_fn(|k| (min[k] + (1 << level)).min(self.count[k]));
        for z in min[2]..end[2] {
            for y in min[1]..end[1] {
                let row = (z * self.count[1] + y) * self.count[0];
                if min[0] < end[0] {
                    all |= self.flags[row + min[0]..row + end[0]]
                        .iter()
                        .fold(0, |a, b| a | b);
                }
            }
        }
        all
    }

    /// Whether a view cell has nothing above some of what is reached in it.
    pub(super) fn is_open(&self, one: &PlaceBox) -> bool {
        self.of(one.min.map(|x| x as usize), one.level) & OPEN != 0
    }

    /// The view cells, if the finest are of 2^coarser cells a side.
    pub(super) fn boxes(&self, coarser: u8) -> impl Iterator<Item = PlaceBox> {
        let mut waiting = Vec::new();
        let top = coarser + Self::COARSEST;
        let count = self.count.map(|n| n.div_ceil(1 << top));
        let mut roots = (0..count[0] * count[1] * count[2]).map(move |i| {
            [
                i % count[0],
                i / count[0] % count[1],
                i / count[0] / count[1],
            ]
            .map(|x| x << top)
        });
        std::iter::from_fn(move || {
            loop {
                let (min, level) = waiting
                    .pop()
                    .or_else(|| roots.next().map(|root| (root, top)))?;
                let flags = self.of(min, level);
                if flags == 0 {
                    continue;
                }
                let most = match flags {
                    _ if flags & LOW != 0 => 0,
                    _ if flags & JUMP != 0 => 1,
                    _ => Self::COARSEST,
                };
                if level <= coarser + most {
                    return Some(PlaceBox {
                        min: min.map(|x| x as u32),
                        level,
                    });
                }
                let half = 1 << (level - 1);
                for child in 0..8 {
                    let corner = std::array::from_fn(|k| min[k] + (child >> k & 1) * half);
                    waiting.push((corner, level - 1));
                }
            }
        })
    }
}
