//! Rules on what the sections of a terrain bundle hold, trees apart.

use crate::bundle::verify::rules::{
    self, CRS, GRID, HEIGHTS, MASK, PROVENANCE, SOURCE_HEIGHTS, TERRAIN_PRESENT,
};
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::container::Container;
use super::report::{Checker, Faults};
use super::{levels, trees};
use crate::bundle::provenance::Provenance;
use crate::compress::ValidPyramid;
use crate::compress::levels::valid_levels;
use viewcell::format::levels::Shape;
use viewcell::format::{Sizes, Tag, TerrainParameters, TreeCode};

/// Checks all rules of this file, and those on trees.
pub(super) fn check(checker: &mut Checker, container: &Container) -> io::Result<()> {
    if !checker.check(TERRAIN_PRESENT, |faults| container.check_present(faults))? {
        return Ok(());
    }
    let Some(parameters) = checker.read(GRID, |faults| grid(container, faults))? else {
        return Ok(());
    };
    checker.check(CRS, |faults| crs(container, faults))?;
    let Some(terrain) = checker.read(MASK, |faults| mask(container, &parameters, faults))? else {
        return Ok(());
    };
    if checker.check(HEIGHTS, |faults| {
        heights(container, (&terrain, parameters.walkable), faults)
    })? {
        let sizes = Sizes::from(&parameters);
        checker.check(SOURCE_HEIGHTS, |faults| {
            source_heights(container, &sizes, faults)
        })?;
    }
    let told = checker.read(PROVENANCE, |faults| provenance(container, faults))?;
    if parameters.tree_code == TreeCode::Levels {
        return levels::check(checker, container, &parameters, &terrain, told.as_ref());
    }
    // What there is none of is as it should be.
    for rule in [rules::PAIR_INDEX, rules::GROUPS, rules::DICTIONARY] {
        checker.note(rule, Faults::default());
    }
    trees::check(checker, container, &parameters, &terrain, told.as_ref())
}

/// The parameters in `GRID`, if all makes sense that follows from them.
pub(super) fn grid(
    container: &Container,
    faults: &mut Faults,
) -> io::Result<Option<TerrainParameters>> {
    let encode = |of: &TerrainParameters| of.encode().to_vec();
    let parameters = container.record(Tag::GRID, TerrainParameters::parse, encode, faults)?;
    if let Some(parameters) = &parameters {
        container.check_sizes(Tag::GRID, &Sizes::from(parameters), faults);
    }
    Ok(parameters.filter(|_| faults.is_empty()))
}

fn crs(container: &Container, faults: &mut Faults) -> io::Result<()> {
    container.check_sizes(Tag::CRS, &Sizes::default(), faults);
    if faults.is_empty()
        && let Err(error) = std::str::from_utf8(&container.stored(Tag::CRS)?)
    {
        let at = container.start(Tag::CRS) + error.valid_up_to() as u64;
        faults.add("section CRS", at, "UTF-8 text", error);
    }
    Ok(())
}

pub(super) fn mask(
    container: &Container,
    parameters: &TerrainParameters,
    faults: &mut Faults,
) -> io::Result<Option<ValidPyramid>> {
    let grid = parameters.grid;
    let columns = grid.block_shape().0 as usize;
    let masks: Vec<u64> = (0..grid.blocks())
        .map(|i| grid.block_mask((i % columns) as u32, (i / columns) as u32))
        .collect();
    let Some(section) = container.section(Tag::VALD) else {
        return Ok(Some(ValidPyramid::new(grid, &masks)));
    };
    let bytes = container.stored(Tag::VALD)?;
    let (words, _) = bytes.as_chunks::<8>();
    let mut words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let above = words.split_off(grid.blocks().min(words.len()));
    for (i, (word, mask)) in words.iter().zip(&masks).enumerate() {
        if word & !mask != 0 {
            let place = format!("section VALD, block ({}, {})", i % columns, i / columns);
            let (expected, found) = (format!("bits within {mask:016x}"), format!("{word:016x}"));
            faults.add(place, section.offset + i as u64 * 8, expected, found);
        }
    }
    if words == masks {
        faults.add(
            "section VALD",
            section.offset,
            "some void, or no such section",
            "no void",
        );
    }
    if words.iter().all(|&word| word == 0) {
        faults.add("section VALD", section.offset, "some terrain", "none");
    }
    if !faults.is_empty() {
        return Ok(None);
    }
    let valid = ValidPyramid::new(grid, &words);
    if parameters.tree_code == TreeCode::Levels {
        let shape = Shape::of(parameters);
        let levels = valid_levels(shape, &valid);
        let due = levels.iter().skip(1).flat_map(|level| level.blocks());
        if !due.eq(&above) {
            faults.add(
                "section VALD",
                section.offset + 8 * grid.blocks() as u64,
                "where there is terrain in the cells of each level",
                "something else",
            );
        }
    }
    Ok(faults.is_empty().then_some(valid))
}

