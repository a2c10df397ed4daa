//! Levels of portals: flow, recovery, and frontiers between cells. Needs the real levels; what is
//! absent is left out.

#[path = "../common/data.rs"]
mod data;
use std::ops::ControlFlow;

use divan::Bencher;
use divan::counter::ItemsCount;
use viewcell::format::cells::{DistanceBits, DistanceRow, PvsRow};
use viewcell::frontier::cells::{tightened, words};
use viewcell_bake::hierarchy::epvs::{Epvs, UNREACHABLE};
use viewcell_bake::visibility::portals::{FlowMethod, FlowOptions, flow, recover};
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::{BitMatrix, CellGraph};

fn main() {
    divan::main();
}

fn level(name: &str) -> Option<CellGraph> {
    let path = data::data(&format!("cells/{name}"))?;
    let read = read_cells(&path, &IngestCellsOptions::default());
    Some(read.unwrap().graph)
}

/// On one thread.
fn bench_flow(bencher: Bencher, name: &str, method: FlowMethod) {
    let Some(graph) = level(name) else { return };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.unwrap();
    let options = FlowOptions {
        method,
        checkpoint: None,
    };
    bencher.bench(|| pool.install(|| flow(&graph, &options, &mut |_| ControlFlow::Continue(()))));
}

#[divan::bench(args = ["q1-bsp29/dm4.prt", "q1-bsp29/e1m1.prt"], sample_count = 3)]
fn full_flow(bencher: Bencher, name: &str) {
    bench_flow(bencher, name, FlowMethod::Full);
}

#[divan::bench(args = ["q1-bsp29/dm4.prt", "q1-bsp29/e1m1.prt"], sample_count = 10)]
fn fast_flow(bencher: Bencher, name: &str) {
    bench_flow(bencher, name, FlowMethod::Fast);
}

#[divan::bench(args = ["q1-bsp29/dm4.bsp", "q1-bsp29/lq_e4m4.bsp"], sample_count = 10)]
fn recovery(bencher: Bencher, name: &str) {
    if let Some(graph) = level(name) {
        bencher.bench(|| recover(&graph));
    }
}

/// The PVS of the first so many cells of a level.
fn part(name: &str, cells: usize) -> Option<BitMatrix> {
    let mut pvs = level(name)?.pvs?.or_with_transpose();
    pvs.set_diagonal();
    Some(BitMatrix::from_fn(cells.min(pvs.n()), |a, b| pvs.get(a, b)))
}

/// On one thread.
#[divan::bench(args = [
    ("q1-bsp29/lq_e0m2.bsp", 1506),
    ("q1-bsp29/lq_e4m4.bsp", 1784),
    ("q3-ibsp46/final_rage.bsp", 1784),
    ("q1-bsp29/lq_e4m4.bsp", 3323),
], sample_count = 10)]
fn epvs(bencher: Bencher, (name, cells): (&str, usize)) {
    let Some(pvs) = part(name, cells) else { return };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.unwrap();
    bencher.bench(|| pool.install(|| Epvs::new(&pvs)));
}

const LEVELS: [&str; 3] = [
    "q1-bsp29/e1m1.bsp",
    "q1-bsp29/lq_e0m2.bsp",
    "q1-bsp29/lq_e4m4.bsp",
];

/// Hidden pairs asked, one after the other.
const QUERIES: usize = 1000;

#[divan::bench(args = LEVELS)]
fn cell_frontier(bencher: Bencher, name: &str) {
    let Some(graph) = level(name) else { return };
    let mut pvs: BitMatrix = graph.pvs.unwrap().or_with_transpose();
    pvs.set_diagonal();
    let epvs = Epvs::new(&pvs);
    let bits = DistanceBits::for_greatest(epvs.greatest());
    let n = pvs.n() as u32;
    let rows: Vec<Vec<u8>> = (0..pvs.n())
        .map(|a| {
            let mut row = vec![0; bits.row_len(n)];
            for (cell, &distance) in (0..).zip(epvs.row(epvs.row_of()[a] as usize)) {
                let far = distance == UNREACHABLE;
                let code = if far {
                    bits.unreachable()
                } else {
                    distance.into()
                };
                bits.put(&mut row, cell, code);
            }
            row
        })
        .collect();
    let bytes: Vec<Vec<u8>> = pvs
        .rows()
        .map(|row| row.iter().flat_map(|word| word.to_le_bytes()).collect())
        .collect();
    let pairs: Vec<[u32; 2]> = (0_u64..)
        .map(|i| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
            [mixed % u64::from(n), mixed / u64::from(n) % u64::from(n)].map(|cell| cell as u32)
        })
        .filter(|&[a, b]| !pvs.get(a as usize, b as usize))
        .take(QUERIES)
        .collect();
    let distances = |cell: u32| DistanceRow::new(&rows[cell as usize], bits, n);
    let row = |cell: u32| PvsRow::new(&bytes[cell as usize], n);
    let mut memory = vec![0; words(n)];
    bencher.counter(ItemsCount::new(QUERIES)).bench_local(|| {
        for &pair in &pairs {
            let both = pair.map(distances);
            let found = tightened(pair, both, row, &mut memory);
            divan::black_box(found.ok());
        }
    });
}
