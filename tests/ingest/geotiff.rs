//! GeoTIFF: kinds of samples and layout, place, units, voids.

use viewcell_ingest::IngestErrorKind::{Bad, Resource};
use viewcell_ingest::IngestOptions;

use super::tiff_builder::{Tiff, Value};
use super::{Files, read, read_plainly, refused};

const WIDTH: u32 = 37;
const HEIGHT: u32 = 21;

fn ramp() -> Vec<f64> {
    (0..WIDTH * HEIGHT)
        .map(|i| f64::from(i * 7 % 101))
        .collect()
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-5 * expected.abs(),
        "{found} {expected}"
    );
}

#[test]
fn every_kind_of_sample_and_layout_gives_the_same_heights() {
    let files = Files::new();
    let mut kinds = 0;
    for (format, bits) in [
        (1, 8),
        (1, 16),
        (1, 32),
        (1, 64),
        (2, 8),
        (2, 16),
        (2, 32),
        (2, 64),
        (3, 32),
        (3, 64),
    ] {
        for (compression, predictor) in [(1, 1), (8, 1), (8, 2), (8, 3)] {
            if (predictor == 3 && format != 3) || (predictor == 2 && format == 3) {
                continue;
            }
            for layout in 0..16 {
                let mut tiff = Tiff::new(WIDTH, HEIGHT, ramp());
                (tiff.format, tiff.bits) = (format, bits);
                (tiff.compression, tiff.predictor) = (compression, predictor);
                tiff.big_endian = layout & 1 != 0;
                tiff.big_tiff = layout & 2 != 0;
                tiff.tiled = layout & 4 != 0;
                tiff.rows_per_strip = if layout & 8 != 0 { 4 } else { HEIGHT };
                if format > 1 {
                    tiff.samples.iter_mut().for_each(|v| *v -= 50.0);
                }
                let path = files.write("a.tif", tiff.build());
                let ingested = read_plainly(&path);
                assert_eq!(ingested.format, "GeoTIFF");
                let terrain = ingested.terrain;
                assert_eq!((terrain.width(), terrain.height()), (WIDTH, HEIGHT));
                assert_eq!(
                    terrain.heights(),
                    tiff.samples,
                    "{format} {bits} {compression} {predictor} {layout}"
                );

                let crop = Some([15, 3, 18, 14]);
                let options = IngestOptions {
                    crop,
                    ..Default::default()
                };
                let part = read(&path, &options).terrain;
                for r in 0..14 {
                    for c in 0..18 {
                        assert_eq!(part.at(c, r), terrain.at(c + 15, r + 3));
                    }
                }
                kinds += 1;
            }
        }
    }
    assert_eq!(kinds, 16 * (8 * 3 + 2 * 3));
}

#[test]
fn white_is_zero_changes_no_height() {
    let files = Files::new();
    let tiff = Tiff::new(WIDTH, HEIGHT, ramp()).tag(262, Value::Short(vec![0]));
    assert_eq!(
        read_plainly(&files.write("a.tif", tiff.build()))
            .terrain
            .heights(),
        ramp()
    );
}

/// Projected, EPSG:32611, metres, with points at pixel corners.
fn utm() -> Vec<u16> {
    vec![
        1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32611, 3076, 0, 1, 9001,
    ]
}

fn placed(keys: Vec<u16>) -> Tiff {
    Tiff::new(WIDTH, HEIGHT, ramp())
        .tag(33550, Value::Double(vec![10.0, 20.0, 0.0]))
        .tag(33922, Value::Double(vec![0.0, 0.0, 0.0, 500.0, 900.0, 0.0]))
        .tag(34735, Value::Short(keys))
}

#[test]
fn scale_and_tie_point_place_the_raster_and_the_crop() {
    let files = Files::new();
    let path = files.write("a.tif", placed(utm()).build());
    let terrain = read_plainly(&path).terrain;
    assert_eq!(terrain.spacing(), [10.0, 20.0]);
    let place = terrain.georeference().unwrap();
    assert_eq!(place.crs, "EPSG:32611");
    assert_eq!(place.transform, [500.0, 10.0, 0.0, 900.0, 0.0, -20.0]);

    let options = IngestOptions {
        crop: Some([2, 3, 4, 5]),
        ..Default::default()
    };
    let terrain = read(&path, &options).terrain;
    let place = terrain.georeference().unwrap();
    assert_eq!(place.transform, [520.0, 10.0, 0.0, 840.0, 0.0, -20.0]);
}

