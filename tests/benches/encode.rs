//! PVS bitmaps to trees, by block: `cargo bench --bench encode`.

mod common;

use divan::Bencher;
use divan::counter::ItemsCount;
use viewcell::query::Quad;
use viewcell_bake::compress::{Scratch, ValidPyramid, encode};

fn main() {
    common::bundle();
    divan::main();
}

const TREES: u64 = 200;

/// PVSs of quads of a level, drawn at random; items are blocks.
#[divan::bench(args = [0, 2, 4, 6])]
fn lossless(bencher: Bencher, level: u32) {
    let map = common::open(common::bundle());
    let terrain = map.terrain().unwrap();
    let grid = terrain.grid();
    let heights: Vec<f64> = grid
        .row_by_row()
        .map(|sample| terrain.height(sample).map_or(f64::NAN, f64::from))
        .collect();
    let valid = ValidPyramid::from_heights(grid, &heights);
    let bitmaps: Vec<Vec<u64>> = (0..TREES)
        .map(|i| {
            let s = common::sample(i, grid.width(), grid.height());
            let quad = Quad::new(level, s.column >> level, s.row >> level);
            let mut bitmap = vec![0; grid.blocks()];
            terrain.pvs(quad).unwrap().expand(&mut bitmap);
            bitmap
        })
        .collect();
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    bencher
        .counter(ItemsCount::new(TREES as usize * grid.blocks()))
        .bench_local(|| {
            for bitmap in &bitmaps {
                out.clear();
                encode(&valid, bitmap, &mut scratch, &mut out);
                divan::black_box(&out);
            }
        });
}
