//! PNG, RAW16, SRTM HGT, ESRI ASCII grid and ENVI: small sound files of each.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use viewcell_ingest::{ByteOrder, IngestOptions};

use super::{Files, read, read_plainly};

pub fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

pub fn grey8(width: u32, height: u32) -> image::GrayImage {
    image::GrayImage::from_fn(width, height, |c, r| image::Luma([(10 * r + c) as u8]))
}

pub fn grey16(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageLuma16(image::ImageBuffer::from_fn(width, height, |c, r| {
        image::Luma([(1000 * r + c) as u16])
    }))
}

#[test]
fn png_of_8_and_16_bits() {
    let files = Files::new();
    let options = IngestOptions {
        spacing: Some([2.0, 3.0]),
        vertical_scale: 0.1,
        vertical_offset: -5.0,
        crop: Some([1, 2, 3, 4]),
        ..Default::default()
    };
    // Named after something else: content decides.
    for (bytes, step) in [(png(grey8(5, 7)), 10.0), (png(grey16(5, 7)), 1000.0)] {
        let path = files.write("a.tif", bytes);
        let ingested = read_plainly(&path);
        assert_eq!(ingested.format, "PNG");
        assert_eq!(
            (ingested.terrain.width(), ingested.terrain.height()),
            (5, 7)
        );
        assert_eq!(ingested.terrain.at(4, 6), 6.0 * step + 4.0);
        assert_eq!(ingested.terrain.spacing(), [1.0, 1.0]);
        assert!(ingested.terrain.georeference().is_none());
        assert!(ingested.notes.iter().any(|note| note.contains("`spacing`")));
        assert!(
            ingested
                .notes
                .iter()
                .any(|note| note.contains("`vertical_scale`"))
        );

        let part = read(&path, &options).terrain;
        assert_eq!((part.width(), part.height()), (3, 4));
        assert_eq!(part.spacing(), [2.0, 3.0]);
        assert_eq!(part.at(2, 3), (5.0 * step + 3.0) * 0.1 - 5.0);
    }
}

#[test]
fn nodata_of_an_option_makes_voids_in_any_format() {
    let files = Files::new();
    let path = files.write("a.png", png(grey8(3, 1)));
    let options = IngestOptions {
        nodata: Some(1.0),
        vertical_scale: 4.0,
        ..Default::default()
    };
    let heights = read(&path, &options).terrain.heights().to_vec();
    assert!(heights[0] == 0.0 && heights[1].is_nan() && heights[2] == 8.0);
}

#[test]
fn raw16_of_either_byte_order() {
    let files = Files::new();
    let path = files.write("a.r16", [1, 0, 2, 0, 3, 0, 0, 1, 0xff, 0xff, 0, 0]);
    let mut options = IngestOptions {
        size: Some([3, 2]),
        ..Default::default()
    };
    let ingested = read(&path, &options);
    assert_eq!(ingested.format, "RAW16");
    assert_eq!(
        ingested.terrain.heights(),
        [1.0, 2.0, 3.0, 256.0, 65535.0, 0.0]
    );
    assert!(
        ingested
            .notes
            .iter()
            .any(|note| note.contains("little-endian"))
    );
    options.byte_order = Some(ByteOrder::Big);
    options.crop = Some([1, 0, 2, 2]);
    assert_eq!(
        read(&path, &options).terrain.heights(),
        [512.0, 768.0, 65535.0, 0.0]
    );

    // Any name will do where the size is given, unless the content says otherwise.
    let other = files.write("heights.dat", [7, 0, 8, 0]);
    let options = IngestOptions {
        size: Some([1, 2]),
        ..Default::default()
    };
    assert_eq!(read(&other, &options).terrain.heights(), [7.0, 8.0]);
    // Samples may look like another format's first bytes.
    let tricky = files.write("tricky.raw", b"II*\0");
    assert_eq!(
        read(&tricky, &options).terrain.heights(),
        [0x4949.into(), 42.0]
    );
}

