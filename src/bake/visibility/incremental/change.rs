//! Ground that has changed, and which lines of sight may meet it.
//!
//! What a kernel finds out about a square of displacements depends on the ground in the *hull* of
//! the square: all that lies on a straight way from the block of viewpoints to their targets, and
//! at most a few samples beside it. If no sample there has changed, neither has the answer.
//!
//! At a part `t` of the way (0 at the viewpoints, 1 at the targets) all lines of sight of a square
//! are within a rectangle, whose sides move linearly with `t`. So the hull meets a changed
//! rectangle exactly where four linear inequalities in `t` hold together.
//!
//! *Exact* sight reads, beside the heights at both ends, the ground between two neighbouring samples where a line of
//! sight crosses a grid line: samples within one of the line. Its answers are those of the definition
//! ([`crate::visibility::sees`]), whatever was asked before. So it is enough to find the pairs for which the definition
//! may give another answer now. Even where the hull meets changed ground, there is none if all lines of sight pass
//! above both the old ground and the new.
//!
//! *Conservative* answers depend on more: on which lines were tried, on windows of ground that are longer than they
//! need to be, and on the patches around each sample. A square whose quarters were tried for what it left open is asked
//! as a whole again. The kernel forgets what hid the
//! neighbours where it begins with 8 × 8 displacements, and all other tests depend on the ground in the hull of the
//! square alone, so that answers outside are the same. One thing is not in the hull: tables are in single precision,
//! from the middle of all heights on, and margins are for their range. Where the least or the greatest height of the
//! terrain has changed, all cells are asked.

use super::changed_ground::ChangedGround;
use super::sample_set::SampleSet;
use crate::visibility::lanes::SIDE;
use crate::visibility::samples::height_field::HeightField;
use crate::visibility::samples::nodes::OpenSquare;
use crate::visibility::samples::view_block::ViewBlock;
use crate::visibility::sightline::Bodies;
use crate::visibility::sightline::Stance;
use viewcell::dice::Dice;
use viewcell::format::{Grid, Sample, meets_on_the_way};
use viewcell_ingest::world::Terrain;

/// Samples beside the hull that exact sight reads.
const BESIDE: i32 = 1;

/// The same for cells: the patches around a sample, voids beside these, and half a cell.
pub(super) const BESIDE_CELLS: i32 = 4;

/// By how many cells beside the hull the ground may be read that decides cells larger than samples: a line is looked at as
/// far from that through the middles of two of them, or of four together, as it can be crossed anywhere between these, also
/// where it lies in one of them. That is no more than three cells.
const BESIDE_SHAFT: i32 = 4;

/// By how much, at most, the windows of a square of displacements are longer than what lines of
/// sight cross, by its level (`lanes::LENGTHS`).
pub(super) const LONGER: [i32; 6] = [4, 4, 4, 6, 10, 18];

/// Places of which there are tables; each costs something wherever sight is asked for.
const MOST_PLACES: usize = 16;

/// Samples between two places at least: tables of one are less than those of two.
const BETWEEN: i32 = 16;

/// Displacements around 0 are those of a block to itself.
const OWN: i32 = 7;

/// Squares of displacements that [`Change::is_worth_finding`] tries.
const SQUARES_TRIED: usize = 1024;

/// Changed blocks that squares of 8 × 8 displacements, and all that they are quartered into, are held
/// against in the time in which such a square is decided; and the same for cells.
const BLOCKS_A_SQUARE: f64 = 60.0;
const BLOCKS_A_SQUARE_OF_CELLS: f64 = 1000.0;

/// A rectangle of samples, borders included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) columns: [i32; 2],
    pub(super) rows: [i32; 2],
}

impl Rectangle {
    pub(super) fn grown(self, by: i32) -> Self {
        let grow = |[low, high]: [i32; 2]| [low - by, high + by];
        Self {
            columns: grow(self.columns),
            rows: grow(self.rows),
        }
    }

    /// All of the blocks of 8 × 8 samples that it has a part of.
    fn blocks(self) -> Self {
        let whole = |[low, high]: [i32; 2]| [low & !7, high | 7];
        Self {
            columns: whole(self.columns),
            rows: whole(self.rows),
        }
    }

    pub(super) fn meets(self, other: Self) -> bool {
        let meet = |a: [i32; 2], b: [i32; 2]| a[0] <= b[1] && b[0] <= a[1];
        meet(self.columns, other.columns) && meet(self.rows, other.rows)
    }

