//! Reads the compact form of a region.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viewcell::frontier::Frontier;
use viewcell::query::Grid;

fuzz_target!(|data: &[u8]| {
    let [_, width, height, ..] = *data else {
        return;
    };
    let (width, height) = (u32::from(width & 127), u32::from(height & 127));
    let Ok(grid) = Grid::new(width, height) else {
        return;
    };
    if let Ok(frontier) = Frontier::decode(grid, data) {
        let code = frontier.region().encode();
        assert_eq!(Frontier::decode(grid, &code).as_ref(), Ok(&frontier));
        assert!(
            code.len() <= data.len(),
            "the writer's form is the shortest"
        );
        assert_eq!(frontier.region().samples().count() as u64, frontier.area());
    }
});
