//! ENVI rasters: a text header (`.hdr`) beside a file of plain samples.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::crs::{Crs, Ellipsoid, US_SURVEY_FOOT, Units};
use super::error::IngestError;
use super::numbers::parse_number;
use super::raster::{Raster, one_band};
use super::raw::{Layout, SampleType, read_described};
use super::sidecars::appended;
use super::source::{ByteOrder, RasterFile};

/// Headers are a few hundred bytes; those of many bands some hundred thousand.
const MAX_HEADER: u64 = 1 << 20;

/// Extensions that ENVI data files go by, in the order in which they are tried.
const DATA: [&str; 9] = [
    "bin", "dat", "img", "raw", "bsq", "bil", "bip", "envi", "dem",
];

pub(super) fn matches(head: &[u8]) -> bool {
    head.starts_with(b"ENVI") && head.get(4).is_none_or(u8::is_ascii_whitespace)
}

/// The ENVI header beside a data file: `x.hdr` or `x.bin.hdr` for `x.bin`.
pub(super) fn header_of(data: &Path) -> Option<PathBuf> {
    [data.with_extension("hdr"), appended(data, ".hdr")]
        .into_iter()
        .filter(|header| header != data && header.is_file())
        .find(|header| {
            let mut magic = [0; 5];
            File::open(header)
                .and_then(|mut file| file.read_exact(&mut magic))
                .is_ok_and(|()| matches(&magic))
        })
}

/// The data file beside a header.
fn data_of(header: &Path) -> Option<PathBuf> {
    let stem = header.with_extension("");
    std::iter::once(stem.clone())
        .chain(DATA.iter().map(|extension| stem.with_extension(extension)))
        .find(|data| data != header && data.is_file())
}

/// The file with the samples: the one named, or the one beside a header that is named.
pub(super) fn data_file(path: &Path) -> Option<PathBuf> {
    if is_header(path) {
        data_of(path)
    } else {
        Some(path.to_owned())
    }
}

fn is_header(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|e| e.eq_ignore_ascii_case("hdr")) || header_of(path).is_none()
}

pub(super) fn read(source: &RasterFile) -> Result<Raster, IngestError> {
    let (header_path, data_path) = if is_header(source.path) {
        let data = data_of(source.path).ok_or_else(|| {
            IngestError::bad(
                "the data file beside the header",
                format!(
                    "none named {} with no extension or with .{}",
                    source.path.with_extension("").display(),
                    DATA.join(", .")
                ),
                "put it there, or name it so",
            )
        })?;
        (source.path.to_owned(), data)
    } else {
        let header = header_of(source.path).unwrap_or_default();
        (header, source.path.to_owned())
    };
    let of_header = |error: IngestError| error.about(&header_path);
    let header = Header::open(&header_path).map_err(of_header)?;
    let layout = header.layout().map_err(of_header)?;
    let height = header.count("lines").map_err(of_header)?;
    let (place, crs) = header.place().map_err(of_header)?.unzip();
    let paths = [&*header_path, &data_path];
    let mut raster = read_described("ENVI", paths, (layout, height), place, source.options)?;
    raster.crs = crs;
    let first = |key| header.first(key).map_err(of_header);
    raster.scale = first("data gain values")?.unwrap_or(1.0);
    raster.offset = first("data offset values")?.unwrap_or(0.0);
    raster.nodata = match source.options.nodata {
        None => header.nodata().map_err(of_header)?,
        given => given,
    };
    Ok(raster)
}

struct Header {
    fields: HashMap<String, String>,
}

