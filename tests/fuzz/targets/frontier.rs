//! Grows frontier sets on what it is given, with options that it is given.
#![no_main]

mod reseal;

use libfuzzer_sys::fuzz_target;
use viewcell::frontier::{
    Frontier, FrontierBuilder, FrontierOptions, Grow, Merge, Neighbours, Order, Side, Turns,
};
use viewcell::query::{Bundle, Sample};
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
    let bit = |i: u32| choices[4] >> i & 1 == 1;
    let options = FrontierOptions {
        grow: if bit(0) {
            Grow::Simple
        } else {
            Grow::Hierarchical
        },
        merge: match (bit(1), bit(7)) {
            (true, _) => Merge::Lossy,
            (_, true) => Merge::Blocks(choices[7].into()),
            _ => Merge::Lossless,
        },
        neighbours: if bit(2) {
            Neighbours::Four
        } else {
            Neighbours::Eight
        },
        order: match choices[5] % 5 {
            0 => Order::Fifo,
            1 => Order::Coarse,
            2 => Order::Ground,
            3 => Order::Gain,
            _ => Order::Toward(Some(b), None),
        },
        turns: if bit(3) {
            Turns::Balance
        } else {
            Turns::Alternate
        },
        finest: u32::from(choices[6])
            .checked_sub(1)
            .map(|finest| finest % 5),
        give_up: bit(4),
        extend: bit(5),
        tighten: bit(6),
        limit: Some(u32::from(choices[7]) * 8),
    };
    let mut builder = FrontierBuilder::new(&terrain);
    if builder.build(a, b, &options).is_ok() {
        let halves = Side::BOTH.map(|side| builder.core(side, u32::from(choices[6] >> 6)));
        for half in &halves {
            let code = half.region().encode();
            assert_eq!(&Frontier::decode(grid, &code).unwrap(), half);
            let _ = half.region().outline();
            assert!(
                half.region()
                    .samples()
                    .all(|s| terrain.valid().has_sample(s))
            );
        }
    }
    let mut session = Session::new(&terrain, 3, SessionOptions::default());
    for (player, at) in [a, b, place(choices[1], choices[2]), b]
        .into_iter()
        .enumerate()
    {
        session.tick();
        let _ = session.move_to(player % 3, Some(at), |_| ());
    }
});
