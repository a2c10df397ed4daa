//! A mask as a GeoTIFF, for a GIS (OGC 19-008, GeoTIFF 1.1).

use std::io::Cursor;

use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype::Gray8};
use tiff::tags::Tag;

use super::PictureError;
use viewcell_ingest::world::Georeference;

const PIXEL_SCALE: u16 = 33550;
const TIE_POINT: u16 = 33922;
const TRANSFORMATION: u16 = 34264;

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const CITATION: u16 = 1026;
const GEODETIC_CRS: u16 = 2048;
const PROJECTED_CRS: u16 = 3072;
const PROJECTED_CITATION: u16 = 3073;
const GEO_ASCII_PARAMS: u16 = 34737;

const PROJECTED: u16 = 1;
const GEOGRAPHIC: u16 = 2;
const USER_DEFINED: u16 = 32767;
const LINEAR_UNITS: u16 = 3076;
const METRE: u16 = 9001;
const PIXEL_IS_AREA: u16 = 1;

/// What stands for a void in a mask, and is said to.
const NO_DATA: u8 = 255;

/// A GeoTIFF of one byte a sample, 1 where `mask` is true, 0 where it is false and 255 (NoData) where there is nothing to
/// tell, deflated.
///
/// `mask` is row by row, `width` a row. `spacing` is `[dx, dy]` in metres. With a georeference
/// the file lies where the terrain lay; without one it has no geographic tags.
///
/// # Errors
///
/// [`PictureError`] where the encoder fails, as it does beyond 4 GB.
///
/// # Panics
///
/// If `width` is zero or does not divide the length of `mask`.
pub fn mask_geotiff(
    width: u32,
    mask: &[Option<bool>],
    spacing: [f64; 2],
    georeference: Option<&Georeference>,
) -> Result<Vec<u8>, PictureError> {
    assert!(width > 0 && mask.len().is_multiple_of(width as usize));
    let rows = (mask.len() / width as usize) as u32;
    let sample = |seen: &Option<bool>| seen.map_or(NO_DATA, u8::from);
    let samples: Vec<u8> = mask.iter().map(sample).collect();
    let mut bytes = Cursor::new(Vec::new());
    encode(&mut bytes, width, rows, &samples, spacing, georeference)
        .map_err(|error| PictureError(error.to_string()))?;
    Ok(bytes.into_inner())
}

fn encode(
    out: &mut Cursor<Vec<u8>>,
    width: u32,
    rows: u32,
    samples: &[u8],
    spacing: [f64; 2],
    georeference: Option<&Georeference>,
) -> Result<(), tiff::TiffError> {
    let mut encoder =
        TiffEncoder::new(out)?.with_compression(Compression::Deflate(DeflateLevel::Balanced));
    let mut image = encoder.new_image::<Gray8>(width, rows)?;
    image
        .encoder()
        .write_tag(Tag::GdalNodata, NO_DATA.to_string().as_str())?;
    if let Some(georeference) = georeference {
        let directory = image.encoder();
        let GeoTags {
            doubles,
            keys,
            text,
        } = geo_tags(georeference, spacing);
        for (tag, values) in doubles {
            directory.write_tag(Tag::from_u16_exhaustive(tag), &values[..])?;
        }
        directory.write_tag(Tag::GeoKeyDirectoryTag, &keys[..])?;
        if !text.is_empty() {
            directory.write_tag(Tag::GeoAsciiParamsTag, &text[..])?;
        }
    }
    image.write_data(samples)
}

/// What a TIFF says of its place.
pub(super) struct GeoTags {
    /// Tags of doubles: pixel scale and tie point, or a matrix.
    pub doubles: Vec<(u16, Vec<f64>)>,
    /// The key directory.
    pub keys: Vec<u16>,
    /// The text that its keys point into.
    pub text: String,
}

