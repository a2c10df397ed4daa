//! Shaft culling of quads of samples: who sees whom between view cells of 8 × 8 samples a side and more.
//!
//! A cell sees another if any of its samples sees any of the other's. In exact mode the answer is the union of what the
//! kernel of samples ([`Rays`](super::Rays)) says. In conservative mode viewers and players may be anywhere in the
//! squares around samples. There the two kernels have different proofs, and either may hide a pair that the other
//! shows.
//!
//! All segments from somewhere in a quad to somewhere in another are a *shaft*. (E. A. Haines and J. R. Wallace 1991,
//! "Shaft culling for efficient ray-traced radiosity".) Pairs of equal quads are decided from the largest down, and
//! each pair in sixteen parts, a child of the one and a child of the other ([`step`]):
//!
//! - *Hidden*: the ground along one grid line across the shaft is higher than all of its segments.
//! - *Seen*: no ground is higher than a segment from the highest place of each cell in the one to that of
//!   each cell in the other.
//! - Else what may still block is handed down to the sixteen parts of that pair, and so on.
//!
//! Along the *major* axis two samples are further apart than along the other, the *minor*. Pairs of samples with the column as
//! major axis are asked for first, then those with the row: each with lines across the major axis alone, as the kernel of
//! samples has it. Pairs of squares are asked for once, along the major axis of their quads.
//!
//! A pair of cells that is still open then is seen if its highest places see each other, or if any of its parts do.
//! Parts are divided down to samples, which the definition decides. The pair is hidden if all of its parts are.
//!
//! In conservative mode pairs of quads of level [`MAX_SLOPE_LEVEL`] and below are tested with sloped bounds instead,
//! down to quarters of single squares ([`cells`], [`slopes`]). On hillsides these hide most pairs long before single
//! samples are reached; over roofs the bounds are level ([`covers`]). What no such bound can hide is mostly found by a
//! [`witness`]. Cells of up to 4 x 4 samples are decided sixteen pairs at a time.
//!
//! Did not pay: pairs of quads proven as wholes from 4 or 8 of their sizes on, and seen as wholes where at most 3 of 16 drawn
//! pairs of samples are hidden: 0.64 of the pairs of cells on Bilbao, and 1.05 times the time, for as much that is hidden.

use super::incremental::change::Change;
use super::lanes::VOID;
use super::samples::rays::Order;
use super::sightline::Stance;
use super::simd::at_level;
use super::viewsheds::{LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds};
use super::window::Window;
use covers::CellCache;
use fearless_simd::Level;
use field::NOWHERE;
pub use field::ShaftField;
use pair::{CoarsePair, PARTS, Way, lanes};
use planes::MAX_SLOPE_LEVEL;
use sight::sight;
use step::{Found, Question, Slab, step};
use viewcell::format::bits;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::{Grid, Quad};
use witness::PointCache;

mod cells;
mod covers;
mod ends;
mod field;
mod pair;
mod planes;
mod ranking;
mod sight;
mod slopes;
mod sparse_table;
mod step;
mod tries;
mod witness;

/// Cells of so many levels are small ([`Shafts::are_small_cells`]).
const MAX_SMALL_CELLS: u32 = 2;

/// Sight between view cells that are quads of samples, for one thread.
pub struct Shafts<'f> {
    field: &'f ShaftField<'f>,
    level: Level,
    /// Whether a block comes before another; if only later ones are looked at.
    before: Option<Order>,
    window: Window,
    /// By level: the slabs that matter to the parts of the pair that was divided last, and all slabs
    /// from one quad to another.
    left: Vec<Vec<Slab>>,
    all: Vec<Vec<Slab>>,
    /// Of those who look, and of those who are looked at.
    cell_heights: [CellCache; 2],
    points: [PointCache; 2],
    /// Room for [`cells`]: the lines between two quads, those of them that are tried, and what ranks them.
    lines: Vec<u32>,
    highest: Vec<u32>,
    rises: Vec<f32>,
    ranks: Vec<u64>,
}

/// A pair that is open.
#[derive(Clone, Copy)]
struct Open {
    pair: CoarsePair,
    /// Whether pairs of samples with the row as major axis are asked for, or the others.
    turned: bool,
    /// The lane under which [`Shafts::left`] lists the slabs that may matter to this pair, if it does.
    known: Option<usize>,
}

