//! Rules on who sees whom, and how far apart they are.

use std::io;

use super::super::container::Container;
use crate::bundle::provenance::Provenance;
use crate::bundle::verify::report::Faults;
use crate::compress::cells::CellRows;
use viewcell::format::Tag;
use viewcell::format::cells::{CellParameters, DistanceRow, PvsRow, SymmetryCode};

/// A level whose parameters and lengths are sound.
pub(super) struct SoundLevel {
    pub parameters: CellParameters,
    pub row_of: Vec<u32>,
    pub pvs: Vec<u8>,
}

impl SoundLevel {
    fn row(&self, row: usize) -> PvsRow<'_> {
        let length = self.parameters.pvs_row_len();
        PvsRow::new(
            &self.pvs[row * length..(row + 1) * length],
            self.parameters.cells,
        )
    }

    fn sees(&self, a: u32, b: u32) -> bool {
        self.row(self.row_of[a as usize] as usize).contains(b)
    }
}

pub(super) fn rows(
    container: &Container,
    level: &SoundLevel,
    faults: &mut Faults,
) -> io::Result<()> {
    let start = container.start(Tag::CROW);
    let mut next = 0;
    for (cell, &row) in level.row_of.iter().enumerate() {
        if row > next || row >= level.parameters.rows {
            let place = format!("row of cell {cell}");
            let expected = format!("at most {}", next.min(level.parameters.rows - 1));
            faults.add(place, start + cell as u64 * 4, expected, row);
            return Ok(());
        }
        next += u32::from(row == next);
    }
    if next != level.parameters.rows {
        let expected = format!("{} rows in use", level.parameters.rows);
        faults.add("section CROW", start, expected, next);
    }
    Ok(())
}

pub(super) fn pvs(
    container: &Container,
    level: &SoundLevel,
    faults: &mut Faults,
) -> io::Result<()> {
    let start = container.start(Tag::CPVS);
    let length = level.parameters.pvs_row_len();
    let at = |row: usize| start + (row * length) as u64;
    let cells = level.parameters.cells;
    let mut seen = std::collections::HashMap::new();
    for row in 0..level.parameters.rows as usize {
        let bytes = &level.pvs[row * length..(row + 1) * length];
        if let Some(twin) = seen.insert(bytes, row) {
            let expected = "a row like no other";
            faults.add(
                format!("row {row}"),
                at(row),
                expected,
                format!("row {twin}"),
            );
        }
        let behind = cells % 64;
        let last = level.row(row).words().last().unwrap_or(0);
        if behind > 0 && last >> behind != 0 {
            let expected = format!("no bit behind cell {}", cells - 1);
            faults.add(
                format!("row {row}"),
                at(row),
                expected,
                format!("{last:016x}"),
            );
        }
    }
    for (a, &row) in (0..cells).zip(&level.row_of) {
        if !level.sees(a, a) {
            let place = format!("cell {a}");
            faults.add(place, at(row as usize), "a cell that sees itself", "hidden");
        }
    }
    if level.parameters.symmetry != SymmetryCode::None {
        for (a, &row) in (0..cells).zip(&level.row_of) {
            let one_way = level
                .row(row as usize)
                .iter()
                .filter(|&b| !level.sees(b, a));
            for b in one_way {
                let place = format!("cells {a} and {b}");
                faults.add(place, at(row as usize), "mutual visibility", "one way only");
            }
        }
    }
    Ok(())
}

pub(super) fn compare_distances(
    container: &Container,
    parameters: &CellParameters,
    distances: &[u8],
    right: &CellRows,
    faults: &mut Faults,
) {
    let cell = container.start(Tag::CELL);
    if parameters.greatest_distance != right.greatest {
        let found = parameters.greatest_distance;
        faults.add("greatest distance", cell + 16, right.greatest, found);
    }
    if parameters.distance_bits != right.bits {
        let (expected, found) = (right.bits.bits(), parameters.distance_bits.bits());
        faults.add("distance bits", cell + 8, expected, found);
        return;
    }
    let start = container.start(Tag::CDST);
    let length = parameters.distance_bits.row_len(parameters.cells);
    let pairs = distances
        .chunks_exact(length)
        .zip(right.distances.chunks_exact(length));
    for (row, (found, expected)) in pairs.enumerate() {
        if found == expected {
            continue;
        }
        let row_of = |bytes| DistanceRow::new(bytes, right.bits, parameters.cells);
        let differs = (0..parameters.cells)
            .find(|&cell| row_of(found).code(cell) != row_of(expected).code(cell));
        let at = start + (row * length) as u64;
        match differs {
            Some(cell) => faults.add(
                format!("row {row}, distance to cell {cell}"),
                at,
                row_of(expected).code(cell),
                row_of(found).code(cell),
            ),
            None => faults.add(
                format!("row {row}"),
                at,
                "0 behind the last cell",
                "other bits",
            ),
        }
    }
}

pub(super) fn statistics(
    parameters: &CellParameters,
    told: &Provenance,
    right: &CellRows,
    faults: &mut Faults,
) {
    let Some(told) = &told.cells else {
        faults.add("section PROV", None, "statistics of cells", "none");
        return;
    };
    let cells = u64::from(parameters.cells);
    let visible = right.pairs_by_distance.first().copied().unwrap_or(0);
    let pairs = cells * (cells - 1);
    let hidden_share = match pairs {
        0 => 0.0,
        _ => 1.0 - visible as f64 / pairs as f64,
    };
    let numbers = [
        ("cells", cells, told.cells),
        ("visible_pairs", visible, told.visible_pairs),
        (
            "unreachable_pairs",
            right.unreachable_pairs,
            told.unreachable_pairs,
        ),
        ("components", right.components, told.components),
        (
            "largest_component",
            right.largest_component,
            told.largest_component,
        ),
    ];
    for (field, expected, found) in numbers {
        if expected != found {
            faults.add(field, None, expected, found);
        }
    }
    if told.hidden_share != hidden_share {
        faults.add("hidden_share", None, hidden_share, told.hidden_share);
    }
    if told.pairs_by_distance != right.pairs_by_distance {
        let (expected, found) = (&right.pairs_by_distance, &told.pairs_by_distance);
        let place = "pairs_by_distance";
        faults.add(place, None, format!("{expected:?}"), format!("{found:?}"));
    }
}
