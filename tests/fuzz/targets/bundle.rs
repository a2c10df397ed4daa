//! Opens what it is given, and asks everything.
#![no_main]

mod reseal;

use libfuzzer_sys::fuzz_target;
use viewcell::query::{Bundle, Quad, Sample};

fuzz_target!(|data: &[u8]| {
    let bytes = reseal::reseal(data);
    let Ok(bundle) = Bundle::from_bytes(&bytes) else {
        return;
    };
    for section in bundle.sections() {
        let _ = bundle.section(section.tag);
    }
    let _ = bundle.crs();
    let Ok(terrain) = bundle.terrain() else {
        return;
    };
    let grid = terrain.grid();
    let _ = terrain.locate(f64::from(data[0]) * 10.0, f64::from(data[1]));
    let _ = terrain.locate_georeferenced(f64::from(data[2]), 1e6);
    if grid.samples() > reseal::MOST_SAMPLES {
        return;
    }
    let mut words = vec![0; grid.blocks()];
    for (i, quad) in grid.bake_order().enumerate().take(2_000) {
        let Some(pvs) = terrain.pvs(quad) else {
            continue;
        };
        let to = Sample::new(
            (i as u32 * 7) % (grid.width() + 1),
            (i as u32 * 5) % (grid.height() + 1),
        );
        // Each way to ask gives the same answer; but levels of a damaged graded bundle may contradict each other, of
        // which a walk and a question ask others.
        let visible = pvs.contains(to);
        if i % 16 == 0 {
            pvs.expand(&mut words);
            let count: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
            assert!(count == pvs.count() || terrain.parameters().grade > 0);
            if grid.has_sample(to) && terrain.parameters().grade == 0 {
                let (word, bit) = grid.block_bit(to);
                assert_eq!(words[word] >> bit & 1 == 1, visible);
            }
        }
        let _ = terrain.visible_quads(quad, Quad::new(3, to.column / 8, to.row / 8));
        let _ = terrain.height(to);
        let from = Sample::new(quad.column << quad.level, quad.row << quad.level);
        let _ = terrain.visible_within(from, to, [f64::from(data[3]), f64::from(data[4])]);
    }
});