    fn join(self, other: Self) -> Self {
        let join = |a: [i32; 2], b: [i32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self {
            columns: join(self.columns, other.columns),
            rows: join(self.rows, other.rows),
        }
    }

    /// Between which parts of the way to `target` the rectangles on the way meet `other`.
    pub(super) fn meets_on_the_way(self, target: Self, other: Self) -> Option<[f64; 2]> {
        let axis =
            |of: fn(&Self) -> [i32; 2]| [self, target, other].map(|at| of(&at).map(f64::from));
        meets_on_the_way([axis(|at| at.columns), axis(|at| at.rows)])
    }
}

/// What has changed in a block of 8 × 8 samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    pub(super) samples: Rectangle,
    /// The greatest ground that changed edges had or have, seen as the kernel sees it.
    highest: f64,
}

/// How ground has changed, from one terrain to another of the same grid.
#[derive(Debug)]
pub struct Change {
    grid: Grid,
    stance: Stance,
    bodies: Bodies,
    /// All that has changed; `None` if nothing has.
    pub(super) bounds: Option<Rectangle>,
    pub(super) blocks: Vec<Changed>,
    /// By block, row by row: whether one of its samples has changed.
    changed: Vec<bool>,
    /// The samples that have, by block and by squares.
    words: Vec<u64>,
    samples: SampleSet,
    /// Whether all answers may differ.
    all: bool,
    /// Whether ground is lower somewhere, or a void; and whether it is higher, or none.
    sinks: bool,
    rises: bool,
    /// The least ground of the new terrain by block, and over 2 × 2 blocks from there on.
    low: Vec<f64>,
    low_of_four: Vec<f64>,
    /// For exact sight, what has changed in tables, a place at a time; none if that is much of the
    /// terrain, or in many places.
    over: Vec<ChangedGround>,
    /// The blocks of each.
    places: Vec<Rectangle>,
}

impl Change {
    /// What has changed between two terrains of the same grid, for viewers of such heights.
    ///
    /// # Panics
    ///
    /// Where the terrains have different sides, or sides that no grid has.
    pub fn between(old: &Terrain, new: &Terrain, bodies: Bodies, stance: Stance) -> Self {
        let grid = Grid::new(new.width(), new.height()).expect("sides of a grid");
        assert_eq!((old.width(), old.height()), (new.width(), new.height()));
        let (columns, rows) = grid.block_shape();
        let mut blocks = Vec::new();
        let (mut sinks, mut rises) = (false, false);
        let mut changed = vec![false; grid.blocks()];
        let mut words = vec![0; grid.blocks()];
        let mut low = vec![f64::INFINITY; grid.blocks()];
        for (index, low) in low.iter_mut().enumerate() {
            let (column, row) = (index as u32 % columns * 8, index as u32 / columns * 8);
            let mut samples: Option<Rectangle> = None;
            for r in row..(row + 8).min(grid.height()) {
                for c in column..(column + 8).min(grid.width()) {
                    let (before, after) = (old.at(c, r), new.at(c, r));
                    if after < *low {
                        *low = after;
                    }
                    if before != after && !(before.is_nan() && after.is_nan()) {
                        sinks |= after.is_nan() || after < before;
                        rises |= before.is_nan() || after > before;
                        words[index] |= 1 << ((r - row) * 8 + c - column);
                        let here = Rectangle {
                            columns: [c as i32; 2],
                            rows: [r as i32; 2],
                        };
                        samples = Some(samples.map_or(here, |all| all.join(here)));
                    }
                }
            }
            if let Some(samples) = samples {
                changed[index] = true;
                blocks.push(Changed {
                    samples,
                    highest: highest(old, new, samples.grown(BESIDE)),
                });
            }
        }
        let at = |column: u32, row: u32| {
            if column < columns && row < rows {
                low[(row * columns + column) as usize]
            } else {
                f64::INFINITY
            }
        };
        let low_of_four = (0..rows)
            .flat_map(|r| (0..columns).map(move |c| (c, r)))
            .map(|(c, r)| {
                let beside = [at(c, r), at(c + 1, r), at(c, r + 1), at(c + 1, r + 1)];
                beside.into_iter().fold(f64::INFINITY, f64::min)
            })
            .collect();
        let all = stance == Stance::Cell
            && HeightField::frame(old, bodies) != HeightField::frame(new, bodies);
        let bounds = blocks.iter().map(|b| b.samples).reduce(Rectangle::join);
        let few = |places: &[Rectangle]| {
            let length = |[first, last]: [i32; 2]| u64::from((last - first).unsigned_abs()) + 1;
            let samples = places.iter().map(|at| length(at.columns) * length(at.rows));
            places.len() <= MOST_PLACES && 4 * samples.sum::<u64>() <= grid.samples()
        };
        let places = match stance {
            Stance::Sample => apart(blocks.iter().map(|b| b.samples).collect()),
            Stance::Cell => Vec::new(),
        };
        let over = places.iter().filter(|_| few(&places));
        let over = over.map(|at| ChangedGround::new(old, new, bodies, at.columns, at.rows));
        Self {
            over: over.collect(),
            places: places.into_iter().map(Rectangle::blocks).collect(),
            grid,
            stance,
            bodies,
            bounds,
            blocks,
            changed,
            samples: SampleSet::new(grid, &words),
            words,
            all,
            sinks,
            rises,
            low,
            low_of_four,
        }
    }

