//! Rules on what the sections of a cell bundle hold.

mod places;
mod visibility;

use crate::bundle::verify::rules::{
    BOXES, BSP, CELL_PRESENT, CELL_STATISTICS, CELLS, DISTANCES, NAMES, PORTALS, PROVENANCE, PVS,
    ROWS, TOUCHING,
};
use std::io;

use places::{boxes, bsp, names, neighbours, portals, words};
use visibility::{SoundLevel, compare_distances, pvs, rows, statistics};

use super::container::Container;
use super::report::{Checker, Faults};
use super::sections::provenance;
use crate::compress::cells::recompute;
use viewcell::format::{CellParameters, Sizes, Tag};

/// Checks all rules of this file.
pub(super) fn check(checker: &mut Checker, container: &Container) -> io::Result<()> {
    if !checker.check(CELL_PRESENT, |faults| container.check_present(faults))? {
        return Ok(());
    }
    let Some(parameters) = checker.read(CELLS, |faults| cells(container, faults))? else {
        return Ok(());
    };
    let mut level = SoundLevel {
        parameters,
        row_of: (0..parameters.cells).collect(),
        pvs: container.stored(Tag::CPVS)?,
    };
    let row_of = container.stored(Tag::CROW)?;
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
    let told = checker.read(PROVENANCE, |faults| provenance(container, faults))?;

    let sound = checker.check(ROWS, |faults| rows(container, &level, faults))?
        && checker.check(PVS, |faults| pvs(container, &level, faults))?;
    if !sound {
        return Ok(());
    }
    let distances = container.stored(Tag::CDST)?;
    let right = recompute(parameters.cells, &level.row_of, &level.pvs);
    let sound = checker.check(DISTANCES, |faults| {
        compare_distances(container, &parameters, &distances, &right, faults)
    })?;
    if let (true, Some(told)) = (sound, told) {
        checker.check(CELL_STATISTICS, |faults| {
            statistics(&parameters, &told, &right, faults)
        })?;
    }
    Ok(())
}

fn cells(container: &Container, faults: &mut Faults) -> io::Result<Option<CellParameters>> {
    let encode = |of: &CellParameters| of.encode().to_vec();
    let parameters = container.record(Tag::CELL, CellParameters::parse, encode, faults)?;
    if let Some(parameters) = &parameters {
        container.check_sizes(Tag::CELL, &Sizes::from(parameters), faults);
    }
    Ok(parameters.filter(|_| faults.is_empty()))
}
