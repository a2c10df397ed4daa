//! Each kind of bad input: the kind of error, and that it says where and what to do.

use std::path::Path;

use viewcell_ingest::IngestErrorKind::{Bad, Read, Resource, Usage};
use viewcell_ingest::{ByteOrder, IngestErrorKind, IngestOptions};

use super::formats::{ASC, ESRI, envi_header, grey8, hgt, png};
use super::tiff_builder::Tiff;
use super::{Files, refused};

fn refuse(path: &Path, kind: IngestErrorKind, words: &[&str]) {
    refuse_with(path, &IngestOptions::default(), kind, words);
}

fn refuse_with(path: &Path, options: &IngestOptions, kind: IngestErrorKind, words: &[&str]) {
    let text = refused(path, options, kind).to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
}

#[test]
fn no_file_a_directory_an_empty_file() {
    let files = Files::new();
    refuse(&files.0.path().join("none.tif"), Read, &["none.tif"]);
    refuse(files.0.path(), Bad, &["a directory"]);
    refuse(&files.write("empty.tif", ""), Bad, &["an empty file"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_waiting_for_its_other_end() {
    let files = Files::new();
    let path = files.0.path().join("pipe.tif");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    refuse(&path, Bad, &["a device or pipe"]);
}

#[test]
fn unknown_content_says_how_to_get_gdal_or_to_convert() {
    let files = Files::new();
    for name in ["a.tif", "a.png", "a.bin", "a"] {
        let path = files.write(name, b"%PDF-1.4 whatever");
        refuse(&path, Bad, &["byte 0", "25 50 44 46", "gdal_translate"]);
        if cfg!(not(feature = "gdal")) {
            refuse(&path, Bad, &["feature gdal", "libgdal-dev"]);
        }
    }
}

#[test]
fn an_error_tells_which_options_help() {
    let files = Files::new();
    let path = files.write("a.png", png(grey8(4, 3)));
    let options = |options: IngestOptions, kind| {
        let error = refused(&path, &options, kind);
        error.options().map(str::to_owned).collect::<Vec<_>>()
    };
    let few = IngestOptions {
        max_samples: 11,
        ..IngestOptions::default()
    };
    assert_eq!(options(few, Resource), ["crop", "max_samples"]);
    let sized = IngestOptions {
        size: Some([4, 3]),
        ..IngestOptions::default()
    };
    assert_eq!(options(sized, Usage), Vec::<String>::new());
    let unknown = refused(
        &files.write("a", "%PDF-1.4 whatever"),
        &IngestOptions::default(),
        Bad,
    );
    assert_eq!(unknown.options().count(), 0, "{unknown}");
}

#[test]
fn options_that_cannot_be_right() {
    let files = Files::new();
    let path = files.write("a.png", png(grey8(4, 3)));
    let refuse = |options: IngestOptions, kind, words: &[&str]| {
        refuse_with(&path, &options, kind, words);
    };
    let default = IngestOptions::default();
    for spacing in [
        [0.0, 1.0],
        [1.0, -1.0],
        [f64::NAN, 1.0],
        [1.0, f64::INFINITY],
        [1e-7, 1.0],
        [1.0, 2e9],
    ] {
        refuse(
            IngestOptions {
                spacing: Some(spacing),
                ..default.clone()
            },
            Usage,
            &["`spacing`"],
        );
    }
    for vertical_scale in [0.0, f64::NAN, f64::INFINITY] {
        refuse(
            IngestOptions {
                vertical_scale,
                ..default.clone()
            },
            Usage,
            &["`vertical_scale`"],
        );
    }
    let size = Some([4, 3]);
    refuse(
        IngestOptions {
            size,
            ..default.clone()
        },
        Usage,
        &["`size`", "PNG"],
    );
    let byte_order = Some(ByteOrder::Big);
    refuse(
        IngestOptions {
            byte_order,
            ..default.clone()
        },
        Usage,
        &["`byte_order`"],
    );
    let crop = |crop| IngestOptions {
        crop: Some(crop),
        ..default.clone()
    };
    refuse(crop([0, 0, 0, 3]), Usage, &["`crop`"]);
    refuse(
        crop([1, 0, 4, 3]),
        Bad,
        &["4 x 3", "columns 1 to 4", "`crop`"],
    );
    refuse(crop([0, 3, 1, 1]), Bad, &["rows 3 to 3"]);
    refuse(
        crop([u32::MAX, u32::MAX, u32::MAX, u32::MAX]),
        Bad,
        &["`crop`"],
    );
    refuse(
        IngestOptions {
            max_samples: 11,
            ..default.clone()
        },
        Resource,
        &["11 samples", "4 x 3", "`max_samples`"],
    );
    refuse(
        IngestOptions {
            vertical_scale: 1e9,
            ..default.clone()
        },
        Bad,
        &["sample (1, 0)", "`vertical_scale`"],
    );
    refuse(
        IngestOptions {
            nodata: Some(0.0),
            crop: Some([0, 0, 1, 1]),
            ..default.clone()
        },
        Bad,
        &["nothing but voids"],
    );
}

#[test]
fn the_limit_counts_the_crop() {
    let files = Files::new();
    let options = IngestOptions {
        max_samples: 6,
        crop: Some([0, 0, 2, 3]),
        ..Default::default()
    };
    let asc = "ncols 9\nnrows 9\n".to_owned() + &"1 ".repeat(81);
    for path in [
        files.write("a.png", png(grey8(9, 9))),
        files.write("a.asc", asc),
        files.write("a.tif", Tiff::new(9, 9, vec![1.0; 81]).build()),
        files.write("N00E000.hgt", hgt(1201, 1201)),
    ] {
        assert_eq!(super::read(&path, &options).terrain.samples(), 6);
        let whole = IngestOptions {
            crop: None,
            ..options.clone()
        };
        refused(&path, &whole, Resource);
    }
}

#[test]
fn png_that_is_no_heightmap() {
    let files = Files::new();
    let cases: [(image::DynamicImage, &str); 3] = [
        (image::RgbImage::new(2, 2).into(), "RGB"),
        (image::RgbaImage::new(2, 2).into(), "RGBA"),
        (image::DynamicImage::new_rgb16(2, 2), "RGB"),
    ];
    for (image, word) in cases {
        refuse(&files.write("a.png", png(image)), Bad, &[word, "IHDR"]);
    }
    let sound = png(grey8(2, 2));
    let with = |place: usize, byte: u8| {
        let mut bytes = sound.clone();
        bytes[place] = byte;
        bytes
    };
    refuse(&files.write("a.png", with(25, 3)), Bad, &["a palette"]);
    refuse(&files.write("a.png", with(24, 4)), Bad, &["4 bits"]);
    refuse(&files.write("a.png", with(29, 0)), Bad, &["CRC"]);
    let mut huge = sound.clone();
    huge[16..24].copy_from_slice(&[0, 1, 0x11, 0x70, 0, 1, 0x11, 0x70]);
    refuse(
        &files.write("a.png", huge),
        Resource,
        &["70000 x 70000", "67125249", "`max_samples`"],
    );
}

#[test]
fn raw16_without_its_size_or_with_another() {
    let files = Files::new();
    let square = files.write("a.r16", vec![0; 513 * 513 * 2]);
    refuse(&square, Usage, &["`size`", "263169 samples", "513x513"]);
    let size = |w, h| IngestOptions {
        size: Some([w, h]),
        ..Default::default()
    };
    refuse_with(
        &square,
        &size(512, 513),
        Bad,
        &["525312 bytes", "526338", "513x513"],
    );
    let odd = files.write("a.raw", vec![0; 11]);
    refuse(&odd, Usage, &["odd"]);
    refuse_with(&odd, &size(5, 1), Bad, &["odd"]);
    let oblong = files.write("b.raw", vec![0; 12]);
    refuse_with(&oblong, &size(2, 2), Bad, &["not square"]);
    refuse_with(&oblong, &size(0, 6), Bad, &["0 x 6"]);
    refuse_with(&oblong, &size(u32::MAX, u32::MAX), Bad, &["12 bytes"]);
}

#[test]
fn hgt_of_another_length_or_without_a_place() {
    let files = Files::new();
    let path = files.write("N34W119.hgt", vec![0; 1201 * 1201 * 2 - 1]);
    refuse(&path, Bad, &["2884802 (1201 x 1201)", "2884801 bytes"]);
    let tile = hgt(1201, 1201);
    // Of that size and of another name it may be anything.
    refuse(&files.write("tile.bin", &tile), Bad, &["unknown format"]);
    for name in "tile.hgt X34W119.hgt N95W119.hgt N34W200.hgt Nä4W119.hgt".split(' ') {
        refuse(
            &files.write(name, &tile),
            Usage,
            &["N34W119.hgt", "`spacing`"],
        );
    }
    let voids = i16::MIN.to_be_bytes().repeat(1201 * 1201);
    refuse(
        &files.write("N34W119.hgt", voids),
        Bad,
        &["nothing but voids"],
    );
}

#[test]
fn esri_headers_with_faults() {
    let files = Files::new();
    let path = files.write("x.bil", [0; 12]);
    for (change, with, words) in [
        ("NROWS 2", "NROWS 3", "18 bytes"),
        ("NBITS 16", "NBITS 4", "4 bits"),
        ("NBITS 16", "NBITS 32", "no PIXELTYPE"),
        ("NBANDS 1", "NBANDS 3", "one band"),
        ("BYTEORDER I", "BYTEORDER X", "LSBFIRST"),
        ("XDIM 10", "XDIM 0,5", "point for decimals"),
        ("XDIM 10", "XDIM -5", "above 0"),
        ("NBANDS 1", "TOTALROWBYTES 4", "at least 6"),
        ("NROWS 2", "NROWS two", "whole number"),
        ("NROWS 2", "NROWS 18446744073709551615", "samples"),
    ] {
        let header = ESRI.replace(change, with);
        assert_ne!(header, ESRI);
        let path_of_header = files.write("x.hdr", header);
        let error = viewcell_ingest::read_terrain(&path, &Default::default());
        let text = error.err().unwrap().to_string();
        assert!(text.contains(words), "{with}: {text}");
        assert!(
            text.contains("x.hdr") || text.contains("x.bil"),
            "{path_of_header:?} {text}"
        );
    }
    files.write("x.hdr", ESRI.replace("BYTEORDER I\n", ""));
    refuse(&path, Usage, &["BYTEORDER", "`byte_order`"]);
    let alone = files.write("y.hdr", ESRI);
    refuse(&alone, Bad, &["data file beside the header"]);
}

#[test]
fn ascii_grids_with_faults() {
    let files = Files::new();
    let cases = [
        (ASC.replace("nrows 2", "nrows 3"), "line 9", "cut short"),
        (ASC.replace("nrows 2", "nrows 1"), "line 8", "more"),
        (
            ASC.replace("nrows 2", "nrows -2"),
            "line 2",
            "a whole number",
        ),
        (ASC.replace("nrows 2\r\n", ""), "line 6", "nrows"),
        (ASC.replace("2.5 ", "2,5 "), "line 7", "\"2,5\""),
        (
            ASC.replace("2.5\r\n", "0\r\n"),
            "line 5",
            "a positive number",
        ),
        (ASC.replace("yllcorner", "zllcorner"), "line 4", "zllcorner"),
        (ASC.replace("-20.5", "south"), "line 4", "\"south\""),
        (ASC.replace("-3e1", "inf"), "sample (2, 0)", "inf"),
        (ASC.replace("-3e1", "1e9"), "sample (2, 0)", "`nodata`"),
        (
            "ncols 3".to_owned() + &"x".repeat(1000),
            "line 1",
            "white space",
        ),
        ("ncols".to_owned() + "\n", "line 2", "the end of the file"),
        (
            "ncols 3\nnrows 2\n".to_owned(),
            "line 3",
            "the end of the file",
        ),
    ];
    for (text, place, words) in cases {
        refuse(&files.write("a.asc", text), Bad, &[place, words]);
    }
    let huge = ASC
        .replace("NCOLS 3", "NCOLS 70000")
        .replace("nrows 2", "nrows 70000");
    refuse(
        &files.write("a.asc", huge),
        Resource,
        &["70000 x 70000", "`max_samples`"],
    );
    let beyond = ASC.replace("NCOLS 3", &format!("NCOLS {}", u64::MAX));
    refuse(&files.write("a.asc", beyond), Resource, &["`max_samples`"]);
}

#[test]
fn envi_with_faults() {
    let files = Files::new();
    let data = files.write("a.bin", [0; 10]);
    let header = envi_header(1, 0);
    let cases = [
        ("lines = 2", "lines = 3", "13 bytes", "file length"),
        ("lines = 2\n", "", "lines", "no such key"),
        ("lines = 2", "lines = two", "lines", "\"two\""),
        ("bands = 1", "bands = 2", "bands", "2"),
        ("data type = 1", "data type = 6", "data type", "complex"),
        ("data type = 1", "data type = 7", "data type", "7"),
        ("byte order = 0", "byte order = 2", "byte order", "2"),
        ("}", "", "line 2", "brace"),
        ("bands = 1", "bands", "line 6", "key = value"),
        ("1000, 5000", "1000, north", "map info", "six numbers"),
        ("units=Meters", "units=Cubits", "CRS", "cubits"),
        (
            "interleave",
            "file compression = 1\ninterleave",
            "file compression",
            "compressed",
        ),
    ];
    for (right, wrong, place, words) in cases {
        let header = files.write("a.hdr", header.replace(right, wrong));
        refuse(&header, Bad, &[place, words]);
        refuse(&data, Bad, &[place, words]);
    }
    let huge = header
        .replace("samples = 3", "samples = 70000")
        .replace("lines = 2", "lines = 70000");
    refuse(
        &files.write("a.hdr", huge),
        Resource,
        &["70000 x 70000", "`max_samples`"],
    );
    refuse(
        &files.write("lonely.hdr", header),
        Bad,
        &["beside the header"],
    );
}