impl Header {
    fn open(path: &Path) -> Result<Self, IngestError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_HEADER + 1).read_to_end(&mut bytes))
            .map_err(IngestError::io)?;
        if bytes.len() as u64 > MAX_HEADER {
            return Err(IngestError::resource(
                format!("a header of at most {MAX_HEADER} bytes"),
                "more",
                "remove its lists of bands",
            ));
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// `key = value` lines after the magic; values in braces may go over several.
    fn parse(text: &str) -> Result<Self, IngestError> {
        let mut fields = HashMap::new();
        let mut lines = text.lines().enumerate().skip(1);
        while let Some((i, line)) = lines.next() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            let broken = |found: &str| {
                IngestError::bad("key = value", found, "correct the header")
                    .at(format!("line {}", i + 1))
            };
            let (key, value) = line
                .split_once('=')
                .ok_or_else(|| broken(&format!("{line:?}")))?;
            let mut value = value.trim().to_owned();
            if value.starts_with('{') {
                while !value.ends_with('}') {
                    let (_, more) = lines
                        .next()
                        .ok_or_else(|| broken("a brace that is never closed"))?;
                    value.push(' ');
                    value.push_str(more.trim());
                }
                value = value[1..value.len() - 1].trim().to_owned();
            }
            fields.insert(key.trim().to_ascii_lowercase(), value);
        }
        Ok(Self { fields })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).map(String::as_str)
    }

    fn optional<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>, IngestError> {
        self.text(key)
            .map(|text| {
                text.parse().map_err(|_| {
                    IngestError::bad("a number", format!("{text:?}"), "correct the header")
                        .at(format!("key {key:?}"))
                })
            })
            .transpose()
    }

    fn wrong_number(key: &str, text: &str) -> IngestError {
        let expected = "a number, with a point for decimals";
        IngestError::bad(expected, format!("{text:?}"), "correct the header")
            .at(format!("key {key:?}"))
    }

    /// The first number of a list, which has one a band.
    fn first(&self, key: &str) -> Result<Option<f64>, IngestError> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        let first = text.split(',').next().unwrap_or_default();
        let number = parse_number(first).filter(|n| n.is_finite());
        let is_scale = key == "data gain values";
        let number = number.filter(|n| !is_scale || *n != 0.0);
        number
            .map(Some)
            .ok_or_else(|| Self::wrong_number(key, text))
    }

    fn nodata(&self) -> Result<Option<f64>, IngestError> {
        let key = "data ignore value";
        let text = self.text(key);
        let number = |text| parse_number(text).ok_or_else(|| Self::wrong_number(key, text));
        text.map(number).transpose()
    }

    fn count(&self, key: &str) -> Result<u64, IngestError> {
        self.optional(key)?.ok_or_else(|| {
            IngestError::bad("a whole number", "no such key", "complete the header")
                .at(format!("key {key:?}"))
        })
    }

    fn layout(&self) -> Result<Layout, IngestError> {
        let width = self.count("samples")?;
        let wrong = |key: &str, expected: &str, found: &str, remedy: &str| {
            IngestError::bad(expected, found, remedy).at(format!("key {key:?}"))
        };
        let bands: u64 = self.optional("bands")?.unwrap_or(1);
        if bands != 1 {
            return Err(one_band(bands as usize, "", None).at("key \"bands\""));
        }
        if self.optional::<u64>("file compression")?.unwrap_or(0) != 0 {
            return Err(wrong(
                "file compression",
                "plain samples",
                "compressed ones",
                "unpack the data file",
            ));
        }
        let sample = match self.count("data type")? {
            1 => SampleType::U8,
            2 => SampleType::I16,
            3 => SampleType::I32,
            4 => SampleType::F32,
            5 => SampleType::F64,
            12 => SampleType::U16,
            13 => SampleType::U32,
            14 => SampleType::I64,
            15 => SampleType::U64,
            complex @ (6 | 9) => {
                return Err(wrong(
                    "data type",
                    "real samples",
                    &format!("complex ones (type {complex})"),
                    "export real heights",
                ));
            }
            other => {
                return Err(wrong(
                    "data type",
                    "1, 2, 3, 4, 5, 12, 13, 14 or 15",
                    &format!("{other}"),
                    "correct the header",
                ));
            }
        };
        let order = match self.optional::<u64>("byte order")?.unwrap_or(0) {
            0 => ByteOrder::Little,
            1 => ByteOrder::Big,
            other => {
                return Err(wrong(
                    "byte order",
                    "0 (little-endian) or 1 (big-endian)",
                    &format!("{other}"),
                    "correct the header",
                ));
            }
        };
        Ok(Layout {
            offset: self.optional("header offset")?.unwrap_or(0),
            width,
            row_bytes: width.saturating_mul(sample.bytes()),
            sample,
            order,
        })
    }

    /// `map info`: projection, reference pixel (counted from 1 at the outer corner), its
    /// coordinates, pixel size, then zone, datum and `units=` in any number. Transform of the whole raster and CRS.
    fn place(&self) -> Result<Option<([f64; 6], Crs)>, IngestError> {
        let Some(info) = self.text("map info") else {
            return Ok(None);
        };
        let words: Vec<&str> = info.split(',').map(str::trim).collect();
        let numbers: Vec<f64> = words
            .iter()
            .skip(1)
            .take(6)
            .map_while(|word| word.parse().ok().filter(|n: &f64| n.is_finite()))
            .collect();
        let [column, row, x, y, dx, dy] = numbers[..] else {
            return Err(IngestError::bad(
                "a projection and six numbers",
                format!("{info:?}"),
                "correct the header",
            )
            .at("key \"map info\""));
        };
        let setting = |name: &str| {
            words.iter().find_map(|word| {
                let (key, value) = word.split_once('=')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
            })
        };
        let (west, north) = (x - (column - 1.0) * dx, y + (row - 1.0) * dy);
        if let Some(angle) = setting("rotation").filter(|a| a.parse() != Ok(0.0)) {
            return Err(IngestError::bad(
                "rows that run from west to east",
                format!("a raster that is turned by {angle} degrees"),
                "turn it to the north with gdalwarp INPUT OUT.tif",
            )
            .at("key \"map info\""));
        }
        let crs = match self.text("coordinate system string") {
            Some(wkt) => Crs::from_text(wkt),
            None => Crs {
                name: words
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| !(1..=6).contains(i))
                    .map(|(_, word)| *word)
                    .collect::<Vec<_>>()
                    .join(", "),
                units: map_units(words[0], setting("units")),
                vertical: None,
            },
        };
        Ok(Some(([west, dx, 0.0, north, 0.0, -dy], crs)))
    }
}

fn map_units(projection: &str, units: Option<&str>) -> Units {
    let degrees = Units::Radians(1_f64.to_radians(), Ellipsoid::WGS84);
    match units.map(str::to_ascii_lowercase).as_deref() {
        Some("meters" | "metres" | "meter" | "metre") => Units::Metres(1.0),
        Some("km") => Units::Metres(1000.0),
        Some("feet") => Units::Metres(0.3048),
        Some("us survey feet" | "u.s. survey feet") => Units::Metres(US_SURVEY_FOOT),
        Some("degrees") => degrees,
        Some(other) => Units::Unknown(format!("units {other}")),
        None if projection.to_ascii_lowercase().starts_with("geographic") => degrees,
        None => Units::Metres(1.0),
    }
}
