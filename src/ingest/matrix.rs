//! Matrices of who sees whom, from pictures, NumPy's arrays and text: edited by hand, or another
//! tool's.

use std::path::Path;

use super::cells::MAX_CELLS;
use super::error::IngestError;
use super::source::file_bytes;
use crate::world::BitMatrix;

/// Reads a square matrix: PNG (half as bright as can be, or more, is visible), `.npy` (other than
/// 0 is visible) or text (numbers with commas or spaces between them, a row a line; other than 0
/// is visible). Row a, column b is what a sees of b.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is of another format, or not square.
pub fn read_matrix(path: &Path) -> Result<BitMatrix, IngestError> {
    file_bytes(path, "a matrix")
        .and_then(|bytes| matrix(&bytes))
        .map_err(|error| error.about(path))
}

fn matrix(bytes: &[u8]) -> Result<BitMatrix, IngestError> {
    if bytes.starts_with(b"\x89PNG") {
        png(bytes)
    } else if bytes.starts_with(b"\x93NUMPY") {
        npy(bytes)
    } else {
        text(bytes)
    }
}

fn bad(place: String, expected: impl Into<String>, found: impl Into<String>) -> IngestError {
    IngestError::bad(
        expected,
        found,
        "write it as `viewcell export matrix` does: PNG, .npy or .csv",
    )
    .at(place)
}

/// The side of a matrix of so many rows and columns.
fn side(rows: usize, columns: usize, place: &str) -> Result<usize, IngestError> {
    if rows != columns || rows == 0 {
        let found = format!("{rows} rows of {columns}");
        return Err(bad(place.into(), "a square matrix", found));
    }
    if rows > MAX_CELLS {
        return Err(IngestError::resource(
            format!("at most {MAX_CELLS} cells"),
            rows.to_string(),
            "a bundle holds no more",
        ));
    }
    Ok(rows)
}

fn png(bytes: &[u8]) -> Result<BitMatrix, IngestError> {
    let picture = image::load_from_memory_with_format(bytes, image::ImageFormat::Png)
        .map_err(|error| bad("byte 0".into(), "a PNG", error.to_string()))?;
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let n = side(height, width, "byte 16")?;
    let grey = picture.to_luma8();
    Ok(BitMatrix::from_fn(n, |a, b| {
        grey.get_pixel(b as u32, a as u32).0[0] >= 128
    }))
}

fn npy(bytes: &[u8]) -> Result<BitMatrix, IngestError> {
    let head =
        |place: usize, expected: &str| bad(format!("byte {place}"), expected, "something else");
    let short = || head(8, "the head of a NumPy array");
    let (start, length): (usize, usize) = match bytes.get(6) {
        Some(1) => {
            let length = bytes.get(8..10).ok_or_else(short)?;
            (10, usize::from(length[0]) | usize::from(length[1]) << 8)
        }
        Some(2 | 3) => {
            let length = bytes.get(8..).and_then(|b| b.first_chunk::<4>());
            (12, u32::from_le_bytes(*length.ok_or_else(short)?) as usize)
        }
        _ => return Err(head(6, "version 1, 2 or 3 of NumPy's format")),
    };
    let end = start.checked_add(length).ok_or_else(short)?;
    let dict = bytes.get(start..end).ok_or_else(short)?;
    let dict = std::str::from_utf8(dict).map_err(|_| short())?;
    let value = |key: &str| {
        let (_, rest) = dict.split_once(&format!("'{key}':"))?;
        Some(rest.trim_start())
    };
    let dtype = value("descr").and_then(|rest| rest.split('\'').nth(1));
    let size = match dtype {
        Some("|b1" | "|u1" | "|i1" | "b1" | "u1" | "i1") => 1,
        Some("<u2" | "<i2") => 2,
        Some("<u4" | "<i4") => 4,
        Some("<u8" | "<i8") => 8,
        other => {
            return Err(bad(
                format!("byte {start}"),
                "whole numbers or booleans, little-endian",
                format!("{other:?}"),
            ));
        }
    };
    let columns_first = value("fortran_order").is_some_and(|rest| rest.starts_with("True"));
    let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
    let shape: Option<Vec<usize>> = shape.and_then(|(numbers, _)| {
        let numbers = numbers.split(',').map(str::trim).filter(|n| !n.is_empty());
        numbers.map(|number| number.parse().ok()).collect()
    });
    let Some([rows, columns]) = shape.as_deref() else {
        return Err(head(start, "an array of two dimensions"));
    };
    let n = side(*rows, *columns, &format!("byte {start}"))?;
    let numbers = &bytes[end..];
    if numbers.len() != n * n * size {
        return Err(bad(
            format!("byte {end}"),
            format!("{} bytes of numbers", n * n * size),
            format!("{}", numbers.len()),
        ));
    }
    Ok(BitMatrix::from_fn(n, |a, b| {
        let i = if columns_first { b * n + a } else { a * n + b };
        numbers[i * size..(i + 1) * size]
            .iter()
            .any(|byte| *byte != 0)
    }))
}

fn text(bytes: &[u8]) -> Result<BitMatrix, IngestError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        bad(
            format!("byte {}", error.valid_up_to()),
            "text",
            "other bytes",
        )
    })?;
    let mut rows: Vec<Vec<bool>> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let words = line
            .split([',', ';', ' ', '\t'])
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let row: Result<Vec<bool>, IngestError> = words
            .map(|word| {
                let number = word.parse::<i64>().map(|number| number != 0);
                number.map_err(|_| {
                    // What was found is not to fill the screen.
                    let found: String = word.chars().take(40).collect();
                    bad(
                        format!("line {}", i + 1),
                        "whole numbers",
                        format!("{found:?}"),
                    )
                })
            })
            .collect();
        let row = row?;
        if row.is_empty() {
            continue;
        }
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            return Err(bad(
                format!("line {}", i + 1),
                format!("{} numbers, as in the first row", first.len()),
                row.len().to_string(),
            ));
        }
        rows.push(row);
    }
    let n = side(rows.len(), rows.first().map_or(0, Vec::len), "line 1")?;
    Ok(BitMatrix::from_fn(n, |a, b| rows[a][b]))
}