#[test]
fn a_pixel_scale_that_is_no_scale_is_said_and_not_passed_over() {
    let files = Files::new();
    let with = |scale: [f64; 2], tie: f64| {
        let tiff = Tiff::new(WIDTH, HEIGHT, ramp())
            .tag(33550, Value::Double(vec![scale[0], scale[1], 0.0]))
            .tag(33922, Value::Double(vec![0.0, 0.0, 0.0, tie, 900.0, 0.0]))
            .tag(34735, Value::Short(utm()));
        files.write("a.tif", tiff.build())
    };
    let plain = IngestOptions::default();
    for (scale, found) in [
        ([f64::NAN, 20.0], "NaN, 20"),
        ([10.0, f64::INFINITY], "10, inf"),
        ([f64::NEG_INFINITY, 20.0], "-inf, 20"),
        ([10.0, 0.0], "10, 0"),
    ] {
        let error = refused(&with(scale, 500.0), &plain, Bad);
        assert_eq!(error.place(), Some("tag 33550 (ModelPixelScale)"));
        assert_eq!(error.found(), found);
    }
    let error = refused(&with([10.0, 20.0], f64::NAN), &plain, Bad);
    assert_eq!(error.place(), Some("tag 33922 (ModelTiepoint)"));
    // Short, however large.
    let error = refused(&with([1e308, 20.0], 500.0), &plain, Bad);
    assert!(error.to_string().len() < 300, "{error}");

    // Columns may run to the west, as GDAL has them. The sign of the second is left out, and that is said.
    let east = read_plainly(&with([10.0, 20.0], 500.0));
    let west = read_plainly(&with([-10.0, 20.0], 500.0));
    let eastwards = |row: &[f64]| row.iter().rev().copied().collect::<Vec<f64>>();
    let rows = west.terrain.heights().chunks(WIDTH as usize);
    assert_eq!(
        rows.flat_map(eastwards).collect::<Vec<_>>(),
        east.terrain.heights()
    );
    for (scale, right) in [([10.0, -20.0], &east), ([-10.0, -20.0], &west)] {
        let read = read_plainly(&with(scale, 500.0));
        assert_eq!(read.terrain, right.terrain);
        let words = format!("{} x {}", scale[0], scale[1]);
        let said = |note: &&String| note.contains("33550") && note.contains(&words);
        assert!(
            read.notes.iter().any(|note| said(&note)),
            "{:?}",
            read.notes
        );
        assert_eq!(read.notes.len(), right.notes.len() + 1);
    }
}

#[test]
fn points_at_pixel_centres_are_half_a_pixel_inside() {
    let mut keys = utm();
    keys[11] = 2;
    let files = Files::new();
    let terrain = read_plainly(&files.write("a.tif", placed(keys).build())).terrain;
    let place = terrain.georeference().unwrap();
    assert_eq!(place.transform, [495.0, 10.0, 0.0, 910.0, 0.0, -20.0]);
}

