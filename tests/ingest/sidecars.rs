//! Files beside a raster: which belong to it, what is read of them, and what is wrong with them.

use std::path::{Path, PathBuf};

use viewcell_ingest::IngestErrorKind::Bad;
use viewcell_ingest::{IngestOptions, terrain_files};

use super::tiff_builder::{Tiff, Value};
use super::{Files, read, read_plainly, refused};

const WORLD: &str = "10 0 0 -10 1005 1995";

fn tiff() -> Vec<u8> {
    Tiff::new(4, 3, (0..12).map(f64::from).collect()).build()
}

fn png(files: &Files) -> Vec<u8> {
    let path = files.write("made.png", []);
    let pixels = (0..12).map(|i| i * 10).collect();
    image::GrayImage::from_raw(4, 3, pixels)
        .unwrap()
        .save(&path)
        .unwrap();
    std::fs::read(path).unwrap()
}

fn pam(inside: &str) -> String {
    format!("<PAMDataset><PAMRasterBand band=\"1\">{inside}</PAMRasterBand></PAMDataset>")
}

fn names(path: &Path) -> Vec<String> {
    let files = terrain_files(path).into_iter();
    let name = |file: PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    files.map(name).collect()
}

/// One row for each kind of file beside each format.
#[test]
fn every_file_beside_a_raster_that_is_read_is_listed() {
    const ENVI: &str = "ENVI\nsamples = 4\nlines = 3\ndata type = 1\n";
    const ESRI: &str = "NROWS 3\nNCOLS 4\nNBITS 8\n";
    let samples = (0..12).collect::<Vec<u8>>();
    let grid = "ncols 2\nnrows 1\ncellsize 5\n1 2\n";
    let files = Files::new();
    let picture = png(&files);
    for (name, bytes, beside, also) in [
        (
            "a.tif",
            tiff(),
            vec!["a.tfw", "a.prj", "a.tif.aux.xml", "a.tif.msk"],
            "a.tif.ovr",
        ),
        ("a.tif", tiff(), vec!["a.TFW"], "a.pgw"),
        ("a.tiff", tiff(), vec!["a.tiffw", "a.PRJ"], "a.hdr.xml"),
        ("a.TIF", tiff(), vec!["a.TIFW"], "a.ovr"),
        ("a.tif", tiff(), vec!["a.WLD"], "b.tfw"),
        ("a.tif", tiff(), vec!["a.Tfw", "A.tif.Aux.xml"], "b.tif.msk"),
        (
            "a.png",
            picture.clone(),
            vec!["a.pgw", "a.prj", "a.png.aux.xml", "a.png.msk"],
            "a.jgw",
        ),
        ("a.png", picture, vec!["a.wld"], "a.png.wld"),
        (
            "a.asc",
            grid.into(),
            vec!["a.prj", "a.asc.aux.xml", "a.asc.msk"],
            "a.wld",
        ),
        (
            "a.bin",
            samples.clone(),
            vec!["a.hdr", "a.prj", "a.bin.aux.xml"],
            "a.wld",
        ),
        ("a.dat", samples.clone(), vec!["a.dat.hdr"], "a.sta"),
        (
            "a.bil",
            samples,
            vec!["a.hdr", "a.prj", "a.bil.aux.xml", "a.bil.MSK"],
            "a.stx",
        ),
    ] {
        let files = Files::new();
        let path = files.write(name, &bytes);
        for sidecar in beside.iter().chain([&also]) {
            let text = match *sidecar {
                name if name.ends_with("hdr") && path.extension().unwrap() == "bil" => ESRI,
                name if name.ends_with("hdr") => ENVI,
                _ => WORLD,
            };
            files.write(sidecar, text);
        }
        let mut due = vec![name];
        due.extend(beside);
        assert_eq!(names(&path), due);
    }
    // What is named may be the header.
    let files = Files::new();
    files.write("a.bin", (0..12).collect::<Vec<u8>>());
    files.write("a.bin.aux.xml", pam("<Scale>2</Scale>"));
    let header = files.write("a.hdr", ENVI);
    assert_eq!(names(&header), ["a.hdr", "a.bin", "a.bin.aux.xml"]);
    assert_eq!(read_plainly(&header).terrain.at(3, 0), 6.0);
    // What is no raster is alone.
    let files = Files::new();
    assert_eq!(names(&files.write("a.obj", "v 0 0 0\n")), ["a.obj"]);
}

