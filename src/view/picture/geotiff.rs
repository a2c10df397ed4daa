//! Heads of GeoTIFFs (TIFF 6.0; OGC 19-008, GeoTIFF 1.1), in files longer than 4 GiB of BigTIFFs: what the images are, where
//! their bytes lie, and where on a planet they do. Bytes follow behind, so that a head can go to a pipe.
//!
//! The encoder of the crate `tiff`, whose decoder reads heightmaps, does not fit: it seeks, and must know the number of
//! bands when it is compiled.

use std::fmt::Write as _;

use super::number::Number;
use viewcell::query::{Bundle, TerrainBundle};
use viewcell_ingest::world::Georeference;

/// The most bands that a raster has: TIFF counts them in 16 bits.
pub const MAX_BANDS: u32 = u16::MAX as u32;

const PIXEL_SCALE: u16 = 33550;
const TIE_POINT: u16 = 33922;
const TRANSFORMATION: u16 = 34264;
const GEO_KEY_DIRECTORY: u16 = 34735;
const GEO_ASCII_PARAMS: u16 = 34737;

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const CITATION: u16 = 1026;
const GEODETIC_CRS: u16 = 2048;
const PROJECTED_CRS: u16 = 3072;
const PROJECTED_CITATION: u16 = 3073;

const PROJECTED: u16 = 1;
const GEOGRAPHIC: u16 = 2;
const USER_DEFINED: u16 = 32767;
const LINEAR_UNITS: u16 = 3076;
const METRE: u16 = 9001;
const PIXEL_IS_AREA: u16 = 1;

/// What a raster is of.
#[derive(Clone, Debug)]
pub struct RasterLayout<'a> {
    /// Columns, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// What it shows, for people; empty where the bands say it.
    pub description: &'a str,
    /// The names of the bands, for people: 1 to [`MAX_BANDS`] of them.
    pub bands: &'a [String],
    /// What stands for no data, in words: a number or `nan`.
    pub nodata: &'a str,
    /// `[dx, dy]` in metres.
    pub spacing: [f64; 2],
    /// Where it lies, if anywhere.
    pub georeference: Option<&'a Georeference>,
}

/// Where a bundle of a terrain lies, if anywhere.
pub fn georeference_of(bundle: &Bundle<'_>, terrain: &TerrainBundle<'_>) -> Option<Georeference> {
    let transform = terrain.parameters().transform?;
    let crs = bundle.crs().unwrap_or("").to_owned();
    Some(Georeference { crs, transform })
}

/// The pieces of an image.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pieces {
    /// Rows as they are, of a sample band by band.
    Rows,
    /// Squares of this side, deflated, of differences of neighbours: all of a band, then all of the next.
    Tiles(usize),
}

/// The head of a file of images of `N`: of each the length of its pieces in bytes. They follow the head in this order. The
/// first image is the raster, each other half as large as the one before.
pub(super) fn head<N: Number>(
    layout: &RasterLayout<'_>,
    pieces: Pieces,
    images: &[Vec<u64>],
) -> Vec<u8> {
    assert!(layout.width > 0 && layout.height > 0);
    assert!((1..=MAX_BANDS as usize).contains(&layout.bands.len()));
    let head = |big, start| encode(&directories::<N>(layout, pieces, images, start), big);
    // Where pieces begin does not change the length of the head.
    let small = head(false, 0).len() as u64;
    let data: u64 = images.iter().flatten().sum();
    let big = small + data > u64::from(u32::MAX);
    head(big, head(big, 0).len() as u64)
}

