//! Rules on what only bundles of solid levels hold.

use crate::bundle::verify::rules::{
    GRID, LOCATE, MASK, OBJECTS, OCCLUDERS, PROVENANCE, SOLID, SOLID_CELLS, SOLID_PRESENT, STATED,
};
use std::io;
use std::ops::Range;

use super::container::Container;
use super::levels;
use super::occluders::{self};
use super::report::{Checker, Faults};
use super::sections::{grid, mask, provenance};
use crate::bundle::provenance::{Provenance, stated_checksum};
use crate::bundle::solid::terrain_of_solid;
use crate::compress::ValidPyramid;
use viewcell::format::morton::{self, solid_number};
use viewcell::format::solid::{
    BOX_LEN, BUCKET_LEN, BUCKET_SIDE, CellBox, STEPS, SolidCells, SolidParameters, morton3,
};
use viewcell::format::{Objects, Sizes, Tag, TerrainParameters};

/// Checks all rules of this file, and those that all bundles of pairs of blocks share.
pub(super) fn check(checker: &mut Checker, container: &Container) -> io::Result<()> {
    if !checker.check(SOLID_PRESENT, |faults| container.check_present(faults))? {
        return Ok(());
    }
    let Some(parameters) = checker.read(GRID, |faults| grid(container, faults))? else {
        return Ok(());
    };
    let Some(valid) = checker.read(MASK, |faults| mask(container, &parameters, faults))? else {
        return Ok(());
    };
    let Some(solid) = checker.read(SOLID, |faults| {
        solid(container, &parameters, &valid, faults)
    })?
    else {
        return Ok(());
    };
    let (boxes, buckets) = (container.stored(Tag::SBOX)?, container.stored(Tag::SLOC)?);
    let cells = SolidCells::new(solid, &boxes, &buckets);
    let sound = checker.check(SOLID_CELLS, |faults| {
        check_cells(container, &cells, &boxes, faults)
    })?;
    let mut whole = sound
        && checker.check(LOCATE, |faults| {
            check_buckets(container, &cells, &buckets, faults)
        })?;
    if sound && container.section(Tag::SOCC).is_some() {
        let bytes = container.stored(Tag::SOCC)?;
        whole &= checker.check(OCCLUDERS, |faults| {
            occluders::check(container, &bytes, &cells, faults)
        })?;
    }
    whole &= checker.check(OBJECTS, |faults| {
        if solid.is_scene {
            check_objects(container, solid.parts, faults)?;
        }
        io::Result::Ok(())
    })?;
    let told = checker.read(PROVENANCE, |faults| provenance(container, faults))?;
    // What is wrong with these sections has been said.
    if let Some(told) = told.as_ref().filter(|_| whole) {
        checker.check(STATED, |faults| stated(container, told, &solid, faults))?;
    }
    levels::check(checker, container, &parameters, &valid, told.as_ref())
}

fn solid(
    container: &Container,
    terrain: &TerrainParameters,
    valid: &ValidPyramid,
    faults: &mut Faults,
) -> io::Result<Option<SolidParameters>> {
    let encode = |of: &SolidParameters| of.encode().to_vec();
    let Some(solid) = container.record(Tag::SOLD, SolidParameters::parse, encode, faults)? else {
        return Ok(None);
    };
    container.check_sizes(Tag::SOLD, &Sizes::from(&solid), faults);
    // Of what is read of a terrain's GRID only sizes, and what was lost, are a solid level's own.
    let due = TerrainParameters {
        lossy: terrain.lossy,
        ..terrain_of_solid(solid.hull, solid.eye, valid.grid())
    };
    let (due, found) = (due.encode(), terrain.encode());
    if let Some(byte) = (0..due.len()).find(|&byte| due[byte] != found[byte]) {
        let at = container.start(Tag::GRID) + byte as u64;
        let place = format!("section GRID, byte {byte}");
        faults.add(place, at, due[byte], found[byte]);
    }
    let grid = valid.grid();
    if SolidParameters::grid_of(solid.numbers()) != Some(grid) {
        let found = format!("{} x {}", grid.width(), grid.height());
        faults.add(
            "section GRID",
            container.start(Tag::GRID),
            "the grid of as many cells",
            found,
        );
        return Ok(None);
    }
    let columns = grid.block_shape().0;
    for (index, &word) in valid.blocks().iter().enumerate() {
        let (column, row) = (index as u32 % columns, index as u32 / columns);
        let first = morton::number(column, row) * 64;
        let expected = (0..64).fold(0, |word, number| {
            let sample = SolidParameters::sample((first + number) as u32);
            let is_cell = first + number < u64::from(solid.numbers());
            word | u64::from(is_cell) << grid.block_bit(sample).1
        });
        if word != expected {
            let place = format!("section VALD, block ({column}, {row})");
            let at = container.start(Tag::VALD) + index as u64 * 8;
            faults.add(
                place,
                at,
                format!("{expected:016x}"),
                format!("{word:016x}"),
            );
        }
    }
    Ok(faults.is_empty().then_some(solid))
}

