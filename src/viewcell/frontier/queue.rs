//! Priority queue of quads.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::format::Quad;

/// A queue of quads, the larger first: much area for each PVS that is merged. Of one size, first in, first out.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// Level, arrival, column and row.
    heap: BinaryHeap<(u32, Reverse<u64>, u32, u32)>,
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
    pub(super) fn push(&mut self, quad: Quad) {
        if self.heap.len() < self.limit {
            let arrival = Reverse(self.pushed);
            self.heap.push((quad.level, arrival, quad.column, quad.row));
            self.pushed += 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<Quad> {
        let (level, _, column, row) = self.heap.pop()?;
        Some(Quad::new(level, column, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_quads_go_before_arrival_and_a_full_queue_takes_no_more() {
        let mut queue = Queue::new(4);
        let quads = [
            Quad::new(3, 65_535, 65_535),
            Quad::new(16, 0, 0),
            Quad::new(3, 7, 9),
            Quad::new(1, 0, 5),
            Quad::new(17, 2, 2),
        ];
        quads.into_iter().for_each(|quad| queue.push(quad));
        let order: Vec<Quad> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [quads[1], quads[0], quads[2], quads[3]]);
    }
}
