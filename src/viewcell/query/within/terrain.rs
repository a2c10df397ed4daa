//! Look-ahead on a terrain: whether any sample within reach of one player sees any within reach of another, by a search
//! of at most 128 pairs of quads.

use core::cell::Cell;

use super::disc::Disc;
use super::motion::Extent;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::morton::comes_before;
use crate::format::{Answer, Quad, Sample};
use crate::query::TerrainBundle;

/// How many times the bundle may be asked of a pair of quads before the answer is *visible*. Some
/// ten microseconds.
const LIMIT: u32 = 128;

/// How many levels above those that just hold the two reaches the search begins.
const COARSER: u32 = 1;

/// So many pairs of blocks are looked at one by one.
const FEW: u32 = 36;

/// Most pairs that can wait to be looked at: 16 at first, and each step takes one and leaves four
/// that are a level lower on one side, of at most 16 levels each.
const WAITING: usize = 16 + 3 * 2 * 16;

impl TerrainBundle<'_> {
    /// Whether a player who is now at sample `a` and comes up to `reach[0]` metres far, and one at
    /// sample `b` who comes up to `reach[1]` metres far, may see each other anywhere on their paths:
    /// whether any sample in reach of the one sees any in reach of the other. A player stands
    /// anywhere in the unit square of their sample, and comes into every unit square that is less
    /// than their reach away from it. With reaches of 0 that is [`TerrainBundle::visible`], either
    /// way.
    ///
    /// Errs towards visible only: `true` where finding out would take too long, and where the
    /// bundle is damaged. A reach that is not a number is endless. `false` where `a` or `b` is
    /// outside the grid or void.
    ///
    /// Asks the bundle of at most 128 pairs of quads.
    pub fn visible_within(&self, a: Sample, b: Sample, reach: [f64; 2]) -> bool {
        self.within([(a, Disc::WHOLE), (b, Disc::WHOLE)], reach, LIMIT)
    }

    /// Whether two players who may each be anywhere in a region may see each other: whether any sample whose
    /// unit square meets the one's region sees any of the other's. A region is what [`Motion::region`] says
    /// of where somebody will be.
    ///
    /// Errs towards visible only, and asks the bundle of at most 128 pairs of quads, as
    /// [`TerrainBundle::visible_within`] does. `true` where a region lies off the grid: nothing is known of who is there.
    /// Of a region that lies partly off it, what is on it counts.
    ///
    /// [`Motion::region`]: crate::query::Motion::region
    pub fn visible_regions(&self, a: &Extent, b: &Extent) -> bool {
        let disc = |region| Disc::of_region(self, region);
        let (Some(a), Some(b)) = (disc(a), disc(b)) else {
            return true;
        };
        let search = Search {
            terrain: self,
            now: [a.centre(), b.centre()],
            a,
            b,
            masks: Default::default(),
        };
        search.finds(LIMIT)
    }

    /// The samples at which somebody in a region may stand, row by row.
    pub(crate) fn samples_in(&self, region: &Extent) -> impl Iterator<Item = Sample> {
        let valid = self.valid();
        let disc = Disc::of_region(self, region).into_iter();
        let samples = disc.flat_map(|disc| disc.samples());
        samples.filter(move |sample| valid.has_sample(*sample))
    }

    /// [`TerrainBundle::visible_within`] of two samples of the heightmap. In a coarse bundle
    /// ([`TerrainParameters::finest`]) that is tighter than to ask of their view cells: a player stands
    /// in the unit square of a sample, and not anywhere in its cell. `false` where either is outside
    /// the heightmap.
    ///
    /// [`TerrainParameters::finest`]: crate::format::TerrainParameters::finest
    pub fn samples_visible_within(&self, a: Sample, b: Sample, reach: [f64; 2]) -> bool {
        let parameters = self.parameters();
        let side = 1_u32 << parameters.finest();
        let part = |at: u32| [at % side, at % side + 1].map(|at| f64::from(at) / f64::from(side));
        let start = |at: Sample| {
            let cell = parameters.place(at.column, at.row)?;
            Some((cell, [part(at.column), part(at.row)]))
        };
        match (start(a), start(b)) {
            (Some(a), Some(b)) => self.within([a, b], reach, LIMIT),
            _ => false,
        }
    }

    /// From parts of two samples' unit squares, with another limit.
    pub(super) fn within(
        &self,
        starts: [(Sample, [[f64; 2]; 2]); 2],
        reach: [f64; 2],
        limit: u32,
    ) -> bool {
        let [a, b] = starts.map(|(sample, _)| sample);
        if !self.valid().has_sample(a) || !self.valid().has_sample(b) {
            return false;
        }
        let reach = reach.map(super::motion::counted);
        let disc =
            |start, reach| Disc::new(self.grid(), self.parameters().cell_spacing, start, reach);
        let search = Search {
            terrain: self,
            a: disc(starts[0], reach[0]),
            b: disc(starts[1], reach[1]),
            now: [a, b],
            masks: Default::default(),
        };
        if reach == [0.0; 2] {
            return search.sees_now();
        }
        search.finds(limit)
    }
}

