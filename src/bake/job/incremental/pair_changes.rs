//! Which pairs of blocks see each other differently, now that the ground has changed.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use viewcell::format::Answer;

use cpu_time::ThreadTime;

use crate::compress::ValidPyramid;
use crate::compress::pairs::group::sights_of;
use crate::compress::pairs::{Codebook, PairBits, PairCounts, PairSymbols};
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::options::BakeOptions;
use crate::job::parallel::Workers;
use crate::job::store::group::BlockOrder;
use crate::job::visibility::{Kernel, Kernels};
use crate::visibility::{Change, LOOK_BLOCKS, Onlookers, Rays, Recheck, Sights, Viewsheds};
use fearless_simd::Level;
use viewcell::format::Groups;
use viewcell::format::pairs::Group;

/// How a block sees another one now, if that is not as it was or is to be said anew.
#[derive(Clone, Debug)]
pub(crate) struct PairChange {
    /// The other block, row by row.
    pub target: usize,
    pub before: Answer,
    pub now: Answer,
    /// Whether the answer has changed for samples that are terrain now.
    pub differs: bool,
    /// The bytes of a mixed pair, in the codes of the old bundle.
    pub record: Vec<u8>,
    /// Samples of the target that are seen from the block.
    pub seen: u64,
    /// Samples of the block from which the target is seen.
    pub seeing: u64,
}

/// All that sees otherwise now.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// By number of the block, in Morton order of the targets.
    pub by_block: Vec<Vec<PairChange>>,
    /// How many more samples are visible, by level of the quad that sees, 0 to 3, summed over the
    /// quads. For where there is terrain that there was.
    pub visible: [i64; 4],
    /// Pairs of blocks that the kernel was asked.
    pub asked: u64,
    /// Processor time in seconds, summed over threads.
    pub seconds: f64,
}

/// What is asked.
pub(crate) struct PairRecheck<'a> {
    /// The PVSs as they were, over where there is terrain now.
    pub old: Groups<'a>,
    /// What has changed; if the ground as it was is not known, all is asked.
    pub change: Option<&'a Change>,
    pub kernel: &'a Kernel<'a>,
    /// The kernel on the old ground, if it can show that some pairs have not changed.
    pub old_kernel: Option<&'a Kernel<'a>>,
    pub options: &'a BakeOptions,
    /// Where there is terrain now, and where there was, by block.
    pub valid: &'a ValidPyramid,
    pub was: &'a [u64],
    pub order: &'a BlockOrder,
    pub mutual: bool,
    /// The codes of the old bundle.
    pub codebook: &'a Codebook,
}

/// The kernel that decides who sees whom now.
enum Ask<'k> {
    /// Only for the pairs that may have changed.
    Again(Box<Recheck<'k>>),
    /// For all pairs.
    All(Box<dyn Viewsheds + 'k>),
}

/// All samples of a block, of all of which it is known what they see.
const ALL: [u64; 64] = [!0; 64];

/// What a thread works with.
struct ChangeScratch<'k> {
    ask: Ask<'k>,
    onlookers: Option<&'k Onlookers>,
    sights: Sights,
    decided: Sights,
    pair: PairSymbols,
    /// By block of viewpoints in the quad and target: how it was seen, and whether that may differ.
    before: Vec<Answer>,
    open: Vec<bool>,
    /// Whether there is terrain where there was none, or the other way round.
    moves: bool,
}

/// There is no kernel for incremental re-bakes.
fn no_kernel() -> BakeError {
    BakeError::option("visibility", "exact or conservative", "sectors")
}

/// What has changed for each of a quad's blocks, with the block's number; and how many pairs were decided.
type OfQuad = (Vec<(usize, Vec<PairChange>)>, u64, [i64; 4]);

