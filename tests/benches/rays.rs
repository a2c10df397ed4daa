//! The kernels alone, on some quads of 16 × 16 viewpoints of any terrain, extrapolated to all:
//! `cargo bench --bench rays -- TERRAIN [exact|conservative] [QUADS] [VERTICAL-SCALE] [FINEST]`; FINEST is the level of
//! view cells.

use cpu_time::ProcessTime;
use std::path::Path;
use viewcell::format::Quad;
use viewcell_bake::visibility::{Bodies, HeightField, LOOK_BLOCKS, LOOK_LEVEL, Rays, ShaftField};
use viewcell_bake::visibility::{Shafts, Sights, Simd, Stance, Viewsheds};
use viewcell_ingest::{IngestOptions, read_terrain};

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
        .map_or(40, |n| n.parse().expect("a number of quads"));
    let options = IngestOptions {
        vertical_scale: given.get(3).map_or(1.0, |s| s.parse().expect("a scale")),
        ..IngestOptions::default()
    };
    let terrain = read_terrain(&path, &options).unwrap().terrain;
    let bodies = Bodies {
        eye: 1.8,
        head: 1.8,
    };
    let finest: u32 = given.get(4).map_or(0, |l| l.parse().expect("a level"));
    let level = Simd::Auto.level().unwrap();
    let (samples_field, cells_field);
    let mut kernel: Box<dyn Viewsheds + '_> = match finest {
        0 => {
            samples_field = HeightField::new(&terrain, bodies, stance);
            Box::new(Rays::new(&terrain, &samples_field, level))
        }
        _ => {
            cells_field = ShaftField::new(&terrain, bodies, stance, finest);
            Box::new(Shafts::new(&cells_field, level))
        }
    };
    let grid = kernel.grid();
    let (columns, rows) = grid.quads_at(LOOK_LEVEL);
    let quads: Vec<Quad> = (0..rows)
        .flat_map(|r| (0..columns).map(move |c| Quad::new(LOOK_LEVEL, c, r)))
        .collect();
    let mut sights = Sights::new(grid);
    // Spread evenly, in an order in which neighbours are far apart.
    let taken: Vec<_> = (0..wanted.min(quads.len()))
        .map(|k| {
            let place = ((k as f64 + 0.5) * 0.618_034).fract();
            quads[(place * quads.len() as f64) as usize]
        })
        .collect();
    let start = ProcessTime::now();
    let (mut seen, mut viewpoints) = (0u64, 0u64);
    for &quad in &taken {
        kernel.look(quad, &mut sights);
        for (block, (target, _)) in
            (0..LOOK_BLOCKS).flat_map(|b| sights.seen(b).map(move |s| (b, s)))
        {
            let rows = sights.rows(block, target).into_iter().flatten();
            seen += rows.map(|row| u64::from(row.count_ones())).sum::<u64>();
        }
        let side = 1 << LOOK_LEVEL;
        let within = |at: u32, end: u32| u64::from((at * side + side).min(end) - at * side);
        viewpoints += within(quad.column, grid.width()) * within(quad.row, grid.height());
    }
    let seconds = start.elapsed().as_secs_f64();
    let targets = f64::from(grid.width()) * f64::from(grid.height());
    let pairs = viewpoints as f64 * targets;
    println!(
        "{}: {stance:?}, {} viewpoints: {:.3} % of pairs visible, {:.4} ns a pair, {:.1} s for all",
        path.display(),
        viewpoints,
        100.0 * seen as f64 / pairs,
        1e9 * seconds / pairs,
        seconds / viewpoints as f64 * targets,
    );
}