/// A raster placed by a transformation: x and y by column, by row, and of the first corner.
fn transformed([a, b, x, d, e, y]: [f64; 6]) -> Tiff {
    let mut matrix = vec![a, b, 0.0, x, d, e, 0.0, y];
    matrix.extend([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    Tiff::new(WIDTH, HEIGHT, ramp())
        .tag(34735, Value::Short(utm()))
        .tag(34264, Value::Double(matrix))
}

#[test]
fn a_raster_that_is_turned_out_of_the_north_is_refused() {
    let files = Files::new();
    for turned in [
        [3.0, 4.0, 100.0, 4.0, -3.0, 200.0],
        [0.0, 10.0, 100.0, 10.0, 0.0, 200.0],
    ] {
        let path = files.write("a.tif", transformed(turned).build());
        let error = refused(&path, &IngestOptions::default(), Bad);
        assert!(error.found().contains("turned by"), "{error}");
        assert!(error.remedy().contains("gdalwarp"), "{error}");
    }
    // Turned by less than a sample in all: nobody means that.
    let path = files.write(
        "a.tif",
        transformed([10.0, 1e-9, 100.0, 1e-9, -10.0, 200.0]).build(),
    );
    assert_eq!(read_plainly(&path).terrain.spacing(), [10.0, 10.0]);
}

#[test]
fn rows_from_south_to_north_are_turned_over_and_not_mirrored() {
    let files = Files::new();
    let north_up = files.write(
        "n.tif",
        transformed([10.0, 0.0, 500.0, 0.0, -20.0, 900.0]).build(),
    );
    let mut turned = transformed([
        10.0,
        0.0,
        500.0,
        0.0,
        20.0,
        900.0 - 20.0 * f64::from(HEIGHT),
    ]);
    turned.samples = ramp()
        .chunks(WIDTH as usize)
        .rev()
        .flatten()
        .copied()
        .collect();
    let south_up = files.write("s.tif", turned.build());
    let mut turned = transformed([
        -10.0,
        0.0,
        500.0 + 10.0 * f64::from(WIDTH),
        0.0,
        -20.0,
        900.0,
    ]);
    turned.samples = ramp()
        .chunks(WIDTH as usize)
        .flat_map(|row| row.iter().rev())
        .copied()
        .collect();
    let east_first = files.write("e.tif", turned.build());
    for crop in [None, Some([3, 2, 8, 7]), Some([0, 0, 1, 1])] {
        let options = IngestOptions {
            crop,
            ..Default::default()
        };
        let expected = read(&north_up, &options);
        assert!(!expected.notes.iter().any(|note| note.contains("turned")));
        for path in [&south_up, &east_first] {
            let found = read(path, &options);
            assert_eq!(found.terrain.heights(), expected.terrain.heights());
            assert_eq!(
                found.terrain.georeference(),
                expected.terrain.georeference()
            );
            assert!(found.notes.iter().any(|note| note.contains("turned over")));
        }
    }
}

/// The same keys, without the unit of length.
fn by_code(projected: u16, vertical: Option<u16>) -> Vec<u16> {
    let mut keys = vec![
        1, 1, 1, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, projected,
    ];
    if let Some(code) = vertical {
        keys[3] = 4;
        keys.extend([4096, 0, 1, code]);
    }
    keys
}

#[test]
fn feet_that_a_code_alone_names_are_not_taken_as_metres() {
    let files = Files::new();
    let foot = 1200.0 / 3937.0;
    let read_keys = |keys| read_plainly(&files.write("a.tif", placed(keys).build()));
    // NAD83(2011) / New Mexico Central (ftUS), with NAVD88 height (ftUS), with NAVD88 height, and alone.
    let ingested = read_keys(by_code(6529, Some(6360)));
    assert_eq!(ingested.terrain.spacing(), [10.0 * foot, 20.0 * foot]);
    assert_eq!(ingested.terrain.at(1, 0), 7.0 * foot);
    assert_eq!(read_keys(by_code(6529, Some(5703))).terrain.at(1, 0), 7.0);
    let alone = read_keys(by_code(6529, None));
    assert_eq!(alone.terrain.spacing(), [10.0 * foot, 20.0 * foot]);
    assert_eq!(alone.terrain.at(1, 0), 7.0);
    let asks =
        |note: &String| note.contains("no unit of height") && note.contains("`vertical_scale`");
    assert!(alone.notes.iter().any(asks), "{:?}", alone.notes);

    // UTM by its code is in metres; depths are below zero.
    let metres = read_keys(by_code(32611, Some(5715)));
    assert_eq!(metres.terrain.spacing(), [10.0, 20.0]);
    assert_eq!(metres.terrain.at(1, 0), -7.0);
    assert!(metres.notes.iter().any(|note| note.contains("depths")));

    // NAD83 in degrees, with NAVD88 height (ft).
    let mut keys = by_code(4269, Some(8228));
    (keys[7], keys[12]) = (2, 2048);
    let tie = Value::Double(vec![0.0, 0.0, 0.0, 0.0, 500.0, 0.0]);
    let scale = Value::Double(vec![0.1, 0.1, 0.0]);
    let mut tiff = placed(keys).tag(33550, scale).tag(33922, tie);
    tiff.tags.drain(..2);
    let path = files.write("a.tif", tiff.build());
    let options = IngestOptions {
        spacing: Some([9.0, 9.0]),
        ..Default::default()
    };
    assert_eq!(read(&path, &options).terrain.at(1, 0), 7.0 * 0.3048);
}

#[test]
fn a_code_that_is_not_known_is_said_with_what_to_give() {
    let files = Files::new();
    let path = files.write("a.tif", placed(by_code(1, None)).build());
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.found().contains("EPSG:1 "), "{error}");
    assert!(error.remedy().contains("`spacing`"), "{error}");
    // A vertical system is no projection.
    let path = files.write("a.tif", placed(by_code(5703, None)).build());
    refused(&path, &IngestOptions::default(), Bad);

    let path = files.write("a.tif", placed(by_code(32611, Some(1))).build());
    let notes = read_plainly(&path).notes;
    let said = |note: &String| note.contains("EPSG:1 ") && note.contains("`vertical_scale`");
    assert!(notes.iter().any(said), "{notes:?}");

    // A unit that the file gives counts, and what is odd about it is said.
    let mut keys = by_code(6529, None);
    keys[3] = 4;
    keys.extend([3076, 0, 1, 9001]);
    let ingested = read_plainly(&files.write("a.tif", placed(keys).build()));
    assert_eq!(ingested.terrain.spacing(), [10.0, 20.0]);
    assert!(ingested.notes.iter().any(|note| note.contains("EPSG:6529")));
}

#[test]
fn feet_become_metres() {
    let files = Files::new();
    for (code, metres) in [(9002, 0.3048), (9003, 1200.0 / 3937.0), (9036, 1000.0)] {
        let mut keys = utm();
        keys[19] = code;
        let terrain = read_plainly(&files.write("a.tif", placed(keys).build())).terrain;
        assert_eq!(terrain.spacing(), [10.0 * metres, 20.0 * metres]);
    }
    let mut keys = utm();
    keys[19] = 9999;
    let path = files.write("a.tif", placed(keys).build());
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.remedy().contains("`spacing`"));
    let options = IngestOptions {
        spacing: Some([2.0, 3.0]),
        ..Default::default()
    };
    assert_eq!(read(&path, &options).terrain.spacing(), [2.0, 3.0]);

    // Heights in feet: the vertical unit of the keys.
    let mut keys = utm();
    keys[3] = 5;
    keys.extend([4099, 0, 1, 9002]);
    let ingested = read_plainly(&files.write("a.tif", placed(keys).build()));
    assert_eq!(ingested.terrain.at(1, 0), 7.0 * 0.3048);
    assert!(
        ingested.notes.iter().any(|note| note.contains("0.3048")),
        "{:?}",
        ingested.notes
    );
}

