//! Matrices of a level of cells for other tools: who sees whom, or distances, as a picture, NumPy's array, or text.

use super::raster::npy_head;
use std::io::{Cursor, Write as _};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

use super::PictureError;
use viewcell::query::CellBundle;

/// What a matrix is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOf {
    /// Who sees whom: 1 or 0; in a picture white or black.
    Pvs,
    /// Distances, -1 for unreachable; in a picture the lighter the nearer, black for unreachable.
    Distances,
}

/// The file format of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFormat {
    /// 8 bits a pixel, grey.
    Png,
    /// NumPy: `|u1` for a PVS, `<i4` for distances.
    Npy,
    /// Numbers with commas between them, a row a line.
    Csv,
}

/// Most entries of a matrix, which is made in memory: a level of 32,768 cells.
const MOST_ENTRIES: u64 = 1 << 30;

/// The N × N matrix of a level, row a, column b being what a sees of b, as a file.
///
/// # Errors
///
/// [`PictureError`] where the encoder of pictures fails, as it does beyond its own limits of size.
pub fn matrix_file(
    level: &CellBundle<'_>,
    of: MatrixOf,
    format: MatrixFormat,
) -> Result<Vec<u8>, PictureError> {
    let cells = level.cells();
    if u64::from(cells).pow(2) > MOST_ENTRIES {
        return Err(PictureError(format!(
            "a matrix of {cells} x {cells} cells is too large, expected {MOST_ENTRIES} entries at \
             most; viewcell export json writes who sees whom as lists"
        )));
    }
    let entry = |a: u32, b: u32| match of {
        MatrixOf::Pvs => i32::from(level.visible(a, b)),
        MatrixOf::Distances => level.distance(a, b).map_or(-1, |steps| steps as i32),
    };
    let entries = (0..cells).flat_map(|a| (0..cells).map(move |b| (a, b)));
    let entries = entries.map(|(a, b)| entry(a, b));
    let shape = format!("{cells}, {cells}");
    match (format, of) {
        (MatrixFormat::Png, _) => {
            let steps = level.parameters().greatest_distance as i32 + 1;
            let grey = |entry: i32| match (of, entry) {
                (MatrixOf::Pvs, entry) => entry as u8 * 255,
                (MatrixOf::Distances, -1) => 0,
                (MatrixOf::Distances, distance) => (255 - distance * 215 / steps) as u8,
            };
            png(cells, &entries.map(grey).collect::<Vec<u8>>())
        }
        (MatrixFormat::Npy, MatrixOf::Pvs) => {
            let mut bytes = npy_head("|u1", &shape);
            bytes.extend(entries.map(|entry| entry as u8));
            Ok(bytes)
        }
        (MatrixFormat::Npy, MatrixOf::Distances) => {
            let mut bytes = npy_head("<i4", &shape);
            bytes.extend(entries.flat_map(i32::to_le_bytes));
            Ok(bytes)
        }
        (MatrixFormat::Csv, _) => {
            let mut bytes = Vec::new();
            for (i, entry) in entries.enumerate() {
                let end = if (i as u64 + 1).is_multiple_of(cells.into()) {
                    '\n'
                } else {
                    ','
                };
                // Writing into memory does not fail.
                let _ = write!(bytes, "{entry}{end}");
            }
            Ok(bytes)
        }
    }
}

fn png(side: u32, pixels: &[u8]) -> Result<Vec<u8>, PictureError> {
    let mut out = Cursor::new(Vec::new());
    PngEncoder::new_with_quality(&mut out, CompressionType::Default, FilterType::NoFilter)
        .write_image(pixels, side, side, ExtendedColorType::L8)
        .map_err(|error| PictureError(error.to_string()))?;
    Ok(out.into_inner())
}
