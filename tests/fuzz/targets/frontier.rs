//! Grows frontier sets on what it is given, as far as it is told.
#![no_main]

mod reseal;

use libfuzzer_sys::fuzz_target;
use viewcell::frontier::{Frontier, FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Bundle, Place, Sample, World};
use viewcell::session::{Session, SessionOptions};

fuzz_target!(|data: &[u8]| {
    let Some((choices, data)) = data.split_first_chunk::<8>() else {
        return;
    };
    let bytes = reseal::reseal(data);
    let Ok(terrain) = Bundle::from_bytes(&bytes).and_then(|bundle| bundle.terrain()) else {
        return;
    };
    let grid = terrain.grid();
    if grid.samples() > reseal::MOST_SAMPLES {
        return;
    }
    let place = |c: u8, r: u8| {
        let scale = |at: u8, side: u32| u32::from(at) * (side + 1) / 256;
        Sample::new(scale(c, grid.width()), scale(r, grid.height()))
    };
    let (a, b) = (place(choices[0], choices[1]), place(choices[2], choices[3]));
    let options = FrontierOptions {
        limit: Some(u32::from(choices[7]) * 8),
    };
    let mut builder = FrontierBuilder::new(&terrain);
    if builder.build(a, b, &options).is_ok() {
        let halves = Side::BOTH.map(|side| builder.core(side, u32::from(choices[6] >> 6)));
        for half in &halves {
            let code = half.region().encode();
            assert_eq!(&Frontier::decode(grid, &code).unwrap(), half);
            assert!(
                half.region()
                    .samples()
                    .all(|s| terrain.valid().has_sample(s))
            );
        }
    }
    let mut session = Session::new(&World::Terrain(terrain), 3, SessionOptions::default());
    for (player, at) in [a, b, place(choices[1], choices[2]), b]
        .into_iter()
        .enumerate()
    {
        session.tick();
        let _ = session.move_to(player % 3, Some(Some(Place::Sample(at))), |_| ());
    }
});
