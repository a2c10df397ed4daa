//! Frontiers between two cells, as published and by other algorithms: two regions, no cell of one sees any of the other.
//!
//! Sources: A. Steed and C. Angus, *Supporting Scalable Peer to Peer Virtual Environments using
//! Frontier Sets*, section 4.2 (EQ 1 and EQ 2), and the region growing of their first paper, as
//! described there in sections 1 and 4.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use viewcell::format::bits;
use viewcell::format::cells::PvsRow;
use viewcell::frontier::cells::{self, by_distance};
use viewcell::query::CellBundle;

/// How frontiers are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Construction {
    /// Steed and Angus's EQ 1 and EQ 2: F_AB holds the cells that are nearer to A than to B, and
    /// F_BA those that are nearer to B by more than one step.
    Published,
    /// The same F_AB, and for F_BA everything that no cell of F_AB sees: what the product makes.
    #[default]
    Tightened,
    /// Both regions grow from their cells over neighbours that the other does not see, a cell
    /// each in turn, until neither can. Both are connected: whoever leaves one does so through
    /// its rim.
    Grown,
    /// Both regions grow over neighbours, the nearest first by the way from middle to middle. Then each
    /// takes in whatever no cell of the other sees, connected or not: the largest sets, for players who
    /// come back somewhere else.
    Widened,
}

/// Two regions, a bit a cell: F_AB and F_BA.
pub type Regions = [Vec<u64>; 2];

impl Construction {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Published, Self::Tightened, Self::Grown, Self::Widened];

    /// Its name, as options and documents have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Tightened => "tightened",
            Self::Grown => "grown",
            Self::Widened => "widened",
        }
    }

    /// Whether the bundle has to know which cells touch ([`CellBundle::has_neighbours`]).
    pub const fn needs_neighbours(self) -> bool {
        matches!(self, Self::Grown | Self::Widened)
    }

    /// The frontier between two cells; none if they see each other. That no cell of one region sees any of the other takes
    /// a symmetric PVS.
    pub fn regions(self, level: &CellBundle<'_>, [a, b]: [u32; 2]) -> Option<Regions> {
        if level.visible(a, b) || level.visible(b, a) {
            return None;
        }
        let pvs = |cell| level.pvs(cell);
        let mut memory = vec![0; cells::words(level.cells())];
        let owned = |set: cells::Frontier<'_>| [set.ab, set.ba].map(<[u64]>::to_vec);
        match self {
            Self::Published => {
                let rows = [a, b].map(|cell| level.distances(cell));
                by_distance([a, b], rows, &mut memory).ok()?.map(owned)
            }
            Self::Tightened => level.frontier(a, b, &mut memory).ok()?.map(owned),
            Self::Grown => {
                let neighbours = |cell| level.neighbours(cell);
                Some(grow(level.cells(), [a, b], pvs, neighbours))
            }
            Self::Widened => {
                let neighbours = |cell| distant_neighbours(level, cell);
                Some(widen(level.cells(), [&[a], &[b]], pvs, neighbours))
            }
        }
    }
}

/// A region, and everything that it sees.
struct Region {
    cells: Vec<u64>,
    seen: Vec<u64>,
}

impl Region {
    fn none(cells: u32) -> Self {
        let [seen, cells] = [(); 2].map(|()| vec![0; bits::words(cells)]);
        Self { cells, seen }
    }

    fn take(&mut self, cell: u32, row: PvsRow<'_>) {
        bits::set(&mut self.cells, cell as usize);
        if row.words().len() < self.seen.len() {
            self.seen.fill(u64::MAX); // a row that is not there sees everything
        }
        for (seen, word) in self.seen.iter_mut().zip(row.words()) {
            *seen |= word;
        }
        bits::set(&mut self.seen, cell as usize);
    }

    /// Whether a cell sees something of the region, or is seen by it. In a damaged bundle a row may see what does not
    /// see it back.
    fn meets(&self, cell: u32, row: &PvsRow<'_>) -> bool {
        bits::has(&self.seen, cell as usize) || row.meets(&self.cells, 0)
    }
}

