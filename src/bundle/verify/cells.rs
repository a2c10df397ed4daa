//! Rules on what the sections of a cell bundle hold.

use std::io;

use super::container::Container;
use super::sections::{PROVENANCE, plain, provenance};
use super::{Checker, Faults, Rule};
use crate::bundle::file::{Problem, read_section};
use crate::bundle::info::TEXT_LIMIT;
use crate::bundle::provenance::Provenance;
use crate::compress::cells::{CellRows, recompute};
use crate::format::bytes::{f32_at, f64_at, u32_at};
use crate::format::cells::{
    CELLS_LEN, CellParameters, Child, DistanceRow, Node, POINT_LEN, PvsRow, SymmetryCode,
};
use crate::format::{Section, Tag};

pub(super) const PRESENT: Rule = Rule {
    name: "cell-sections-present",
    demands: "the sections of a level are there, required, plain or compressed as they must be",
};
pub(super) const CELLS: Rule = Rule {
    name: "cells",
    demands: "every field of CELL makes sense, with the sections that it calls for and their lengths",
};
pub(super) const ROWS: Rule = Rule {
    name: "rows",
    demands: "CROW numbers rows in the order in which cells first have them, and leaves none out",
};
pub(super) const PVS: Rule = Rule {
    name: "cell-pvs",
    demands: "rows of CPVS differ, each cell sees itself, no bit is set behind the last cell, and \
              visibility is mutual if it was made so",
};
pub(super) const DISTANCES: Rule = Rule {
    name: "distances",
    demands: "CDST holds the fewest visible steps by CPVS, in the fewest bits, with the greatest as CELL says",
};
pub(super) const TOUCHING: Rule = Rule {
    name: "touching-cells",
    demands: "CADJ lists for each cell others in rising order, each of which lists it too",
};
pub(super) const BSP: Rule = Rule {
    name: "bsp",
    demands: "nodes of CBSP have finite planes, come before their children, have one parent each, \
              and two different sides",
};
pub(super) const BOXES: Rule = Rule {
    name: "boxes",
    demands: "CBOX holds smallest, then greatest coordinates, and CPOS points, all finite",
};
pub(super) const NAMES: Rule = Rule {
    name: "names",
    demands: "CNAM is a JSON array of a text for each cell",
};
pub(super) const PORTALS: Rule = Rule {
    name: "portals",
    demands: "CPRT holds polygons of finite corners between cells that touch by CADJ",
};
pub(super) const STATISTICS: Rule = Rule {
    name: "cell-statistics",
    demands: "the statistics in PROV are those of the cells",
};

/// Checks all rules of this file.
pub(super) fn check(checker: &mut Checker, container: &Container) -> io::Result<()> {
    if !checker.check(PRESENT, |faults| present(container, faults))? {
        return Ok(());
    }
    let record = plain(container, Tag::CELL)?;
    let mut parameters = None;
    checker.check(CELLS, |faults| {
        parameters = cells(container, &record, faults);
        Ok(())
    })?;
    let Some(parameters) = parameters else {
        return Ok(());
    };
    let mut level = Level {
        parameters,
        row_of: (0..parameters.cells).collect(),
        pvs: plain(container, Tag::CPVS)?,
    };
    let row_of = plain(container, Tag::CROW)?;
    if !row_of.is_empty() {
        level.row_of = words(&row_of);
    }
    let mut touching = Vec::new();
    let touch = checker.check(TOUCHING, |faults| {
        touching = neighbours(container, &parameters, faults)?;
        Ok(())
    })?;
    checker.check(BSP, |faults| bsp(container, &parameters, faults))?;
    checker.check(BOXES, |faults| boxes(container, faults))?;
    checker.check(NAMES, |faults| names(container, &parameters, faults))?;
    if touch {
        checker.check(PORTALS, |faults| {
            portals(container, &parameters, &touching, faults)
        })?;
    }
    let mut told = None;
    checker.check(PROVENANCE, |faults| {
        told = provenance(container, faults)?;
        Ok(())
    })?;

    let sound = checker.check(ROWS, |faults| rows(container, &level, faults))?
        && checker.check(PVS, |faults| pvs(container, &level, faults))?;
    if !sound {
        return Ok(());
    }
    let distances = plain(container, Tag::CDST)?;
    let right = recompute(parameters.cells, &level.row_of, &level.pvs);
    let sound = checker.check(DISTANCES, |faults| {
        compare_distances(container, &parameters, &distances, &right, faults);
        Ok(())
    })?;
    if let (true, Some(told)) = (sound, told) {
        checker.check(STATISTICS, |faults| {
            statistics(&parameters, &told, &right, faults);
            Ok(())
        })?;
    }
    Ok(())
}

