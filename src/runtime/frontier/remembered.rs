//! What quads see, as block bitmaps: read once, and joined to many frontiers in a hundredth of the time.

use std::collections::HashMap;

use super::samples::{Ground, Samples};
use crate::format::Quad;

/// What some quads see.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// By quad, and whether by whole blocks.
    seen: HashMap<(Quad, bool), Samples>,
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

    /// What a quad sees; found out with `take_in` where it is not known yet. None where there is no
    /// room for it.
    pub(super) fn of(
        &mut self,
        quad: Quad,
        by_blocks: bool,
        ground: &Ground,
        take_in: impl Fn(&mut Samples),
    ) -> Option<&Samples> {
        let room = self.most / (8 * ground.len().max(1));
        let is_full = self.seen.len() >= room;
        if is_full && !self.seen.contains_key(&(quad, by_blocks)) {
            return None;
        }
        Some(self.seen.entry((quad, by_blocks)).or_insert_with(|| {
            let mut seen = Samples::none(ground);
            take_in(&mut seen);
            seen
        }))
    }
}
