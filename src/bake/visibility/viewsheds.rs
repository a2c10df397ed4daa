//! Viewsheds of blocks: the trait of all kernels, and how they hand out what a block of viewpoints sees of each block.
//!
//! Kernels find masks by displacement, a bit a viewpoint. [`scatter`] transposes them to rows by viewpoint, a bit a
//! target.

use super::lanes::{LANES, SIDE};
use viewcell::format::blockbits::transpose;
use viewcell::format::{Grid, Quad};

/// Who sees whom, 2 × 2 blocks of viewpoints at a time.
pub trait Viewsheds: Send {
    /// The grid whose samples see each other.
    fn grid(&self) -> Grid;

    /// Writes into `sights` how the four blocks of viewpoints in `quad` see every block of the
    /// grid. Blocks of the quad that lie outside the grid are [void](super::BlockSight::Void).
    ///
    /// # Panics
    ///
    /// Unless the quad is of [`LOOK_LEVEL`](super::LOOK_LEVEL) and `sights` was made for this grid.
    fn look(&mut self, quad: Quad, sights: &mut Sights);

    /// As [`Viewsheds::look`], but ends early once `stop` says so: then it returns `false`, and
    /// `sights` means nothing. Kernels of which a look takes long ask it often.
    fn look_unless(&mut self, quad: Quad, sights: &mut Sights, stop: &dyn Fn() -> bool) -> bool {
        self.look(quad, sights);
        !stop()
    }
}

/// Level of the quads whose viewpoints a kernel works on in one call: 16 × 16 samples, 2 × 2
/// blocks. Neighbours look past the same ground, which so stays in the cache.
pub const LOOK_LEVEL: u32 = 4;

/// Blocks of viewpoints in a quad of [`LOOK_LEVEL`].
pub const LOOK_BLOCKS: usize = 4;

/// How a block of 8 × 8 viewpoints sees a block of 8 × 8 targets.
///
/// Only samples with terrain count, on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSight<'a> {
    /// There is no terrain in the block of viewpoints, or none in the block of targets.
    Void,
    /// No viewpoint sees any target.
    Hidden,
    /// Every viewpoint sees every target.
    Visible,
    /// Row v is what viewpoint v sees: bit t of it is target t. Viewpoints and targets are counted
    /// row by row from the north-west; bits of voids and of what lies outside the grid are 0.
    Mixed(&'a [u64; 64]),
}

/// What is known of a pair of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is seen; the rows may hold anything.
    Hidden,
    Void,
    /// The rows hold what is seen, here and in `Mixed`.
    Visible,
    Mixed,
}

/// How each of the 2 × 2 blocks of viewpoints in a quad of [`LOOK_LEVEL`] sees every block of the
/// grid.
///
/// Memory: 2 KB and 4 bytes a block of the grid. Rows of pairs that are hidden or void are never
/// touched, so that the system need not find memory for what is always hidden.
pub struct Sights {
    columns: usize,
    targets: usize,
    /// By block of viewpoints and block of targets, row by row.
    states: Vec<State>,
    rows: Vec<[u64; LANES]>,
}

impl Sights {
    /// Bytes that it takes for a grid.
    pub fn bytes(grid: Grid) -> u64 {
        (LOOK_BLOCKS * grid.blocks()) as u64 * (8 * LANES as u64 + 1)
    }

    /// Room for what is seen on `grid`. At first all is hidden.
    pub fn new(grid: Grid) -> Self {
        let (columns, rows) = grid.block_shape();
        Self::with_shape(columns as usize, rows as usize)
    }

    /// Room for so many columns and rows of blocks.
    pub(crate) fn with_shape(columns: usize, rows: usize) -> Self {
        let targets = columns * rows;
        Self {
            columns,
            targets,
            states: vec![State::Hidden; LOOK_BLOCKS * targets],
            rows: vec![[0; LANES]; LOOK_BLOCKS * targets],
        }
    }