/// A directory for each image, whose pieces follow each other from `start`.
fn directories<N: Number>(
    layout: &RasterLayout<'_>,
    pieces: Pieces,
    images: &[Vec<u64>],
    start: u64,
) -> Vec<Vec<(u16, Values)>> {
    use Values::{Ascii, Long, Short};
    let mut at = start;
    let mut side = [layout.width, layout.height].map(u64::from);
    let count = layout.bands.len();
    let mut directories = Vec::new();
    for (level, lengths) in images.iter().enumerate() {
        let offsets = lengths.iter().map(|length| {
            at += length;
            at - length
        });
        let offsets = Long(offsets.collect());
        let lengths = Long(lengths.clone());
        let mut tags = vec![
            // Whether it is an overview.
            (254, Long(vec![u64::from(level > 0)])),
            (256, Long(vec![side[0]])),
            (257, Long(vec![side[1]])),
            (258, Short(vec![N::BITS; count])),
            // Black is zero.
            (262, Short(vec![1])),
            (277, Short(vec![count as u16])),
            (339, Short(vec![N::SAMPLE_FORMAT; count])),
            (42113, Ascii(layout.nodata.to_owned())),
        ];
        match pieces {
            Pieces::Rows => tags.extend([
                (259, Short(vec![1])),
                (273, offsets),
                (278, Short(vec![1])),
                (279, lengths),
                (284, Short(vec![1])),
            ]),
            Pieces::Tiles(tile) => tags.extend([
                (259, Short(vec![8])),
                (284, Short(vec![if count > 1 { 2 } else { 1 }])),
                (317, Short(vec![2])),
                (322, Long(vec![tile as u64])),
                (323, Long(vec![tile as u64])),
                (324, offsets),
                (325, lengths),
            ]),
        }
        if count > 1 {
            // The bands beyond the first are not colours.
            tags.push((338, Short(vec![0; count - 1])));
        }
        if level == 0 {
            if !layout.description.is_empty() {
                tags.push((270, Ascii(layout.description.to_owned())));
            }
            tags.push((42112, Ascii(band_names(layout.bands))));
            if let Some(georeference) = layout.georeference {
                tags.extend(place(georeference, layout.spacing));
            }
        }
        tags.sort_by_key(|(tag, _)| *tag);
        directories.push(tags);
        side = side.map(|side| side.div_ceil(2));
    }
    directories
}

/// The values of a TIFF tag.
enum Values {
    Ascii(String),
    Short(Vec<u16>),
    /// LONG, in BigTIFF LONG8.
    Long(Vec<u64>),
    Double(Vec<f64>),
}

/// GDAL's names of bands, for people.
fn band_names(bands: &[String]) -> String {
    let mut names = String::from("<GDALMetadata>");
    for (i, name) in bands.iter().enumerate() {
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(
            names,
            r#"<Item name="DESCRIPTION" sample="{i}" role="description">{name}</Item>"#
        );
    }
    names.push_str("</GDALMetadata>");
    names
}

/// Header, directories, each with what does not fit into its entries, up to a multiple of 16 bytes.
fn encode(directories: &[Vec<(u16, Values)>], big: bool) -> Vec<u8> {
    let mut head = b"II".to_vec();
    // A pointer or a count.
    let size = if big { 8 } else { 4 };
    let word = |value: u64| value.to_le_bytes()[..size].to_vec();
    if big {
        head.extend([43, 0, 8, 0, 0, 0]);
        head.extend(word(16));
    } else {
        head.extend([42, 0]);
        head.extend(word(8));
    }
    for (i, tags) in directories.iter().enumerate() {
        let count = if big { 8 } else { 2 };
        head.extend(&(tags.len() as u64).to_le_bytes()[..count]);
        let directory = head.len() + tags.len() * (4 + 2 * size) + size;
        let mut behind: Vec<u8> = Vec::new();
        for (tag, values) in tags {
            let (kind, count, mut bytes) = match values {
                Values::Ascii(text) => {
                    let bytes = [text.as_bytes(), b"\0"].concat();
                    (2_u16, bytes.len(), bytes)
                }
                Values::Short(v) => (3, v.len(), v.iter().flat_map(|v| v.to_le_bytes()).collect()),
                Values::Long(v) => {
                    let kind = if big { 16 } else { 4 };
                    (kind, v.len(), v.iter().flat_map(|v| word(*v)).collect())
                }
                Values::Double(v) => (
                    12,
                    v.len(),
                    v.iter().flat_map(|v| v.to_le_bytes()).collect(),
                ),
            };
            head.extend(tag.to_le_bytes());
            head.extend(kind.to_le_bytes());
            head.extend(word(count as u64));
            if bytes.len() <= size {
                bytes.resize(size, 0);
                head.extend(bytes);
            } else {
                head.extend(word((directory + behind.len()) as u64));
                // Values begin at even places, and doubles best at multiples of eight.
                bytes.resize(bytes.len().next_multiple_of(8), 0);
                behind.extend(bytes);
            }
        }
        let next = (directory + behind.len()).next_multiple_of(16);
        let is_last = i + 1 == directories.len();
        head.extend(word(if is_last { 0 } else { next as u64 }));
        head.extend(behind);
        head.resize(next, 0);
    }
    head
}