#[test]
fn degrees_become_metres_on_the_ellipsoid_that_the_keys_name() {
    let geographic = |radius: f64, inverse_flattening: f64| {
        Tiff::new(WIDTH, HEIGHT, ramp())
            .tag(33550, Value::Double(vec![0.5, 0.25, 0.0]))
            // The centre row lies at latitude 60.
            .tag(
                33922,
                Value::Double(vec![0.0, HEIGHT.into(), 0.0, 0.0, 60.0 - 2.625, 0.0]),
            )
            .tag(
                34735,
                Value::Short(vec![
                    1, 1, 0, 5, 1024, 0, 1, 2, 2048, 0, 1, 32767, 2054, 0, 1, 9102, 2057, 34736, 1,
                    0, 2059, 34736, 1, 1,
                ]),
            )
            .tag(34736, Value::Double(vec![radius, inverse_flattening]))
    };
    let files = Files::new();
    let ingested =
        read_plainly(&files.write("a.tif", geographic(6_378_137.0, 298.257_223_563).build()));
    let [dx, dy] = ingested.terrain.spacing();
    near(dx, 55_800.0 / 2.0);
    near(dy, 111_412.0 / 4.0);
    assert!(
        ingested
            .notes
            .iter()
            .any(|note| note.contains("latitude 60")),
        "{:?}",
        ingested.notes
    );
    let mars = read_plainly(&files.write("a.tif", geographic(3_396_190.0, 0.0).build())).terrain;
    near(mars.spacing()[1], 3_396_190.0_f64.to_radians() / 4.0);
    near(mars.spacing()[0], 3_396_190.0_f64.to_radians() / 4.0);
}

