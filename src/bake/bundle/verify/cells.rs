//! Rules on what the sections of a cell bundle hold.

mod places;
mod visibility;

use std::io;

use places::{boxes, bsp, names, neighbours, portals, words};
use visibility::{SoundLevel, compare_distances, pvs, rows, statistics};

use super::container::Container;
use super::report::Rule;
use super::report::{Checker, Faults};
use super::sections::{PROVENANCE, provenance};
use crate::compress::cells::recompute;
use viewcell::format::{CellParameters, Sizes, Tag};

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
    if !checker.check(PRESENT, |faults| container.check_present(faults))? {
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
        checker.check(STATISTICS, |faults| {
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
