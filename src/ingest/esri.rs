//! ESRI headers: a text (`.hdr`) beside samples without one. EHdr describes `.bil`, `.bip` and `.bsq`, GridFloat `.flt`.
//!
//! The two share their form, `KEYWORD value` a line. EHdr places the centre of the first sample (`ULXMAP`), GridFloat the
//! south-western corner (`xllcorner`), and its samples are floating point.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::IngestError;
use super::numbers::parse_number;
use super::plausible;
use super::raster::{Raster, one_band};
use super::raw::{Layout, SampleType, read_described};
use super::sidecars::appended;
use super::source::{ByteOrder, RasterFile};

/// Headers are a few hundred bytes.
const MAX_HEADER: u64 = 1 << 16;

/// Extensions of data files, in the order in which they are tried.
const DATA: [&str; 9] = [
    "bil", "bip", "bsq", "flt", "dem", "bin", "dat", "img", "raw",
];

/// Whether a text is such a header: every line a keyword and a value, columns and rows among them.
fn parse(text: &str) -> Option<HashMap<String, String>> {
    let mut fields = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (keyword, value) = line.split_once(char::is_whitespace)?;
        fields.insert(keyword.to_ascii_uppercase(), value.trim().to_owned());
    }
    (fields.contains_key("NROWS") && fields.contains_key("NCOLS")).then_some(fields)
}

fn fields_of(header: &Path) -> Option<HashMap<String, String>> {
    // Asked first, because opening a pipe would wait.
    let file = header.is_file().then(|| File::open(header).ok())??;
    let mut bytes = Vec::new();
    file.take(MAX_HEADER).read_to_end(&mut bytes).ok()?;
    parse(&String::from_utf8_lossy(&bytes))
}

/// The header of a data file, `x.hdr` or `x.bil.hdr` for `x.bil`; or the file itself, if it is one.
pub(super) fn header_of(path: &Path) -> Option<PathBuf> {
    let is_header = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("hdr"));
    if is_header {
        return fields_of(path).map(|_| path.to_owned());
    }
    [
        path.with_extension("hdr"),
        path.with_extension("HDR"),
        appended(path, ".hdr"),
    ]
    .into_iter()
    .find(|header| fields_of(header).is_some())
}

pub(super) fn read(source: &RasterFile) -> Result<Raster, IngestError> {
    let header_path = header_of(source.path).unwrap_or_default();
    let data_path = if header_path == source.path {
        found_data(source.path)?
    } else {
        source.path.to_owned()
    };
    let of_header = |error: IngestError| error.about(&header_path);
    let header = Header {
        fields: fields_of(&header_path).unwrap_or_default(),
        floats: extension(&data_path) == "flt",
    };
    let mut notes = Vec::new();
    let described = header.layout(source, &mut notes).map_err(of_header)?;
    let (layout, height) = described;
    let given = header.transform(layout.width, height).map_err(of_header)?;
    let nodata = match source.options.nodata {
        None => header.nodata().map_err(of_header)?,
        given => given,
    };
    let paths = [&*header_path, &data_path];
    let place = given.or(source.place);
    let mut raster = read_described("ESRI header", paths, described, place, source.options)?;
    notes.append(&mut raster.notes);
    let is_signed = layout.sample == SampleType::I16;
    if source.options.byte_order.is_none() && (is_signed || layout.sample == SampleType::U16) {
        notes.extend(plausible::other_order(
            &raster.values,
            raster.window.width,
            is_signed,
            layout.order,
        ));
    }
    (raster.nodata, raster.notes) = (nodata, notes);
    Ok(raster)
}

fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

/// The file with the samples: the one named, or the one beside a header that is named.
pub(super) fn data_file(path: &Path) -> Option<PathBuf> {
    let is_header = header_of(path).is_some_and(|header| header == path);
    if is_header {
        data_of(path)
    } else {
        Some(path.to_owned())
    }
}