/// Two players, and where they may come to.
struct Search<'t, 'a> {
    terrain: &'t TerrainBundle<'a>,
    a: Disc,
    b: Disc,
    /// Where they are now.
    now: [Sample; 2],
    /// The last block of each that was looked at, and what of it is in reach.
    masks: [LastMask; 2],
}

type LastMask = Cell<Option<(Quad, u64)>>;

/// The samples in reach that a block holds.
fn mask(last: &LastMask, disc: &Disc, block: Quad) -> u64 {
    match last.get() {
        Some((known, mask)) if known == block => mask,
        _ => {
            let mask = disc.mask(block);
            last.set(Some((block, mask)));
            mask
        }
    }
}

/// What a pair of quads comes to.
enum PairState {
    Hidden,
    Visible,
    /// To be cut into four: the first quad, or else the second.
    Cut {
        first: bool,
    },
}

impl Search<'_, '_> {
    fn finds(&self, mut limit: u32) -> bool {
        let grid = self.terrain.grid();
        // Most pairs are hidden, and most of these are so as large quads already.
        let up = |level: u32| (level + COARSER).min(grid.root_level());
        let (level_a, level_b) = (up(self.a.level(grid)), up(self.b.level(grid)));
        if self.terrain.knows_parts() && self.a.blocks().saturating_mul(self.b.blocks()) <= FEW {
            return self.finds_near(level_a, level_b);
        }
        let (mut waiting, mut count) = ([(grid.root(), grid.root()); WAITING], 0);
        let pairs = self.a.quads(level_a);
        let mut pairs = pairs.flat_map(|a| self.b.quads(level_b).map(move |b| (a, b)));
        if !self.push(&mut waiting, &mut count, &mut pairs) {
            return true;
        }
        let mut looked_now = false;
        while let Some(next) = count.checked_sub(1) {
            count = next;
            let (Some(left), Some(&(a, b))) = (limit.checked_sub(1), waiting.get(next)) else {
                return true;
            };
            limit = left;
            let children = |quad: Quad| (0..4).filter_map(move |index| quad.child(index));
            let found = self.look(a, b);
            // Most who may come to see each other do so now.
            if !matches!(found, PairState::Hidden)
                && !core::mem::replace(&mut looked_now, true)
                && self.sees_now()
            {
                return true;
            }
            let fits = match found {
                PairState::Hidden => true,
                PairState::Visible => return true,
                PairState::Cut { first: true } => {
                    let mut pairs = children(a).map(|a| (a, b));
                    self.push(&mut waiting, &mut count, &mut pairs)
                }
                PairState::Cut { first: false } => {
                    let mut pairs = children(b).map(|b| (a, b));
                    self.push(&mut waiting, &mut count, &mut pairs)
                }
            };
            if !fits {
                return true;
            }
        }
        false
    }

