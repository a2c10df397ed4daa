//! ESRI ASCII grids: a few `keyword value` lines, then the heights, row by row from the north.

use std::fs::File;
use std::io::{BufRead, BufReader};

use super::error::IngestError;
use super::numbers::parse_number as number;
use super::raster::{Raster, Window};
use super::source::RasterFile;

const KEYWORDS: [&str; 10] = [
    "ncols",
    "nrows",
    "xllcorner",
    "yllcorner",
    "xllcenter",
    "yllcenter",
    "cellsize",
    "dx",
    "dy",
    "nodata_value",
];

/// ESRI's own, where neither the header names one nor a file beside it.
pub(super) const DEFAULT_NODATA: f64 = -9999.0;

/// No number or keyword is longer; binary data must not be gathered as one word.
const MAX_WORD: usize = 128;

pub(super) fn matches(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let text = head.trim_ascii_start();
    KEYWORDS.iter().any(|keyword| {
        text.get(..keyword.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(keyword.as_bytes()))
            && text.get(keyword.len()).is_some_and(u8::is_ascii_whitespace)
    })
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) fn read(source: &RasterFile, file: File) -> Result<Raster, IngestError> {
    let mut words = Words::new(BufReader::with_capacity(1 << 16, file))?;
    let (header, first) = Header::read(&mut words)?;
    let [width, height] = header.size;
    let window = Window::new(source.options, width, height)?;
    let mut values = window.allocate()?;
    let columns = u64::from(window.column)..u64::from(window.column) + u64::from(window.width);
    let mut word = Some(first);
    let last_row = u64::from(window.row) + u64::from(window.height);
    for row in 0..last_row {
        for column in 0..width {
            let Some(text) = word.take().map_or_else(|| words.next(), |w| Ok(Some(w)))? else {
                return Err(IngestError::bad(
                    format!("{width} x {height} values, as the header says"),
                    format!("the end of the file after {}", row * width + column),
                    "the file is cut short: fetch or export it again",
                )
                .at(words.place()));
            };
            if row >= u64::from(window.row) && columns.contains(&column) {
                values.push(number(&text).ok_or_else(|| {
                    no_number(format!("a number for column {column}, row {row}"), &text)
                        .at(words.place())
                })?);
            }
        }
    }
    if last_row == height && words.next()?.is_some() {
        return Err(IngestError::bad(
            format!("{width} x {height} values, as the header says"),
            "more",
            "correct ncols and nrows, or export the grid again",
        )
        .at(words.place()));
    }
    let mut raster = Raster::new("ESRI ASCII grid", window, values);
    raster.float = true;
    raster.nodata = header.nodata;
    raster.transform = header.transform(height as f64);
    Ok(raster)
}

/// Whether a word is a number but for a comma in place of the point.
fn has_comma(word: &str) -> bool {
    word.matches(',').count() == 1 && number(&word.replace(',', ".")).is_some()
}

fn no_number(expected: impl Into<String>, word: &str) -> IngestError {
    if has_comma(word) {
        IngestError::bad(
            expected,
            format!("{word:?}, which has a decimal comma"),
            "write decimals with a point: sed 's/,/./g' INPUT > OUT.asc",
        )
    } else {
        IngestError::bad(
            expected,
            format!("{word:?}"),
            "use a point for decimals and spaces between values",
        )
    }
}

#[derive(Default)]
struct Header {
    size: [u64; 2],
    cell: Option<[f64; 2]>,
    /// Coordinate and whether it is that of a cell's centre.
    x: Option<(f64, bool)>,
    y: Option<(f64, bool)>,
    nodata: Option<f64>,
}