/// A tile whose every sample is its row, but for one void.
pub fn hgt(width: usize, height: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..height)
        .flat_map(|row| (row as i16 - 100).to_be_bytes().repeat(width))
        .collect();
    bytes[2..4].copy_from_slice(&i16::MIN.to_be_bytes());
    bytes
}

#[test]
fn hgt_lies_where_its_name_says() {
    let files = Files::new();
    let path = files.write("S46E169.hgt", hgt(1201, 1201));
    let ingested = read_plainly(&path);
    assert_eq!(ingested.format, "SRTM HGT");
    let terrain = ingested.terrain;
    assert_eq!(
        (terrain.width(), terrain.height(), terrain.voids()),
        (1201, 1201, 1)
    );
    assert!(terrain.at(1, 0).is_nan());
    assert_eq!((terrain.at(0, 0), terrain.at(1200, 1200)), (-100.0, 1100.0));
    let place = terrain.georeference().unwrap();
    assert_eq!(place.crs, "EPSG:4326");
    // The last sample is the south-western corner's: half a pixel beyond lies its outer edge.
    let [x, dx, _, y, _, dy] = place.transform;
    assert!((x + dx / 2.0 - 169.0).abs() < 1e-9);
    assert!((y + dy * 1200.5 + 46.0).abs() < 1e-9);
    let [dx, dy] = terrain.spacing();
    assert!(
        (dx - 65.1).abs() < 0.05 && (dy - 92.6).abs() < 0.05,
        "{dx} {dy}"
    );

    let path = files.write("n60w001.SRTMGL1.hgt", hgt(1801, 3601));
    let options = IngestOptions {
        crop: Some([0, 0, 10, 20]),
        ..Default::default()
    };
    let terrain = read(&path, &options).terrain;
    assert_eq!((terrain.width(), terrain.height()), (10, 20));
    // Two arc seconds by one, in the north of the tile.
    assert!(terrain.spacing()[0] < 30.1 && terrain.spacing()[1] > 30.9);

    // Without a name there is no latitude, but a spacing will do.
    let path = files.write("tile.hgt", hgt(1201, 1201));
    let options = IngestOptions {
        spacing: Some([90.0, 90.0]),
        ..Default::default()
    };
    let ingested = read(&path, &options);
    assert_eq!(ingested.terrain.spacing(), [90.0, 90.0]);
    assert!(ingested.terrain.georeference().is_none());
}

pub const ASC: &str = "NCOLS 3\r\nnrows 2\r\nXLLCORNER 100\r\nyllcorner -20.5\r\nCellSize 2.5\r\nNODATA_value -9999\r\n1 2.5 -3e1\r\n-9999\t5 6\r\n";

#[test]
fn ascii_grid() {
    let files = Files::new();
    let ingested = read_plainly(&files.write("a.txt", ASC));
    assert_eq!(ingested.format, "ESRI ASCII grid");
    let terrain = ingested.terrain;
    assert_eq!(terrain.heights()[..3], [1.0, 2.5, -30.0]);
    assert!(terrain.at(0, 1).is_nan());
    assert_eq!(terrain.heights()[4..], [5.0, 6.0]);
    assert_eq!(terrain.spacing(), [2.5, 2.5]);
    let place = terrain.georeference().unwrap();
    assert_eq!(place.transform, [100.0, 2.5, 0.0, -15.5, 0.0, -2.5]);
    assert_eq!(place.crs, "unknown");
    assert!(ingested.notes.iter().any(|note| note.contains("no CRS")));
}

