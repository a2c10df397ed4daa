//! Small files of each format, cut short anywhere or with any byte changed: an answer or an
//! error, never a panic.

use std::path::Path;

use proptest::prelude::*;
use viewcell_ingest::{IngestOptions, read_terrain};

use super::Files;
use super::formats::{ASC, envi_header, grey8, grey16, png};
use super::tiff_builder::{Tiff, Value};

/// A limit at which even a header that declares much is soon dealt with.
fn modest() -> IngestOptions {
    IngestOptions {
        max_samples: 100_000,
        ..Default::default()
    }
}

/// Reads every prefix of a file, which must fail where `whole` says that all bytes are needed,
/// and the file with each of its bytes changed in several ways.
fn damage(
    files: &Files,
    name: &str,
    bytes: &[u8],
    read: &Path,
    options: &IngestOptions,
    whole: bool,
) {
    files.write(name, bytes);
    if let Err(error) = read_terrain(read, options) {
        panic!("not sound: {error}");
    }
    for length in 0..bytes.len() {
        files.write(name, &bytes[..length]);
        let result = read_terrain(read, options);
        assert!(
            !whole || result.is_err(),
            "{name}: {length} of {} bytes",
            bytes.len()
        );
    }
    let mut changed = bytes.to_vec();
    for place in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff, bytes[place]] {
            changed[place] = bytes[place] ^ mask;
            files.write(name, &changed);
            if let Err(error) = read_terrain(read, options) {
                assert!(!error.to_string().is_empty());
            }
        }
        changed[place] = bytes[place];
    }
    files.write(name, bytes);
}

/// As [`damage`], for a file that stands alone and whose last byte matters.
fn damage_alone(name: &str, bytes: &[u8], options: &IngestOptions) {
    let files = Files::new();
    damage(
        &files,
        name,
        bytes,
        &files.0.path().join(name),
        options,
        true,
    );
}

/// A small GeoTIFF with all kinds of tags: big or not, tiled or not, of either byte order.
fn geotiff(variant: u32) -> Vec<u8> {
    let mut tiff = Tiff::new(18, 17, (0..18 * 17).map(f64::from).collect());
    tiff.big_tiff = variant & 1 != 0;
    tiff.tiled = variant & 2 != 0;
    tiff.big_endian = variant & 4 != 0;
    tiff.rows_per_strip = 5;
    (tiff.format, tiff.bits) = (3, 32);
    (tiff.compression, tiff.predictor) = (8, 3);
    let keys = vec![1, 1, 0, 2, 1024, 0, 1, 1, 3073, 34737, 2, 0];
    tiff.tag(33550, Value::Double(vec![1.0, 1.0, 0.0]))
        .tag(33922, Value::Double(vec![0.0; 6]))
        .tag(34735, Value::Short(keys))
        .tag(34737, Value::Ascii("p|"))
        .tag(42113, Value::Ascii("-9999"))
        .build()
}

#[test]
fn tiffs() {
    for variant in 0..8 {
        damage_alone("a.tif", &geotiff(variant), &modest());
    }
    let plain = Tiff::new(5, 3, vec![1.0; 15]).build();
    damage_alone("a.tif", &plain, &modest());
}

#[test]
fn pngs() {
    let files = Files::new();
    let read = files.0.path().join("a.png");
    // Decoders need not see the last chunk, IEND.
    damage(&files, "a.png", &png(grey8(9, 5)), &read, &modest(), false);
    damage(&files, "a.png", &png(grey16(9, 5)), &read, &modest(), false);
}

#[test]
fn raw16_and_ascii() {
    let options = IngestOptions {
        size: Some([4, 3]),
        ..modest()
    };
    damage_alone("a.r16", &[7; 24], &options);
    let files = Files::new();
    // A shorter last number is still a number.
    damage(
        &files,
        "a.asc",
        ASC.as_bytes(),
        &files.0.path().join("a.asc"),
        &modest(),
        false,
    );
}

#[test]
fn envi() {
    let files = Files::new();
    files.write("a.bin", [7; 10]);
    let header = files.0.path().join("a.hdr");
    damage(
        &files,
        "a.hdr",
        envi_header(1, 0).as_bytes(),
        &header,
        &modest(),
        false,
    );
    files.write("a.hdr", envi_header(1, 0));
    damage(&files, "a.bin", &[7; 10], &header, &modest(), true);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Several changes at once, as one byte seldom gets past all checks.
    #[test]
    fn several_bytes(
        which in 0_u32..11,
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![Just(0), Just(1), Just(0xff), any::<u8>()]), 1..8),
    ) {
        let (name, mut bytes) = match which {
            0..8 => ("a.tif", geotiff(which)),
            8 => ("a.png", png(grey16(9, 5))),
            9 => ("a.asc", ASC.into()),
            _ => ("a.hdr", envi_header(1, 0).into()),
        };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let files = Files::new();
        files.write("a.bin", [7; 10]);
        let path = files.write(name, bytes);
        if let Ok(ingested) = read_terrain(&path, &modest()) {
            prop_assert!(ingested.terrain.samples() <= 100_000);
        }
    }
}