/// Two regions that grow in turn from two cells that do not see each other, over neighbours. `pvs` gives
/// the rows of a symmetric PVS.
pub fn grow<'p, N: Iterator<Item = u32>>(
    cells: u32,
    starts: [u32; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    neighbours: impl Fn(u32) -> N,
) -> Regions {
    let mut regions = [Region::none(cells), Region::none(cells)];
    let mut queues = starts.map(|start| VecDeque::from([start]));
    for (region, start) in regions.iter_mut().zip(starts) {
        region.take(start, pvs(start));
    }
    let mut turn = 0;
    while queues.iter().any(|queue| !queue.is_empty()) {
        if let Some(cell) = queues[turn].pop_front() {
            for next in neighbours(cell).filter(|&next| next < cells) {
                let row = pvs(next);
                let is_own = bits::has(&regions[turn].cells, next as usize);
                if !is_own && !regions[1 - turn].meets(next, &row) {
                    regions[turn].take(next, row);
                    queues[turn].push_back(next);
                }
            }
        }
        turn = 1 - turn;
    }
    regions.map(|region| region.cells)
}

/// The neighbours of a cell, and how far their middles are from its own; 0 where the bundle has no boxes.
pub fn distant_neighbours(level: &CellBundle<'_>, cell: u32) -> impl Iterator<Item = (u32, f64)> {
    let middle = |cell| match level.bounds(cell) {
        Some([[x, y, z], [u, v, w]]) => {
            [(x, u), (y, v), (z, w)].map(|(low, high)| (f64::from(low) + f64::from(high)) / 2.0)
        }
        None => [0.0; 3],
    };
    let own = middle(cell);
    level.neighbours(cell).map(move |next| {
        let between = own.iter().zip(middle(next)).map(|(a, b)| (a - b) * (a - b));
        (next, between.sum::<f64>().sqrt())
    })
}

/// Two regions that grow from cells over neighbours with their distances, what is nearest to its own seeds first;
/// a cell that the other region sees or is seen by stays out.
pub fn spread<'p, N: Iterator<Item = (u32, f64)>>(
    cells: u32,
    seeds: [&[u32]; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    neighbours: impl Fn(u32) -> N,
) -> Regions {
    let mut regions = [Region::none(cells), Region::none(cells)];
    let mut taken = [0, 1].map(|_| vec![false; cells as usize]);
    let mut nearest = [0, 1].map(|_| vec![None; cells as usize]);
    // Of equally near ones, the one that was offered first is first.
    let (mut queue, mut offers) = (BinaryHeap::new(), 0_u64);
    let mut offer = |queue: &mut BinaryHeap<_>, side: usize, cell: u32, distance: u64| {
        let known: &mut Option<u64> = &mut nearest[side][cell as usize];
        if known.is_none_or(|known| distance < known) {
            *known = Some(distance);
            queue.push(Reverse((distance, offers, side, cell)));
            offers += 1;
        }
    };
    for (side, seeds) in seeds.into_iter().enumerate() {
        for &cell in seeds.iter().filter(|cell| **cell < cells) {
            offer(&mut queue, side, cell, 0);
        }
    }
    while let Some(Reverse((far, _, side, cell))) = queue.pop() {
        let row = pvs(cell);
        let was_taken = std::mem::replace(&mut taken[side][cell as usize], true);
        if was_taken || regions[1 - side].meets(cell, &row) {
            continue;
        }
        regions[side].take(cell, row);
        for (next, distance) in neighbours(cell).filter(|(next, _)| *next < cells) {
            // Sixteenths of a unit: whole numbers are the same on every machine. Boxes of a damaged bundle may be
            // infinitely far apart.
            let step = ((distance * 16.0) as u64).saturating_add(1);
            offer(&mut queue, side, next, far.saturating_add(step));
        }
    }
    regions.map(|region| region.cells)
}

/// [`spread`], and then each region takes in whatever no cell of the other sees nor is seen by, the first one
/// first.
pub fn widen<'p, N: Iterator<Item = (u32, f64)>>(
    cells: u32,
    seeds: [&[u32]; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    neighbours: impl Fn(u32) -> N,
) -> Regions {
    let [_, ba] = spread(cells, seeds, &pvs, neighbours);
    let hidden_from = |region: &[u64]| {
        let (mut other, mut hidden) = (Region::none(cells), vec![0; bits::words(cells)]);
        for cell in (0..cells).filter(|cell| bits::has(region, *cell as usize)) {
            other.take(cell, pvs(cell));
        }
        for cell in (0..cells).filter(|cell| !other.meets(*cell, &pvs(*cell))) {
            bits::set(&mut hidden, cell as usize);
        }
        hidden
    };
    let ab = hidden_from(&ba);
    let ba = hidden_from(&ab);
    [ab, ba]
}