    /// Whether nothing has changed.
    pub fn is_none(&self) -> bool {
        self.bounds.is_none()
    }

    /// By block, row by row: whether one of its samples has changed.
    pub fn changed_blocks(&self) -> &[bool] {
        &self.changed
    }

    /// Whether two blocks without changed samples that were seen so (0 hidden, 1 visible, 2 mixed)
    /// may be seen otherwise now. For exact sight alone more is known than that all may: ground that
    /// sinks hides nobody, and ground that rises shows nobody.
    pub fn may_change(&self, sight: usize) -> bool {
        match sight {
            0 => self.sinks || self.stance == Stance::Cell,
            1 => self.rises || self.stance == Stance::Cell,
            _ => true,
        }
    }

    /// Whether ground is higher, and nowhere lower. Of two blocks without changed samples, who saw
    /// another then sees them now unless ground that has changed hides them. Of exact sight alone.
    pub fn only_rises(&self) -> bool {
        self.stance == Stance::Sample && self.rises && !self.sinks
    }

    /// Whether ground is lower, and nowhere higher. Of two blocks without changed samples, who saw
    /// another then sees them still. Of exact sight alone.
    pub fn only_sinks(&self) -> bool {
        self.stance == Stance::Sample && self.sinks && !self.rises
    }

    /// Whether there are tables of what has changed.
    pub fn has_places(&self) -> bool {
        !self.over.is_empty()
    }

    /// What has changed in tables, a place at a time; none if there are no tables.
    #[inline]
    pub(crate) fn places(&self) -> &[ChangedGround] {
        &self.over
    }

    /// Whether no end of the lines of sight of a square lies in a block that may have changed.
    #[inline]
    pub(crate) fn is_far(&self, block: &ViewBlock, node: &OpenSquare) -> bool {
        let (from, to) = hull(block, node);
        let (from, to) = (from.blocks(), to.blocks());
        let ends = |place: &Rectangle| from.meets(*place) || to.meets(*place);
        !self.places.iter().any(ends)
    }

    /// Of the active lanes of a square, those that have changed, or may have a target that has.
    #[inline]
    pub(crate) fn ends(&self, block: &ViewBlock, node: &OpenSquare) -> u64 {
        let own = block.number.map_or(0, |number| self.words[number]);
        let at = (block.column + node.p, block.row + node.q);
        node.active & (own | self.samples.lanes(at, node.level))
    }

    /// Whether what is found out about a square of displacements may be something else than it was.
    #[inline]
    pub(crate) fn meets(&self, block: &ViewBlock, node: &OpenSquare) -> bool {
        self.search(block, node).is_ok()
    }

    /// Whether what is found out about two quads of a level of samples, which are cells of level `finest` or larger, may be
    /// something else than it was.
    pub(crate) fn meets_shaft(&self, quads: [(u32, u32); 2], level: u32, finest: u32) -> bool {
        let beside = BESIDE_CELLS + (BESIDE_SHAFT << finest);
        let [from, to] = quads.map(|(column, row)| {
            let side = |at: u32| [at << level, ((at + 1) << level) - 1].map(|at| at as i32);
            Rectangle {
                columns: side(column),
                rows: side(row),
            }
        });
        let meets = |at: Rectangle| from.meets_on_the_way(to, at.grown(beside)).is_some();
        self.bounds.is_some_and(meets) && self.blocks.iter().any(|changed| meets(changed.samples))
    }

    /// Whether all answers may differ, whatever lies between.
    pub fn is_everywhere(&self) -> bool {
        self.all
    }