#[test]
fn what_pam_says_is_read_whole() {
    let files = Files::new();
    let path = files.write("a.tif", tiff());
    let written = |text: &str| {
        files.write("a.tif.aux.xml", text);
        read_plainly(&path)
    };
    for (nodata, voids) in [
        ("<NoDataValue>7</NoDataValue>", 1),
        ("<NoDataValue> 7.0 </NoDataValue>", 1),
        (
            r#"<NoDataValue le_hex_equiv="0000000000001C40">6.9</NoDataValue>"#,
            1,
        ),
        ("<NoDataValue>nan</NoDataValue>", 0),
        ("<NoDataValue>-inf</NoDataValue>", 0),
        ("<NoDataValue>-1.#IND</NoDataValue>", 0),
        ("<NoDataValue>0x7</NoDataValue>", 1),
        ("<NoDataValue></NoDataValue>", 0),
    ] {
        let terrain = written(&pam(nodata)).terrain;
        assert_eq!(terrain.voids(), voids, "{nodata}");
    }
    // Nodata is a value as stored, before scale and offset.
    let scaled =
        pam("<NoDataValue>7</NoDataValue><Offset unit=\"m\">1</Offset><Scale  of=\"x\">3</Scale>");
    let terrain = written(&scaled).terrain;
    assert_eq!(terrain.voids(), 1);
    assert!(terrain.at(3, 1).is_nan());
    assert_eq!(terrain.at(2, 0), 7.0);
    let read = written(&format!(
        "<?xml version=\"1.0\"?><PAMDataset><GeoTransform>1000, 5, 0, 2000, 0, -5</GeoTransform>\
         {}</PAMDataset>",
        r#"<PAMRasterBand band="2"><Scale>9</Scale></PAMRasterBand><PAMRasterBand band="1"><UnitType>ft</UnitType></PAMRasterBand>"#
    ));
    assert_eq!(
        read.terrain.georeference().unwrap().transform,
        [1000.0, 5.0, 0.0, 2000.0, 0.0, -5.0]
    );
}

#[test]
fn a_number_of_pam_that_cannot_be_read_is_an_error() {
    let files = Files::new();
    let path = files.write("a.tif", tiff());
    for (inside, element) in [
        ("<Scale>2,5</Scale>", "Scale"),
        ("<Scale>nan</Scale>", "Scale"),
        ("<Scale>0</Scale>", "Scale"),
        ("<Scale>inf</Scale>", "Scale"),
        ("<Scale unit=\"m\">1.5 m</Scale>", "Scale"),
        ("<Offset>abc</Offset>", "Offset"),
        ("<Offset>-nan</Offset>", "Offset"),
        ("<NoDataValue>none</NoDataValue>", "NoDataValue"),
        (
            "<NoDataValue le_hex_equiv=\"12\">7</NoDataValue>",
            "NoDataValue",
        ),
    ] {
        files.write("a.tif.aux.xml", pam(inside));
        let error = refused(&path, &IngestOptions::default(), Bad);
        assert!(error.path().ends_with("a.tif.aux.xml"), "{error}");
        assert_eq!(
            error.place(),
            Some(&*format!("element {element}")),
            "{error}"
        );
    }
    for text in [
        "<PAMDataset><GeoTransform>1, 2, 3</GeoTransform></PAMDataset>",
        "<PAMDataset><Scale>",
    ] {
        files.write("a.tif.aux.xml", text);
        let error = refused(&path, &IngestOptions::default(), Bad);
        assert!(error.path().ends_with("a.tif.aux.xml"), "{error}");
    }
    // An option says it better.
    files.write("a.tif.aux.xml", pam("<NoDataValue>none</NoDataValue>"));
    let options = IngestOptions {
        nodata: Some(3.0),
        ..Default::default()
    };
    assert_eq!(read(&path, &options).terrain.voids(), 1);
}

