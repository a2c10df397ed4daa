//! Levels of cells as bundles hold them, without a bundle; and what frontiers between their cells must be.

use proptest::prelude::*;
use viewcell::format::cells::{DistanceBits, DistanceRow, PvsRow};
use viewcell_bake::hierarchy::epvs::{Epvs, UNREACHABLE};
use viewcell_bake::visibility::portals::recover;
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::{BitMatrix, CellGraph, ones};

use crate::data::data;

/// The rows that a bundle would hold.
pub struct Level {
    pub pvs: BitMatrix,
    bytes: Vec<u8>,
    bits: DistanceBits,
    pub distances: Vec<Vec<u8>>,
    #[allow(dead_code, reason = "the papers' tests grow over them")]
    pub neighbours: Vec<Vec<u32>>,
}

impl Level {
    /// Of a PVS that is made symmetric.
    pub fn new(pvs: &BitMatrix, adjacency: &[[u32; 2]], bits: Option<DistanceBits>) -> Self {
        let mut pvs = pvs.or_with_transpose();
        pvs.set_diagonal();
        let epvs = Epvs::new(&pvs);
        let bits = bits.unwrap_or(DistanceBits::for_greatest(epvs.greatest()));
        let cells = pvs.n() as u32;
        let rows = epvs.row_of().iter().map(|&row| {
            let mut bytes = vec![0; bits.row_len(cells)];
            for (cell, &distance) in (0..).zip(epvs.row(row as usize)) {
                let code = match distance {
                    UNREACHABLE => bits.unreachable(),
                    distance => distance.into(),
                };
                bits.put(&mut bytes, cell, code);
            }
            bytes
        });
        let distances = rows.collect();
        let mut neighbours = vec![Vec::new(); pvs.n()];
        for &[a, b] in adjacency {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        Self {
            bytes: pvs
                .rows()
                .flatten()
                .flat_map(|word| word.to_le_bytes())
                .collect(),
            pvs,
            bits,
            distances,
            neighbours,
        }
    }

    pub fn cells(&self) -> u32 {
        self.pvs.n() as u32
    }

    pub fn row(&self, cell: u32) -> PvsRow<'_> {
        let length = 8 * self.pvs.stride();
        PvsRow::new(
            &self.bytes[cell as usize * length..][..length],
            self.cells(),
        )
    }

    pub fn distances(&self, cell: u32) -> DistanceRow<'_> {
        DistanceRow::new(&self.distances[cell as usize], self.bits, self.cells())
    }

    /// Whether a cell of F_AB sees a cell of F_BA.
    pub fn leaks_at_all(&self, [ab, ba]: [&[u64]; 2]) -> bool {
        ones(ab).any(|a| {
            let mut both = self.pvs.row(a).iter().zip(ba);
            both.any(|(row, ba)| row & ba != 0)
        })
    }

    /// Cells of F_AB that see a cell of F_BA.
    pub fn leaks(&self, [ab, ba]: [&[u64]; 2]) -> Vec<(usize, usize)> {
        let see = |a| {
            let both = self.pvs.row(a).iter().zip(ba);
            let seen: Vec<u64> = both.map(|(row, ba)| row & ba).collect();
            ones(&seen).map(|b| (a, b)).collect::<Vec<_>>()
        };
        ones(ab).flat_map(see).collect()
    }

    /// A real level, with the pairs that its portals join; none, and said, where it is absent.
    pub fn real(name: &str) -> Option<Self> {
        let path = data(&format!("cells/{name}"))?;
        let mut graph = read_cells(&path, &IngestCellsOptions::default())
            .unwrap()
            .graph;
        graph.portals = recover(&graph);
        let adjacency = CellGraph::adjacency_of(&graph.portals);
        Some(Self::new(&graph.pvs.unwrap(), &adjacency, None))
    }

    /// Pairs of cells from both ends.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let n = self.cells();
        (0..n.min(12)).flat_map(move |a| (0..n).rev().take(12).map(move |b| (a, b)))
    }
}

/// EQ 1 and EQ 2, word for word, with `None` for infinity.
pub fn published(epvs: &Epvs, a: usize, b: usize) -> [Vec<usize>; 2] {
    let less = |x: Option<u32>, y: Option<u32>, by: u32| match (x, y) {
        (Some(x), Some(y)) => x + by <= y,
        (Some(_), None) => true,
        (None, _) => false,
    };
    let cells = 0..epvs.cells();
    let distance = |from, to| epvs.distance(from, to);
    [
        // dist(A,C) <= dist(B,C) - 1
        cells
            .clone()
            .filter(|&c| less(distance(a, c), distance(b, c), 1))
            .collect(),
        // dist(B,D) < dist(A,D) - 1
        cells
            .filter(|&d| less(distance(b, d), distance(a, d), 2))
            .collect(),
    ]
}

pub fn worlds() -> impl Strategy<Value = (BitMatrix, Vec<[u32; 2]>)> {
    // Cells in a ring or two that see a few steps ahead, and some chords.
    (2_u32..150, 1_u32..4, 0_usize..6, any::<u64>()).prop_map(|(n, sight, chords, seed)| {
        let mut state = seed | 1;
        let mut roll = |n: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % u64::from(n)) as u32
        };
        let gap = roll(n);
        let mut adjacency = Vec::new();
        let mut pvs = BitMatrix::new(n as usize);
        for a in 0..n {
            if a + 1 < n && a != gap {
                adjacency.push([a, a + 1]);
            }
            for b in a..n.min(a + sight + 1) {
                if !(a <= gap && gap < b) {
                    pvs.set(a as usize, b as usize);
                }
            }
        }
        for _ in 0..chords {
            let (a, b) = (roll(n), roll(n));
            pvs.set(a as usize, b as usize);
            if a < b {
                adjacency.push([a, b]);
            }
        }
        (pvs, adjacency)
    })
}