#[test]
fn ascii_grid_with_centres_two_steps_and_values_on_any_line() {
    let files = Files::new();
    let text = "\u{feff}nrows 2\nncols 2\nxllcenter 10\nyllcenter 20\ndx 2\ndy 4\n1\n2 3\n4";
    let terrain = read_plainly(&files.write("a.asc", text)).terrain;
    assert_eq!(terrain.heights(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(terrain.spacing(), [2.0, 4.0]);
    let place = terrain.georeference().unwrap();
    assert_eq!(place.transform, [9.0, 2.0, 0.0, 26.0, 0.0, -4.0]);
    let options = IngestOptions {
        crop: Some([1, 0, 1, 2]),
        ..Default::default()
    };
    let terrain = read(&files.write("b.asc", text), &options).terrain;
    assert_eq!(terrain.heights(), [2.0, 4.0]);
}

#[test]
fn ascii_grid_takes_its_crs_from_beside_it() {
    let files = Files::new();
    let path = files.write(
        "a.asc",
        "ncols 1\nnrows 2\nxllcorner 5\nyllcorner 59\ncellsize 1\n1\n2\n",
    );
    files.write("a.prj", "Projection GEOGRAPHIC\nDatum WGS84\nUnits DD\n");
    let [dx, dy] = read_plainly(&path).terrain.spacing();
    assert!(
        (dx - 55_800.0).abs() < 1.0 && (dy - 111_412.0).abs() < 1.0,
        "{dx} {dy}"
    );
    files.write(
        "a.prj",
        r#"PROJCS["p",GEOGCS["g",DATUM["d",SPHEROID["s",6378137,298]],UNIT["Degree",0.017]],UNIT["Foot_US",0.3048006096012192],AUTHORITY["EPSG","2227"]]"#,
    );
    let terrain = read_plainly(&path).terrain;
    assert_eq!(terrain.spacing(), [0.3048006096012192; 2]);
    assert_eq!(terrain.georeference().unwrap().crs, "EPSG:2227");
}

#[test]
fn ascii_grid_that_looks_like_degrees_is_pointed_out() {
    let files = Files::new();
    let text = "ncols 1\nnrows 1\nxllcorner -84\nyllcorner 36\ncellsize 0.000833\n7\n";
    let ingested = read_plainly(&files.write("a.asc", text));
    assert!(
        ingested
            .notes
            .iter()
            .any(|note| note.contains("look like degrees"))
    );
}

pub fn envi_header(data_type: u32, byte_order: u32) -> String {
    format!(
        "ENVI\ndescription = {{\n  two lines}}\nsamples = 3\nlines = 2\nbands = 1\nheader offset = 4\nfile type = ENVI Standard\ndata type = {data_type}\ninterleave = bsq\nbyte order = {byte_order}\ndata ignore value = 6\nmap info = {{UTM, 2, 1, 1000, 5000, 10, 20, 11, North, WGS-84, units=Meters}}\n"
    )
}

#[test]
fn envi_of_every_type_and_byte_order_by_either_file() {
    let files = Files::new();
    let values = [1_u8, 2, 3, 4, 5, 6];
    macro_rules! data {
        ($type:ty, $order:ident) => {
            values
                .iter()
                .flat_map(|v| <$type>::from(*v).$order().to_vec())
                .collect::<Vec<u8>>()
        };
    }
    macro_rules! both {
        ($code:expr, $type:ty) => {
            [
                ($code, 0, data!($type, to_le_bytes)),
                ($code, 1, data!($type, to_be_bytes)),
            ]
        };
    }
    let cases = [
        both!(1, u8),
        both!(2, i16),
        both!(3, i32),
        both!(4, f32),
        both!(5, f64),
        both!(12, u16),
        both!(13, u32),
        both!(14, i64),
        both!(15, u64),
    ];
    for (data_type, byte_order, data) in cases.into_iter().flatten() {
        let header = files.write("a.hdr", envi_header(data_type, byte_order));
        let data = files.write("a.bin", [b"skip".as_slice(), &data].concat());
        for path in [header, data] {
            let ingested = read_plainly(&path);
            assert_eq!(ingested.format, "ENVI");
            let terrain = ingested.terrain;
            assert_eq!(
                terrain.heights()[..5],
                [1.0, 2.0, 3.0, 4.0, 5.0],
                "type {data_type}"
            );
            assert!(terrain.at(2, 1).is_nan());
            assert_eq!(terrain.spacing(), [10.0, 20.0]);
            let place = terrain.georeference().unwrap();
            // The reference pixel is the second column's.
            assert_eq!(place.transform, [990.0, 10.0, 0.0, 5000.0, 0.0, -20.0]);
            assert_eq!(place.crs, "UTM, 11, North, WGS-84, units=Meters");
        }
    }
}

#[test]
fn envi_in_degrees_and_with_other_names() {
    let files = Files::new();
    let header = "ENVI\nsamples = 2\nlines = 1\ndata type = 1\nmap info = {Geographic Lat/Lon, 1, 1, 7, 60, 0.5, 0.25, WGS-84, units=Degrees}\n";
    files.write("b.img.hdr", header);
    let path = files.write("b.img", [8, 9]);
    let terrain = read_plainly(&path).terrain;
    assert_eq!(terrain.heights(), [8.0, 9.0]);
    let [dx, dy] = terrain.spacing();
    assert!(
        (dx / 0.5 - 55_800.0).abs() < 300.0 && (dy / 0.25 - 111_412.0).abs() < 5.0,
        "{dx} {dy}"
    );

    // A .raw file is RAW16 unless such a header lies beside it.
    files.write("d.hdr", header);
    assert_eq!(read_plainly(&files.write("d.raw", [8, 9])).format, "ENVI");

    let header = files.write("c.hdr", "ENVI\nsamples = 1\nlines = 1\ndata type = 1\n");
    files.write("c", [3]);
    let ingested = read_plainly(&header);
    assert_eq!(ingested.terrain.heights(), [3.0]);
    assert!(
        ingested
            .notes
            .iter()
            .any(|note| note.contains("1 m assumed"))
    );
}

pub const ESRI: &str = "BYTEORDER I\nLAYOUT BIL\nNROWS 2\nNCOLS 3\nNBANDS 1\nNBITS 16\nNODATA 4\nULXMAP 100\nULYMAP 200\nXDIM 10\nYDIM 20\n";

#[test]
fn samples_with_an_esri_header_are_read_by_it_by_either_file() {
    let files = Files::new();
    let values = [1_i16, -2, 3, 4, 5, 6];
    let little: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let big: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
    for extension in ["bil", "bip", "bsq", "dem", "raw"] {
        let header = files.write("a.hdr", ESRI);
        let path = files.write(&format!("a.{extension}"), &little);
        for path in [&path, &header] {
            let ingested = read_plainly(path);
            assert_eq!(ingested.format, "ESRI header");
            let terrain = ingested.terrain;
            assert_eq!(terrain.heights()[..3], [1.0, -2.0, 3.0]);
            assert!(terrain.at(0, 1).is_nan());
            assert_eq!(terrain.spacing(), [10.0, 20.0]);
            let transform = terrain.georeference().unwrap().transform;
            assert_eq!(transform, [95.0, 10.0, 0.0, 210.0, 0.0, -20.0]);
        }
        files.write("a.hdr", ESRI.replace("BYTEORDER I", "byteorder M"));
        let path = files.write(&format!("a.{extension}"), &big);
        assert_eq!(read_plainly(&path).terrain.at(1, 0), -2.0);
        std::fs::remove_file(path).unwrap();
    }

    // Rows of 8 bytes behind 4 that are skipped.
    files.write("p.hdr", format!("{ESRI}TOTALROWBYTES 8\nSKIPBYTES 4\n"));
    let mut padded = vec![9; 4];
    for row in little.chunks(6) {
        padded.extend(row);
        padded.extend([9, 9]);
    }
    let options = IngestOptions {
        crop: Some([1, 1, 2, 1]),
        ..Default::default()
    };
    let terrain = read(&files.write("p.bil", padded), &options).terrain;
    assert_eq!(terrain.heights(), [5.0, 6.0]);

    // GridFloat.
    let floats: Vec<u8> = values
        .iter()
        .flat_map(|v| (f32::from(*v) / 2.0).to_be_bytes())
        .collect();
    let header = "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\nbyteorder MSBFIRST\n";
    let header = files.write("f.hdr", header);
    files.write("f.prj", "Projection UTM\nUnits FEET\n");
    let path = files.write("f.flt", floats);
    for path in [&path, &header] {
        let terrain = read_plainly(path).terrain;
        assert_eq!(terrain.heights(), [0.5, -1.0, 1.5, 2.0, 2.5, 3.0]);
        let place = terrain.georeference().unwrap();
        assert_eq!(place.transform, [100.0, 10.0, 0.0, 220.0, 0.0, -10.0]);
        assert_eq!(terrain.spacing(), [12_000.0 / 3937.0; 2]);
    }
}

#[test]
fn a_file_of_the_size_of_an_srtm_tile_is_read_by_its_header() {
    let files = Files::new();
    let header = ESRI
        .replace("NROWS 2", "NROWS 1201")
        .replace("NCOLS 3", "NCOLS 1201");
    let little: Vec<u8> = (0..1201 * 1201)
        .flat_map(|i| ((i % 900) as i16).to_le_bytes())
        .collect();
    // Also where the name would place a tile.
    for name in ["x", "N34W119"] {
        files.write(&format!("{name}.hdr"), &header);
        let ingested = read_plainly(&files.write(&format!("{name}.bil"), &little));
        assert_eq!(ingested.format, "ESRI header");
        assert_eq!(ingested.terrain.at(7, 0), 7.0);
    }
}

#[test]
fn heights_in_feet_that_a_prj_file_tells_are_not_taken_as_metres() {
    let files = Files::new();
    let path = files.write("a.asc", ASC);
    let plane = r#"PROJCS["p",GEOGCS["g",DATUM["d",SPHEROID["s",6378137,298.25]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]],PROJECTION["t"],UNIT["Metre",1.0]]"#;
    // Compound, and as ESRI writes it; then depths in either dialect.
    for (crs, metres) in [
        (
            format!(
                r#"COMPD_CS["c",{plane},VERT_CS["v",VERT_DATUM["d",2005],UNIT["foot",0.3048],AXIS["Up",UP]]]"#
            ),
            0.3048,
        ),
        (
            format!(
                r#"{plane},VERTCS["v",VDATUM["d"],PARAMETER["Vertical_Shift",0.0],PARAMETER["Direction",1.0],UNIT["Foot",0.3048]]"#
            ),
            0.3048,
        ),
        (
            format!(
                r#"{plane},VERTCS["v",VDATUM["d"],PARAMETER["Vertical_Shift",0.0],PARAMETER["Direction",-1.0],UNIT["Meter",1.0]]"#
            ),
            -1.0,
        ),
        (
            format!(
                r#"COMPOUNDCRS["c",{plane},VERTCRS["v",VDATUM["d"],CS[vertical,1],AXIS["depth (D)",down,LENGTHUNIT["metre",1]]]]"#
            ),
            -1.0,
        ),
        (
            format!(r#"COMPOUNDCRS["c",{plane},VERTCRS["v",VDATUM["d"],ID["EPSG",8228]]]"#),
            0.3048,
        ),
        (plane.to_owned(), 1.0),
        // Older files: a unit, or how many of it are a metre.
        (
            "Projection UTM\nUnits METERS\nZunits FEET\n".to_owned(),
            0.3048,
        ),
        ("Projection UTM\nUnits METERS\nZunits 10\n".to_owned(), 0.1),
        ("Projection UTM\nUnits METERS\nZunits NO\n".to_owned(), 1.0),
    ] {
        files.write("a.prj", &crs);
        let terrain = read_plainly(&path).terrain;
        assert_eq!(terrain.spacing(), [2.5, 2.5], "{crs}");
        assert_eq!(terrain.at(1, 0), 2.5 * metres, "{crs}");
    }
}

/// GDAL's scale, offset and unit of a raster whose format has no place for them, and ENVI's own.
#[test]
fn scales_beside_a_raster_are_not_lost() {
    let files = Files::new();
    let path = files.write("a.asc", ASC);
    let plain = read_plainly(&path).terrain.at(1, 0);
    let band = |inside: &str| {
        format!("<PAMDataset>\n<PAMRasterBand band=\"1\">{inside}</PAMRasterBand>\n</PAMDataset>")
    };
    for (inside, height) in [
        ("<Offset>5</Offset><Scale>0.1</Scale>", 0.1 * plain + 5.0),
        ("<UnitType>ft</UnitType>", 0.3048 * plain),
        ("<Metadata/>", plain),
    ] {
        files.write("a.asc.aux.xml", band(inside));
        assert_eq!(read_plainly(&path).terrain.at(1, 0), height, "{inside}");
    }
    let gains = "data gain values = {0.1}\ndata offset values = {5}\n";
    files.write("b.hdr", envi_header(1, 0) + gains);
    let mut bytes = vec![0; 4];
    bytes.extend([1_u8, 2, 3, 4, 5, 6]);
    let terrain = read_plainly(&files.write("b.bin", bytes)).terrain;
    assert_eq!(terrain.at(1, 0), 0.1 * 2.0 + 5.0);
    // The sixth is no data as stored, whatever it would be scaled to.
    assert!(terrain.at(2, 1).is_nan());
}

#[test]
fn raw_files_of_32_bits_are_floating_point() {
    let files = Files::new();
    let values = [0.5_f32, -1.25, 3.0, 4.0, 5.0, 1e-3];
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
    let options = IngestOptions {
        size: Some([3, 2]),
        byte_order: Some(ByteOrder::Big),
        ..Default::default()
    };
    let ingested = read(&files.write("a.r32", bytes), &options);
    assert_eq!(ingested.format, "RAW32");
    assert_eq!(ingested.terrain.heights(), values.map(f64::from));
}

#[test]
fn a_world_file_places_what_says_nothing_itself() {
    let files = Files::new();
    let path = files.write("a.png", png(grey8(5, 7)));
    files.write("a.wld", "9\n0\n0\n-9\n0\n0\n");
    assert_eq!(read_plainly(&path).terrain.spacing(), [9.0, 9.0]);
    // The more special name goes first; heights in feet come from the file beside.
    files.write("a.PGW", "2.5\r\n0\r\n0\r\n-5\r\n101.25\r\n202.5\r\n");
    files.write("a.prj", r#"PROJCS["p",GEOGCS["g",DATUM["d",SPHEROID["s",6378137,298.25]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]],PROJECTION["t"],UNIT["foot",0.3048]]"#);
    let ingested = read_plainly(&path);
    assert_eq!(ingested.terrain.spacing(), [2.5 * 0.3048, 5.0 * 0.3048]);
    let place = ingested.terrain.georeference().unwrap().transform;
    assert_eq!(place, [100.0, 2.5, 0.0, 205.0, 0.0, -5.0]);
    assert!(ingested.notes.iter().any(|note| note.contains("a.PGW")));

    // Rows from south to north are turned over here as well, and crops are of what comes of it.
    files.write("a.PGW", "2.5\n0\n0\n5\n0\n0\n");
    let options = IngestOptions {
        crop: Some([1, 0, 2, 2]),
        ..Default::default()
    };
    assert_eq!(
        read(&path, &options).terrain.heights(),
        [61.0, 62.0, 51.0, 52.0]
    );

    for (text, words) in [
        ("2,5\n0\n0\n-5\n0\n0\n", "\"2,5\""),
        ("1 0 0 1 5", "found 5"),
    ] {
        files.write("a.PGW", text);
        let error = super::refused(
            &path,
            &IngestOptions::default(),
            viewcell_ingest::IngestErrorKind::Bad,
        );
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.path().ends_with("a.PGW"), "{error}");
    }
}