#[test]
fn numbers_of_an_envi_header_that_cannot_be_read_are_errors() {
    let files = Files::new();
    let path = files.write("a.bin", (0..12).collect::<Vec<u8>>());
    let header = |more: &str| {
        files.write(
            "a.hdr",
            format!("ENVI\nsamples = 4\nlines = 3\ndata type = 1\n{more}\n"),
        );
    };
    for key in [
        "data gain values",
        "data offset values",
        "data ignore value",
    ] {
        for value in ["{abc}", "{2,5 m}", "{}"] {
            // Of a list the first counts, but of it all.
            if (key, value) != ("data ignore value", "{2,5 m}") && value == "{2,5 m}" {
                continue;
            }
            header(&format!("{key} = {value}"));
            let error = refused(&path, &IngestOptions::default(), Bad);
            assert_eq!(error.place(), Some(&*format!("key {key:?}")), "{error}");
            assert!(error.path().ends_with("a.hdr"), "{error}");
        }
    }
    header("data gain values = {2}\ndata offset values = {1, 4}\ndata ignore value = -1.#IND");
    assert_eq!(read_plainly(&path).terrain.at(3, 0), 7.0);
}

/// A second band that is alpha makes void where it is 0, interleaved or apart, striped or tiled.
#[test]
fn alpha_of_a_tiff_makes_void() {
    let files = Files::new();
    let (width, height) = (37_u32, 21_u32);
    let heights: Vec<f64> = (0..width * height).map(|i| f64::from(i % 91)).collect();
    let alpha = |i: usize| if i.is_multiple_of(5) { 0.0 } else { 255.0 };
    let pixels: Vec<f64> = (0..)
        .zip(&heights)
        .flat_map(|(i, h)| [*h, alpha(i)])
        .collect();
    for (bits, format) in [(16, 1), (32, 3), (16, 3)] {
        for (compression, predictor) in [(1, 1), (8, 1), (8, 2), (8, 3)] {
            if predictor == 3 && format != 3 || predictor == 2 && format == 3 {
                continue;
            }
            for layout in 0..8 {
                let mut tiff = Tiff::new(width, height, pixels.clone())
                    .tag(277, Value::Short(vec![2]))
                    .tag(258, Value::Short(vec![bits, bits]))
                    .tag(339, Value::Short(vec![format, format]))
                    .tag(338, Value::Short(vec![1 + (layout & 1)]));
                tiff.bands = 2;
                (tiff.bits, tiff.format) = (bits, format);
                (tiff.compression, tiff.predictor) = (compression, predictor);
                tiff.big_endian = layout & 2 != 0;
                tiff.tiled = layout & 4 != 0;
                tiff.rows_per_strip = 4;
                let terrain = read_plainly(&files.write("a.tif", tiff.build())).terrain;
                for (i, (found, due)) in terrain.heights().iter().zip(&heights).enumerate() {
                    let is_void = i % 5 == 0;
                    assert_eq!(
                        found.is_nan(),
                        is_void,
                        "{bits} {format} {compression} {predictor} {layout}: {i}"
                    );
                    assert!(
                        is_void || found == due,
                        "{bits} {format} {predictor} {layout}: {i}: {found} {due}"
                    );
                }
            }
        }
    }
    // A second band that is not alpha is not read.
    let mut tiff = Tiff::new(4, 3, vec![1.0; 24])
        .tag(277, Value::Short(vec![2]))
        .tag(258, Value::Short(vec![16, 16]))
        .tag(338, Value::Short(vec![0]));
    tiff.bands = 2;
    let error = refused(
        &files.write("a.tif", tiff.build()),
        &IngestOptions::default(),
        Bad,
    );
    assert_eq!(error.place(), Some("tag 277 (SamplesPerPixel)"), "{error}");
}

#[test]
fn what_is_transparent_in_a_png_is_void() {
    let files = Files::new();
    let alpha = image::GrayAlphaImage::from_raw(2, 2, vec![9, 255, 9, 0, 7, 128, 0, 255]).unwrap();
    let path = files.write("a.png", []);
    alpha.save(&path).unwrap();
    let terrain = read_plainly(&path).terrain;
    assert_eq!(terrain.voids(), 1);
    assert!(terrain.at(1, 0).is_nan());
    assert_eq!(
        [terrain.at(0, 0), terrain.at(0, 1), terrain.at(1, 1)],
        [9.0, 7.0, 0.0]
    );
    // Of 16 bits both bytes count.
    let grey = image::ImageBuffer::<image::Luma<u16>, _>::from_raw(2, 2, vec![1_u16, 257, 513, 1]);
    grey.unwrap().save(&path).unwrap();
    let sound = std::fs::read(&path).unwrap();
    let mut transparent = sound[..33].to_vec();
    transparent.extend([0, 0, 0, 2]);
    transparent.extend(b"tRNS\x01\x01");
    transparent.extend(crc32fast::hash(b"tRNS\x01\x01").to_be_bytes());
    transparent.extend(&sound[33..]);
    let terrain = read_plainly(&files.write("a.png", transparent)).terrain;
    assert!(terrain.at(1, 0).is_nan());
    assert_eq!(
        [terrain.at(0, 0), terrain.at(0, 1), terrain.at(1, 1)],
        [1.0, 513.0, 1.0]
    );
}

