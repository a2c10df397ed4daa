//! Rasters of public reports of faults: `../shared/data/reports/files`, described in the README there.

use viewcell_ingest::IngestErrorKind::Bad;
use viewcell_ingest::IngestOptions;

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
