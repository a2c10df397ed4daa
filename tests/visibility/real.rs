//! Random pairs on the real files, half of them near the boundary of what is visible.

use super::{BODIES, Dice, SIDE, Viewsheds, levels, real};
use viewcell_bake::visibility::{HeightField, Rays, Stance, sees};
use viewcell_ingest::IngestOptions;

/// Compares `blocks` blocks of viewpoints, 512 targets each.
fn compare(name: &str, options: &IngestOptions, blocks: u32) {
    let Some(terrain) = real(name, options) else {
        return;
    };
    let (width, height) = (terrain.width(), terrain.height());
    let field = HeightField::new(&terrain, BODIES, Stance::Sample);
    let mut rays = Rays::new(&terrain, &field, *levels().last().unwrap());
    let mut dice = Dice(u64::from(blocks));
    let mut pairs = 0;
    let mut void = 0;
    for _ in 0..blocks {
        let (column, row) = (dice.roll(width), dice.roll(height));
        let viewsheds = Viewsheds::new(&mut rays, width, column, row);
        for k in 0..512 {
            let from = (
                (column - column % SIDE + dice.roll(SIDE)).min(width - 1),
                (row - row % SIDE + dice.roll(SIDE)).min(height - 1),
            );
            let mut to = (dice.roll(width), dice.roll(height));
            if k % 2 == 1 {
                // Walk towards the viewpoint until visibility changes.
                let start = viewsheds.sees(from, to);
                for step in 1..200 {
                    let at = |a: u32, b: u32| {
                        (i64::from(b) + (i64::from(a) - i64::from(b)) * step / 200) as u32
                    };
                    to = (at(from.0, to.0), at(from.1, to.1));
                    if viewsheds.sees(from, to) != start {
                        break;
                    }
                }
            }
            let defined = sees(&terrain, BODIES, from, to);
            assert_eq!(viewsheds.sees(from, to), defined, "{name}: {from:?} {to:?}");
            pairs += 1;
            void += u32::from(terrain.at(to.0, to.1).is_nan());
        }
    }
    println!("{name}: {pairs} pairs, {void} to voids");
}

#[test]
fn jacksboro() {
    compare("jacksboro_fault_dem.tif", &IngestOptions::default(), 12);
}

#[test]
fn gale_in_tenths_of_a_metre() {
    let options = IngestOptions {
        vertical_scale: 0.1,
        ..IngestOptions::default()
    };
    compare("Gale_HRSC_DEM_50m_300x285.bin", &options, 12);
}

#[test]
fn bilbao() {
    compare("bilbao_dsm_500.tif", &IngestOptions::default(), 6);
}

#[test]
fn a_crop_of_slovenia() {
    let options = IngestOptions {
        crop: Some([300, 200, 320, 320]),
        ..IngestOptions::default()
    };
    compare("slovenia_lidar_1m_TM1_564_146.tif", &options, 8);
}

#[test]
fn a_tile_of_voids() {
    compare("N34W119.hgt", &IngestOptions::default(), 40);
    compare(
        "slovenia_lidar_1m_nodata.tif",
        &IngestOptions {
            crop: Some([700, 0, 300, 300]),
            ..IngestOptions::default()
        },
        6,
    );
}

#[test]
fn cells_do_not_depend_on_what_was_asked_before() {
    let options = IngestOptions {
        crop: Some([200, 200, 112, 96]),
        ..IngestOptions::default()
    };
    let Some(terrain) = real("bilbao_dsm_500.tif", &options) else {
        return;
    };
    let (width, height) = (terrain.width(), terrain.height());
    let field = HeightField::new(&terrain, BODIES, Stance::Cell);
    let level = *levels().last().unwrap();
    let mut used = Rays::new(&terrain, &field, level);
    let mut dice = Dice(9);
    for _ in 0..24 {
        let (column, row) = (dice.roll(width), dice.roll(height));
        let again = Viewsheds::new(&mut used, width, column, row);
        let mut fresh = Rays::new(&terrain, &field, level);
        let first = Viewsheds::new(&mut fresh, width, column, row);
        assert!(again.all() == first.all(), "viewers about {column}, {row}");
    }
}