/// A mask beside a raster is one of its file, whichever way its rows run.
#[test]
fn a_mask_beside_a_raster_of_any_format_makes_void() {
    let mut there = vec![true; 12];
    there[1] = false;
    let mask = Tiff::mask(4, 3, there).build();
    let samples = (0..12).collect::<Vec<u8>>();
    for (name, bytes, header) in [
        (
            "a.asc",
            b"ncols 4\nnrows 3\ncellsize 5\n1 2 3 4 5 6 7 8 9 10 11 12\n".to_vec(),
            "",
        ),
        ("a.bil", samples.clone(), "NROWS 3\nNCOLS 4\nNBITS 8\n"),
        (
            "a.bin",
            samples,
            "ENVI\nsamples = 4\nlines = 3\ndata type = 1\n",
        ),
        ("a.tif", tiff(), ""),
    ] {
        let files = Files::new();
        let path = files.write(name, bytes);
        if !header.is_empty() {
            files.write("a.hdr", header);
        }
        files.write(&format!("{name}.msk"), &mask);
        let terrain = read_plainly(&path).terrain;
        assert_eq!(terrain.voids(), 1, "{name}");
        assert!(terrain.at(1, 0).is_nan(), "{name}");
    }
    let files = Files::new();
    let path = files.write("a.tif", tiff());
    files.write("a.tif.msk", &mask);
    files.write("a.tfw", "10 0 0 10 1005 1995");
    let terrain = read_plainly(&path).terrain;
    assert!(terrain.at(1, 2).is_nan() && terrain.voids() == 1);
}

#[test]
fn a_first_image_that_is_reduced_or_a_mask_is_not_the_terrain() {
    let files = Files::new();
    for kind in [1, 4, 5] {
        let mut first = if kind == 4 {
            let mut there = vec![true; 12];
            there[5] = false;
            Tiff::mask(4, 3, there)
        } else {
            Tiff::new(2, 2, vec![90.0; 4]).tag(254, Value::Long(vec![kind]))
        };
        first.next = Some(Box::new(Tiff::new(4, 3, (0..12).map(f64::from).collect())));
        let ingested = read_plainly(&files.write("a.tif", first.build()));
        let terrain = ingested.terrain;
        assert_eq!([terrain.width(), terrain.height()], [4, 3], "{kind}");
        assert_eq!(terrain.at(3, 2), 11.0, "{kind}");
        assert_eq!(terrain.at(1, 1).is_nan(), kind == 4, "{kind}");
    }
}

#[test]
fn floats_of_16_and_24_bits_are_read() {
    let files = Files::new();
    // 1.5, -2, 65504, the least of all, an infinity that stands for no data.
    let half = [0x3E00_u64, 0xC000, 0x7BFF, 0x0001, 0x7C00];
    let heights = [1.5, -2.0, 65_504.0, 2_f64.powi(-24)];
    // 1.5, -2, 98304, 2^-78.
    let more = [0x3F_8000_u64, 0xC0_0000, 0x4F_8000, 0x00_0001, 0x7F_0000];
    let due_more = [1.5, -2.0, 98_304.0, 2_f64.powi(-78)];
    for (bits, words, due) in [(16, half, heights), (24, more, due_more)] {
        for big_endian in [false, true] {
            let mut tiff = Tiff::new(5, 1, words.map(|word| word as f64).to_vec())
                .tag(339, Value::Short(vec![3]))
                .tag(42113, Value::Ascii("inf"));
            (tiff.bits, tiff.big_endian) = (bits, big_endian);
            let terrain = read_plainly(&files.write("a.tif", tiff.build())).terrain;
            assert_eq!(terrain.heights()[..4], due, "{bits}");
            assert!(terrain.at(4, 0).is_nan());
        }
    }
}