/// The tags of a place on a planet.
fn place(georeference: &Georeference, spacing: [f64; 2]) -> Vec<(u16, Values)> {
    let t = georeference.transform;
    let mut tags = if t[2] == 0.0 && t[4] == 0.0 && t[1] > 0.0 && t[5] < 0.0 {
        let tie = vec![0.0, 0.0, 0.0, t[0], t[3], 0.0];
        vec![
            (PIXEL_SCALE, Values::Double(vec![t[1], -t[5], 0.0])),
            (TIE_POINT, Values::Double(tie)),
        ]
    } else {
        let matrix = vec![
            t[1], t[2], 0.0, t[0], //
            t[4], t[5], 0.0, t[3], //
            0.0, 0.0, 0.0, 0.0, //
            0.0, 0.0, 0.0, 1.0,
        ];
        vec![(TRANSFORMATION, Values::Double(matrix))]
    };
    let (keys, text) = geo_keys(georeference, spacing);
    tags.push((GEO_KEY_DIRECTORY, Values::Short(keys)));
    if !text.is_empty() {
        tags.push((GEO_ASCII_PARAMS, Values::Ascii(text)));
    }
    tags
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
    use super::super::mask_geotiff;
    use super::*;
    use std::io::Cursor;
    use tiff::decoder::{Decoder, DecodingResult};
    use tiff::tags::Tag;

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
        let file = mask_geotiff(7, &mask, [30.0, 30.0], Some(&utm()));
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
        let file = mask_geotiff(2, &[Some(true); 4], [74.3, 92.5], Some(&degrees));
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
        let file = mask_geotiff(2, &[Some(true); 4], [1.1, 1.1], Some(&turned));
        let mut decoder = Decoder::new(Cursor::new(&file)).unwrap();
        let matrix = decoder
            .get_tag_f64_vec(Tag::ModelTransformationTag)
            .unwrap();
        assert_eq!(matrix[..8], [1.0, 0.5, 0.0, 5.0, 0.5, -1.0, 0.0, 6.0]);

        let file = mask_geotiff(2, &[Some(true); 4], [1.0, 1.0], None);
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

    #[test]
    fn a_raster_with_a_place_and_several_bands_is_read_back() {
        let bands: Vec<String> = (0..3).map(|i| format!("band <{i}>")).collect();
        let georeference = utm();
        let layout = RasterLayout {
            width: 5,
            height: 3,
            description: "",
            bands: &bands,
            nodata: "nan",
            spacing: [30.0, 30.0],
            georeference: Some(&georeference),
        };
        let numbers: Vec<f32> = (0..45).map(|i| i as f32 / 7.0).collect();
        for big in [false, true] {
            let rows = [vec![5 * 3 * 4; 3]];
            let head = |at| encode(&directories::<f32>(&layout, Pieces::Rows, &rows, at), big);
            let mut file = head(head(0).len() as u64);
            file.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
            let mut decoder = Decoder::new(Cursor::new(&file)).unwrap();
            let scale = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap();
            assert_eq!(scale, [30.0, 30.0, 0.0]);
            let keys = decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap();
            assert_eq!(keys[12..], [3072, 0, 1, 32611]);
            let DecodingResult::F32(found) = decoder.read_image().unwrap() else {
                panic!("not f32");
            };
            assert_eq!(found, numbers, "big: {big}");
        }
    }
}
