//! GDAL as the judge of our own readers, and as the reader of what they leave to it.

use std::path::{Path, PathBuf};

use gdal::raster::{Buffer, GdalType, RasterCreationOptions};
use gdal::{Dataset, DriverManager};
use viewcell_ingest::IngestErrorKind::{Bad, Resource};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, Ingested};

use super::formats::{ASC, hgt};
use super::{Files, read, read_plainly, real_file, refused};

/// Holds what we have read against what GDAL reads.
fn compare(path: &Path, ours: &Terrain) {
    let name = path.display();
    let dataset = Dataset::open(path).unwrap();
    let (width, height) = dataset.raster_size();
    assert_eq!(
        (ours.width() as usize, ours.height() as usize),
        (width, height),
        "{name}"
    );
    let band = dataset.rasterband(1).unwrap();
    let nodata = band.no_data_value();
    let theirs = band.read_band_as::<f64>().unwrap();
    for (i, (ours, theirs)) in ours.heights().iter().zip(theirs.data()).enumerate() {
        if theirs.is_nan() || Some(*theirs) == nodata {
            assert!(ours.is_nan(), "{name}: sample {i}: {ours}, not void");
        } else {
            assert_eq!(ours, theirs, "{name}: sample {i}");
        }
    }
    let transform = dataset.geo_transform().ok();
    match (ours.georeference(), transform) {
        (Some(ours), Some(theirs)) => {
            for (a, b) in ours.transform.iter().zip(theirs) {
                assert!(
                    (a - b).abs() <= 1e-12 * b.abs(),
                    "{name}: {:?} {theirs:?}",
                    ours.transform
                );
            }
        }
        (None, None) => {}
        (ours, theirs) => panic!("{name}: {ours:?} {theirs:?}"),
    }
    let code = dataset
        .spatial_ref()
        .ok()
        .and_then(|crs| crs.auth_code().ok());
    if let (Some(code), Some(ours)) = (code, ours.georeference()) {
        assert_eq!(ours.crs, format!("EPSG:{code}"), "{name}");
    }
}

#[test]
fn real_files_are_read_as_gdal_reads_them() {
    for name in "jacksboro_fault_dem.tif bigtujunga_30m.tif bilbao_dsm_500.tif bilbao_dsm_1359.tif
        slovenia_lidar_1m_TM1_564_146.tif slovenia_lidar_1m_nodata.tif slovenia_513_png16.png N34W119.hgt
        Gale_HRSC_DEM_50m_300x285.bin noctis-3500-clip-envi.bin goteborg_cdsm_1m.asc".split_whitespace() {
        let Some(path) = real_file(name) else {
            continue;
        };
        let ingested = read_plainly(&path);
        assert!(!ingested.format.starts_with("GDAL"), "{name}");
        compare(&path, &ingested.terrain);
    }
}

#[test]
fn small_files_are_read_as_gdal_reads_them() {
    let files = Files::new();
    let centres = "ncols 2\nnrows 2\nxllcenter 10\nyllcenter 20\ncellsize 2\n1.5\n2 3\n4";
    for path in [
        files.write("a.asc", ASC),
        files.write("b.asc", centres),
        files.write("S46E169.hgt", hgt(1201, 1201)),
        files.write("N60W001.hgt", hgt(1801, 3601)),
    ] {
        compare(&path, &read_plainly(&path).terrain);
    }
}

const WIDTH: usize = 70;
const HEIGHT: usize = 50;

/// A raster written by GDAL.
fn write<T: GdalType + Copy>(
    files: &Files,
    driver: &str,
    options: &[&str],
    sample: impl Fn(usize) -> T,
) -> PathBuf {
    let path = files.0.path().join("a.tif");
    let _ = std::fs::remove_file(&path);
    let mut list = RasterCreationOptions::new();
    options
        .iter()
        .for_each(|option| list.add_string(option).unwrap());
    let mut dataset = DriverManager::get_driver_by_name(driver)
        .unwrap()
        .create_with_band_type_with_options::<T, _>(&path, WIDTH, HEIGHT, 1, &list)
        .unwrap();
    dataset
        .set_geo_transform(&[500.0, 2.0, 0.0, 900.0, 0.0, -3.0])
        .unwrap();
    let samples = (0..WIDTH * HEIGHT).map(sample).collect();
    let mut buffer = Buffer::new((WIDTH, HEIGHT), samples);
    dataset
        .rasterband(1)
        .unwrap()
        .write((0, 0), (WIDTH, HEIGHT), &mut buffer)
        .unwrap();
    dataset.close().unwrap();
    path
}

fn geotiff<T: GdalType + Copy>(options: &[&str], sample: impl Fn(usize) -> T) {
    let files = Files::new();
    let path = write(&files, "GTiff", options, sample);
    let ingested = read_plainly(&path);
    assert_eq!(ingested.format, "GeoTIFF", "{options:?}");
    compare(&path, &ingested.terrain);
}

/// Neither constant nor simple, so that every code of a compression comes up.
fn hash(i: usize) -> usize {
    i.wrapping_mul(2_654_435_761) >> 7
}