#[test]
fn nodata_is_void_also_when_rounded_to_single_precision() {
    let files = Files::new();
    let mut tiff = Tiff::new(2, 2, vec![1.0, -3.402_823_466_385_288_6e38, f64::NAN, 4.0]);
    (tiff.format, tiff.bits) = (3, 32);
    let tiff = tiff.tag(42113, Value::Ascii("-3.40282346638529e+038"));
    let ingested = read_plainly(&files.write("a.tif", tiff.build()));
    assert_eq!(ingested.terrain.voids(), 2);
    assert!(
        ingested
            .notes
            .iter()
            .any(|note| note.contains("2 of 4 samples are void"))
    );

    // An option overrides the file's value; 4 is void now, and the file's is too low to be a height.
    let path = files.write("b.tif", tiff.build());
    let options = IngestOptions {
        nodata: Some(4.0),
        ..Default::default()
    };
    let error = refused(&path, &options, Bad);
    assert_eq!(error.place(), Some("sample (1, 0)"));
}

#[test]
fn the_files_scale_comes_before_the_options() {
    let metadata = "<GDALMetadata>\n<Item name=\"OFFSET\" sample=\"0\" role=\"offset\">5</Item>\n<Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.1</Item>\n</GDALMetadata>";
    let tiff = Tiff::new(2, 1, vec![3.0, 7.0]).tag(42112, Value::Ascii(metadata));
    let files = Files::new();
    let path = files.write("a.tif", tiff.build());
    assert_eq!(
        read_plainly(&path).terrain.heights(),
        [3.0 * 0.1 + 5.0, 7.0 * 0.1 + 5.0]
    );
    let options = IngestOptions {
        vertical_scale: 2.0,
        vertical_offset: -1.0,
        ..Default::default()
    };
    assert_eq!(
        read(&path, &options).terrain.at(1, 0),
        (7.0 * 0.1 + 5.0) * 2.0 - 1.0
    );
}

#[test]
fn a_tile_that_was_never_written_holds_nodata() {
    let mut tiff = Tiff::new(WIDTH, HEIGHT, ramp());
    tiff.tiled = true;
    let whole = tiff.build();
    let files = Files::new();
    let offsets = 8..8 + 6 * 512;
    let table: Vec<u32> = offsets.step_by(512).map(|o| o as u32).collect();
    let (mut sparse, mut counts) = (table, vec![512; 6]);
    (sparse[1], counts[1]) = (0, 0);
    let sparse = tiff
        .tag(324, Value::Long(sparse))
        .tag(325, Value::Long(counts))
        .tag(42113, Value::Ascii("9"));
    assert_eq!(whole[..8 + 6 * 512][8..], sparse.build()[8..8 + 6 * 512]);
    let terrain = read_plainly(&files.write("a.tif", sparse.build())).terrain;
    assert!(terrain.at(16, 0).is_nan() && terrain.at(31, 15).is_nan());
    assert_eq!(terrain.at(15, 0), ramp()[15]);
}

#[test]
fn lying_tables_and_headers_are_refused() {
    let files = Files::new();
    let sound = Tiff::new(WIDTH, HEIGHT, ramp());
    let default = IngestOptions::default();
    let bytes = WIDTH * HEIGHT * 2;
    let cases = [
        ("beyond the end", 273, Value::Long(vec![1 << 20]), Bad),
        (
            "before the start of time",
            273,
            Value::Long(vec![u32::MAX]),
            Bad,
        ),
        ("too many bytes", 279, Value::Long(vec![u32::MAX]), Bad),
        ("too few bytes", 279, Value::Long(vec![bytes - 1]), Bad),
        ("no bytes", 279, Value::Long(vec![0]), Bad),
        ("too many strips", 273, Value::Long(vec![8, 8]), Bad),
        ("no rows in a strip", 278, Value::Long(vec![0]), Bad),
        ("two bands", 277, Value::Short(vec![2]), Bad),
        ("complex", 339, Value::Short(vec![5]), Bad),
        ("a palette", 262, Value::Short(vec![3]), Bad),
        ("colour", 262, Value::Short(vec![2]), Bad),
        ("unknown compression", 259, Value::Short(vec![34887]), Bad),
        ("no columns", 256, Value::Long(vec![0]), Bad),
        (
            "more rows than strips",
            257,
            Value::Long(vec![4_000_000]),
            Resource,
        ),
        ("nodata that is no number", 42113, Value::Ascii("none"), Bad),
    ];
    for (what, tag, value, kind) in cases {
        let path = files.write("a.tif", sound.clone().tag(tag, value).build());
        let error = refused(&path, &default, kind);
        assert!(!error.found().contains("panic"), "{what}: {error}");
    }
    let huge = sound
        .clone()
        .tag(256, Value::Long(vec![70_000]))
        .tag(257, Value::Long(vec![70_000]));
    let path = files.write("a.tif", huge.build());
    let error = refused(&path, &default, Resource);
    assert!(error.expected().contains("67125249") && error.remedy().contains("`max_samples`"));
    // The limit raised, the file is still what it is.
    let raised = IngestOptions {
        max_samples: u64::MAX,
        ..Default::default()
    };
    refused(&path, &raised, Bad);
    // And a crop of it is within the limit, but not within the file.
    let crop = IngestOptions {
        crop: Some([60_000, 60_000, 10, 10]),
        ..Default::default()
    };
    refused(&path, &crop, Bad);
}

