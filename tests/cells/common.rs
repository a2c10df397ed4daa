//! What the tests of levels share.

use crate::data::data;
use std::path::PathBuf;

use viewcell_ingest::world::BitMatrix;

/// Where the levels are that are not part of the repository; says so if they are not there.
pub fn levels() -> Option<PathBuf> {
    data("cells")
}

/// The least number of visible steps from every cell to every cell, one queue a cell; `None`
/// where no chain leads.
pub fn slow_distances(pvs: &BitMatrix) -> Vec<Vec<Option<u32>>> {
    let n = pvs.n();
    let neighbours: Vec<Vec<usize>> = (0..n).map(|a| pvs.ones(a).collect()).collect();
    let from = |start: usize| {
        let mut distance = vec![None; n];
        distance[start] = Some(0);
        let mut queue = std::collections::VecDeque::from([(start, 0)]);
        while let Some((a, d)) = queue.pop_front() {
            for &b in &neighbours[a] {
                if distance[b].is_none() {
                    distance[b] = Some(d + 1);
                    queue.push_back((b, d + 1));
                }
            }
        }
        distance
    };
    (0..n).map(from).collect()
}
