//! Bundles baked from the real files, asked a million random pairs and as many near the boundary
//! of what is visible.
//!
//! Crops by default; `VIEWCELL_FULL=1` takes the whole files (`scripts/check exact`).

use super::{BODIES, Baked, Dice, real};
use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::VisibilityMode;
use viewcell_bake::visibility::sees;
use viewcell_ingest::IngestOptions;

fn ask(name: &str, mut options: IngestOptions, crop: [u32; 4], always: bool) {
    let full = std::env::var_os("VIEWCELL_FULL").is_some();
    if always || !full {
        options.crop = Some(crop);
    }
    let Some(terrain) = real(name, &options) else {
        return;
    };
    let baked = Baked::new(&terrain, VisibilityMode::Exact, None);
    let map = MappedBundle::open(baked.path()).unwrap();
    let bundle = map.terrain().unwrap();
    let sample = |(column, row)| Sample::new(column, row);
    let (width, height) = (terrain.width(), terrain.height());
    let wanted = if full { 1_000_000 } else { 100_000 };
    let mut dice = Dice(1);
    let (mut visible, mut near) = (0, 0);
    for k in 0..2 * wanted {
        let from = (dice.roll(width), dice.roll(height));
        let mut to = (dice.roll(width), dice.roll(height));
        if k >= wanted {
            // Walk home from the target until visibility changes.
            let start = bundle.visible(sample(from), sample(to));
            let step =
                |a: u32, b: u32| (i64::from(b) + (i64::from(a) - i64::from(b)).signum()) as u32;
            while from != to && bundle.visible(sample(from), sample(to)) == start {
                to = if from.0.abs_diff(to.0) >= from.1.abs_diff(to.1) {
                    (step(from.0, to.0), to.1)
                } else {
                    (to.0, step(from.1, to.1))
                };
            }
            near += 1;
        }
        let seen = bundle.visible(sample(from), sample(to));
        visible += u32::from(seen);
        assert_eq!(
            seen,
            sees(&terrain, BODIES, from, to),
            "{name}: {from:?} {to:?}"
        );
    }
    println!(
        "{name}: {width} x {height}, {wanted} random pairs and {near} near the boundary, {visible} visible, all as defined; {} bytes, {:.1} s CPU",
        baked.report.bytes, baked.report.timings.cpu_seconds
    );
}

#[test]
fn bundles_of_jacksboro_answer_as_defined() {
    let crop = [100, 100, 150, 120];
    ask(
        "jacksboro_fault_dem.tif",
        IngestOptions::default(),
        crop,
        false,
    );
}

#[test]
fn bundles_of_gale_answer_as_defined() {
    let options = IngestOptions {
        vertical_scale: 0.1,
        ..IngestOptions::default()
    };
    ask(
        "Gale_HRSC_DEM_50m_300x285.bin",
        options,
        [0, 0, 110, 100],
        false,
    );
}

#[test]
fn bundles_of_bilbao_answer_as_defined() {
    let crop = [200, 200, 100, 100];
    ask("bilbao_dsm_500.tif", IngestOptions::default(), crop, false);
}

#[test]
fn bundles_of_slovenia_answer_as_defined() {
    // A crop in any case.
    let name = "slovenia_lidar_1m_TM1_564_146.tif";
    ask(name, IngestOptions::default(), [300, 300, 128, 128], true);
}

#[test]
fn bundles_of_a_tile_of_voids_answer_as_defined() {
    ask(
        "N34W119.hgt",
        IngestOptions::default(),
        [1000, 640, 201, 200],
        false,
    );
}

#[test]
fn bundles_of_every_format_answer_as_defined() {
    let whole = IngestOptions::default();
    let raw = IngestOptions {
        size: Some([513, 513]),
        vertical_scale: 30.86 / 65535.0,
        ..IngestOptions::default()
    };
    let grey = IngestOptions {
        vertical_scale: 30.86 / 65535.0,
        ..IngestOptions::default()
    };
    for (name, options) in [
        ("bigtujunga_30m.tif", &whole),
        ("slovenia_513_png16.png", &grey),
        ("slovenia_513.r16", &raw),
        ("N34W119.hgt", &whole),
        ("goteborg_cdsm_1m.asc", &whole),
        ("noctis-3500-clip-envi.bin", &whole),
    ] {
        let crop = if name.ends_with(".hgt") {
            [1090, 690, 60, 50]
        } else {
            [90, 70, 60, 50]
        };
        ask(name, options.clone(), crop, true);
    }
}