    /// As [`Change::meets`]: after how many changed blocks that is known, as error if it does not.
    #[inline]
    fn search(&self, block: &ViewBlock, node: &OpenSquare) -> Result<usize, usize> {
        let Some(bounds) = self.bounds else {
            return Err(0);
        };
        // What a square of cells has left open is asked with it.
        if self.all || self.stance == Stance::Cell && (node.parent.is_some() || node.level < 3) {
            return Ok(0);
        }
        let (from, to) = hull(block, node);
        let beside = match self.stance {
            Stance::Sample => BESIDE,
            Stance::Cell => BESIDE_CELLS + LONGER[node.level as usize],
        };
        if self.stance == Stance::Cell && self.is_own(block, node, bounds) {
            return Ok(0);
        }
        if from.meets_on_the_way(to, bounds.grown(beside)).is_none() {
            return Err(0);
        }
        let mut lowest = None;
        let met = self.blocks.iter().position(|changed| {
            let Some(part) = from.meets_on_the_way(to, changed.samples.grown(beside)) else {
                return false;
            };
            if self.stance == Stance::Cell
                || from.meets(changed.samples)
                || to.meets(changed.samples)
            {
                return true;
            }
            let [eye, head] = *lowest.get_or_insert_with(|| self.lowest(block, node));
            part.into_iter().any(|t| {
                let sight = eye + t.clamp(0.0, 1.0) * (head - eye);
                // Nothing to stand on at one end: nothing is seen, whatever lies between.
                sight < changed.highest
            })
        });
        met.ok_or(self.blocks.len())
    }

    /// Whether to find out which pairs may have changed costs less than to ask all of them, as a bake
    /// does.
    ///
    /// With tables of what has changed it does. Without, each square of displacements is held against
    /// one changed block after the other: that is tried on squares drawn at random, and weighed
    /// against what it costs to decide a square.
    pub fn is_worth_finding(&self) -> bool {
        if self.has_places() || self.is_none() {
            return true;
        }
        let (columns, rows) = self.grid.block_shape();
        let mut dice = Dice(0);
        let mut draw = |blocks: u32| dice.roll(blocks) as i32 * SIDE as i32;
        let (mut met, mut searched) = (0, 0);
        for _ in 0..SQUARES_TRIED {
            let [from, to] = [0; 2].map(|_| (draw(columns), draw(rows)));
            let block = ViewBlock {
                column: from.0,
                row: from.1,
                standing: !0,
                eyes: !0,
                number: None,
                child: 0,
            };
            let node = OpenSquare {
                p: to.0 - from.0,
                q: to.1 - from.1,
                level: 3,
                active: !0,
                parent: None,
            };
            let found = self.search(&block, &node);
            met += usize::from(found.is_ok());
            searched += found.unwrap_or_else(|all| all);
        }
        let blocks_a_square = match self.stance {
            Stance::Sample => BLOCKS_A_SQUARE,
            Stance::Cell => BLOCKS_A_SQUARE_OF_CELLS,
        };
        met as f64 + searched as f64 / blocks_a_square < SQUARES_TRIED as f64
    }

    /// Whether a square tells how a block near changed ground sees itself. Of cells all of that is
    /// asked together: it is seen what both ends see.
    pub(super) fn is_own(&self, block: &ViewBlock, node: &OpenSquare, bounds: Rectangle) -> bool {
        let last = (1 << node.level) - 1;
        let around = |first: i32| first <= OWN && first + last >= -OWN;
        let near = 64;
        around(node.p) && around(node.q) && own(block).meets(bounds.grown(near))
    }

    /// Nowhere is an eye of the block, or a head that it may see, lower than this.
    fn lowest(&self, block: &ViewBlock, node: &OpenSquare) -> [f64; 2] {
        let (columns, rows) = self.grid.block_shape();
        let eye =
            self.low[(block.row / 8) as usize * columns as usize + (block.column / 8) as usize];
        let (_, to) = hull(block, node);
        let range = |[first, last]: [i32; 2], limit: u32| {
            let first = first.max(0) / 8;
            let last = (last / 8).min(limit as i32 - 1);
            (first..=last).step_by(2).chain([(last - 1).max(first)])
        };
        let mut head = f64::INFINITY;
        if to.columns[1] >= 0 && to.rows[1] >= 0 {
            for row in range(to.rows, rows) {
                for column in range(to.columns, columns) {
                    let index = row as usize * columns as usize + column as usize;
                    head = self
                        .low_of_four
                        .get(index)
                        .map_or(head, |low| head.min(*low));
                }
            }
        }
        [eye + self.bodies.eye, head + self.bodies.head]
    }
}

/// The samples of a block.
fn own(block: &ViewBlock) -> Rectangle {
    Rectangle {
        columns: [block.column, block.column + 7],
        rows: [block.row, block.row + 7],
    }
}