/// Most of what these sections hold follows from nothing else in the bundle.
fn stated(container: &Container, told: &Provenance, solid: &SolidParameters, faults: &mut Faults) {
    let at = container.start(Tag::SOLD);
    let input = &told.input;
    if input.bytes != solid.input_bytes {
        let expected = format!("{} bytes, by PROV", input.bytes);
        faults.add(
            "length of the input in SOLD",
            at + 136,
            expected,
            solid.input_bytes,
        );
    }
    if let Some(expected) = input.crc32().filter(|sum| *sum != solid.input_crc32) {
        let (expected, found) = (
            format!("{expected:08x}"),
            format!("{:08x}", solid.input_crc32),
        );
        faults.add("checksum of the input in SOLD", at + 144, expected, found);
    }
    for (tag, expected) in &told.sections {
        let found = container
            .sections
            .iter()
            .find(|of| of.tag.to_string() == *tag);
        let found = found.map_or("none".to_owned(), |of| stated_checksum(of.checksum));
        if found != *expected {
            let at = container
                .sections
                .iter()
                .find(|of| of.tag.to_string() == *tag);
            let at = at.map(|section| section.offset);
            faults.add(
                format!("section {tag}"),
                at,
                format!("{expected}, by PROV"),
                found,
            );
        }
    }
}

/// The Morton number of the cell's place among all smallest cells, and how many of these it is.
fn place_of(record: &CellBox) -> (u64, u64) {
    let place = record
        .low
        .map(|steps| (u32::from(steps) / STEPS) >> record.level);
    let number = solid_number(place);
    (number << (3 * record.level), 1 << (3 * record.level))
}

fn check_cells(container: &Container, cells: &SolidCells, boxes: &[u8], faults: &mut Faults) {
    check_reserved(container, (Tag::SBOX, boxes), BOX_LEN, 13..16, faults);
    let (at, solid) = (container.start(Tag::SBOX), cells.parameters());
    let mut next = 0;
    for cell in 0..solid.cells {
        let Some(record) = cells.record(cell) else {
            return;
        };
        let mut fault = |expected: &str| {
            let (place, at) = (
                format!("cell {cell}"),
                at + u64::from(cell) * BOX_LEN as u64,
            );
            faults.add(place, at, expected, format!("{record:?}"));
        };
        if 1_u32
            .checked_shl(record.level.into())
            .is_none_or(|side| side > BUCKET_SIDE)
        {
            fault("a level from 0 to 3");
            return;
        }
        let side = STEPS << record.level;
        let fits = (0..3).all(|axis| {
            let (low, high) = (u32::from(record.low[axis]), u32::from(record.high[axis]));
            let least = low / side * side;
            let most = solid.buckets[axis] * BUCKET_SIDE * STEPS;
            low <= high && high <= least + side && least + side <= most
        });
        if !fits {
            fault("a box within its cell, and a cell within the buckets");
        }
        let (number, count) = place_of(&record);
        if number < next {
            fault("cells in Morton order that do not overlap");
        }
        next = next.max(number + count);
    }
}

/// Bytes of each record of a section that are 0.
fn check_reserved(
    container: &Container,
    (tag, bytes): (Tag, &[u8]),
    length: usize,
    reserved: Range<usize>,
    faults: &mut Faults,
) {
    for (number, record) in bytes.chunks_exact(length).enumerate() {
        let found = record.get(reserved.clone()).unwrap_or_default();
        if found.iter().any(|&byte| byte != 0) {
            let at = container.start(tag) + (number * length + reserved.start) as u64;
            let place = format!("section {tag}, record {number}");
            faults.add(place, at, "reserved bytes of 0", format!("{found:?}"));
        }
    }
}

fn check_objects(container: &Container, parts: u32, faults: &mut Faults) -> io::Result<()> {
    let bytes = container.stored(Tag::OBJS)?;
    let mut next = 0;
    let all = Objects::new(&bytes, parts).is_some_and(|objects| {
        (0..objects.count()).all(|number| {
            let of = objects.get(number).filter(|of| of.parts.start == next);
            next = of.as_ref().map_or(next, |of| of.parts.end);
            of.is_some()
        })
    });
    if !all || next != parts {
        let expected = format!("records with a name each, one after the other of {parts} parts");
        let found = format!("{} bytes, in order up to part {next}", bytes.len());
        faults.add("section OBJS", container.start(Tag::OBJS), expected, found);
    }
    Ok(())
}

fn check_buckets(container: &Container, cells: &SolidCells, buckets: &[u8], faults: &mut Faults) {
    check_reserved(container, (Tag::SLOC, buckets), BUCKET_LEN, 4..8, faults);
    let (at, solid) = (container.start(Tag::SLOC), cells.parameters());
    let [columns, rows, layers] = solid.buckets;
    let mut expected = vec![(0_u32, [0_u64; 8]); solid.bucket_count() as usize];
    let index = |[x, y, z]: [u32; 3]| ((z * rows + y) * columns + x) as usize;
    for cell in 0..solid.cells {
        let Some(record) = cells.record(cell) else {
            return;
        };
        let side = 1 << record.level;
        let corner = record
            .low
            .map(|steps| u32::from(steps) / STEPS / side * side);
        let (first, bitmap) = &mut expected[index(corner.map(|at| at / BUCKET_SIDE))];
        if *bitmap == [0; 8] {
            *first = cell;
        }
        let [x, y, z] = corner.map(|at| at % BUCKET_SIDE);
        let code = morton3(x, y, z);
        bitmap[code as usize / 64] |= 1 << (code % 64);
    }
    for z in 0..layers {
        for y in 0..rows {
            for x in 0..columns {
                let Some(found) = cells.bucket([x, y, z]) else {
                    return;
                };
                let index = index([x, y, z]);
                if (found.first, found.bitmap) != expected[index] {
                    let place = format!("bucket ({x}, {y}, {z})");
                    let at = at + (index * BUCKET_LEN) as u64;
                    let (first, bitmap) = expected[index];
                    let count: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
                    let expected = format!("first cell {first}, {count} cells by SBOX");
                    faults.add(place, at, expected, format!("{found:?}"));
                }
            }
        }
    }
}