impl<'f> Shafts<'f> {
    /// A kernel over `field`, at a SIMD level; the level does not change any answer.
    pub fn new(field: &'f ShaftField<'f>, level: Level) -> Self {
        Self {
            field,
            level,
            before: None,
            window: Window::ALL,
            left: vec![Vec::new(); field.quads.len()],
            all: vec![Vec::new(); field.quads.len()],
            cell_heights: [CellCache::new(), CellCache::new()],
            points: [PointCache::new(), PointCache::new()],
            lines: Vec::new(),
            highest: Vec::new(),
            rises: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// The same kernel, deciding each pair of blocks of cells once, from the one that comes first: for eyes as high as heads.
    ///
    /// The order has to be total, and to order quads of every level as it orders the blocks in them: Morton order does, row by
    /// row does not.
    pub fn deciding_once(mut self, before: Order) -> Self {
        self.before = Some(before);
        self
    }

    /// The same kernel over a part of a grid, looking no further than a window says.
    pub fn within(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Whether one quad of a level, or block of cells, comes before another; not where all are looked at.
    fn comes_before(&self, level: u32, a: (u32, u32), b: (u32, u32)) -> bool {
        let over_blocks = self.over_blocks(level);
        let whole = |quad| self.window.in_whole(over_blocks, quad);
        self.before.is_some_and(|before| before(whole(a), whole(b)))
    }

    /// How many levels quads of a level are above blocks of cells.
    fn over_blocks(&self, level: u32) -> i32 {
        level as i32 - (self.field.finest + BLOCK_LEVEL) as i32
    }

    /// Whether a part is to be looked at.
    fn is_asked(&self, pair: CoarsePair) -> bool {
        let CoarsePair { level, a, b } = pair;
        let quads = &self.field.quads[level as usize];
        let side = |at: u32, samples: u32| at << level < samples;
        let (width, height) = (self.field.samples.width(), self.field.samples.height());
        if ![a, b]
            .iter()
            .all(|&(c, r)| side(c, width) && side(r, height))
        {
            return false;
        }
        let (columns, rows) = pair.apart();
        let apart = columns.unsigned_abs().max(rows.unsigned_abs());
        if !self.window.holds(self.over_blocks(level), apart) {
            return false;
        }
        if level >= self.field.finest && a != b && self.comes_before(level, b, a) {
            return false;
        }
        let exists = |height: f32| height > VOID;
        if !exists(quads.eyes[quads.number(a)]) || !exists(quads.heads[quads.number(b)]) {
            return level >= self.field.finest && a == b;
        }
        self.may_be_near(pair)
    }

    /// Whether any of a pair may be near enough to see each other.
    fn may_be_near(&self, pair: CoarsePair) -> bool {
        let [columns, rows] = pair.distances();
        !self.field.too_far(columns[0], rows[0])
    }

    /// Whether all of a pair are near enough to see each other.
    fn is_near(&self, pair: CoarsePair) -> bool {
        let [columns, rows] = pair.distances();
        !self.field.too_far(columns[1], rows[1])
    }

    /// Lists the slabs from one quad to the other.
    fn list(&mut self, pair: CoarsePair, way: Way) {
        let samples = way
            .turn((self.field.samples.width(), self.field.samples.height()))
            .0;
        let (a, b) = (way.turn(pair.a).0, way.turn(pair.b).0);
        let first = a.min(b) << pair.level;
        let last = ((a.max(b) + 1) << pair.level).min(samples) - 1;
        // A square around a sample goes beyond it.
        let beyond = u32::from(self.field.stance == Stance::Cell);
        let slabs = first.saturating_sub(beyond)..(last + beyond).min(samples - 1).max(1);
        let all = &mut self.all[pair.level as usize];
        all.clear();
        all.extend(slabs.map(|x| Slab {
            x,
            clearance: 0.0,
            lanes: !0,
        }));
    }

    /// Those of the `asked` parts of a pair that are seen as a whole, and those that are open; and whether slabs
    /// are listed for them. `all` tells that squares are asked for, however their samples lie.
    fn divide(&mut self, open: Open, asked: u16, all: bool) -> (Found, bool) {
        let active = lanes(asked).fold(0, |active, lane| {
            let part = open.pair.part(lane);
            let is_asked = (all || part.has_any(open.turned)) && self.is_asked(part);
            active | u16::from(is_asked) << lane
        });
        let Open { pair, known, .. } = open;
        let Some(way) = pair.way(open.turned).filter(|_| active != 0) else {
            let open = active;
            return (Found { clear: 0, open }, false);
        };
        if known.is_none() {
            self.list(pair, way);
        }
        let (field, level) = (self.field, pair.level as usize);
        let mut left = std::mem::take(&mut self.left[level - 1]);
        let slabs = match known {
            Some(_) => &self.left[level],
            None => &self.all[level],
        };
        let question = Question {
            pair,
            way,
            slabs,
            lane: known.unwrap_or(0),
            active,
        };
        let found = at_level!(self.level, simd => step(simd, field, question, &mut left));
        self.left[level - 1] = left;
        (found, true)
    }

    /// Finds who sees whom in the `asked` parts of a pair of quads that is not answered for as a whole.
    fn spread(&mut self, open: Open, asked: u16, seen: &mut Seen<'_>) {
        seen.stopped = seen.stopped || (seen.stop)();
        if seen.stopped {
            return;
        }
        if self.are_small_cells(open.pair.level - 1) {
            return self.spread_cells(open, seen);
        }
        let (found, listed) = self.divide(open, asked, false);
        for lane in 0..PARTS {
            let bit = 1 << lane;
            let part = open.pair.part(lane);
            if (found.clear | found.open) & bit == 0 {
                continue;
            }
            let clear = found.clear & bit != 0 && self.is_near(part);
            let next = Open {
                pair: part,
                turned: open.turned,
                known: listed.then_some(lane),
            };
            if clear {
                seen.mark(part);
            } else if part.level > self.field.finest {
                self.spread(next, !0, seen);
            } else if !seen.has(part) && self.is_told(next) && self.any(next, [NOWHERE; 2]) {
                seen.mark(part);
            }
        }
    }

    /// Whether quads of a level are cells so small that sloped bounds decide sixteen pairs of them at once. (Of larger ones
    /// level bounds do, before slopes decide each: [`Shafts::any`].)
    fn are_small_cells(&self, level: u32) -> bool {
        self.field.stance == Stance::Cell && level == self.field.finest && level <= MAX_SMALL_CELLS
    }

    /// Finds who sees whom between the small cells of a pair.
    fn spread_cells(&mut self, open: Open, seen: &mut Seen<'_>) {
        let is_open = |lane: &usize| {
            let part = open.pair.part(*lane);
            part.major().turned == open.turned && self.is_asked(part) && !seen.has(part)
        };
        let asked = (0..PARTS)
            .filter(is_open)
            .fold(0, |all, lane| all | 1 << lane);
        if asked != 0 {
            for lane in lanes(self.may_cells_see(open, asked)) {
                seen.mark(open.pair.part(lane));
            }
        }
    }

    /// Whether this axis decides a pair. Of squares only the major axis of the pair does: what it proves holds for all
    /// positions.
    fn is_told(&self, open: Open) -> bool {
        self.field.stance == Stance::Sample || open.turned == open.pair.major().turned
    }

    /// Whether anybody in the one sees anybody in the other; `tried` tells which two samples do not see each
    /// other.
    fn any(&mut self, mut open: Open, mut tried: [(u32, u32); 2]) -> bool {
        let Open { pair, .. } = open;
        let field = self.field;
        if pair.a == pair.b || field.is_smallest(pair) {
            return true;
        }
        let cells = field.stance == Stance::Cell;
        if cells && open.known.is_none() {
            open.turned = pair.major().turned;
        }
        if cells && pair.level <= MAX_SLOPE_LEVEL {
            let known = open.known.filter(|_| open.turned == pair.major().turned);
            return self.may_any_see(pair, known);
        }
        let peaks = field.peaks(pair.level, [pair.a, pair.b]);
        let apart = [
            peaks[0].0.abs_diff(peaks[1].0),
            peaks[0].1.abs_diff(peaks[1].1),
        ];
        if peaks != tried && !peaks.contains(&NOWHERE) && !field.too_far(apart[0], apart[1]) {
            if self.sees(open, peaks) {
                return true;
            }
            tried = peaks;
        }
        let (found, listed) = self.divide(open, !0, cells);
        let below = &field.quads[pair.level as usize - 1];
        let mut lanes = [(0, 0.0); PARTS];
        let mut count = 0;
        for lane in (0..PARTS).filter(|lane| (found.clear | found.open) >> lane & 1 == 1) {
            let part = pair.part(lane);
            if found.clear >> lane & 1 == 1 && self.is_near(part) {
                return true;
            }
            let height = below.eyes[below.number(part.a)] + below.heads[below.number(part.b)];
            lanes[count] = (lane, height);
            count += 1;
        }
        // Whoever stands high is seen most.
        let lanes = &mut lanes[..count];
        lanes.sort_unstable_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        lanes.iter().any(|&(lane, _)| {
            let part = Open {
                pair: pair.part(lane),
                turned: open.turned,
                known: listed.then_some(lane),
            };
            match part.pair {
                CoarsePair { level: 0, a, b } => self.sees(part, [a, b]),
                _ => self.any(part, tried),
            }
        })
    }

    /// Whether sample sees sample.
    fn sees(&mut self, open: Open, [a, b]: [(u32, u32); 2]) -> bool {
        let pair = CoarsePair { level: 0, a, b };
        let way = pair.major();
        let listed = open.known.filter(|_| open.turned == way.turned);
        if listed.is_none() {
            self.list(pair, way);
        }
        let (slabs, lane) = match listed {
            Some(lane) => (&self.left[open.pair.level as usize], lane),
            None => (&self.all[0], 0),
        };
        let slabs = slabs.iter().filter(|slab| slab.lanes >> lane & 1 == 1);
        sight(self.field, way, slabs.map(|slab| slab.x), [a, b])
    }
}

/// Where it goes what is seen.
struct Seen<'s> {
    sights: &'s mut Sights,
    finest: u32,
    /// Columns of blocks of cells.
    columns: usize,
    /// Whether to end early, and whether that has been done.
    stop: &'s dyn Fn() -> bool,
    stopped: bool,
}

impl<'s> Seen<'s> {
    fn new(sights: &'s mut Sights, finest: u32, grid: Grid, stop: &'s dyn Fn() -> bool) -> Self {
        Self {
            sights,
            finest,
            columns: grid.block_shape().0 as usize,
            stop,
            stopped: false,
        }
    }

    /// Whether one cell is known to see another.
    fn has(&self, pair: CoarsePair) -> bool {
        let level = pair.level - self.finest;
        let first = |(column, row): (u32, u32)| (column << level, row << level);
        let (own, cell) = (first(pair.a), first(pair.b));
        let child = (own.1 >> BLOCK_LEVEL & 1) * 2 + (own.0 >> BLOCK_LEVEL & 1);
        let block =
            (cell.1 >> BLOCK_LEVEL) as usize * self.columns + (cell.0 >> BLOCK_LEVEL) as usize;
        let lane = (own.1 & 7) * 8 + (own.0 & 7);
        let rows = self.sights.rows(child as usize, block);
        rows.is_some_and(|rows| rows[lane as usize] >> ((cell.1 & 7) * 8 + (cell.0 & 7)) & 1 == 1)
    }

    /// All cells in the one see all in the other.
    fn mark(&mut self, pair: CoarsePair) {
        let level = pair.level - self.finest;
        for (own, lanes) in parts(level, pair.a) {
            let child = (own.1 & 1) * 2 + (own.0 & 1);
            for (block, cells) in parts(level, pair.b) {
                let place = (block.0 as i32, block.1 as i32);
                let Some(rows) = self.sights.rows_mut(child as usize, place) else {
                    continue;
                };
                for lane in bits::ones(lanes) {
                    rows[lane as usize] |= cells;
                }
            }
        }
    }
}

impl Viewsheds for Shafts<'_> {
    fn grid(&self) -> Grid {
        self.field.cells
    }

    fn look(&mut self, quad: Quad, sights: &mut Sights) {
        self.look_unless(quad, sights, &|| false);
    }

    fn look_unless(&mut self, quad: Quad, sights: &mut Sights, stop: &dyn Fn() -> bool) -> bool {
        self.look_at(quad, sights, stop, |_| !0)
    }
}

impl Shafts<'_> {
    /// As [`Viewsheds::look`], but only at what `change` may have changed. What was decided is marked in `decided`, whose rows
    /// have a bit a pair of cells ([`Sights::rows`]); whatever else `sights` says means nothing.
    ///
    /// # Panics
    ///
    /// Unless both were made for the kernel's grid.
    pub fn look_again(
        &mut self,
        quad: Quad,
        change: &Change,
        sights: &mut Sights,
        decided: &mut Sights,
    ) {
        decided.clear();
        let (finest, grid) = (self.field.finest, self.field.cells);
        let mut decided = Seen::new(decided, finest, grid, &|| false);
        let meets = |pair: CoarsePair| change.meets_shaft([pair.a, pair.b], pair.level, finest);
        self.look_at(quad, sights, &|| false, |pair| {
            let mut asked = 0;
            // What is found out about a part does not depend on the others.
            for lane in lanes(if meets(pair) { !0 } else { 0 }) {
                let part = pair.part(lane);
                if meets(part) {
                    decided.mark(part);
                    asked |= 1 << lane;
                }
            }
            asked
        });
    }

