//! Which pairs of blocks see each other differently, now that the ground has changed.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use viewcell::format::Answer;

use cpu_time::ThreadTime;

use super::asking::{ALL, Asker, Asking};
use crate::compress::ValidPyramid;
use crate::compress::levels::quarter;
use crate::compress::pairs::group::sights_of;
use crate::compress::pairs::{Codebook, PairBits, PairCounts, PairSymbols};
use crate::job::error::BakeError;
use crate::job::levels::Levels;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::visibility::LOOK_BLOCKS;
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
    pub asking: &'a Asking<'a>,
    /// Where there is terrain now, and where there was, by block.
    pub valid: &'a ValidPyramid,
    pub was: &'a [u64],
    pub levels: &'a Levels,
    pub mutual: bool,
    /// The codes of the old bundle.
    pub codebook: &'a Codebook,
}

/// What a thread works with.
struct ChangeScratch<'k> {
    asker: Asker<'k>,
    pair: PairSymbols,
    /// By block of viewpoints in the quad and target: how it was seen, and whether that may differ.
    before: Vec<Answer>,
    open: Vec<bool>,
}

/// What has changed for each of a quad's blocks, with the block's number; and how many pairs were decided.
type OfQuad = (Vec<(usize, Vec<PairChange>)>, u64, [i64; 4]);

impl PairRecheck<'_> {
    /// Asks all pairs that may have changed.
    pub(crate) fn run(&self, workers: &Workers) -> Result<Changes, BakeError> {
        let quads = self.levels.look_quads();
        let nanos = AtomicU64::new(0);
        let mut changes = Changes {
            by_block: vec![Vec::new(); self.levels.blocks()],
            ..Changes::default()
        };
        if self.asking.is_none() {
            return Ok(changes);
        }
        workers
            .observer
            .stage(Stage::Visibility, quads.len() as u64);
        workers.run_in(
            || self.room(),
            0..quads.len(),
            |_| Ok(()),
            |room, quad, ()| {
                let begun = ThreadTime::now();
                let found = self.ask(room, &quads[quad]);
                nanos.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
                found
            },
            |quad, found| {
                let (blocks, asked, visible) = found;
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

    fn room(&self) -> ChangeScratch<'_> {
        let pairs = LOOK_BLOCKS * self.valid.grid().blocks();
        ChangeScratch {
            asker: self.asking.asker(),
            pair: PairSymbols::default(),
            before: vec![Answer::Hidden; pairs],
            open: vec![false; pairs],
        }
    }

    /// Asks for the blocks of a quad, given by their numbers.
    fn ask(&self, room: &mut ChangeScratch<'_>, numbers: &Range<usize>) -> OfQuad {
        let blocks = self.levels.blocks();
        room.open.fill(false);
        room.before.fill(Answer::Hidden);
        for number in numbers.clone() {
            let first = self.child(number) * blocks;
            let before = &mut room.before[first..first + blocks];
            let group = self.group(number);
            self.sights(group.as_ref(), before);
            let index = self.levels.place(number);
            for target in self.levels.places_told_by(number) {
                room.open[first + target] = self.asking.is_open(index, target, before[target]);
            }
        }
        let quad = self.levels.look_quad(numbers.start);
        room.asker.look(quad, &room.open);
        let (mut asked, mut counts) = (0, [PairCounts::default(), PairCounts::default()]);
        let of_block = numbers.clone().map(|number| {
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
        quarter(self.levels.find(number).1) as usize
    }

    fn group(&self, number: usize) -> Option<Group<'_>> {
        let (_, (column, row)) = self.levels.find(number);
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
        let (own, child) = (self.levels.place(number), self.child(number));
        let terrain = self.valid.blocks();
        let viewpoints = terrain[own];
        // Nobody looks from a block without terrain: but it may have had some.
        let gone = viewpoints == 0 && self.asking.has_changed(own);
        let before = &room.before[child * terrain.len()..][..terrain.len()];
        let group = self.group(number);
        let mut asked = 0;
        let mut changes = Vec::new();
        for target in self.levels.places_told_by(number) {
            let moved = self.has_moved(own) || self.has_moved(target);
            let decided = room.asker.decided(child, target);
            asked += u64::from(decided.is_some());
            let decided = match decided {
                Some(decided) => decided,
                None if gone => &ALL,
                None if moved => &[0; 64],
                None => continue,
            };
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
            let there = [viewpoints, terrain[target]];
            let pair = (child, [own, target]);
            let differs = self
                .asking
                .merge(&room.asker, pair, decided, there, &mut rows);
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