pub(super) fn geo_tags(georeference: &Georeference, spacing: [f64; 2]) -> GeoTags {
    let t = georeference.transform;
    let doubles = if t[2] == 0.0 && t[4] == 0.0 && t[1] > 0.0 && t[5] < 0.0 {
        vec![
            (PIXEL_SCALE, vec![t[1], -t[5], 0.0]),
            (TIE_POINT, vec![0.0, 0.0, 0.0, t[0], t[3], 0.0]),
        ]
    } else {
        let matrix = [
            t[1], t[2], 0.0, t[0], //
            t[4], t[5], 0.0, t[3], //
            0.0, 0.0, 0.0, 0.0, //
            0.0, 0.0, 0.0, 1.0,
        ];
        vec![(TRANSFORMATION, matrix.to_vec())]
    };
    let (keys, text) = geo_keys(georeference, spacing);
    GeoTags {
        doubles,
        keys,
        text,
    }
}

/// The key directory, and the text that its keys point into.
fn geo_keys(georeference: &Georeference, spacing: [f64; 2]) -> (Vec<u16>, String) {
    let crs = georeference.crs.as_str();
    let code = crs
        .strip_prefix("EPSG:")
        .and_then(|c| c.parse::<u16>().ok());
    let mut text = String::new();
    let mut cite = |key: u16, words: &str| {
        let offset = text.len() as u16;
        // `|` ends a string in this tag, and the tag is ASCII.
        text.extend(
            words
                .chars()
                .map(|c| if c.is_ascii() && c != '|' { c } else { '?' }),
        );
        text.push('|');
        [key, GEO_ASCII_PARAMS, text.len() as u16 - offset, offset]
    };
    let value = |key: u16, value: u16| [key, 0, 1, value];
    let (model, more) = match code {
        Some(code) if in_degrees(georeference, spacing) => {
            (GEOGRAPHIC, vec![value(GEODETIC_CRS, code)])
        }
        Some(code) => (PROJECTED, vec![value(PROJECTED_CRS, code)]),
        // The well-known text of a CRS that no code names goes into a citation, where GDAL and
        // ArcGIS look for it behind these words.
        None if crs.starts_with("PROJCS") && crs.len() < 32_000 => {
            let words = cite(PROJECTED_CITATION, &format!("ESRI PE String = {crs}"));
            (PROJECTED, vec![value(PROJECTED_CRS, USER_DEFINED), words])
        }
        None => {
            let citable = !crs.is_empty() && crs.len() < 32_000;
            let mut more = Vec::from_iter(citable.then(|| cite(CITATION, crs)));
            // A plane that is nowhere on a planet, but whose unit is known.
            if in_metres(georeference, spacing) {
                more.extend([
                    value(PROJECTED_CRS, USER_DEFINED),
                    value(LINEAR_UNITS, METRE),
                ]);
                (PROJECTED, more)
            } else {
                (USER_DEFINED, more)
            }
        }
    };
    let mut keys = vec![value(MODEL_TYPE, model), value(RASTER_TYPE, PIXEL_IS_AREA)];
    keys.extend(more);
    let header = [1, 1, 0, keys.len() as u16];
    (
        header
            .into_iter()
            .chain(keys.into_iter().flatten())
            .collect(),
        text,
    )
}

/// Whether the unit of the coordinates is the metre.
fn in_metres(georeference: &Georeference, spacing: [f64; 2]) -> bool {
    let [_, xc, xr, _, yc, yr] = georeference.transform;
    let is_one = |metres: f64, step: f64| (metres / step - 1.0).abs() < 1e-9;
    is_one(spacing[0], xc.hypot(yc)) && is_one(spacing[1], xr.hypot(yr))
}