    /// Looks at those parts of pairs of quads of [`LOOK_LEVEL`] cells of which `asks` says so.
    fn look_at(
        &mut self,
        quad: Quad,
        sights: &mut Sights,
        stop: &dyn Fn() -> bool,
        mut asks: impl FnMut(CoarsePair) -> u16,
    ) -> bool {
        let field = self.field;
        let grid = field.cells;
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(sights.targets(), grid.blocks(), "room for another grid");
        sights.clear();
        let own = (quad.column, quad.row);
        let level = LOOK_LEVEL + field.finest;
        let mut seen = Seen::new(sights, field.finest, grid, stop);
        let side = |cells: u32| cells.div_ceil(1 << LOOK_LEVEL);
        for row in 0..side(grid.height()) {
            for column in 0..side(grid.width()) {
                let pair = CoarsePair {
                    level,
                    a: own,
                    b: (column, row),
                };
                if !self.is_asked(pair) {
                    continue;
                }
                let asked = asks(pair);
                if asked == 0 {
                    continue;
                }
                for turned in [false, true] {
                    let open = Open {
                        pair,
                        turned,
                        known: None,
                    };
                    if !pair.has_any(turned) {
                        continue;
                    }
                    self.spread(open, asked, &mut seen);
                }
            }
        }
        if seen.stopped {
            return false;
        }
        let (columns, rows) = grid.block_shape();
        for child in 0..LOOK_BLOCKS {
            let own = (
                2 * quad.column + child as u32 % 2,
                2 * quad.row + child as u32 / 2,
            );
            let is_there = own.0 < columns && own.1 < rows;
            let number = (own.1 * columns + own.0) as usize;
            let standing = if is_there { field.asked[number] } else { 0 };
            if self.before.is_some() && standing != 0 {
                sights.join_mutual(child, number);
            }
            let wanted = |target: usize| {
                let target = (target as u32 % columns, target as u32 / columns);
                !self.comes_before(field.finest + BLOCK_LEVEL, target, own)
            };
            sights.finish(child, standing, &field.asked, wanted);
        }
        true
    }
}

