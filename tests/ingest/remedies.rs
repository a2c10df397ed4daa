//! Commands of GDAL's that errors advise, typed on an input of the kind that is refused.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use viewcell_ingest::IngestOptions;
use viewcell_ingest::world::Terrain;

use super::tiff_builder::{Tiff, Value};
use super::{Files, read_plainly};

/// Whether GDAL's programs are here; said where not.
fn has_gdal() -> bool {
    let has = |program: &str| Command::new(program).arg("--help").output().is_ok();
    let all = ["gdal_translate", "gdalwarp", "gdal_calc.py"]
        .iter()
        .all(|program| has(program));
    if !all {
        writeln!(
            std::io::stderr(),
            "skipped: remedies, for GDAL's programs are not here"
        )
        .ok();
    }
    all
}

/// Reads a file that is refused, checks that the error advises a command, types it with what stands for names and numbers
/// replaced, and reads what comes out.
fn follow(files: &Files, input: &Path, command: &str, with: &[(&str, &str)]) -> Terrain {
    let Err(error) = viewcell_ingest::read_terrain(input, &IngestOptions::default()) else {
        panic!("{}: was not refused", input.display());
    };
    let remedy = error.remedy();
    assert!(remedy.contains(command), "{error}");
    let output = files.0.path().join(if command.contains("OUT.png") {
        "out.png"
    } else {
        "out.tif"
    });
    let mut typed = command.to_owned();
    for (name, value) in with {
        typed = typed.replace(name, value);
    }
    for (name, path) in [
        ("OUT.tif", &output),
        ("OUT.png", &output),
        ("INPUT", &input.to_path_buf()),
    ] {
        typed = typed.replace(name, path.to_str().unwrap());
    }
    let done = Command::new("sh").arg("-c").arg(&typed).output().unwrap();
    assert!(
        done.status.success(),
        "{typed}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let read = if output.exists() { &output } else { input };
    let terrain = read_plainly(read).terrain;
    let _ = std::fs::remove_file(&output);
    terrain
}

fn save(files: &Files, image: image::DynamicImage) -> PathBuf {
    let path = files.write("a.png", []);
    image.save(&path).unwrap();
    path
}

#[test]
fn a_band_is_taken_out_with_the_voids_of_alpha() {
    if !has_gdal() {
        return;
    }
    let files = Files::new();
    let bands = |extra: Vec<u16>| {
        let pixels = (0..12).flat_map(|i| [f64::from(i), 7.0, if i == 5 { 0.0 } else { 255.0 }]);
        let mut tiff = Tiff::new(4, 3, pixels.collect())
            .tag(277, Value::Short(vec![3]))
            .tag(258, Value::Short(vec![16; 3]))
            .tag(339, Value::Short(vec![1; 3]))
            .tag(338, Value::Short(extra));
        tiff.bands = 3;
        files.write("a.tif", tiff.build())
    };
    let path = bands(vec![0, 0]);
    let terrain = follow(
        &files,
        &path,
        "gdal_translate -b N INPUT OUT.tif",
        &[("-b N", "-b 1")],
    );
    assert_eq!([terrain.voids(), terrain.at(3, 2) as usize], [0, 11]);
    let path = bands(vec![0, 2]);
    let terrain = follow(
        &files,
        &path,
        "gdal_translate -b N -mask 3 INPUT OUT.tif",
        &[("-b N", "-b 1")],
    );
    assert!(terrain.voids() == 1 && terrain.at(1, 1).is_nan());
}

#[test]
fn encoded_heights_are_decoded() {
    if !has_gdal() {
        return;
    }
    let files = Files::new();
    let heights = [0.0, 8848.0, -10.5, 300.25];
    let terrarium = |h: f64| {
        let n = ((h + 32_768.0) * 256.0) as u32;
        [(n >> 16) as u8, (n >> 8) as u8, n as u8]
    };
    let mapbox = |h: f64| {
        let n = ((h + 10_000.0) * 10.0).round() as u32;
        [(n >> 16) as u8, (n >> 8) as u8, n as u8]
    };
    let calc = "gdal_calc.py -A INPUT --A_band=1 -B INPUT --B_band=2 -C INPUT --C_band=3 --type=Float32 \
                --outfile=OUT.tif --calc=\"A*256.+B+C/256.-32768\"";
    let other = "--calc=\"(A*65536.+B*256.+C)/10.-10000\"";
    let own = "--calc=\"A*256.+B+C/256.-32768\"";
    let rgb = |encode: &dyn Fn(f64) -> [u8; 3]| heights.iter().flat_map(|h| encode(*h)).collect();
    for (pixels, with, most) in [
        (rgb(&terrarium), vec![], 0.01),
        (rgb(&mapbox), vec![(own, other)], 0.06),
    ] {
        let image = image::RgbImage::from_raw(2, 2, pixels).unwrap();
        let path = save(&files, image.clone().into());
        let refused = viewcell_ingest::read_terrain(&path, &IngestOptions::default()).unwrap_err();
        assert!(refused.remedy().contains(other), "{refused}");
        for image in [
            image.clone().into(),
            image::DynamicImage::from(image).to_rgba8().into(),
        ] {
            let path = save(&files, image);
            let terrain = follow(&files, &path, calc, &with);
            for (found, due) in terrain.heights().iter().zip(heights) {
                assert!((found - due).abs() < most, "{found} {due}");
            }
        }
    }
}

#[test]
fn palettes_and_greys_of_few_bits_are_unpacked() {
    if !has_gdal() {
        return;
    }
    let files = Files::new();
    let ramp: Vec<u16> = (0..3).flat_map(|_| (0..=255).map(|i| i * 257)).collect();
    let mut tiff = Tiff::new(4, 3, (0..12).map(f64::from).collect())
        .tag(262, Value::Short(vec![3]))
        .tag(320, Value::Short(ramp));
    tiff.bits = 8;
    let path = files.write("a.tif", tiff.build());
    let command = "gdal_translate -expand gray INPUT OUT.tif";
    assert_eq!(follow(&files, &path, command, &[]).at(3, 2), 11.0);
    // A PNG of it, as GDAL writes that.
    let png = files.0.path().join("p.png");
    let made = Command::new("gdal_translate")
        .args(["-q", "-of", "PNG"])
        .arg(&path)
        .arg(&png)
        .output();
    assert!(made.unwrap().status.success());
    assert_eq!(follow(&files, &png, command, &[]).at(3, 2), 11.0);
    // Greys of 4 bits.
    tiff = Tiff::new(4, 3, (0..12).map(f64::from).collect());
    let plain = files.write("g.tif", tiff.build());
    let png = files.0.path().join("g.png");
    let made = Command::new("gdal_translate")
        .args(["-q", "-of", "PNG", "-ot", "Byte", "-co", "NBITS=4"])
        .args([&plain, &png])
        .output();
    assert!(made.unwrap().status.success());
    let command = "gdal_translate -ot UInt16 INPUT OUT.png";
    assert_eq!(follow(&files, &png, command, &[]).at(3, 2), 11.0);
}

#[test]
fn rasters_that_are_turned_or_placed_by_nothing_are_mended() {
    if !has_gdal() {
        return;
    }
    let files = Files::new();
    let tiff = Tiff::new(4, 3, (0..12).map(f64::from).collect());
    let turned = [
        10.0, 3.0, 0.0, 500.0, 3.0, -10.0, 0.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let path = files.write(
        "a.tif",
        tiff.clone()
            .tag(34264, Value::Double(turned.to_vec()))
            .build(),
    );
    let terrain = follow(&files, &path, "gdalwarp INPUT OUT.tif", &[]);
    assert!(
        (terrain.spacing()[0] - 10.44).abs() < 0.1,
        "{:?}",
        terrain.spacing()
    );
    let zero = tiff
        .tag(33550, Value::Double(vec![0.0, 0.0, 0.0]))
        .tag(33922, Value::Double(vec![0.0, 0.0, 0.0, 500.0, 900.0, 0.0]));
    let path = files.write("a.tif", zero.build());
    let command = "gdal_translate -a_ullr ULX ULY LRX LRY INPUT OUT.tif";
    let terrain = follow(
        &files,
        &path,
        command,
        &[("ULX ULY LRX LRY", "500 900 540 870")],
    );
    assert_eq!(terrain.spacing(), [10.0, 10.0]);
    let command = "gdal_translate -co PROFILE=BASELINE INPUT OUT.tif";
    assert_eq!(follow(&files, &path, command, &[]).at(3, 2), 11.0);
}

#[test]
fn numbers_and_masks_that_cannot_be_read_are_written_again() {
    if !has_gdal() {
        return;
    }
    let files = Files::new();
    let tiff = Tiff::new(4, 3, (0..12).map(f64::from).collect());
    let metadata =
        "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">2,5</Item></GDALMetadata>";
    let path = files.write(
        "a.tif",
        tiff.clone().tag(42112, Value::Ascii(metadata)).build(),
    );
    let command = "gdal_translate -a_scale 1 -a_offset 0 INPUT OUT.tif";
    let terrain = follow(&files, &path, command, &[("-a_scale 1", "-a_scale 2.5")]);
    assert_eq!(terrain.at(3, 2), 27.5);

    let files = Files::new();
    let path = files.write("a.tif", tiff.build());
    let there = (0..12).map(|i| if i == 5 { 0.0 } else { 255.0 });
    let flags = "<GDALMetadata><Item name=\"INTERNAL_MASK_FLAGS_1\">2</Item></GDALMetadata>";
    let mask = Tiff::new(4, 3, there.collect()).tag(42112, Value::Ascii(flags));
    files.write("a.tif.msk", mask.build());
    let command = "gdal_translate -co COMPRESS=DEFLATE INPUT OUT.tif";
    let terrain = follow(&files, &path, command, &[]);
    assert!(terrain.voids() == 1 && terrain.at(1, 1).is_nan());
}
