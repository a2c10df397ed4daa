//! The heads of a level's groups, and what blocks see of those before them.
//!
//! Where sight is mutual, groups store how a block sees itself and the blocks after it in Morton order. How it sees those
//! before follows from theirs: each group that comes leaves a note with every later block that it tells of, in runs of groups
//! that say the same, and 8 bytes for each pair of blocks that is mixed.

use super::numbers::Levels;
use crate::compress::levels::Block;
use crate::compress::pairs::encode_head_within;
use viewcell::format::Answer;

/// Which cells of a block are seen by another, and which of that other see any of it: words of block bitmaps.
pub(super) type SeenAndSeeing = [u64; 2];

/// Which targets are seen, and which viewpoints see some.
pub(super) fn seen_and_seeing(rows: &[u64; 64]) -> SeenAndSeeing {
    let (mut seen, mut seeing) = (0, 0);
    for (viewpoint, &row) in rows.iter().enumerate() {
        seen |= row;
        seeing |= u64::from(row != 0) << viewpoint;
    }
    [seen, seeing]
}

/// What groups before a block told of it.
#[derive(Default)]
struct Earlier {
    /// Runs of blocks by their places in Morton order: the first, how many, and how all of them see it.
    runs: Vec<(u32, u32, Answer)>,
    /// Of each that sees some of it and not all, which of its cells see any.
    seeing: Vec<u64>,
}

impl Earlier {
    fn push(&mut self, order: u32, sight: Answer, seeing: u64) {
        match self.runs.last_mut() {
            Some((first, count, last)) if *last == sight && *first + *count == order => *count += 1,
            _ => self.runs.push((order, 1, sight)),
        }
        if sight == Answer::Mixed {
            self.seeing.push(seeing);
        }
    }
}

/// Makes the heads of a level's groups, which cover the blocks before them as well.
pub(super) struct Heads<'a> {
    levels: &'a Levels,
    at: u32,
    /// By place in Morton order.
    earlier: Vec<Earlier>,
    next: usize,
    /// Of the blocks of a window.
    sights: Vec<Answer>,
}

impl<'a> Heads<'a> {
    pub(super) fn new(levels: &'a Levels, at: u32) -> Self {
        let blocks = levels.all[at as usize].blocks.len();
        let notes = if levels.is_mutual() { blocks } else { 0 };
        Self {
            levels,
            at,
            earlier: (0..notes).map(|_| Earlier::default()).collect(),
            next: 0,
            sights: Vec::new(),
        }
    }

    /// The head of the next group in Morton order, and how many records are to follow. It tells of the blocks `told`. Of those
    /// that are mixed, in that order, `mixed` says who is seen; it may be empty where `show` has no use for it. All
    /// blocks of which something is seen are shown to that, with the cells that are.
    pub(super) fn push(
        &mut self,
        told: &[Block],
        sights: &[Answer],
        mixed: &[SeenAndSeeing],
        mut show: impl FnMut(Block, u64),
    ) -> (Vec<u8>, usize) {
        let level = &self.levels.all[self.at as usize];
        let own = level.blocks[self.next];
        let window = self.levels.shape.window(self.at, own);
        let [columns, rows] = window.clone();
        self.sights.clear();
        self.sights
            .resize(columns.len() * rows.len(), Answer::Hidden);
        let all = &mut self.sights;
        let mut put = |(column, row): Block, sight: Answer, seen: u64| {
            let place =
                (row - rows.start) as usize * columns.len() + (column - columns.start) as usize;
            all[place] = sight;
            match sight {
                Answer::Hidden => {}
                Answer::Visible => show((column, row), !0),
                Answer::Mixed => show((column, row), seen),
            }
        };
        if let Some(earlier) = self.earlier.get_mut(self.next) {
            let earlier = std::mem::take(earlier);
            let mut seeing = earlier.seeing.into_iter();
            for (first, count, sight) in earlier.runs {
                for order in first..first + count {
                    let seen = match sight {
                        Answer::Mixed => seeing.next().unwrap_or(!0),
                        _ => 0,
                    };
                    put(level.blocks[order as usize], sight, seen);
                }
            }
        }
        let mut mixed = mixed.iter();
        for (&target, &sight) in told.iter().zip(sights) {
            if sight == Answer::Hidden {
                continue;
            }
            let [seen, seeing] = match sight {
                Answer::Mixed => mixed.next().copied().unwrap_or([!0; 2]),
                _ => [0; 2],
            };
            put(target, sight, seen);
            if self.levels.is_mutual() && target != own {
                self.earlier[level.order(target)].push(self.next as u32, sight, seeing);
            }
        }
        self.next += 1;
        let mut head = Vec::new();
        let mutual = self.levels.is_mutual();
        let records = encode_head_within(&level.valid, own, window, all, mutual, &mut head);
        (head, records)
    }
}