    /// Blocks of targets: the length in words of a block bitmap of the grid.
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// How block `viewpoints` of the quad (0 to 3: north-west, north-east, south-west, south-east)
    /// sees block `target` of the grid (counted row by row).
    ///
    /// Panics unless there are such blocks.
    #[inline]
    pub fn sight(&self, viewpoints: usize, target: usize) -> BlockSight<'_> {
        assert!(target < self.targets, "block {target} of {}", self.targets);
        let at = viewpoints * self.targets + target;
        match self.states[at] {
            State::Void => BlockSight::Void,
            State::Hidden => BlockSight::Hidden,
            State::Visible => BlockSight::Visible,
            State::Mixed => BlockSight::Mixed(&self.rows[at]),
        }
    }

    /// What each viewpoint of a block sees of block `target`, as [`BlockSight::Mixed`] has it;
    /// `None` if nothing is seen.
    ///
    /// Panics unless there are such blocks.
    #[inline]
    pub fn rows(&self, viewpoints: usize, target: usize) -> Option<&[u64; LANES]> {
        assert!(target < self.targets, "block {target} of {}", self.targets);
        let at = viewpoints * self.targets + target;
        match self.states[at] {
            State::Visible | State::Mixed => Some(&self.rows[at]),
            State::Void | State::Hidden => None,
        }
    }

    /// The blocks of which some viewpoint of a block sees something, in the order of their
    /// numbers, and how: [`BlockSight::Visible`] or [`BlockSight::Mixed`].
    pub fn seen(&self, viewpoints: usize) -> impl Iterator<Item = (usize, BlockSight<'_>)> {
        let states = &self.states[viewpoints * self.targets..][..self.targets];
        let is_seen = |state: &State| matches!(state, State::Visible | State::Mixed);
        let seen = states.iter().enumerate().filter(move |(_, s)| is_seen(s));
        seen.map(move |(target, _)| (target, self.sight(viewpoints, target)))
    }

    /// All is hidden again.
    pub(crate) fn clear(&mut self) {
        self.states.fill(State::Hidden);
    }

    /// The rows of a pair of blocks, to set bits in; they are 0 where nothing was set before. `None`
    /// for a block outside the grid.
    #[inline(always)]
    pub(crate) fn rows_mut(
        &mut self,
        viewpoints: usize,
        (column, row): (i32, i32),
    ) -> Option<&mut [u64; LANES]> {
        // Negative ones are great as well.
        let (column, row) = (column as usize, row as usize);
        if column >= self.columns || row >= self.targets / self.columns {
            return None;
        }
        let at = viewpoints * self.targets + row * self.columns + column;
        let rows = &mut self.rows[at];
        if self.states[at] == State::Hidden {
            self.states[at] = State::Mixed;
            *rows = [0; LANES];
        }
        Some(rows)
    }

    /// Ends the work on a block of viewpoints, whose terrain is `standing`: takes away what has no
    /// terrain by `valid`, a word a block of the grid, and finds out what is hidden, visible or
    /// void. `wanted` says of which targets anything is to be told; others are hidden.
    pub(crate) fn finish(
        &mut self,
        viewpoints: usize,
        standing: u64,
        valid: &[u64],
        wanted: impl Fn(usize) -> bool,
    ) {
        let pairs = viewpoints * self.targets..(viewpoints + 1) * self.targets;
        let states = self.states[pairs.clone()].iter_mut();
        let rows = self.rows[pairs].iter_mut();
        for (target, ((state, rows), &valid)) in states.zip(rows).zip(valid).enumerate() {
            if standing == 0 || valid == 0 {
                *state = State::Void;
            } else if *state == State::Mixed {
                *state = if wanted(target) {
                    trim(rows, standing, valid)
                } else {
                    State::Hidden
                };
            }
        }
    }

    /// Leaves of what a block sees only what has its head in the open, a word a block of the grid, and
    /// who has the `eyes` there; but everybody who is `asked` for sees the own place. `own` is the
    /// block's number in the grid.
    pub(crate) fn cover(
        &mut self,
        viewpoints: usize,
        own: usize,
        [eyes, asked]: [u64; 2],
        heads: &[u64],
    ) {
        let pairs = viewpoints * self.targets..(viewpoints + 1) * self.targets;
        let states = self.states[pairs.clone()].iter();
        for ((state, rows), heads) in states.zip(&mut self.rows[pairs]).zip(heads) {
            if *state == State::Mixed {
                for (lane, row) in rows.iter_mut().enumerate() {
                    *row &= (eyes >> lane & 1).wrapping_neg() & heads;
                }
            }
        }
        let place = ((own % self.columns) as i32, (own / self.columns) as i32);
        if let Some(rows) = self.rows_mut(viewpoints, place) {
            for (lane, row) in rows.iter_mut().enumerate() {
                *row |= asked & 1 << lane;
            }
        }
    }

    /// Adds to what the viewpoints of a block see of each other what sees them.
    pub(crate) fn join_mutual(&mut self, viewpoints: usize, own: usize) {
        self.with_mutual(viewpoints, own, |row, seen_by| row | seen_by);
    }

    /// Leaves of what the viewpoints of a block see of each other what both see.
    pub(crate) fn leave_mutual(&mut self, viewpoints: usize, own: usize) {
        self.with_mutual(viewpoints, own, |row, seen_by| row & seen_by);
    }

    fn with_mutual(&mut self, viewpoints: usize, own: usize, combine: impl Fn(u64, u64) -> u64) {
        let at = viewpoints * self.targets + own;
        if self.states[at] == State::Mixed {
            let rows = &mut self.rows[at];
            let mut seen_by = *rows;
            transpose(&mut seen_by);
            for (row, seen_by) in rows.iter_mut().zip(seen_by) {
                *row = combine(*row, seen_by);
            }
        }
    }
}