#[cfg(not(feature = "gdal"))]
#[test]
fn what_gdal_would_read_says_how_to_get_it() {
    let files = Files::new();
    for (tag, value) in [(258, 12), (259, 34887), (259, 7), (317, 3)] {
        let tiff = Tiff::new(WIDTH, HEIGHT, ramp()).tag(tag, Value::Short(vec![value]));
        let path = files.write("a.tif", tiff.build());
        let error = refused(&path, &IngestOptions::default(), Bad);
        assert!(
            error.place().unwrap().contains(&format!("{tag}")),
            "{error}"
        );
        assert!(error.remedy().contains("feature gdal"), "{error}");
        assert!(error.remedy().contains("gdal_translate"), "{error}");
    }
}

#[test]
fn a_predictor_without_compression_means_nothing() {
    let files = Files::new();
    let tiff = Tiff::new(WIDTH, HEIGHT, ramp()).tag(317, Value::Short(vec![2]));
    let terrain = read_plainly(&files.write("a.tif", tiff.build())).terrain;
    assert_eq!(terrain.heights(), ramp());
}

#[test]
fn tiles_larger_than_memory_are_refused() {
    let files = Files::new();
    for predictor in [1, 3] {
        let mut tiff = Tiff::new(3, 3, vec![1.0; 9]);
        (tiff.format, tiff.bits, tiff.tiled) = (3, 32, true);
        (tiff.compression, tiff.predictor) = (8, predictor);
        let tiff = tiff
            .tag(322, Value::Long(vec![1 << 31]))
            .tag(323, Value::Long(vec![1 << 31]));
        let path = files.write("a.tif", tiff.build());
        refused(&path, &IngestOptions::default(), Resource);
        // Nor does a limit out of reach make it an abort.
        let raised = IngestOptions {
            max_samples: u64::MAX,
            ..Default::default()
        };
        refused(&path, &raised, Resource);
    }
}

#[test]
fn what_a_mask_leaves_out_is_void() {
    let files = Files::new();
    let is_there = |i: usize| !i.is_multiple_of(7) && i < 700;
    let count = (WIDTH * HEIGHT) as usize;
    let expected: Vec<f64> = ramp()
        .into_iter()
        .enumerate()
        .map(|(i, v)| if is_there(i) { v } else { f64::NAN })
        .collect();
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let crop = Some([13, 3, 18, 14]);
    let options = IngestOptions {
        crop,
        ..Default::default()
    };
    let check = |path: &std::path::Path| {
        let ingested = read_plainly(path);
        assert_eq!(bits(ingested.terrain.heights()), bits(&expected));
        assert!(ingested.notes.iter().any(|note| note.contains("mask")));
        let part = read(path, &options).terrain;
        for (r, c) in (0..14).flat_map(|r| (0..18).map(move |c| (r, c))) {
            let there = expected[((r + 3) * WIDTH + c + 13) as usize];
            assert_eq!(part.at(c, r).to_bits(), there.to_bits(), "{c} {r}");
        }
    };
    let mask = Tiff::mask(WIDTH, HEIGHT, (0..count).map(is_there).collect());
    for layout in 0..4 {
        let mut tiff = Tiff::new(WIDTH, HEIGHT, ramp());
        let mut mask = mask.clone();
        for image in [&mut tiff, &mut mask] {
            image.tiled = layout & 1 != 0;
            image.big_tiff = layout & 2 != 0;
            image.rows_per_strip = 5;
        }
        tiff.next = Some(Box::new(mask));
        check(&files.write("a.tif", tiff.build()));
    }
    // In a file beside, with a byte a sample.
    let path = files.write("b.tif", Tiff::new(WIDTH, HEIGHT, ramp()).build());
    let samples = (0..count).map(|i| if is_there(i) { 255.0 } else { 0.0 });
    let mut beside = Tiff::new(WIDTH, HEIGHT, samples.collect());
    beside.bits = 8;
    files.write("b.tif.msk", beside.build());
    check(&path);

    // Of another size it masks nothing, and says so.
    files.write("b.tif.msk", Tiff::mask(8, 8, vec![true; 64]).build());
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.path().ends_with("b.tif.msk"), "{error}");
    // An overview's mask is none of the raster's.
    let mut tiff = Tiff::new(WIDTH, HEIGHT, ramp());
    let mut overview = Tiff::mask(8, 8, vec![false; 64]).tag(254, Value::Long(vec![5]));
    overview.tags.remove(0);
    tiff.next = Some(Box::new(overview));
    let path = files.write("c.tif", tiff.build());
    assert_eq!(read_plainly(&path).terrain.heights(), ramp());
}