impl Header {
    /// Reads keywords up to the first value, which is returned as well.
    fn read<R: BufRead>(words: &mut Words<R>) -> Result<(Self, String), IngestError> {
        let (mut ncols, mut nrows) = (None, None);
        let (mut dx, mut dy) = (None, None);
        let mut header = Self::default();
        let first = loop {
            let keyword = words.require("a keyword or the first value")?;
            if number(&keyword).is_some() {
                break keyword;
            }
            if has_comma(&keyword) {
                return Err(no_number("the first value", &keyword).at(words.place()));
            }
            let lower = keyword.to_ascii_lowercase();
            if !KEYWORDS.contains(&lower.as_str()) {
                return Err(IngestError::bad(
                    format!("one of {}", KEYWORDS.join(", ")),
                    format!("{keyword:?}"),
                    "correct the header",
                )
                .at(words.place()));
            }
            let text = words.require(&format!("the value of {keyword}"))?;
            let place = words.place();
            let wrong = |expected: &str| {
                IngestError::bad(
                    format!("{expected} for {keyword}"),
                    format!("{text:?}"),
                    "correct the header",
                )
                .at(place.clone())
            };
            let real = || {
                number(&text).filter(|n| n.is_finite()).ok_or_else(|| {
                    if has_comma(&text) {
                        no_number(format!("a number for {keyword}"), &text).at(place.clone())
                    } else {
                        wrong("a number")
                    }
                })
            };
            let positive = || {
                Some(real()?)
                    .filter(|n| *n > 0.0)
                    .ok_or_else(|| wrong("a positive number"))
            };
            let count = || text.parse::<u64>().map_err(|_| wrong("a whole number"));
            match lower.as_str() {
                "ncols" => ncols = Some(count()?),
                "nrows" => nrows = Some(count()?),
                "xllcorner" => header.x = Some((real()?, false)),
                "yllcorner" => header.y = Some((real()?, false)),
                "xllcenter" => header.x = Some((real()?, true)),
                "yllcenter" => header.y = Some((real()?, true)),
                "cellsize" => {
                    let size = positive()?;
                    (dx, dy) = (Some(size), Some(size));
                }
                "dx" => dx = Some(positive()?),
                "dy" => dy = Some(positive()?),
                // NaN may be named here, and then matches nothing: NaN is void anyway.
                _ => header.nodata = Some(number(&text).ok_or_else(|| wrong("a number"))?),
            }
        };
        match (ncols, nrows) {
            (Some(ncols), Some(nrows)) => header.size = [ncols, nrows],
            _ => {
                return Err(IngestError::bad(
                    "ncols and nrows before the first value",
                    format!("{first:?}"),
                    "complete the header",
                )
                .at(words.place()));
            }
        }
        header.cell = dx.zip(dy).map(|(dx, dy)| [dx, dy]);
        Ok((header, first))
    }

    fn transform(&self, rows: f64) -> Option<[f64; 6]> {
        let [dx, dy] = self.cell?;
        let corner = |given: Option<(f64, bool)>, step: f64| {
            let (coordinate, centre) = given.unwrap_or((0.0, false));
            coordinate - if centre { step / 2.0 } else { 0.0 }
        };
        let (west, south) = (corner(self.x, dx), corner(self.y, dy));
        Some([west, dx, 0.0, south + rows * dy, 0.0, -dy])
    }
}

/// Words between white space, and the line that the last one stood on.
struct Words<R> {
    reader: R,
    line: u64,
}

impl<R: BufRead> Words<R> {
    fn new(mut reader: R) -> Result<Self, IngestError> {
        let mark = reader.fill_buf().map_err(IngestError::io)?;
        if mark.starts_with(BYTE_ORDER_MARK) {
            reader.consume(BYTE_ORDER_MARK.len());
        }
        Ok(Self { reader, line: 1 })
    }

    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn require(&mut self, what: &str) -> Result<String, IngestError> {
        self.next()?.ok_or_else(|| {
            IngestError::bad(
                what,
                "the end of the file",
                "the file is cut short: fetch or export it again",
            )
            .at(self.place())
        })
    }

    fn next(&mut self) -> Result<Option<String>, IngestError> {
        let mut word = Vec::new();
        loop {
            let buffer = self.reader.fill_buf().map_err(IngestError::io)?;
            if buffer.is_empty() {
                break;
            }
            let mut used = 0;
            let mut done = false;
            for byte in buffer {
                if !byte.is_ascii_whitespace() {
                    word.push(*byte);
                } else if !word.is_empty() {
                    done = true;
                    break;
                } else if *byte == b'\n' {
                    self.line += 1;
                }
                used += 1;
                if word.len() > MAX_WORD {
                    return Err(IngestError::bad(
                        "numbers with white space between them",
                        format!("more than {MAX_WORD} bytes without any"),
                        "the file is no ASCII grid, or is damaged",
                    )
                    .at(self.place()));
                }
            }
            self.reader.consume(used);
            if done {
                break;
            }
        }
        Ok((!word.is_empty()).then(|| String::from_utf8_lossy(&word).into_owned()))
    }
}
