//! Rasters of public reports of faults: `../shared/data/reports`, described in the READMEs there.

use viewcell_ingest::IngestErrorKind::Bad;
use viewcell_ingest::{IngestOptions, terrain_files};

use super::data::data;
use super::{read_plainly, refused};

#[test]
fn compound_systems_of_codes_alone_keep_their_feet() {
    for (name, spacing) in [
        ("ftus_compound.tif", Some(10.0)),
        ("geographic_ft.tif", None),
    ] {
        let Some(path) = data(&format!("reports/files/{name}")) else {
            return;
        };
        let terrain = read_plainly(&path).terrain;
        assert!((terrain.at(15, 11) - 47.24).abs() < 0.01, "{name}");
        if let Some(feet) = spacing {
            let metres = feet * 1200.0 / 3937.0;
            assert_eq!(terrain.spacing(), [metres; 2], "{name}");
        }
    }
}

#[test]
fn a_raster_from_south_to_north_is_that_from_north_to_south() {
    let files = ["southup.tif", "northup.tif"].map(|name| data(&format!("reports/files/{name}")));
    let [Some(south_up), Some(north_up)] = files else {
        return;
    };
    let (south_up, north_up) = (read_plainly(&south_up), read_plainly(&north_up));
    assert_eq!(south_up.terrain.heights(), north_up.terrain.heights());
    assert_eq!(
        south_up.terrain.georeference(),
        north_up.terrain.georeference()
    );
}

#[test]
fn a_decimal_comma_is_not_blamed_on_the_header() {
    let Some(path) = data("reports/files/comma.asc") else {
        return;
    };
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.to_string().contains("decimal comma"), "{error}");
    assert_eq!(error.place(), Some("line 7"));
}

#[test]
fn a_world_file_gives_the_spacing() {
    let Some(path) = data("reports/files/wf.tif") else {
        return;
    };
    let terrain = read_plainly(&path).terrain;
    assert_eq!(terrain.spacing(), [5.0, 5.0]);
    let place = terrain.georeference().unwrap().transform;
    assert_eq!(place, [997.5, 5.0, 0.0, 2002.5, 0.0, -5.0]);
}

/// What GDAL reads in each: void samples, spacing.
#[test]
fn rasters_of_later_reports_are_read_as_gdal_reads_them() {
    for (name, voids, spacing) in [
        ("pam_nodata.tif", 21, 10.0),
        ("gdal.png", 0, 10.0),
        ("gdal_nodata.png", 15, 10.0),
        ("f16.tif", 0, 1.0),
        ("nodata_ind.tif", 63, 10.0),
        ("dstalpha.tif", 21, 10.0),
        ("attack/dask/wf.tif", 0, 10.0),
    ] {
        let Some(path) = data(&format!("reports/second/{name}")) else {
            return;
        };
        let terrain = read_plainly(&path).terrain;
        assert_eq!(
            (terrain.voids(), terrain.spacing()),
            (voids, [spacing; 2]),
            "{name}"
        );
    }
    let path = data("reports/second/attack/dask/wf.tif").unwrap();
    assert_eq!(terrain_files(&path).len(), 3);
    let path = data("reports/second/attack/bigtiff-code4/big.tif").unwrap();
    refused(&path, &IngestOptions::default(), Bad);
    let path = data("reports/second/terrarium.png").unwrap();
    let error = refused(&path, &IngestOptions::default(), Bad);
    assert!(error.remedy().contains("Terrarium"), "{error}");
}