#[test]
fn geotiffs_of_every_layout_compression_and_type() {
    for layout in [["TILED=NO", "BLOCKYSIZE=7"], ["TILED=YES", "BLOCKXSIZE=32"]] {
        for order in ["ENDIANNESS=LITTLE", "ENDIANNESS=BIG"] {
            for big in ["BIGTIFF=NO", "BIGTIFF=YES"] {
                for [compression, predictor] in [
                    ["COMPRESS=NONE", "PREDICTOR=1"],
                    ["COMPRESS=PACKBITS", "PREDICTOR=1"],
                    ["COMPRESS=LZW", "PREDICTOR=1"],
                    ["COMPRESS=LZW", "PREDICTOR=2"],
                    ["COMPRESS=DEFLATE", "PREDICTOR=1"],
                    ["COMPRESS=DEFLATE", "PREDICTOR=2"],
                    ["COMPRESS=ZSTD", "PREDICTOR=2"],
                ] {
                    let block = if layout[0] == "TILED=YES" {
                        "BLOCKYSIZE=16"
                    } else {
                        "SPARSE_OK=FALSE"
                    };
                    let options = [
                        layout[0],
                        layout[1],
                        block,
                        order,
                        big,
                        compression,
                        predictor,
                    ];
                    geotiff(&options, |i| hash(i) as u8);
                    geotiff(&options, |i| hash(i) as u16);
                    geotiff(&options, |i| hash(i) as i16);
                    geotiff(&options, |i| hash(i) as i32 % 5000);
                    geotiff(&options, |i| hash(i) as u32 % 5000);
                    geotiff(&options, |i| hash(i) as i16 as f32 / 7.0);
                    geotiff(&options, |i| f64::from(hash(i) as i16) / 7.0);
                    // libtiff 4.5 swaps the bytes of such samples when it writes them big-endian, and
                    // then cannot read its own file.
                    if predictor == "PREDICTOR=2" && order == "ENDIANNESS=LITTLE" {
                        let mut options = options;
                        options[6] = "PREDICTOR=3";
                        geotiff(&options, |i| hash(i) as i16 as f32 / 7.0);
                        geotiff(&options, |i| f64::from(hash(i) as i16) / 7.0);
                    }
                }
            }
        }
    }
}

#[test]
fn unusual_geotiffs() {
    geotiff(
        &[
            "SPARSE_OK=TRUE",
            "TILED=YES",
            "BLOCKXSIZE=16",
            "BLOCKYSIZE=16",
        ],
        |i| (i / WIDTH / 16) as u16,
    );
    geotiff(&["PHOTOMETRIC=MINISWHITE"], |i| hash(i) as u16);
    geotiff(&["PHOTOMETRIC=MINISWHITE"], |i| hash(i) as i16 as f32);
    geotiff(&["PHOTOMETRIC=MINISWHITE", "COMPRESS=DEFLATE"], |i| {
        hash(i) as u8
    });
}

/// What our reader leaves alone falls to GDAL, which a person need not ask for.
#[test]
fn gdal_reads_the_rest() {
    let files = Files::new();
    let sample = |i: usize| (hash(i) % 500) as f32;
    for (driver, options, format) in [
        ("HFA", [].as_slice(), "GDAL/HFA"),
        ("GSBG", &[], "GDAL/GSBG"),
        ("GTiff", &["COMPRESS=LERC"], "GDAL/GTiff"),
        ("GTiff", &["COMPRESS=LZMA"], "GeoTIFF"),
    ] {
        let path = write(&files, driver, options, sample);
        let Ingested {
            terrain,
            format: found,
            ..
        } = read_plainly(&path);
        assert_eq!(found, format);
        compare(&path, &terrain);

        let crop = Some([3, 5, 11, 7]);
        let part = read(
            &path,
            &IngestOptions {
                crop,
                ..Default::default()
            },
        )
        .terrain;
        assert_eq!(part.at(10, 6), terrain.at(13, 11));
        assert_eq!(
            part.georeference().unwrap().transform[0],
            terrain.georeference().unwrap().transform[0] + 6.0
        );
        refused(
            &path,
            &IngestOptions {
                max_samples: 10,
                ..Default::default()
            },
            Resource,
        );
    }
    let path = write(&files, "GTiff", &["NBITS=12"], |i| (hash(i) % 4096) as u16);
    let ingested = read_plainly(&path);
    assert_eq!(ingested.format, "GDAL/GTiff");
    compare(&path, &ingested.terrain);
}

#[test]
fn gdal_too_refuses_what_is_no_terrain() {
    let files = Files::new();
    let path = files.0.path().join("a.img");
    let driver = DriverManager::get_driver_by_name("HFA").unwrap();
    driver.create(&path, 4, 4, 2).unwrap().close().unwrap();
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.to_string().contains("one band"), "{error}");
    // GDAL knowing nothing of a file either, our own words stand.
    let error = refused(
        &files.write("b.img", b"nonsense"),
        &IngestOptions::default(),
        Bad,
    );
    assert_eq!(error.place(), Some("byte 0"));
}