/// A level whose parameters and lengths are sound.
struct Level {
    parameters: CellParameters,
    row_of: Vec<u32>,
    pvs: Vec<u8>,
}

impl Level {
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

fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Where a section begins in the file.
fn start(container: &Container, tag: Tag) -> u64 {
    container.section(tag).map_or(0, |section| section.offset)
}

fn present(container: &Container, faults: &mut Faults) -> io::Result<()> {
    let must = [
        (Tag::CELL, true, Section::REQUIRED),
        (Tag::CROW, false, Section::REQUIRED),
        (Tag::CPVS, true, Section::REQUIRED),
        (Tag::CDST, true, Section::REQUIRED),
        (Tag::CADJ, false, 0),
        (Tag::CBSP, false, 0),
        (Tag::CBOX, false, 0),
        (Tag::CPOS, false, 0),
        (Tag::CNAM, false, Section::ZSTD),
        (Tag::CPRT, false, Section::ZSTD),
        (Tag::PROV, true, Section::ZSTD),
    ];
    for (tag, always, flags) in must {
        let place = format!("section {tag}");
        match container.section(tag) {
            None if always => faults.add(place, None, "one such section", "none"),
            Some(section) if section.flags != flags => {
                let expected = format!("flags {flags}");
                faults.add(place, section.offset, expected, section.flags);
            }
            _ => {}
        }
    }
    Ok(())
}

fn cells(container: &Container, record: &[u8], faults: &mut Faults) -> Option<CellParameters> {
    let start = start(container, Tag::CELL);
    if record.len() != CELLS_LEN {
        let expected = format!("{CELLS_LEN} bytes");
        faults.add("section CELL", start, expected, record.len());
        return None;
    }
    let parameters = match CellParameters::parse(record) {
        Ok(parameters) => parameters,
        Err(error) => {
            faults.add("section CELL", start, "fields that make sense", error);
            return None;
        }
    };
    let canonical = parameters.encode();
    if let Some(at) = (0..CELLS_LEN).find(|&at| canonical[at] != record[at]) {
        let place = format!("section CELL, byte {at}");
        faults.add(place, start + at as u64, canonical[at], record[at]);
        return None;
    }
    let cells = u64::from(parameters.cells);
    let points = cells * POINT_LEN as u64;
    // Length, and whether the parameters call for the section.
    let lengths = [
        (
            Tag::CROW,
            cells * 4,
            Some(parameters.rows < parameters.cells),
        ),
        (Tag::CPVS, parameters.pvs_len(), None),
        (Tag::CDST, parameters.distances_len(), None),
        (
            Tag::CADJ,
            parameters.adjacency_len(),
            Some(parameters.neighbours > 0),
        ),
        (
            Tag::CBSP,
            parameters.nodes_len(),
            Some(parameters.nodes > 0),
        ),
        (Tag::CBOX, points, None),
        (Tag::CPOS, points, None),
    ];
    for (tag, expected, called_for) in lengths {
        let place = format!("section {tag}");
        match (container.section(tag), called_for) {
            (None, Some(true)) => faults.add(place, None, "a section, by CELL", "none"),
            (Some(section), Some(false)) => {
                faults.add(place, section.offset, "no such section, by CELL", "one");
            }
            (Some(section), _) if section.length != expected => {
                let expected = format!("{expected} bytes");
                faults.add(place, section.offset, expected, section.length);
            }
            _ => {}
        }
    }
    faults.is_empty().then_some(parameters)
}

fn rows(container: &Container, level: &Level, faults: &mut Faults) -> io::Result<()> {
    let start = start(container, Tag::CROW);
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

fn pvs(container: &Container, level: &Level, faults: &mut Faults) -> io::Result<()> {
    let start = start(container, Tag::CPVS);
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

fn compare_distances(
    container: &Container,
    parameters: &CellParameters,
    distances: &[u8],
    right: &CellRows,
    faults: &mut Faults,
) {
    let cell = start(container, Tag::CELL);
    if parameters.greatest_distance != right.greatest {
        let found = parameters.greatest_distance;
        faults.add("greatest distance", cell + 16, right.greatest, found);
    }
    if parameters.distance_bits != right.bits {
        let (expected, found) = (right.bits.bits(), parameters.distance_bits.bits());
        faults.add("distance bits", cell + 8, expected, found);
        return;
    }
    let start = start(container, Tag::CDST);
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

fn neighbours(
    container: &Container,
    parameters: &CellParameters,
    faults: &mut Faults,
) -> io::Result<Vec<Vec<u32>>> {
    let cells = parameters.cells as usize;
    if container.section(Tag::CADJ).is_none() {
        return Ok(Vec::new());
    }
    let start = start(container, Tag::CADJ);
    let all = words(&plain(container, Tag::CADJ)?);
    let (offsets, entries) = all.split_at(cells + 1);
    let fits =
        offsets[0] == 0 && offsets.is_sorted() && offsets.last() == Some(&parameters.neighbours);
    if !fits {
        let expected = format!("offsets that rise from 0 to {}", parameters.neighbours);
        faults.add("section CADJ", start, expected, "others");
        return Ok(Vec::new());
    }
    let list = |cell: usize| &entries[offsets[cell] as usize..offsets[cell + 1] as usize];
    for (cell, &offset) in offsets[..cells].iter().enumerate() {
        let list_of = list(cell);
        let at = start + (cells as u64 + 1 + u64::from(offset)) * 4;
        let place = format!("neighbours of cell {cell}");
        if !list_of.windows(2).all(|pair| pair[0] < pair[1]) {
            faults.add(&place, at, "rising numbers", format!("{list_of:?}"));
        }
        for &other in list_of {
            let mutual = (other as usize) < cells
                && other as usize != cell
                && list(other as usize).contains(&(cell as u32));
            if !mutual {
                let expected = format!("another cell, below {cells}, that lists it too");
                faults.add(&place, at, expected, other);
            }
        }
    }
    Ok((0..cells).map(|cell| list(cell).to_vec()).collect())
}

fn bsp(container: &Container, parameters: &CellParameters, faults: &mut Faults) -> io::Result<()> {
    let start = start(container, Tag::CBSP);
    let bytes = plain(container, Tag::CBSP)?;
    let mut parents = vec![0_u32; parameters.nodes as usize];
    for index in 0..parameters.nodes {
        let Some(node) = Node::at(&bytes, index) else {
            break;
        };
        let at = start + u64::from(index) * crate::format::cells::NODE_LEN as u64;
        let place = format!("node {index}");
        let finite = node.distance.is_finite() && node.normal.iter().all(|x| x.is_finite());
        if !finite || node.normal == [0.0; 3] {
            let found = format!("{:?} at {}", node.normal, node.distance);
            faults.add(&place, at, "a finite plane with a normal", found);
        }
        let [front, behind] = node.children;
        if front == behind {
            let found = format!("{front:?} twice");
            faults.add(&place, at + 20, "two different sides", found);
        }
        for child in node.children {
            let fits = match child {
                Child::Node(child) => child > index && child < parameters.nodes,
                Child::Cell(cell) => cell < parameters.cells,
                Child::Nothing => true,
            };
            if !fits {
                let expected = format!(
                    "a node from {} to {}, or a cell below {}",
                    index + 1,
                    parameters.nodes - 1,
                    parameters.cells
                );
                faults.add(&place, at + 20, expected, format!("{child:?}"));
            } else if let Child::Node(child) = child {
                parents[child as usize] += 1;
            }
        }
    }
    if parameters.nodes > 0 && parameters.root != Child::Node(0) {
        faults.add("root", None, "node 0", format!("{:?}", parameters.root));
    }
    for (index, &parents) in parents.iter().enumerate() {
        let expected = u32::from(index > 0);
        if faults.is_empty() && parents != expected {
            let place = format!("parents of node {index}");
            faults.add(place, start, expected, parents);
        }
    }
    Ok(())
}

fn boxes(container: &Container, faults: &mut Faults) -> io::Result<()> {
    let corners = plain(container, Tag::CBOX)?;
    for (cell, bytes) in corners.chunks_exact(POINT_LEN).enumerate() {
        let number = |i: usize| f32_at(bytes, 4 * i).unwrap_or(f32::NAN);
        // Not so for NaN, whatever it is compared with.
        let sound = (0..3).all(|k| {
            number(k) <= number(k + 3) && number(k).is_finite() && number(k + 3).is_finite()
        });
        if !sound {
            let at = start(container, Tag::CBOX) + (cell * POINT_LEN) as u64;
            let found = format!("{:?}", [0, 1, 2, 3, 4, 5].map(number));
            let expected = "finite numbers, the smallest first";
            faults.add(format!("box of cell {cell}"), at, expected, found);
        }
    }
    let points = plain(container, Tag::CPOS)?;
    for (cell, bytes) in points.chunks_exact(POINT_LEN).enumerate() {
        let point = [0, 1, 2].map(|i| f64_at(bytes, 8 * i).unwrap_or(f64::NAN));
        if point.iter().any(|x| !x.is_finite()) {
            let at = start(container, Tag::CPOS) + (cell * POINT_LEN) as u64;
            let place = format!("position of cell {cell}");
            faults.add(place, at, "finite numbers", format!("{point:?}"));
        }
    }
    Ok(())
}

/// A cold section, decompressed; `None` where it is absent, or no frame.
fn cold(
    container: &Container,
    tag: Tag,
    limit: u64,
    faults: &mut Faults,
) -> io::Result<Option<Vec<u8>>> {
    let Some(section) = container.section(tag) else {
        return Ok(None);
    };
    match read_section(&container.file, section, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Problem::Io(error)) => Err(error),
        Err(Problem::Content(problem)) => {
            faults.add(
                format!("section {tag}"),
                section.offset,
                "a zstd frame",
                problem,
            );
            Ok(None)
        }
    }
}

fn names(
    container: &Container,
    parameters: &CellParameters,
    faults: &mut Faults,
) -> io::Result<()> {
    let Some(text) = cold(container, Tag::CNAM, TEXT_LIMIT, faults)? else {
        return Ok(());
    };
    let names: Result<Vec<String>, _> = serde_json::from_slice(&text);
    let found = match names {
        Ok(names) if names.len() == parameters.cells as usize => return Ok(()),
        Ok(names) => format!("{}", names.len()),
        Err(error) => error.to_string(),
    };
    let expected = format!("a JSON array of {} texts", parameters.cells);
    faults.add("section CNAM", start(container, Tag::CNAM), expected, found);
    Ok(())
}

/// Greatest length in bytes of `CPRT` that is read into memory.
const PORTALS_LIMIT: u64 = 1 << 30;

fn portals(
    container: &Container,
    parameters: &CellParameters,
    touching: &[Vec<u32>],
    faults: &mut Faults,
) -> io::Result<()> {
    let Some(bytes) = cold(container, Tag::CPRT, PORTALS_LIMIT, faults)? else {
        return Ok(());
    };
    let section = start(container, Tag::CPRT);
    let word = |at: usize| u32_at(&bytes, at).map(|word| word as usize);
    let mut at = 4;
    for portal in 0..word(0).unwrap_or(0) {
        let place = format!("portal {portal}");
        let (Some(a), Some(b), Some(corners)) = (word(at), word(at + 4), word(at + 8)) else {
            faults.add(
                place,
                section,
                "two cells and a number of corners",
                "the end",
            );
            return Ok(());
        };
        let touch = touching
            .get(a)
            .is_some_and(|list| list.contains(&(b as u32)));
        if !touch {
            let expected = format!("two cells below {} that touch", parameters.cells);
            faults.add(&place, section, expected, format!("{a} and {b}"));
        }
        let numbers = (0..corners.saturating_mul(3)).map_while(|i| f64_at(&bytes, at + 12 + 8 * i));
        let finite = numbers.filter(|x| x.is_finite()).count();
        if corners < 3 || finite != corners.saturating_mul(3) {
            let expected = "three or more corners of finite numbers";
            faults.add(&place, section, expected, format!("{corners}"));
            return Ok(());
        }
        at += 12 + 24 * corners;
    }
    if at != bytes.len() {
        let expected = format!("{at} bytes");
        faults.add("section CPRT", section, expected, bytes.len());
    }
    Ok(())
}

fn statistics(
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
