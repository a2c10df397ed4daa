//! Flood fill on block bitmaps: all that is open and connected to a frontier, and what lies near its edge.

use super::samples::{Ground, Samples};
use crate::format::bits;

const COLUMN_0: u64 = 0x0101_0101_0101_0101;
const COLUMN_7: u64 = COLUMN_0 << 7;

/// Grows `set` over all samples of terrain that are not in `closed` and connected to it.
///
/// `waiting` has a bit a block, all of them 0 before and after. A block waits when one beside it
/// has grown, and each time it is looked at again it has grown by a sample at least: there is an
/// end, and it is soon reached where ground is open.
pub(super) fn flood(set: &mut Samples, closed: &Samples, ground: &Ground, waiting: &mut [u64]) {
    let columns = ground.columns();
    for (index, &word) in set.words().iter().enumerate() {
        // Most blocks have nothing more to take in.
        if ground.word(index) & !closed.word(index) & !word != 0 {
            bits::set(waiting, index);
        }
    }
    let mut any = true;
    while any {
        any = false;
        for at in 0..waiting.len() {
            while let Some(bits) = waiting.get_mut(at).filter(|bits| **bits != 0) {
                let index = at * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                if grow_block(set, closed, ground, index) {
                    wait_around(index, columns, ground.len(), |index| {
                        bits::set(waiting, index)
                    });
                    any = true;
                }
            }
        }
    }
}

/// The blocks beside a block.
fn wait_around(index: usize, columns: usize, blocks: usize, mut wait: impl FnMut(usize)) {
    let column = index % columns;
    let (west, east) = (usize::from(column > 0), usize::from(column + 1 < columns));
    let mut row = |middle: usize| (middle - west..=middle + east).for_each(&mut wait);
    if index >= columns {
        row(index - columns);
    }
    if index + columns < blocks {
        row(index + columns);
    }
    row(index);
}

/// Grows the set within a block, and into it from the blocks beside it; whether it did.
fn grow_block(set: &mut Samples, closed: &Samples, ground: &Ground, index: usize) -> bool {
    let open = ground.word(index) & !closed.word(index);
    let word = set.word(index);
    if open & !word == 0 {
        return false;
    }
    let mut wet = word | beside(set, ground, index) & open;
    if wet == 0 {
        return false;
    }
    if open == !0 {
        wet = open;
    }
    wet = grown_within(wet, open);
    if let Some(place) = set.words_mut().get_mut(index) {
        *place = wet;
    }
    wet != word
}

/// Grows samples of a block over all that are open there and connected to them.
fn grown_within(mut wet: u64, open: u64) -> u64 {
    loop {
        let next = wet | spread(wet) & open;
        if next == wet {
            return wet;
        }
        wet = next;
    }
}

/// Takes into `wide` all samples of `set` and those of terrain that are next to one, over a side
/// or a corner.
pub(super) fn widen(set: &Samples, wide: &mut Samples, ground: &Ground) {
    for (index, place) in wide.words_mut().iter_mut().enumerate() {
        let word = set.word(index);
        let wider = spread(word) | beside(set, ground, index);
        *place = word | wider & ground.word(index);
    }
}

/// The samples of a block next to samples of the same block, over a side or a corner.
fn spread(word: u64) -> u64 {
    let row = word | (word & !COLUMN_7) << 1 | (word & !COLUMN_0) >> 1;
    row | row << 8 | row >> 8
}

/// The samples of a block next to samples of other blocks.
fn beside(set: &Samples, ground: &Ground, index: usize) -> u64 {
    let columns = ground.columns();
    let column = index % columns;
    let word_at = |dx: isize, dy: isize| {
        let inside = match dx {
            -1 => column > 0,
            1 => column + 1 < columns,
            _ => true,
        };
        let at = index.checked_add_signed(dx + dy * columns as isize);
        at.filter(|_| inside).map_or(0, |at| set.word(at))
    };
    let mut west = (word_at(-1, 0) & COLUMN_7) >> 7;
    let mut east = (word_at(1, 0) & COLUMN_0) << 7;
    let mut north = word_at(0, -1) >> 56;
    let mut south = word_at(0, 1) << 56;
    west |= west << 8 | west >> 8 | word_at(-1, -1) >> 63 | (word_at(-1, 1) & 1 << 7) << 49;
    east |= east << 8 | east >> 8 | (word_at(1, -1) >> 56 & 1) << 7 | (word_at(1, 1) & 1) << 63;
    north |= (north << 1 | north >> 1) & 0xFF;
    south |= (south << 1 | south >> 1) & 0xFF << 56;
    west | east | north | south
}
