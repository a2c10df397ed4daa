//! Kernels that decide again who sees whom where that may have changed: over a grid, or over a part of one.

use crate::job::options::BakeOptions;
use crate::job::visibility::{Kernel, Kernels, ThreadKernel, Windowed};
use crate::visibility::{Bodies, Change, Recheck, Shafts, Sights, Stance, Viewsheds, Window};
use fearless_simd::Level;
use viewcell::format::{Answer, Quad};
use viewcell_ingest::world::Terrain;

/// All samples of a block, of all of which it is known what they see.
pub(crate) const ALL: [u64; 64] = [!0; 64];

/// What is asked, and tables for it that threads share.
pub(crate) struct Asking<'a> {
    /// What has changed; `None` where all is asked.
    change: Option<Change>,
    kernel: Windowed<'a>,
    level: Level,
}

/// The kernel of a thread.
enum Ask<'k> {
    /// Only for the pairs that may have changed.
    Again(Box<Recheck<'k>>),
    /// The same of cells larger than samples.
    Cells(Box<Shafts<'k>>, &'k Change),
    /// For all pairs.
    All(Box<dyn Viewsheds + 'k>),
}

/// What a thread asks with.
pub(crate) struct Asker<'k> {
    ask: Ask<'k>,
    sights: Sights,
    decided: Sights,
}

impl<'a> Asking<'a> {
    /// What a change from the old ground, if that is known, asks of view cells that `options` say, within a window.
    pub(crate) fn new(
        [old, new]: [Option<&'a Terrain>; 2],
        options: &BakeOptions,
        window: Window,
    ) -> Option<Self> {
        let new = new?;
        let bodies = Bodies {
            eye: options.eye_height,
            head: options.player_height,
        };
        // Between larger cells more is read than the ground on the lines between samples.
        let stance = match options.finest {
            0 => options.mode.stance(),
            _ => Stance::Cell,
        };
        let change = old.map(|old| Change::between(old, new, bodies, stance));
        let change = change.filter(|change| match options.finest {
            // Where it costs less to ask all pairs than to find out which to ask, all are asked.
            0 => change.is_worth_finding(),
            _ => !change.is_everywhere(),
        });
        Some(Self {
            change,
            kernel: Kernel::new(new, options).within(window),
            level: options.simd.level().unwrap_or(Level::new()),
        })
    }

    /// Whether nothing has changed.
    pub(crate) fn is_none(&self) -> bool {
        self.change.as_ref().is_some_and(Change::is_none)
    }

    /// Whether one of the samples of a block, row by row, may have changed.
    pub(crate) fn has_changed(&self, block: usize) -> bool {
        let is_changed = |change: &Change| change.changed_blocks()[block];
        self.change.as_ref().is_none_or(is_changed)
    }

    /// Whether a block may see another, which it saw so, otherwise now, as far as is known before it is asked.
    pub(crate) fn is_open(&self, own: usize, target: usize, before: Answer) -> bool {
        let Some(change) = self.change.as_ref() else {
            return true;
        };
        let ends = || self.has_changed(own) || self.has_changed(target);
        change.may_change(before as usize) || ends()
    }

    pub(crate) fn asker(&self) -> Asker<'_> {
        let kernel = self.kernel.of_thread(self.level);
        let ask = match (&self.change, kernel) {
            (Some(change), ThreadKernel::Rays(rays)) => {
                Ask::Again(Box::new(Recheck::new(rays, change)))
            }
            (Some(change), ThreadKernel::Shafts(shafts)) => Ask::Cells(Box::new(shafts), change),
            (None, _) => Ask::All(self.kernel.viewsheds(self.level)),
        };
        let grid = match &ask {
            Ask::Again(recheck) => recheck.grid(),
            Ask::Cells(shafts, _) => shafts.grid(),
            Ask::All(viewsheds) => viewsheds.grid(),
        };
        Asker {
            ask,
            sights: Sights::new(grid),
            decided: Sights::new(grid),
        }
    }
}

impl Asker<'_> {
    /// Looks from a quad of the grid, at pairs of blocks that are open: by block of viewpoints in the quad, and block of
    /// targets, row by row.
    pub(crate) fn look(&mut self, quad: Quad, open: &[bool]) {
        let Self {
            ask,
            sights,
            decided,
        } = self;
        match ask {
            Ask::Again(recheck) => recheck.look(quad, open, sights, decided),
            Ask::Cells(shafts, change) => shafts.look_again(quad, change, sights, decided),
            Ask::All(viewsheds) => viewsheds.look(quad, sights),
        }
    }

    /// Of which pairs of samples, or cells, of a block of the quad and another it was decided whether they see each other;
    /// `None` if of none.
    pub(crate) fn decided(&self, child: usize, target: usize) -> Option<&[u64; 64]> {
        match self.ask {
            Ask::All(_) => Some(&ALL),
            _ => self.decided.rows(child, target),
        }
    }
}

impl Asking<'_> {
    /// Puts what an asker has `decided` of a block of the quad, whose place is `own`, and another into `rows`, which say who saw
    /// whom; of viewpoints and targets that are `there`. Whether that changes any of them.
    pub(crate) fn merge(
        &self,
        asker: &Asker<'_>,
        (child, [own, target]): (usize, [usize; 2]),
        decided: &[u64; 64],
        [viewpoints, targets]: [u64; 2],
        rows: &mut [u64; 64],
    ) -> bool {
        // Only what may hide has been looked at, or only what is seen is known to be decided.
        let one_way = |change: &&Change| change.only_rises() || change.only_sinks();
        let one_way = self.change.as_ref().filter(one_way);
        let one_way = one_way.filter(|_| !(self.has_changed(own) || self.has_changed(target)));
        let loses = one_way.is_some_and(Change::only_rises);
        let gains = one_way.is_some_and(Change::only_sinks);
        let now = asker.sights.rows(child, target);
        let mut differs = false;
        for (lane, row) in rows.iter_mut().enumerate() {
            let there = (viewpoints >> lane & 1).wrapping_neg() & targets;
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
        differs
    }
}
