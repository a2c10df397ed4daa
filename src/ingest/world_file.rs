//! World files: six numbers beside a picture that say where it lies (`.tfw` beside `.tif`, `.pgw` beside `.png`).

use std::path::PathBuf;

use super::error::IngestError;
use super::source::{RasterFile, text_beside};
use crate::world::Short;

/// The transform of the whole raster in the world file beside it, if there is one, and a note of it.
///
/// Of `x.tif` that is `x.tfw`, `x.tifw` or `x.wld`. The numbers, one a line: x for a column, y for a column, x for a
/// row, y for a row, then x and y of the first sample's centre.
pub(super) fn beside(
    source: &RasterFile,
    notes: &mut Vec<String>,
) -> Result<Option<[f64; 6]>, IngestError> {
    for path in candidates(source) {
        let Some(text) = text_beside(&path) else {
            continue;
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let numbers: Vec<f64> = words
            .iter()
            .map_while(|word| word.parse().ok().filter(|n: &f64| n.is_finite()))
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
        return Ok(Some([c - (a + b) / 2.0, a, b, f - (d + e) / 2.0, d, e]));
    }
    Ok(None)
}

/// Names that world files of a raster go by, in lower and in upper case.
fn candidates(source: &RasterFile) -> Vec<PathBuf> {
    let extension = source.extension();
    let mut names = vec!["wld".to_owned(), format!("{extension}w")];
    let mut letters = extension.chars();
    if let (Some(first), Some(last)) = (letters.next(), letters.next_back()) {
        names.push(format!("{first}{last}w"));
    }
    names.reverse();
    names
        .iter()
        .flat_map(|name| [name.clone(), name.to_uppercase()])
        .map(|name| source.path.with_extension(name))
        .filter(|path| path != source.path)
        .collect()
}
