//! What a camera may see of a scene's objects.

use super::SolidBundle;
use super::within::{BLOCK, bit_of};
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

    /// Whether an object of a scene may be seen from a cell: `true` of what is always drawn, of what is not there, and where
    /// the bundle is damaged.
    pub fn object_visible(&self, cell: u32, object: u32) -> bool {
        let cells = self.cells();
        let Some(parts) = self.objects.and_then(|all| all.parts(object)) else {
            return true;
        };
        if cell >= cells || parts.is_empty() {
            return true;
        }
        let [first, end] = [parts.start, parts.end].map(|part| cells + part);
        let viewer = morton::place((cell / BLOCK).into());
        let mut blocks = first / BLOCK..end.div_ceil(BLOCK);
        blocks.any(|block| {
            let here = first.max(block * BLOCK)..end.min((block + 1) * BLOCK);
            let here = here.fold(0, |here, part| here | bit_of(part));
            let target = morton::place(block.into());
            self.sights.part_sees(viewer, bit_of(cell), target, here) != Some(false)
        })
    }

    /// Which objects of a scene may be seen by a camera at a position: bit n of `seen`, 64 a word, for object n. All from a
    /// position in no cell. Returns how many they are; those for which there is no room are counted all the same.
    ///
    /// Time: that of the blocks of 64 parts in its cell's row, each read once, and of a look at each object's record.
    pub fn objects_seen(&self, position: [f64; 3], seen: &mut [u64]) -> u32 {
        seen.fill(0);
        let Some(all) = self.objects else {
            return 0;
        };
        let pvs = self.locate(position).and_then(|cell| self.pvs(cell));
        let cells = self.cells();
        // The block that was read last, bits in the order of parts.
        let mut last = (u32::MAX, 0);
        let mut word = |block: u32| {
            if last.0 != block {
                let (column, row) = morton::place(block.into());
                let bits = pvs.as_ref().map_or(!0, |pvs| pvs.word(column, row));
                last = (block, in_morton_order(bits));
            }
            last.1
        };
        let mut is_seen = |parts: Range<u32>| {
            let (first, end) = (cells + parts.start, cells + parts.end);
            (first / BLOCK..end.div_ceil(BLOCK)).any(|block| {
                let from = first.max(block * BLOCK) % BLOCK;
                let beyond = ((block + 1) * BLOCK).saturating_sub(end);
                word(block) & (!0 << from) & (!0 >> beyond) != 0
            })
        };
        let mut count = 0;
        for object in 0..all.count() {
            // Those without parts are always drawn, and so are those whose record is damaged.
            let parts = all.parts(object).filter(|parts| !parts.is_empty());
            if parts.is_none_or(&mut is_seen) {
                count += 1;
                if let Some(word) = seen.get_mut(object as usize / 64) {
                    *word |= 1 << (object % 64);
                }
            }
        }
        count
    }
}
