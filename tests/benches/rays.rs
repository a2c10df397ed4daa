//! The kernels alone, on some blocks of viewpoints of any terrain, extrapolated to all:
//! `cargo bench --bench rays -- TERRAIN [exact|conservative] [BLOCKS] [VERTICAL-SCALE]`.

use cpu_time::ProcessTime;
use std::path::Path;
use viewcell::ingest::{IngestOptions, read_terrain};
use viewcell::visibility::{BLOCK, Bodies, Field, Rays, Simd, Stance};

fn main() {
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let path = given.first().map_or(demo, |path| path.into());
    let stance = match given.get(1).map(String::as_str) {
        Some("conservative") => Stance::Cell,
        _ => Stance::Sample,
    };
    let wanted: usize = given
        .get(2)
        .map_or(40, |n| n.parse().expect("a number of blocks"));
    let options = IngestOptions {
        vertical_scale: given.get(3).map_or(1.0, |s| s.parse().expect("a scale")),
        ..IngestOptions::default()
    };
    let terrain = read_terrain(&path, &options).unwrap().terrain;
    let bodies = Bodies {
        eye: 1.8,
        head: 1.8,
    };
    let field = Field::new(&terrain, bodies, stance);
    let mut rays = Rays::new(&terrain, &field, Simd::Auto.level().unwrap());
    let blocks: Vec<(u32, u32)> = (0..terrain.height())
        .step_by(BLOCK as usize)
        .flat_map(|r| {
            (0..terrain.width())
                .step_by(BLOCK as usize)
                .map(move |c| (c, r))
        })
        .collect();
    let mut bitmaps = vec![0; (BLOCK * BLOCK) as usize * rays.words()];
    // Spread evenly, in an order in which neighbours are far apart.
    let taken: Vec<_> = (0..wanted.min(blocks.len()))
        .map(|k| {
            blocks[((k as f64 + 0.5) * 0.618_034)
                .fract()
                .mul_add(blocks.len() as f64, 0.0) as usize]
        })
        .collect();
    let start = ProcessTime::now();
    let (mut seen, mut viewpoints) = (0u64, 0u64);
    for &(column, row) in &taken {
        rays.viewsheds(column, row, &mut bitmaps);
        seen += bitmaps
            .iter()
            .map(|w| u64::from(w.count_ones()))
            .sum::<u64>();
        let side = |at: u32, end: u32| u64::from((at + BLOCK).min(end) - at);
        viewpoints += side(column, terrain.width()) * side(row, terrain.height());
    }
    let seconds = start.elapsed().as_secs_f64();
    let samples = f64::from(terrain.width()) * f64::from(terrain.height());
    let pairs = viewpoints as f64 * samples;
    println!(
        "{}: {stance:?}, {} viewpoints: {:.3} % of pairs visible, {:.4} ns a pair, {:.1} s for all",
        path.display(),
        viewpoints,
        100.0 * seen as f64 / pairs,
        1e9 * seconds / pairs,
        seconds / viewpoints as f64 * samples,
    );
}