/// For each block of 8 × 8 cells that a quad meets: its column and row, and a mask of the quad's cells in it.
pub(crate) fn parts(
    level: u32,
    (column, row): (u32, u32),
) -> impl Iterator<Item = ((u32, u32), u64)> {
    let inner = level.min(BLOCK_LEVEL);
    let blocks = 1 << (level - inner);
    let side = 1 << inner;
    let (first, mask) = (
        (
            (column << level) >> BLOCK_LEVEL,
            (row << level) >> BLOCK_LEVEL,
        ),
        (0..side).fold(0, |mask, down: u32| {
            let across = (!0 >> (64 - side)) << ((column << level) & 7);
            mask | across << (8 * (((row << level) & 7) + down))
        }),
    );
    (0..blocks * blocks).map(move |at| {
        let place = (first.0 + at % blocks, first.1 + at / blocks);
        (place, mask)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_has_the_cells_that_lie_in_it() {
        for level in 0..=4 {
            for (column, row) in (0..40).flat_map(|c| (0..40).map(move |r| (c, r))) {
                let mut cells = Vec::new();
                for (block, mask) in parts(level, (column, row)) {
                    let bits = (0..64).filter(|bit| mask >> bit & 1 == 1);
                    cells.extend(bits.map(|bit| (8 * block.0 + bit % 8, 8 * block.1 + bit / 8)));
                }
                assert_eq!(cells.len(), 1 << (2 * level));
                let within = |(c, r): (u32, u32)| (c >> level, r >> level) == (column, row);
                assert!(cells.into_iter().all(within));
            }
        }
    }
}
