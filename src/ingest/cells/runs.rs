//! Rows of bits whose zero bytes are run-length coded: a zero byte is followed by their number.

use super::lump::Lump;
use crate::ingest::error::IngestError;

/// Unpacks the row at byte `at` of the lump into `row`. Says whether a run of zeros went on
/// past the row's end: what lies there is no cell, so nothing is lost with it, and engines
/// cut it off likewise.
pub fn unpack(lump: &Lump, at: usize, row: &mut [u8]) -> Result<bool, IngestError> {
    let mut from = at;
    let mut to = 0;
    while to < row.len() {
        let [byte] = lump.array(from)?;
        if byte != 0 {
            row[to] = byte;
            (from, to) = (from + 1, to + 1);
            continue;
        }
        let [run] = lump.array(from + 1)?;
        if run == 0 {
            return Err(lump.bad(from + 1, "a run of 1 to 255 zero bytes", "a run of none"));
        }
        let end = to + usize::from(run);
        let inside = end.min(row.len());
        row[to..inside].fill(0);
        (from, to) = (from + 2, end);
    }
    Ok(to > row.len())
}

/// The note about runs past the row's end.
pub fn note_overruns(rows: usize, notes: &mut Vec<String>) {
    if rows > 0 {
        notes.push(format!(
            "{rows} rows of visibility have runs of zeros past their end, which were cut off"
        ));
    }
}

/// Whether bit `i` of a row of bytes is set, lowest bit first.
pub fn bit(row: &[u8], i: usize) -> bool {
    row[i / 8] >> (i % 8) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(bytes: &[u8], length: usize) -> Result<(Vec<u8>, bool), String> {
        let mut row = vec![0xaa; length];
        unpack(&Lump::file(bytes), 1, &mut row)
            .map(|over| (row, over))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn zeros_are_counted_and_other_bytes_stand_for_themselves() {
        let row = [9, 1, 0, 2, 7, 0, 1];
        assert_eq!(unpacked(&row, 5), Ok((vec![1, 0, 0, 7, 0], false)));
        assert_eq!(unpacked(&row, 0), Ok((vec![], false)));
    }

    #[test]
    fn a_run_past_the_row_is_cut_off_and_told() {
        assert_eq!(unpacked(&[9, 1, 0, 5], 3), Ok((vec![1, 0, 0], true)));
    }

    #[test]
    fn a_row_that_ends_too_early_and_a_run_of_nothing_are_refused() {
        for bytes in [&[9, 1, 2][..], &[9, 1, 0], &[9, 1, 0, 1], &[9, 0, 0, 1, 1]] {
            let error = unpacked(bytes, 3).unwrap_err();
            assert!(error.contains("byte "), "{error}");
        }
    }
}