/// A code alone does not say whether it names longitudes and latitudes, but the size of a pixel
/// does: a degree of latitude is 110.6 to 111.7 km long.
fn in_degrees(georeference: &Georeference, spacing: [f64; 2]) -> bool {
    let t = georeference.transform;
    (100e3..120e3).contains(&(spacing[1] / t[4].hypot(t[5])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiff::decoder::{Decoder, DecodingResult};

    fn utm() -> Georeference {
        Georeference {
            crs: "EPSG:32611".into(),
            transform: [400_000.0, 30.0, 0.0, 3_800_000.0, 0.0, -30.0],
        }
    }

    fn keys(file: &[u8]) -> Vec<u16> {
        let mut decoder = Decoder::new(Cursor::new(file)).unwrap();
        decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap()
    }

    #[test]
    fn another_decoder_reads_the_same_mask_and_place() {
        let mask: Vec<Option<bool>> = (0..7 * 5)
            .map(|i| (i % 5 > 0).then_some(i % 3 == 0))
            .collect();
        let file = mask_geotiff(7, &mask, [30.0, 30.0], Some(&utm())).unwrap();
        let mut decoder = Decoder::new(Cursor::new(&file)).unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (7, 5));
        let scale = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap();
        assert_eq!(scale, [30.0, 30.0, 0.0]);
        let tie = decoder.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap();
        assert_eq!(tie, [0.0, 0.0, 0.0, 400_000.0, 3_800_000.0, 0.0]);
        let DecodingResult::U8(samples) = decoder.read_image().unwrap() else {
            panic!("not bytes");
        };
        // Voids were 0, as what is hidden is.
        let due = |seen: &Option<bool>| match seen {
            Some(true) => 1,
            Some(false) => 0,
            None => 255,
        };
        assert_eq!(samples, mask.iter().map(due).collect::<Vec<u8>>());
        let nodata = decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap();
        assert_eq!(nodata, "255");
        assert_eq!(
            keys(&file)[4..],
            [1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32611]
        );
    }

    #[test]
    fn degrees_are_told_from_metres_by_the_size_of_a_pixel() {
        let degrees = Georeference {
            crs: "EPSG:4326".into(),
            transform: [-84.4, 1.0 / 1200.0, 0.0, 36.7, 0.0, -1.0 / 1200.0],
        };
        let file = mask_geotiff(2, &[Some(true); 4], [74.3, 92.5], Some(&degrees)).unwrap();
        assert_eq!(
            keys(&file)[4..],
            [1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]
        );
    }

    #[test]
    fn a_turned_grid_gets_a_matrix_and_a_grid_from_nowhere_gets_no_tags() {
        let turned = Georeference {
            transform: [5.0, 1.0, 0.5, 6.0, 0.5, -1.0],
            ..utm()
        };
        let file = mask_geotiff(2, &[Some(true); 4], [1.1, 1.1], Some(&turned)).unwrap();
        let mut decoder = Decoder::new(Cursor::new(&file)).unwrap();
        let matrix = decoder
            .get_tag_f64_vec(Tag::ModelTransformationTag)
            .unwrap();
        assert_eq!(matrix[..8], [1.0, 0.5, 0.0, 5.0, 0.5, -1.0, 0.0, 6.0]);

        let file = mask_geotiff(2, &[Some(true); 4], [1.0, 1.0], None).unwrap();
        let mut decoder = Decoder::new(Cursor::new(&file)).unwrap();
        assert!(decoder.get_tag(Tag::GeoKeyDirectoryTag).is_err());
    }

    #[test]
    fn well_known_text_is_cited_and_names_are_kept_ascii() {
        let mars = Georeference {
            crs: "PROJCS[\"Mars\"]".into(),
            ..utm()
        };
        let (keys, text) = geo_keys(&mars, [30.0, 30.0]);
        assert_eq!(text, "ESRI PE String = PROJCS[\"Mars\"]|");
        assert_eq!(keys[3], 4);
        let local = Georeference {
            crs: "Göteborg | lokal".into(),
            ..utm()
        };
        assert_eq!(geo_keys(&local, [1.0, 1.0]).1, "G?teborg ? lokal|");
    }
}