/// Takes away what has no terrain, and tells what the rest amounts to.
#[inline(always)]
fn trim(rows: &mut [u64; LANES], standing: u64, valid: u64) -> State {
    let (mut some, mut missing) = (0, 0);
    for (lane, row) in rows.iter_mut().enumerate() {
        let there = (standing >> lane & 1).wrapping_neg() & valid;
        *row &= there;
        some |= *row;
        missing |= *row ^ there;
    }
    match (some, missing) {
        (0, _) => State::Hidden,
        (_, 0) => State::Visible,
        _ => State::Mixed,
    }
}

/// Adds the masks of an 8 × 8 block of displacements from a block of viewpoints to what the
/// viewpoints see.
///
/// Mask i is of the displacement that takes the block's first viewpoint to sample (i % 8, i / 8) of
/// block (`column`, `row`) of the grid; bit j of it is lane j. `viewpoints` is the block's number
/// in `sights`. What lies outside the grid is left out.
#[inline(always)]
pub(crate) fn scatter(
    mut masks: [u64; LANES],
    (column, row): (i32, i32),
    viewpoints: usize,
    sights: &mut Sights,
) {
    transpose(&mut masks);
    // Displaced by a lane's own place, the block spills into its neighbours in the east and south.
    let place = (column, row);
    add::<false, false>(&masks, place, viewpoints, sights);
    add::<true, false>(&masks, place, viewpoints, sights);
    add::<false, true>(&masks, place, viewpoints, sights);
    add::<true, true>(&masks, place, viewpoints, sights);
}

/// Adds what falls into one of the four blocks.
#[inline(always)]
fn add<const EAST: bool, const SOUTH: bool>(
    masks: &[u64; LANES],
    (column, row): (i32, i32),
    viewpoints: usize,
    sights: &mut Sights,
) {
    let mut bits = *masks;
    let mut any = 0;
    for (lane, bits) in bits.iter_mut().enumerate() {
        let (right, down) = (lane % SIDE, lane / SIDE);
        let stay = 0x0101_0101_0101_0101u64 * (0xff >> right);
        *bits = match (EAST, SOUTH) {
            (true, _) if right == 0 => 0,
            (_, true) if down == 0 => 0,
            (false, _) => (*bits & stay) << right,
            (true, _) => (*bits & !stay) >> (SIDE - right),
        };
        *bits = match SOUTH {
            false => *bits << (8 * down),
            true if down == 0 => 0,
            true => *bits >> (64 - 8 * down),
        };
        any |= *bits;
    }
    if any == 0 {
        return;
    }
    let place = (column + i32::from(EAST), row + i32::from(SOUTH));
    if let Some(rows) = sights.rows_mut(viewpoints, place) {
        for (row, bits) in rows.iter_mut().zip(bits) {
            *row |= bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_finds_its_place_and_what_is_outside_is_left_out() {
        let all = !0u64;
        for (column, row) in [(0, 0), (-1, 0), (1, -1), (1, 1)] {
            for displacement in 0..64 {
                for lane in 0..64 {
                    let mut masks = [0; 64];
                    masks[displacement] = 1 << lane;
                    let mut sights = Sights::with_shape(2, 2);
                    scatter(masks, (column, row), 3, &mut sights);
                    sights.finish(3, all, &[all; 4], |_| true);
                    let found = sights.seen(3).flat_map(|(target, _)| {
                        let rows = sights.rows(3, target).unwrap().iter().enumerate();
                        rows.filter(|(_, row)| **row != 0)
                            .map(move |(lane, row)| (lane, target, *row))
                    });
                    let c = column * 8 + displacement as i32 % 8 + lane % 8;
                    let r = row * 8 + displacement as i32 / 8 + lane / 8;
                    let mut expected = Vec::new();
                    if (0..16).contains(&c) && (0..16).contains(&r) {
                        let target = (r / 8 * 2 + c / 8) as usize;
                        expected.push((lane as usize, target, 1 << (r % 8 * 8 + c % 8)));
                    }
                    assert_eq!(found.collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