/// 9999 is 10,000 as a half float.
#[test]
fn nodata_is_rounded_as_half_floats_are() {
    let files = Files::new();
    for (nodata, word) in [("9999", 0x70E2_u64), ("-9999", 0xF0E2), ("-3.4e38", 0xFC00)] {
        let mut tiff = Tiff::new(2, 1, vec![word as f64, 0.0])
            .tag(339, Value::Short(vec![3]))
            .tag(42113, Value::Ascii(nodata));
        tiff.bits = 16;
        let terrain = read_plainly(&files.write("a.tif", tiff.build())).terrain;
        assert!(terrain.at(0, 0).is_nan(), "{nodata}: {}", terrain.at(0, 0));
        assert_eq!(terrain.at(1, 0), 0.0);
    }
}

#[test]
fn nodata_as_windows_writes_it_is_read() {
    let files = Files::new();
    for text in ["-1.#IND", "1.#QNAN", "nan", "-nan(ind)", " nan "] {
        let mut tiff = Tiff::new(2, 1, vec![f64::NAN, 1.0]).tag(42113, Value::Ascii(text));
        (tiff.bits, tiff.format) = (32, 3);
        assert_eq!(
            read_plainly(&files.write("a.tif", tiff.build()))
                .terrain
                .voids(),
            1,
            "{text}"
        );
    }
    // Where the tag is of no use, an option says it.
    let tiff = Tiff::new(2, 1, vec![5.0, 1.0]).tag(42113, Value::Ascii("five"));
    let path = files.write("a.tif", tiff.build());
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.remedy().contains("`nodata`"), "{error}");
    let options = IngestOptions {
        nodata: Some(5.0),
        ..Default::default()
    };
    assert_eq!(read(&path, &options).terrain.voids(), 1);
}

#[test]
fn a_tile_of_half_an_arc_second_is_read() {
    let files = Files::new();
    let path = files.write("N47E013.hgt", []);
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(7201 * 7201 * 2)
        .unwrap();
    let options = IngestOptions {
        crop: Some([0, 0, 20, 20]),
        ..Default::default()
    };
    let terrain = read(&path, &options).terrain;
    let step = terrain.georeference().unwrap().transform[1];
    assert!((step - 1.0 / 7200.0).abs() < 1e-12, "{step}");
}

/// A place beyond all files is damage, not a fault of the disk.
#[test]
fn an_offset_that_no_file_has_is_damage() {
    let files = Files::new();
    let mut tiff = Tiff::new(4, 3, vec![1.0; 12]);
    tiff.big_tiff = true;
    tiff = tiff.tag(33922, Value::Double(vec![0.0; 6]));
    let mut bytes = tiff.build();
    // The entry of tag 33922: its values' place is made as high as can be.
    let entry = bytes
        .windows(4)
        .position(|w| w == [0x82, 0x84, 12, 0])
        .unwrap();
    bytes[entry + 12..entry + 20].fill(0xff);
    refused(&files.write("a.tif", bytes), &IngestOptions::default(), Bad);
}

#[test]
fn a_digest_is_of_all_files_that_a_terrain_consists_of() {
    let files = Files::new();
    let path = files.write("a.tif", tiff());
    let digest = || {
        let source = viewcell_bake::Source::new(&path, "GeoTIFF", Default::default()).unwrap();
        (source.input.bytes, source.input.digest)
    };
    let alone = digest();
    let sum = crc32fast::hash(&tiff());
    assert_eq!(alone, (tiff().len() as u64, format!("crc32:{sum:08x}")));
    let mut seen = vec![alone.clone()];
    for (name, text) in [
        ("a.tif.aux.xml", pam("<Scale>2</Scale>")),
        ("a.tif.aux.xml", pam("<Scale>3</Scale>")),
        ("a.tfw", WORLD.to_owned()),
        ("a.prj", "Units METERS".to_owned()),
        ("a.tif.msk", "mask".to_owned()),
    ] {
        files.write(name, text);
        let found = digest();
        assert!(found.0 == alone.0 && !seen.contains(&found), "{name}");
        seen.push(found);
    }
    files.write("a.tif.ovr", "not read");
    assert_eq!(seen.last(), Some(&digest()));
}