    /// For small reaches: if the large quads do not settle it, each block with each.
    fn finds_near(&self, level_a: u32, level_b: u32) -> bool {
        let hidden = |a: Quad| {
            let mut quads = self.b.quads(level_b);
            quads.all(|b| self.state(a, b) == Answer::Hidden)
        };
        if self.a.quads(level_a).all(hidden) {
            return false;
        }
        // Most who may come to see each other do so now.
        if self.sees_now() {
            return true;
        }
        let sees = |from: &Disc, to: &Disc| {
            // Each block of the second is met with each of the first. Who sees somebody does so from the
            // middle more often than not.
            let mut parts = [((0, 0), 0); FEW as usize];
            let mut count = 0;
            for (place, part) in parts.iter_mut().zip(to.parts()) {
                *place = part;
                count += 1;
            }
            let parts = parts.get(..count).unwrap_or(&parts);
            from.parts().any(|(block, samples)| {
                let seen = self
                    .terrain
                    .part_sees_any(block, samples, parts.iter().copied());
                seen.unwrap_or(true)
            })
        };
        let mutual = self.terrain.parameters().mutual;
        if !mutual {
            return sees(&self.a, &self.b) || sees(&self.b, &self.a);
        }
        // Records are with the blocks that come first.
        match self
            .now
            .map(|now| (now.column >> BLOCK_LEVEL, now.row >> BLOCK_LEVEL))
        {
            [a, b] if comes_before(b, a) => sees(&self.b, &self.a),
            _ => sees(&self.a, &self.b),
        }
    }

    /// Whether they see each other where they are.
    fn sees_now(&self) -> bool {
        let [a, b] = self.now;
        let mutual = self.terrain.parameters().mutual;
        self.terrain.visible(a, b) || !mutual && self.terrain.visible(b, a)
    }

    /// Lets pairs wait of which both quads are in reach; returns whether there was room.
    fn push(
        &self,
        waiting: &mut [(Quad, Quad)],
        count: &mut usize,
        pairs: &mut dyn Iterator<Item = (Quad, Quad)>,
    ) -> bool {
        for (a, b) in pairs.filter(|(a, b)| self.a.meets(*a) && self.b.meets(*b)) {
            let Some(place) = waiting.get_mut(*count) else {
                return false;
            };
            *place = (a, b);
            *count += 1;
        }
        true
    }

    fn look(&self, a: Quad, b: Quad) -> PairState {
        let grid = self.terrain.grid();
        if a.level <= BLOCK_LEVEL && b.level <= BLOCK_LEVEL && self.terrain.knows_parts() {
            let (from, to) = (
                mask(&self.masks[0], &self.a, a),
                mask(&self.masks[1], &self.b, b),
            );
            let sees = |a: Quad, from, b: Quad, to| {
                let seen = self
                    .terrain
                    .part_sees((a.column, a.row), from, (b.column, b.row), to);
                seen.unwrap_or(true)
            };
            let mutual = self.terrain.parameters().mutual;
            return if sees(a, from, b, to) || !mutual && sees(b, to, a, from) {
                PairState::Visible
            } else {
                PairState::Hidden
            };
        }
        let state = self.state(a, b);
        if state == Answer::Hidden {
            return PairState::Hidden;
        }
        let (all_a, all_b) = (self.a.covers(grid, a), self.b.covers(grid, b));
        // Somebody in `a` sees somebody in `b`; but where something was lost, what is known of two
        // quads is less than what is known of their samples.
        let is_all = self.terrain.narrowing().is_none();
        if is_all && all_a && all_b || a.level == 0 && b.level == 0 {
            return PairState::Visible;
        }
        // The larger one; of two that are as large, one that is not in reach as a whole.
        let first = match a.level.cmp(&b.level) {
            core::cmp::Ordering::Equal => !all_a,
            order => order.is_gt(),
        };
        PairState::Cut { first }
    }

    /// What is known of sight between two quads, either way.
    fn state(&self, a: Quad, b: Quad) -> Answer {
        let state = |a: Quad, b: Quad| {
            // A block's own PVS of a large quad would be put together from many pairs of blocks.
            let outline = if a.level <= BLOCK_LEVEL {
                self.terrain.outline((a.column, a.row), b)
            } else {
                None
            };
            outline.unwrap_or_else(|| self.terrain.visible_quads(a, b))
        };
        let there = state(a, b);
        if self.terrain.parameters().mutual || there != Answer::Hidden {
            return there;
        }
        state(b, a)
    }
}
