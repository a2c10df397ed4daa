//! Priority queue of quads.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::format::Quad;

/// A queue by key, the smallest first; of one key, first in, first out.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<(u64, u64, u64)>>,
    limit: usize,
    pushed: u64,
}

impl Queue {
    /// A queue of at most `limit` quads, allocated at once.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            heap: BinaryHeap::with_capacity(limit),
            limit,
            pushed: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.pushed = 0;
    }

    /// Puts a quad into the queue. A full queue takes no more: the frontier is smaller then, but
    /// the same everywhere.
    pub(super) fn push(&mut self, key: u64, quad: Quad) {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse((key, self.pushed, pack(quad))));
            self.pushed += 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<Quad> {
        let Reverse((_, _, packed)) = self.heap.pop()?;
        Some(unpack(packed))
    }
}

const BITS: u32 = 24;

fn pack(quad: Quad) -> u64 {
    u64::from(quad.level) << (2 * BITS) | u64::from(quad.row) << BITS | u64::from(quad.column)
}

fn unpack(packed: u64) -> Quad {
    let mask = (1 << BITS) - 1;
    Quad::new(
        (packed >> (2 * BITS)) as u32,
        (packed & mask) as u32,
        (packed >> BITS & mask) as u32,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_before_arrival_and_a_full_queue_takes_no_more() {
        let mut queue = Queue::new(4);
        let quads = [
            Quad::new(0, 65_535, 65_535),
            Quad::new(16, 0, 0),
            Quad::new(3, 7, 9),
            Quad::new(1, 0, 5),
            Quad::new(2, 2, 2),
        ];
        for (quad, key) in quads.into_iter().zip([5, 1, 5, 1, 0]) {
            queue.push(key, quad);
        }
        let order: Vec<Quad> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [quads[1], quads[3], quads[0], quads[2]]);
    }
}