impl PairRecheck<'_> {
    /// Asks all pairs that may have changed.
    pub(crate) fn run(&self, workers: &Workers) -> Result<Changes, BakeError> {
        let quads = self.order.look_quads();
        let nanos = AtomicU64::new(0);
        let mut changes = Changes {
            by_block: vec![Vec::new(); self.order.len()],
            ..Changes::default()
        };
        if self.change.is_some_and(Change::is_none) {
            return Ok(changes);
        }
        let onlookers = self.onlookers(workers, &quads, &nanos)?;
        workers
            .observer
            .stage(Stage::Visibility, quads.len() as u64);
        workers.run_in(
            || self.room(onlookers.as_ref()),
            0..quads.len(),
            |_| Ok(()),
            |room, quad, ()| {
                let begun = ThreadTime::now();
                let found = room.as_mut().map(|room| self.ask(room, &quads[quad]));
                nanos.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
                found
            },
            |quad, found| {
                let (blocks, asked, visible) = found.ok_or_else(no_kernel)?;
                changes.asked += asked;
                for (sum, more) in changes.visible.iter_mut().zip(visible) {
                    *sum += more;
                }
                for (number, pairs) in blocks {
                    changes.by_block[number] = pairs;
                }
                workers.observer.advance(Stage::Visibility, quad as u64 + 1);
                Ok(())
            },
        )?;
        changes.seconds = nanos.into_inner() as f64 * 1e-9;
        Ok(changes)
    }

    /// The only samples whose visibility may have changed, if that can be found.
    fn onlookers(
        &self,
        workers: &Workers,
        quads: &[Range<usize>],
        nanos: &AtomicU64,
    ) -> Result<Option<Onlookers>, BakeError> {
        let Some(change) = self.change.filter(|change| change.has_places()) else {
            return Ok(None);
        };
        let mut words = vec![0; self.order.len()];
        workers.run_in(
            || self.rays(),
            0..quads.len(),
            |_| Ok(()),
            |rays, quad, ()| {
                let begun = ThreadTime::now();
                let quad = self.order.look_quad(quads[quad].start);
                let found = rays.as_mut().map(|rays| rays.onlookers(change, quad));
                nanos.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
                found
            },
            |quad, found| {
                let found = found.ok_or_else(no_kernel)?;
                for number in quads[quad].clone() {
                    words[self.order.index(number)] = found[self.child(number)];
                }
                Ok(())
            },
        )?;
        Ok(Some(Onlookers::new(self.valid.grid(), words)))
    }

    fn level(&self) -> Level {
        self.options.simd.level().unwrap_or(Level::new())
    }

    /// The kernel, if there is one for incremental re-bakes.
    fn rays(&self) -> Option<Rays<'_>> {
        self.kernel.rays(self.level())
    }

    fn recheck<'k>(
        &'k self,
        change: &'k Change,
        onlookers: Option<&'k Onlookers>,
    ) -> Option<Recheck<'k>> {
        let old = self.old_kernel.and_then(|old| old.rays(self.level()));
        Some(Recheck::new(self.rays()?, change, onlookers).beside(old))
    }

    /// By block, whether one of its samples may have changed.
    fn has_changed(&self, block: usize) -> bool {
        self.change
            .is_none_or(|change| change.changed_blocks()[block])
    }

    fn room<'k>(&'k self, onlookers: Option<&'k Onlookers>) -> Option<ChangeScratch<'k>> {
        let grid = self.valid.grid();
        let pairs = LOOK_BLOCKS * grid.blocks();
        let ask = match self.change {
            Some(change) => Ask::Again(Box::new(self.recheck(change, onlookers)?)),
            None => Ask::All(self.kernel.viewsheds(self.level())),
        };
        Some(ChangeScratch {
            ask,
            onlookers,
            sights: Sights::new(grid),
            decided: Sights::new(grid),
            pair: PairSymbols::default(),
            before: vec![Answer::Hidden; pairs],
            open: vec![false; pairs],
            moves: self.was != self.valid.blocks(),
        })
    }

    /// Asks for the blocks of a quad, given by their numbers.
    fn ask(&self, room: &mut ChangeScratch<'_>, numbers: &Range<usize>) -> OfQuad {
        let onlookers = room.onlookers;
        let may_change = |block: usize| onlookers.is_none_or(|all| all.of_block(block) != 0);
        let numbers = numbers.clone();
        // Who sees nothing otherwise may have been said to see what was not there.
        let numbers: Vec<usize> = numbers
            .filter(|&n| room.moves || may_change(self.order.index(n)))
            .collect();
        if numbers.is_empty() {
            return OfQuad::default();
        }
        let blocks = self.order.len();
        room.open.fill(false);
        room.before.fill(Answer::Hidden);
        for &number in &numbers {
            let first = self.child(number) * blocks;
            let before = &mut room.before[first..first + blocks];
            let group = self.group(number);
            self.sights(group.as_ref(), before);
            let index = self.order.index(number);
            let Some(change) = self.change.filter(|_| may_change(index)) else {
                continue;
            };
            let own = self.has_changed(index);
            for target in self.order.told_by(number) {
                let ends = own || self.has_changed(target);
                room.open[first + target] =
                    may_change(target) && (ends || change.may_change(before[target] as usize));
            }
        }
        let quad = self.order.look_quad(numbers[0]);
        match &mut room.ask {
            Ask::Again(recheck) => {
                recheck.look(quad, &room.open, &mut room.sights, &mut room.decided);
            }
            Ask::All(viewsheds) => viewsheds.look(quad, &mut room.sights),
        }
        let (mut asked, mut counts) = (0, [PairCounts::default(), PairCounts::default()]);
        let of_block = numbers.iter().map(|&number| {
            let (pairs, more) = self.compare(room, number, &mut counts);
            asked += more;
            (number, pairs)
        });
        let of_block = of_block.filter(|(_, pairs)| !pairs.is_empty()).collect();
        let [before, now] = counts.map(|counts| counts.visible);
        let more = std::array::from_fn(|level| now[level] as i64 - before[level] as i64);
        (of_block, asked, more)
    }

    /// Which block of its quad it is.
    fn child(&self, number: usize) -> usize {
        let (column, row) = self.order.block(number);
        ((row & 1) << 1 | column & 1) as usize
    }

    fn group(&self, number: usize) -> Option<Group<'_>> {
        let (column, row) = self.order.block(number);
        self.old.group(column, row)
    }

    /// How all blocks were seen, row by row.
    fn sights(&self, group: Option<&Group<'_>>, sights: &mut [Answer]) {
        let Some(group) = group else {
            sights.fill(Answer::Visible);
            return;
        };
        let across = self.valid.grid().block_shape().0;
        for (sight, (column, row)) in sights_of(group.skeleton()) {
            sights[(row * across + column) as usize] = sight;
        }
    }

    /// Whether a block has terrain where it had none, or none where it had some.
    fn has_moved(&self, block: usize) -> bool {
        self.was[block] != self.valid.blocks()[block]
    }

    /// What has changed in what a block sees, and how many of its pairs were decided. Where voids have become terrain, or
    /// terrain voids, all pairs are listed: what is stored for a void has no meaning.
    fn compare(
        &self,
        room: &mut ChangeScratch<'_>,
        number: usize,
        counts: &mut [PairCounts; 2],
    ) -> (Vec<PairChange>, u64) {
        let (own, child) = (self.order.index(number), self.child(number));
        let terrain = self.valid.blocks();
        let viewpoints = terrain[own];
        // Nobody looks from a block without terrain: but it may have had some.
        let gone = viewpoints == 0 && self.has_changed(own);
        let before = &room.before[child * terrain.len()..][..terrain.len()];
        let group = self.group(number);
        let mut asked = 0;
        let mut changes = Vec::new();
        for target in self.order.told_by(number) {
            let moved = self.has_moved(own) || self.has_moved(target);
            let decided = match &room.ask {
                Ask::Again(_) => room.decided.rows(child, target),
                Ask::All(_) => Some(&ALL),
            };
            asked += u64::from(decided.is_some());
            let decided = match decided {
                Some(decided) => decided,
                None if gone => &ALL,
                None if moved => &[0; 64],
                None => continue,
            };
            let between = |change: &&Change| {
                let changed = change.changed_blocks();
                !(changed[own] || changed[target])
            };
            let between = self.change.filter(between);
            // Only what may hide has been looked at, or only what is seen is known to be decided.
            let loses = between.is_some_and(Change::only_rises);
            let gains = between.is_some_and(Change::only_sinks);
            let now = room.sights.rows(child, target);
            if gains && now.is_none() {
                continue;
            }
            let mut rows = match (before[target], &group) {
                (Answer::Hidden, _) => [0; 64],
                (Answer::Mixed, Some(group)) => self.old_rows(group, target),
                _ => [!0; 64],
            };
            // Nothing was known of samples that were not there: what is not decided of them now is hidden.
            for (lane, row) in rows.iter_mut().enumerate() {
                *row &= (self.was[own] >> lane & 1).wrapping_neg() & self.was[target];
            }
            let old = rows;
            let mut differs = false;
            for (lane, row) in rows.iter_mut().enumerate() {
                let there = (viewpoints >> lane & 1).wrapping_neg() & terrain[target];
                let now = now.map_or(0, |rows| rows[lane]);
                let decided = decided[lane];
                let merged = match (loses, gains) {
                    (true, _) => *row & (now | !decided),
                    (_, true) => *row | now,
                    _ => *row & !decided | now & decided,
                };
                differs |= (*row ^ merged) & there != 0;
                *row = merged & there;
            }
            if !differs && !moved {
                continue;
            }
            let sight = room.pair.analyse(&rows, viewpoints, terrain[target]);
            let both = self.mutual && target != own;
            for (counts, rows) in counts.iter_mut().zip([&old, &rows]) {
                let bits = PairBits::new(rows, viewpoints, terrain[target]);
                counts.add_mixed(&bits, both);
            }
            let mut record = Vec::new();
            if sight == Answer::Mixed {
                self.codebook.write(room.pair.pair(), &mut record);
            }
            let (mut seen, mut seeing) = (0, 0);
            for (lane, &row) in rows.iter().enumerate() {
                seen |= row;
                seeing |= u64::from(row != 0) << lane;
            }
            changes.push(PairChange {
                target,
                before: before[target],
                now: sight,
                differs,
                record,
                seen,
                seeing,
            });
        }
        (changes, asked)
    }

    /// What each viewpoint of a group saw of a mixed block.
    fn old_rows(&self, group: &Group<'_>, target: usize) -> [u64; 64] {
        let across = self.valid.grid().block_shape().0 as usize;
        let (column, row) = ((target % across) as u32, (target / across) as u32);
        let record = group.record_number(column, row);
        let record = record.and_then(|number| group.record(number));
        record.map_or([!0; 64], |record| record.rows())
    }
}