fn heights(
    container: &Container,
    (terrain, walkable): (&ValidPyramid, bool),
    faults: &mut Faults,
) -> io::Result<()> {
    let grid = terrain.grid();
    let section = container.start(Tag::HGTS);
    let mut reader = BufReader::with_capacity(1 << 18, &container.file);
    reader.seek(SeekFrom::Start(section))?;
    for (at, sample) in grid.row_by_row().enumerate() {
        let mut bytes = [0; 4];
        reader.read_exact(&mut bytes)?;
        let height = f32::from_le_bytes(bytes);
        let (word, bit) = grid.block_bit(sample);
        let is_terrain = terrain.blocks()[word] >> bit & 1 == 1;
        let sound = if is_terrain {
            height.is_finite()
        } else {
            height.to_bits() == f32::NAN.to_bits() || walkable && height.is_finite()
        };
        if !sound {
            let place = format!("height of sample ({}, {})", sample.column, sample.row);
            let expected = if is_terrain {
                "a finite number (VALD says terrain)".to_owned()
            } else if walkable {
                format!("a finite number, or the NaN {:08x}", f32::NAN.to_bits())
            } else {
                format!("the NaN {:08x} (VALD says void)", f32::NAN.to_bits())
            };
            let found = format!("{height} ({:08x})", height.to_bits());
            faults.add(place, section + at as u64 * 4, expected, found);
        }
    }
    Ok(())
}

fn source_heights(container: &Container, sizes: &Sizes, faults: &mut Faults) -> io::Result<()> {
    let Some(source) = container.cold(Tag::SRCH, sizes, faults)? else {
        return Ok(());
    };
    let at = container.start(Tag::SRCH);
    let hot = container.stored(Tag::HGTS)?;
    let (hot, _) = hot.as_chunks::<4>();
    let (source, _) = source.as_chunks::<8>();
    let mut rounds = false;
    for (i, (source, hot)) in source.iter().zip(hot).enumerate() {
        let (source, hot) = (f64::from_le_bytes(*source), f32::from_le_bytes(*hot));
        rounds |= source != f64::from(hot) && !source.is_nan();
        let sound = if hot.is_nan() {
            source.to_bits() == f64::NAN.to_bits()
        } else {
            (source as f32).to_bits() == hot.to_bits()
        };
        if !sound {
            let place = format!("section SRCH, height {i}");
            faults.add(place, at, format!("one that rounds to {hot}"), source);
        }
    }
    if !rounds && faults.is_empty() {
        let expected = "a height that f32 rounds, or no such section";
        faults.add("section SRCH", at, expected, "none");
    }
    Ok(())
}

pub(super) fn provenance(
    container: &Container,
    faults: &mut Faults,
) -> io::Result<Option<Provenance>> {
    let Some(text) = container.cold(Tag::PROV, &Sizes::default(), faults)? else {
        return Ok(None);
    };
    match serde_json::from_slice(&text) {
        Ok(provenance) => Ok(Some(provenance)),
        Err(error) => {
            let at = container.start(Tag::PROV);
            faults.add("section PROV", at, "provenance in JSON", error);
            Ok(None)
        }
    }
}
