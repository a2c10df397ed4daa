//! Directories of TIFF and BigTIFF files (TIFF 6.0; OGC 19-008): tags with their values, and where these lie.

use std::fmt::Write as _;

use super::geotiff::{GeoTags, geo_tags};
use viewcell_ingest::world::Georeference;

/// The values of a TIFF tag.
pub(super) enum Values {
    Ascii(String),
    Short(Vec<u16>),
    /// LONG, in BigTIFF LONG8.
    Long(Vec<u64>),
    Double(Vec<f64>),
}

/// GDAL's names of bands, for people.
pub(super) fn band_names(bands: &[String]) -> String {
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

/// The tags of a place on a planet; none where there is no place.
pub(super) fn place(georeference: Option<&Georeference>, spacing: [f64; 2]) -> Vec<(u16, Values)> {
    let Some(georeference) = georeference else {
        return Vec::new();
    };
    let GeoTags {
        doubles,
        keys,
        text,
    } = geo_tags(georeference, spacing);
    let doubles = doubles
        .into_iter()
        .map(|(tag, values)| (tag, Values::Double(values)));
    let mut tags: Vec<_> = doubles.collect();
    tags.push((34735, Values::Short(keys)));
    if !text.is_empty() {
        tags.push((34737, Values::Ascii(text)));
    }
    tags
}

/// Header, directories, each with what does not fit into its entries, up to a multiple of 16 bytes.
pub(super) fn encode(directories: &[Vec<(u16, Values)>], big: bool) -> Vec<u8> {
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
