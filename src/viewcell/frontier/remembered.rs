//! Cache of what quads see, as block bitmaps: read once, and joined to many frontiers without being copied.

use std::collections::HashMap;
use std::sync::Arc;

use super::outline::Outline;
use super::samples::{Ground, Samples};
use crate::format::grid::quad_mask;
use crate::format::tree::state_of;
use crate::format::{Answer, Quad};

/// What a quad sees.
#[derive(Debug)]
pub(super) struct Seen {
    samples: Samples,
    outline: Outline,
}

impl Seen {
    pub(super) fn samples(&self) -> &Samples {
        &self.samples
    }
}

/// What some quads see.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// By quad, and whether by whole blocks.
    seen: HashMap<(Quad, bool), Arc<Seen>>,
    /// How many bytes they may take.
    most: usize,
}

impl Remembered {
    pub(super) fn up_to(bytes: usize) -> Self {
        Self {
            seen: HashMap::new(),
            most: bytes,
        }
    }

    /// Whether anything is to be remembered.
    pub(super) fn is_on(&self) -> bool {
        self.most > 0
    }

    /// What a quad sees; found out with `take_in` where it is not known yet. None where there is no
    /// room for it.
    pub(super) fn of(
        &mut self,
        quad: Quad,
        by_blocks: bool,
        ground: &Ground,
        take_in: impl Fn(&mut Samples),
    ) -> Option<&Arc<Seen>> {
        let room = self.most / (8 * ground.len().max(1));
        let is_full = self.seen.len() >= room;
        if is_full && !self.seen.contains_key(&(quad, by_blocks)) {
            return None;
        }
        Some(self.seen.entry((quad, by_blocks)).or_insert_with(|| {
            let mut samples = Samples::none(ground);
            take_in(&mut samples);
            let outline = Outline::of(samples.words(), ground.words(), ground.numbers());
            Arc::new(Seen { samples, outline })
        }))
    }
}

/// What several quads see together, none of it copied.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    of: Vec<Arc<Seen>>,
    outline: Outline,
}

impl Joined {
    /// Nothing.
    pub(super) fn none(ground: &Ground) -> Self {
        Self {
            of: Vec::new(),
            outline: Outline::none(ground.numbers()),
        }
    }

    pub(super) fn clear(&mut self) {
        if !self.of.is_empty() {
            self.of.clear();
            self.outline.clear();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(super) fn push(&mut self, seen: Arc<Seen>) {
        self.outline.put_all(&seen.outline);
        self.of.push(seen);
    }

    /// What was joined.
    pub(super) fn of(&self) -> &[Arc<Seen>] {
        &self.of
    }

    /// As [`Samples::state`], of all together.
    pub(super) fn state(&self, ground: &Ground, quad: Quad) -> Option<Answer> {
        let Some(number) = ground.numbers().of(quad) else {
            let index = ground.block_of(quad);
            let terrain = ground.word(index) & quad_mask(quad);
            let words = self.of.iter().map(|seen| seen.samples.word(index));
            let word = words.fold(0, |all, word| all | word);
            return (terrain != 0).then(|| state_of(word, terrain));
        };
        if !ground.outline().has_some(number) {
            return None;
        }
        if !self.outline.has_some(number) {
            return Some(Answer::Hidden);
        }
        if self.outline.has_all(number) {
            return Some(Answer::Visible);
        }
        // What one leaves out, another may have.
        let has_gap = |index| {
            let mut gap = ground.word(index);
            for seen in &self.of {
                gap &= !seen.samples.word(index);
                if gap == 0 {
                    return false;
                }
            }
            gap != 0
        };
        Some(if ground.rows_of(quad).flatten().any(has_gap) {
            Answer::Mixed
        } else {
            Answer::Visible
        })
    }
}