/// Which comes first, a raster's own nodata, scale and place or those of a PAM file, differs from driver to driver.
#[test]
fn pam_files_are_read_as_gdal_reads_them() {
    const PAM: &str = "<PAMDataset><GeoTransform>1000, 10, 0, 2000, 0, -10</GeoTransform>\
         <PAMRasterBand band=\"1\"><NoDataValue>77</NoDataValue><UnitType>ft</UnitType><Offset>5</Offset>\
         <Scale>2</Scale></PAMRasterBand></PAMDataset>";
    let samples: Vec<f64> = (0..400).map(|i| f64::from(i % 90)).collect();
    for (driver, name) in [
        ("GTiff", "a.tif"),
        ("PNG", "a.png"),
        ("ENVI", "a.bin"),
        ("EHdr", "a.bil"),
        ("AAIGrid", "a.asc"),
    ] {
        for own in [false, true] {
            let files = Files::new();
            let path = files.0.path().join(name);
            let memory = DriverManager::get_driver_by_name("MEM").unwrap();
            let mut made = memory
                .create_with_band_type::<u8, _>("", 20, 20, 1)
                .unwrap();
            let mut band = made.rasterband(1).unwrap();
            let mut buffer = Buffer::new((20, 20), samples.clone());
            band.write((0, 0), (20, 20), &mut buffer).unwrap();
            if own {
                band.set_no_data_value(Some(33.0)).unwrap();
                band.set_scale(3.0).unwrap();
                band.set_offset(7.0).unwrap();
                made.set_geo_transform(&[500.0, 1.0, 0.0, 900.0, 0.0, -1.0])
                    .unwrap();
            }
            let driver_of = DriverManager::get_driver_by_name(driver).unwrap();
            let copy = made.create_copy(&driver_of, &path, &RasterCreationOptions::new());
            copy.unwrap().close().unwrap();
            files.write(&format!("{name}.aux.xml"), PAM);

            let dataset = Dataset::open(&path).unwrap();
            let band = dataset.rasterband(1).unwrap();
            let unit = if band.unit() == "ft" { 0.3048 } else { 1.0 };
            let (scale, offset) = (band.scale().unwrap_or(1.0), band.offset().unwrap_or(0.0));
            // A grid without nodata takes none of PAM in GDAL. Here it does: a void hides nobody.
            let nodata = band.no_data_value().unwrap_or(77.0);
            let ours = read_plainly(&path).terrain;
            for (i, (found, stored)) in ours.heights().iter().zip(&samples).enumerate() {
                let due = (stored * scale + offset) * unit;
                if *stored == nodata {
                    assert!(found.is_nan(), "{driver} {own}: sample {i}: {found}");
                } else {
                    assert!(
                        (found - due).abs() < 1e-9,
                        "{driver} {own}: sample {i}: {found} {due}"
                    );
                }
            }
            let place = ours.georeference().map(|place| place.transform);
            let theirs = dataset.geo_transform().ok().map(|t| t.map(|n| n + 0.0));
            if driver != "AAIGrid" || own {
                assert_eq!(place, theirs, "{driver} {own}");
            }
        }
    }
}

/// Of what GDAL writes, in formats that it reads for us as well.
#[test]
fn masks_and_alpha_are_read_as_gdal_reads_them() {
    for (driver, options) in [
        ("GTiff", ["ALPHA=YES", "INTERLEAVE=PIXEL"]),
        ("GTiff", ["ALPHA=YES", "INTERLEAVE=BAND"]),
        ("GTiff", ["ALPHA=YES", "COMPRESS=LERC"]),
        ("PNG", ["ZLEVEL=1", "ZLEVEL=1"]),
    ] {
        let files = Files::new();
        let memory = DriverManager::get_driver_by_name("MEM").unwrap();
        let made = memory
            .create_with_band_type::<u16, _>("", 40, 30, 2)
            .unwrap();
        let heights: Vec<u16> = (0..1200).map(|i| (hash(i) % 5000) as u16).collect();
        let alpha: Vec<u16> = (0..1200)
            .map(|i| if i % 7 == 0 { 0 } else { 65_535 })
            .collect();
        for (number, samples) in [(1, &heights), (2, &alpha)] {
            let mut buffer = Buffer::new((40, 30), samples.clone());
            let mut band = made.rasterband(number).unwrap();
            band.write((0, 0), (40, 30), &mut buffer).unwrap();
        }
        let mut list = RasterCreationOptions::new();
        options
            .iter()
            .for_each(|option| list.add_string(option).unwrap());
        let path = files.0.path().join("a.raster");
        let driver_of = DriverManager::get_driver_by_name(driver).unwrap();
        made.create_copy(&driver_of, &path, &list)
            .unwrap()
            .close()
            .unwrap();
        let terrain = read_plainly(&path).terrain;
        for (i, found) in terrain.heights().iter().enumerate() {
            if i % 7 == 0 {
                assert!(found.is_nan(), "{driver} {options:?}: sample {i}: {found}");
            } else {
                assert_eq!(
                    *found,
                    f64::from(heights[i]),
                    "{driver} {options:?}: sample {i}"
                );
            }
        }
    }
}