#[test]
fn lzma_is_unpacked_and_damage_in_it_is_refused() {
    // Of GDAL: gdal_translate -ot Int16 -co COMPRESS=LZMA -co PROFILE=BASELINE, its one strip.
    const STRIP: &str = "fd377a585a000000ff12d94102010301002101167920c4eee0005f004b5d007b025bba06acf2dcb5b0f87b69b2\
                         76a2390482edf1acc420f5b6de3e22c0e4bd893223fddf09c2362320938d05fee542285c534c68f365e01aa4781\
                         820a5fe5ebf99708a2b89abcff55700000000015f60e895175006729e7a010000000000595a";
    let strip: Vec<u8> = (0..STRIP.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&STRIP[i..i + 2], 16).unwrap())
        .collect();
    // The strip lies at the end of the file, where the table is made to point.
    let tiff = |strip: &[u8]| {
        let mut tiff = Tiff::new(16, 3, vec![0.0; 48])
            .tag(259, Value::Short(vec![34925]))
            .tag(273, Value::Long(vec![8]))
            .tag(279, Value::Long(vec![128]));
        tiff.format = 2;
        let mut bytes = tiff.build();
        let at = bytes.len() as u32;
        let count_of_entry = bytes
            .windows(8)
            .position(|w| w == [17, 1, 4, 0, 1, 0, 0, 0])
            .unwrap();
        bytes[count_of_entry + 8..][..4].copy_from_slice(&at.to_le_bytes());
        bytes.extend(strip);
        bytes
    };
    let files = Files::new();
    let heights = read_plainly(&files.write("a.tif", tiff(&strip))).terrain;
    for (c, r) in (0..16).flat_map(|c| (0..3).map(move |r| (c, r))) {
        assert_eq!(heights.at(c, r), f64::from(c * 7 % 31 + r) - 10.0);
    }
    for byte in 0..strip.len() {
        let mut damaged = strip.clone();
        damaged[byte] ^= 0x55;
        // Nothing but an error, or heights; padding and checksums that are not read do no harm.
        let path = files.write("b.tif", tiff(&damaged));
        let _ = viewcell_ingest::read_terrain(&path, &IngestOptions::default());
    }
}

/// With GDAL they fall to it.
#[test]
#[cfg(not(feature = "gdal"))]
fn compressions_that_are_not_unpacked_are_named_with_the_command_that_does() {
    let files = Files::new();
    for (code, name) in [
        (34887, "LERC"),
        (7, "JPEG"),
        (50001, "WebP"),
        (50002, "JPEG XL"),
    ] {
        let tiff = Tiff::new(WIDTH, HEIGHT, ramp()).tag(259, Value::Short(vec![code]));
        let error = refused(
            &files.write("a.tif", tiff.build()),
            &IngestOptions::default(),
            Bad,
        );
        assert_eq!(error.found(), format!("{name} ({code})"));
        assert!(error.remedy().contains("gdal_translate INPUT OUT.tif"));
    }
}