fn data_of(header: &Path) -> Option<PathBuf> {
    DATA.iter()
        .flat_map(|name| [(*name).to_owned(), name.to_uppercase()])
        .map(|name| header.with_extension(name))
        .chain([header.with_extension("")])
        .find(|data| data != header && data.is_file())
}

fn found_data(header: &Path) -> Result<PathBuf, IngestError> {
    data_of(header).ok_or_else(|| {
        let stem = header.with_extension("");
        IngestError::bad(
            "the data file beside the header",
            format!("none named {} with .{}", stem.display(), DATA.join(", .")),
            "put it there, or name it so",
        )
    })
}

struct Header {
    /// By keyword in upper case.
    fields: HashMap<String, String>,
    /// The data file's name says floating point.
    floats: bool,
}

impl Header {
    fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).map(String::as_str)
    }

    fn wrong(key: &str, expected: &str, found: &str) -> IngestError {
        IngestError::bad(expected, format!("{found:?}"), "correct the header")
            .at(format!("keyword {key}"))
    }

    fn count(&self, key: &str) -> Result<Option<u64>, IngestError> {
        self.text(key)
            .map(|text| {
                text.parse()
                    .map_err(|_| Self::wrong(key, "a whole number", text))
            })
            .transpose()
    }

    fn number(&self, key: &str) -> Result<Option<f64>, IngestError> {
        self.text(key)
            .map(|text| {
                text.parse()
                    .ok()
                    .filter(|n: &f64| n.is_finite())
                    .ok_or_else(|| Self::wrong(key, "a number, with a point for decimals", text))
            })
            .transpose()
    }

    fn nodata(&self) -> Result<Option<f64>, IngestError> {
        let keys = ["NODATA_VALUE", "NODATA"];
        let given = keys.iter().find_map(|key| Some((key, self.text(key)?)));
        let number = given.map(|(key, text)| {
            parse_number(text)
                .ok_or_else(|| Self::wrong(key, "a number, with a point for decimals", text))
        });
        number.transpose()
    }

    /// How the samples lie, and the number of rows.
    fn layout(
        &self,
        source: &RasterFile,
        notes: &mut Vec<String>,
    ) -> Result<(Layout, u64), IngestError> {
        let width = self.count("NCOLS")?.unwrap_or(0);
        let height = self.count("NROWS")?.unwrap_or(0);
        if let Some(bands) = self.count("NBANDS")?.filter(|bands| *bands != 1) {
            return Err(one_band(bands as usize, "", None).at("keyword NBANDS"));
        }
        let sample = self.sample(notes)?;
        let order = self.order(source, sample)?;
        // The sides come through the window's check later, and may be anything here.
        let plain = width.saturating_mul(sample.bytes());
        let row_bytes = match self.count("TOTALROWBYTES")? {
            None | Some(0) => self
                .count("BANDROWBYTES")?
                .filter(|bytes| *bytes > 0)
                .unwrap_or(plain),
            Some(bytes) => bytes,
        };
        if row_bytes < plain {
            return Err(IngestError::bad(
                format!("rows of at least {plain} bytes, for {width} samples"),
                format!("{row_bytes}"),
                "correct NCOLS, NBITS or TOTALROWBYTES in the header",
            )
            .at("keyword TOTALROWBYTES"));
        }
        let layout = Layout {
            offset: self.count("SKIPBYTES")?.unwrap_or(0),
            width,
            row_bytes,
            sample,
            order,
        };
        Ok((layout, height))
    }

    fn sample(&self, notes: &mut Vec<String>) -> Result<SampleType, IngestError> {
        let kind = self.text("PIXELTYPE").map(str::to_ascii_uppercase);
        let is_grid_float = self.floats || self.text("CELLSIZE").is_some();
        let bits = match self.count("NBITS")? {
            Some(bits) => bits,
            None if is_grid_float => 32,
            None => 8,
        };
        let found = format!("{bits} bits, {}", kind.as_deref().unwrap_or("no PIXELTYPE"));
        Ok(match (bits, kind.as_deref()) {
            (32, Some("FLOAT")) => SampleType::F32,
            (32, None) if is_grid_float => SampleType::F32,
            (64, Some("FLOAT")) => SampleType::F64,
            (8, Some("SIGNEDINT")) => SampleType::I8,
            (8, None | Some("UNSIGNEDINT")) => SampleType::U8,
            (16, Some("SIGNEDINT")) => SampleType::I16,
            (16, Some("UNSIGNEDINT")) => SampleType::U16,
            (16, None) => {
                // So are GTOPO30, SRTM and all elevations whose header is older than the keyword.
                notes.push(
                    "the header has no PIXELTYPE: samples are taken as signed (if not, add PIXELTYPE UNSIGNEDINT)"
                        .to_owned(),
                );
                SampleType::I16
            }
            (32, Some("SIGNEDINT")) => SampleType::I32,
            (32, Some("UNSIGNEDINT")) => SampleType::U32,
            _ => {
                return Err(IngestError::bad(
                    "NBITS 8, 16 or 32, and PIXELTYPE SIGNEDINT, UNSIGNEDINT or (of 32 and 64 bits) FLOAT",
                    found,
                    "complete the header",
                )
                .at("keywords NBITS and PIXELTYPE"));
            }
        })
    }

    fn order(&self, source: &RasterFile, sample: SampleType) -> Result<ByteOrder, IngestError> {
        if let Some(order) = source.options.byte_order {
            return Ok(order);
        }
        let Some(text) = self.text("BYTEORDER") else {
            if sample.bytes() == 1 {
                return Ok(ByteOrder::Little);
            }
            return Err(IngestError::usage(
                "BYTEORDER I (Intel, low byte first) or M (Motorola, high byte first) in the header",
                "no such keyword",
                "add it, or give `byte_order`",
            )
            .at("keyword BYTEORDER"));
        };
        match text.to_ascii_uppercase().as_str() {
            "I" | "LSBFIRST" | "INTEL" | "LITTLE" => Ok(ByteOrder::Little),
            "M" | "MSBFIRST" | "MOTOROLA" | "BIG" => Ok(ByteOrder::Big),
            _ => Err(Self::wrong(
                "BYTEORDER",
                "I or LSBFIRST, M or MSBFIRST",
                text,
            )),
        }
    }

    /// Of the whole raster.
    fn transform(&self, width: u64, height: u64) -> Result<Option<[f64; 6]>, IngestError> {
        let cell = self.number("CELLSIZE")?;
        let (dx, dy) = (self.number("XDIM")?.or(cell), self.number("YDIM")?.or(cell));
        let (Some(dx), Some(dy)) = (dx, dy) else {
            return Ok(None);
        };
        let (columns, rows) = (width as f64, height as f64);
        let [west, north] = if let (Some(x), Some(y)) =
            (self.number("ULXMAP")?, self.number("ULYMAP")?)
        {
            [x - dx / 2.0, y + dy / 2.0]
        } else if let (Some(x), Some(y)) = (self.number("XLLCORNER")?, self.number("YLLCORNER")?) {
            [x, y + rows * dy]
        } else if let (Some(x), Some(y)) = (self.number("XLLCENTER")?, self.number("YLLCENTER")?) {
            [x - dx / 2.0, y + (rows - 0.5) * dy]
        } else {
            // As ESRI has it where nothing else is said: columns and rows, counted from the lower left.
            [-0.5 * dx, (rows - 0.5) * dy]
        };
        let whole = [west, columns * dx, north, rows * dy];
        if !whole.iter().all(|n| n.is_finite()) || dx <= 0.0 || dy <= 0.0 {
            return Err(IngestError::bad(
                "steps above 0, and a place",
                format!("{dx} x {dy} from {west}, {north}"),
                "correct the header",
            )
            .at("keywords XDIM and YDIM"));
        }
        Ok(Some([west, dx, 0.0, north, 0.0, -dy]))
    }
}