/// The viewpoints of a square of displacements, and their targets.
pub(super) fn hull(block: &ViewBlock, node: &OpenSquare) -> (Rectangle, Rectangle) {
    let from = own(block);
    let last = (1 << node.level) - 1;
    let to = |[low, high]: [i32; 2], first: i32| [low + first, high + first + last];
    let targets = Rectangle {
        columns: to(from.columns, node.p),
        rows: to(from.rows, node.q),
    };
    (from, targets)
}

/// The greatest ground of either terrain in a rectangle.
fn highest(old: &Terrain, new: &Terrain, within: Rectangle) -> f64 {
    let range = |[low, high]: [i32; 2], limit: u32| {
        low.max(0) as u32..(high + 1).clamp(0, limit as i32) as u32
    };
    let mut highest = f64::NEG_INFINITY;
    for row in range(within.rows, new.height()) {
        for column in range(within.columns, new.width()) {
            let Sample { column, row } = Sample::new(column, row);
            // A void is NaN, which is no maximum.
            highest = highest.max(old.at(column, row)).max(new.at(column, row));
        }
    }
    highest
}

/// Rectangles that hold all of these, and lie apart from each other.
fn apart(mut places: Vec<Rectangle>) -> Vec<Rectangle> {
    // What has grown may meet what it did not meet before.
    loop {
        let before = places.len();
        let mut joined: Vec<Rectangle> = Vec::new();
        for place in places {
            let reach = place.grown(BETWEEN);
            match joined.iter_mut().find(|other| other.meets(reach)) {
                Some(other) => *other = other.join(place),
                None => joined.push(place),
            }
        }
        if joined.len() == before {
            return joined;
        }
        places = joined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side() -> impl Strategy<Value = [i32; 2]> {
        (-20..20i32, 0..9i32).prop_map(|(low, length)| [low, low + length])
    }

    fn rectangle() -> impl Strategy<Value = Rectangle> {
        (side(), side()).prop_map(|(columns, rows)| Rectangle { columns, rows })
    }

    /// Each is in one of the places, and no two of these are near each other.
    fn lie_apart_and_hold_all(all: &[Rectangle]) {
        let spread = |at: &Rectangle, by: i32| Rectangle {
            columns: at.columns.map(|c| c * by),
            rows: at.rows.map(|r| r * by),
        };
        for by in [1, 5, 20] {
            let all: Vec<Rectangle> = all.iter().map(|at| spread(at, by)).collect();
            let places = apart(all.clone());
            for at in &all {
                assert!(places.iter().any(|place| place.join(*at) == *place));
            }
            for (number, place) in places.iter().enumerate() {
                let near = |other: &Rectangle| place.grown(BETWEEN).meets(*other);
                assert!(!places[number + 1..].iter().any(near), "{all:?}");
            }
        }
    }

    /// What is joined may come near what was far from both: found by the test of random rectangles.
    #[test]
    fn places_that_come_near_by_joining_are_joined() {
        let all = [
            ([-9, -9], [9, 13]),
            ([-6, -6], [4, 6]),
            ([-3, -3], [10, 10]),
            ([0, 0], [10, 10]),
        ];
        lie_apart_and_hold_all(&all.map(|(columns, rows)| Rectangle { columns, rows }));
    }

    proptest! {
        #[test]
        fn places_lie_apart_and_hold_all(all in proptest::collection::vec(rectangle(), 0..12)) {
            lie_apart_and_hold_all(&all);
        }

        /// Places on lines between any two corners of the rectangles are within what is met.
        #[test]
        fn a_way_that_meets_a_rectangle_is_known_to(
            from in rectangle(), to in rectangle(), other in rectangle(),
            corners in (0..2usize, 0..2usize, 0..2usize, 0..2usize), t in 0.0..=1.0f64,
        ) {
            let (a, b, c, d) = corners;
            let at = |from: i32, to: i32| f64::from(from) + t * f64::from(to - from);
            let (x, y) = (at(from.columns[a], to.columns[b]), at(from.rows[c], to.rows[d]));
            let inside = |at: f64, [low, high]: [i32; 2]| {
                (f64::from(low)..=f64::from(high)).contains(&at)
            };
            if inside(x, other.columns) && inside(y, other.rows) {
                let part = from.meets_on_the_way(to, other);
                prop_assert!(part.is_some_and(|[low, high]| (low - 1e-9..=high + 1e-9).contains(&t)));
            }
        }
    }
}
