//! What a camera may see of a scene's objects.

use super::SolidBundle;
use super::within::BLOCK;
use crate::format::Objects;
use crate::format::answer::ReadPvs;
use crate::format::morton;
use crate::format::pairs::blockbits::in_morton_order;
use core::ops::Range;

impl<'a> SolidBundle<'a> {
    /// What a scene draws, by number; `None` of a level, of which players are seen.
    pub const fn objects(&self) -> Option<Objects<'a>> {
        self.objects
    }

    /// The objects of a scene that may be seen from anywhere in a cell, by number: also those that are always drawn, and where
    /// the bundle is damaged. From no cell all of them.
    ///
    /// Time: that of the blocks of 64 parts in the cell's row, each read once, and of a look at each object's record.
    pub fn objects_from(&self, cell: Option<u32>) -> impl Iterator<Item = u32> + use<'a> {
        let pvs = cell.and_then(|cell| self.pvs(cell));
        let (objects, cells) = (self.objects, self.cells());
        // The block that was read last, bits in the order of parts.
        let mut last = (u32::MAX, 0);
        let mut word = move |block: u32| {
            if last.0 != block {
                let (column, row) = morton::place(block.into());
                let bits = pvs.as_ref().map_or(!0, |pvs| pvs.word(column, row));
                last = (block, in_morton_order(bits));
            }
            last.1
        };
        let mut is_seen = move |parts: Range<u32>| {
            let (first, end) = (cells + parts.start, cells + parts.end);
            (first / BLOCK..end.div_ceil(BLOCK)).any(|block| {
                let from = first.max(block * BLOCK) % BLOCK;
                let beyond = ((block + 1) * BLOCK).saturating_sub(end);
                word(block) & (!0 << from) & (!0 >> beyond) != 0
            })
        };
        (0..objects.map_or(0, |all| all.count())).filter(move |object| {
            // Those without parts are always drawn, and so are those whose record is damaged.
            let parts = objects.and_then(|all| all.parts(*object));
            let parts = parts.filter(|parts| !parts.is_empty());
            parts.is_none_or(&mut is_seen)
        })
    }

    /// Which objects of a scene may be seen by a camera at a position: bit n of `seen`, 64 a word, for object n. All from a
    /// position in no cell. Returns how many they are; those for which there is no room are counted all the same.
    pub fn objects_seen(&self, position: [f64; 3], seen: &mut [u64]) -> u32 {
        seen.fill(0);
        let mark = |object: &u32| {
            if let Some(word) = seen.get_mut(*object as usize / 64) {
                *word |= 1 << (object % 64);
            }
        };
        let all = self.objects_from(self.locate(position));
        all.inspect(mark).count() as u32
    }
}
