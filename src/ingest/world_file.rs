//! World files: six numbers beside a picture that say where it lies (`.tfw` beside `.tif`, `.pgw` beside `.png`).

use super::error::IngestError;
use super::numbers::parse_number;
use super::sidecars::Sidecar;
use super::source::RasterFile;
use crate::world::Short;

/// The transform of the whole raster in the world file beside it, if there is one, and a note of it.
///
/// The numbers, one a line: x for a column, y for a column, x for a
/// row, y for a row, then x and y of the first sample's centre.
pub(super) fn beside(
    source: &RasterFile,
    notes: &mut Vec<String>,
) -> Result<Option<[f64; 6]>, IngestError> {
    let Some((path, text)) = Sidecar::World.text(source.data)? else {
        return Ok(None);
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers: Vec<f64> = words
        .iter()
        .map_while(|word| parse_number(word).filter(|n| n.is_finite()))
        .collect();
    let [a, d, b, e, c, f] = numbers[..] else {
        let found = words.get(numbers.len()).map_or_else(
            || format!("{}", numbers.len()),
            |word| format!("{word:?} after {} of them", numbers.len()),
        );
        return Err(IngestError::bad(
            "six numbers, with a point for decimals",
            found,
            "correct the world file, or move it away and give `spacing`",
        )
        .about(&path));
    };
    notes.push(format!(
        "place and spacing are those of {}: {} x {} units of its CRS",
        path.display(),
        Short(a.hypot(d)),
        Short(b.hypot(e))
    ));
    Ok(Some([c - (a + b) / 2.0, a, b, f - (d + e) / 2.0, d, e]))
}
