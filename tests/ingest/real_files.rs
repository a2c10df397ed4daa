//! Real files, as their provenance describes them.

use std::path::Path;

use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, Ingested};

use super::{read, read_plainly, real_file};

fn range(terrain: &Terrain) -> [f64; 2] {
    let heights = terrain.heights().iter().filter(|h| !h.is_nan());
    heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], h| {
        [lo.min(*h), hi.max(*h)]
    })
}

struct Expected {
    format: &'static str,
    size: [u32; 2],
    /// To a thousandth.
    range: [f64; 2],
    /// To a thousandth of a metre.
    spacing: [f64; 2],
    voids: usize,
    crs: &'static str,
}

fn check(name: &str, options: &IngestOptions, expected: Expected) {
    let Some(path) = real_file(name) else { return };
    let Ingested {
        terrain,
        format,
        notes,
        ..
    } = read(&path, options);
    assert_eq!(format, expected.format, "{name}");
    assert_eq!([terrain.width(), terrain.height()], expected.size, "{name}");
    let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() < 1e-3 && (a[1] - b[1]).abs() < 1e-3;
    assert!(
        near(range(&terrain), expected.range),
        "{name}: {:?}",
        range(&terrain)
    );
    assert!(
        near(terrain.spacing(), expected.spacing),
        "{name}: {:?}",
        terrain.spacing()
    );
    assert_eq!(terrain.voids(), expected.voids, "{name}");
    assert_eq!(
        expected.voids > 0,
        notes.iter().any(|note| note.contains("void")),
        "{name}"
    );
    // Real ground is not warned of, but noctis is counts of 16 bits.
    assert!(notes[0].starts_with("heights of"), "{name}: {notes:?}");
    assert_eq!(
        notes.iter().any(|note| note.starts_with("warning")),
        name.starts_with("noctis") && options.vertical_scale == 1.0,
        "{name}: {notes:?}"
    );
    let crs = terrain.georeference().map_or("", |place| &place.crs);
    assert!(crs.starts_with(expected.crs), "{name}: {crs}");
    assert_eq!(crs.is_empty(), expected.crs.is_empty(), "{name}: {crs}");
}

#[test]
fn geotiffs() {
    let default = IngestOptions::default();
    let tiff = |size, range, spacing, crs| Expected {
        format: "GeoTIFF",
        size,
        range,
        spacing,
        voids: 0,
        crs,
    };
    check(
        "jacksboro_fault_dem.tif",
        &default,
        tiff([403, 344], [236.0, 1076.0], [74.573, 92.475], "EPSG:4326"),
    );
    check(
        "bigtujunga_30m.tif",
        &default,
        tiff([1197, 643], [315.0, 2295.0], [30.0, 30.0], "EPSG:32611"),
    );
    check(
        "bilbao_dsm_500.tif",
        &default,
        tiff([500, 500], [-1.939, 88.246], [2.502, 2.502], "EPSG:25830"),
    );
    check(
        "bilbao_dsm_1359.tif",
        &default,
        tiff([1359, 1359], [-1.949, 109.0], [2.502, 2.502], "EPSG:25830"),
    );
    check(
        "slovenia_lidar_1m_TM1_564_146.tif",
        &default,
        tiff([1000, 1000], [254.97, 325.05], [1.0, 1.0], "EPSG:3794"),
    );
    check(
        "slovenia_lidar_1m_nodata.tif",
        &default,
        Expected {
            voids: 500,
            ..tiff([1000, 1000], [254.97, 325.05], [1.0, 1.0], "EPSG:3794")
        },
    );
}

#[test]
fn srtm_tile() {
    check(
        "N34W119.hgt",
        &IngestOptions::default(),
        Expected {
            format: "SRTM HGT",
            size: [1201, 1201],
            range: [316.0, 2166.0],
            spacing: [76.533, 92.443],
            voids: 1_356_046,
            crs: "EPSG:4326",
        },
    );
}

#[test]
fn ascii_grid() {
    check(
        "goteborg_cdsm_1m.asc",
        &IngestOptions::default(),
        Expected {
            format: "ESRI ASCII grid",
            size: [234, 223],
            range: [0.0, 24.368],
            spacing: [1.0, 1.0],
            voids: 0,
            crs: "unknown",
        },
    );
}

#[test]
fn mars_in_envi() {
    for name in [
        "Gale_HRSC_DEM_50m_300x285.hdr",
        "Gale_HRSC_DEM_50m_300x285.bin",
    ] {
        let options = IngestOptions {
            vertical_scale: 0.1,
            ..Default::default()
        };
        check(
            name,
            &options,
            Expected {
                format: "ENVI",
                size: [300, 285],
                range: [32.0, 6509.8],
                spacing: [666.667, 666.667],
                voids: 0,
                crs: "PROJCS[\"Mars2000_Equidistant_Cylindrical_clon0\"",
            },
        );
    }
    check(
        "noctis-3500-clip-envi.bin",
        &IngestOptions::default(),
        Expected {
            format: "ENVI",
            size: [200, 200],
            range: [0.0, 65535.0],
            spacing: [17.5, 17.5],
            voids: 0,
            crs: "PROJCS[\"EQUIRECTANGULAR_MARS\"",
        },
    );
}

#[test]
fn games_formats_hold_the_same_heights() {
    let expected = |format| Expected {
        format,
        size: [513, 513],
        range: [257.93, 288.79],
        spacing: [1.0, 1.0],
        voids: 0,
        crs: "",
    };
    let plain = IngestOptions {
        vertical_scale: 30.86 / 65535.0,
        vertical_offset: 257.93,
        ..Default::default()
    };
    let sized = IngestOptions {
        size: Some([513, 513]),
        ..plain.clone()
    };
    check("slovenia_513_png16.png", &plain, expected("PNG"));
    check("slovenia_513.r16", &sized, expected("RAW16"));
    let (Some(png), Some(raw)) = (
        real_file("slovenia_513_png16.png"),
        real_file("slovenia_513.r16"),
    ) else {
        return;
    };
    let (png, raw) = (read(&png, &plain).terrain, read(&raw, &sized).terrain);
    assert_eq!(png, raw);

    // Both were made from a window of the lidar tile, to within half a step.
    let Some(lidar) = real_file("slovenia_lidar_1m_TM1_564_146.tif") else {
        return;
    };
    let crop = Some([200, 200, 513, 513]);
    let lidar = read(
        &lidar,
        &IngestOptions {
            crop,
            ..Default::default()
        },
    )
    .terrain;
    for (a, b) in png.heights().iter().zip(lidar.heights()) {
        assert!((a - b).abs() < 0.5 * 30.86 / 65535.0 + 5e-3, "{a} {b}");
    }
}

#[test]
fn counts_times_a_tenth_are_correctly_rounded() {
    let Some(path) = real_file("Gale_HRSC_DEM_50m_300x285.bin") else {
        return;
    };
    let counts = read_plainly(&path).terrain;
    let options = IngestOptions {
        vertical_scale: 0.1,
        ..Default::default()
    };
    let metres = read(&path, &options).terrain;
    assert!(
        counts
            .heights()
            .iter()
            .zip(metres.heights())
            .all(|(n, m)| n * 0.1 == *m)
    );
}

#[test]
fn the_demo_is_the_real_jacksboro() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let demo = read_plainly(&demo).terrain;
    assert_eq!((demo.samples(), range(&demo)), (138_632, [236.0, 1076.0]));
    let Some(real) = real_file("jacksboro_fault_dem.tif") else {
        return;
    };
    assert_eq!(demo, read_plainly(&real).terrain);
}
