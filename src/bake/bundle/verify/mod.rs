//! Every rule of the format, one function each.
//!
//! Rules come in an order in which each may rely on those before it. Where one that others rely
//! on fails, these are skipped: a file with one fault is reported for that fault, not for all
//! that follows from it.
//!
//! Memory: 8 bytes a quad for the index, a few block bitmaps a level, and in tree code 2 the
//! pairs of blocks.

mod cells;
mod container;
mod levels;
mod near;
mod occluders;
mod patch;
mod prove;
mod report;
mod rules;
mod sections;
mod solid;
mod trees;

use std::io::{self, Seek};
use std::path::Path;

pub use prove::{PROOFS, Proofs, prove};
pub use report::{Fault, Outcome, Progress, Report, Rule, RuleOutcome};
pub use rules::rules;

use super::error::BundleError;
use super::file::{BundleFile, open_regular, read_up_to};
use report::{Checker, Faults};
use viewcell::format::header::HEADER_LEN;
use viewcell::format::patch::PATCH_MAGIC;
use viewcell::format::{Header, WorldKind};

/// The first page of a bundle, whose header and table are sound, that has not the checksum that `PCRC` states.
pub(super) fn damaged_page(file: &BundleFile) -> io::Result<Option<Fault>> {
    let start = HEADER_LEN + file.header().table_length();
    let mut faults = Faults::default();
    container::pages(file.file(), start, file.sections(), &mut faults)?;
    Ok(faults.first())
}

/// Checks every rule of the format on a bundle, and reports on each; on a patch, that it is whole.
///
/// Takes about as long as reading the file and encoding its trees once more.
///
/// # Errors
///
/// Where the file cannot be read. Whatever is wrong with its bytes is in the report.
pub fn verify(path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Report, BundleError> {
    check_all(path, progress).map_err(BundleError::read(path))
}

fn check_all(path: &Path, progress: &mut dyn FnMut(Progress)) -> io::Result<Report> {
    let (mut file, bytes) = open_regular(path)?;
    // What begins like no cell bundle is held to the rules on terrain.
    let start = read_up_to(&mut file, HEADER_LEN as u64)?;
    file.rewind()?;
    if start.starts_with(&PATCH_MAGIC) {
        return Ok(patch::check(&read_up_to(&mut file, bytes)?));
    }
    let kind = Header::parse(&start).map_or(WorldKind::Terrain, |header| header.kind);
    let rules = rules(kind).map(|rule| RuleOutcome {
        rule: rule.name.to_owned(),
        demands: rule.demands.to_owned(),
        outcome: Outcome::Skipped,
        fault_count: 0,
        faults: Vec::new(),
    });
    let mut checker = Checker {
        report: Report {
            bytes,
            rules: rules.collect(),
        },
        progress,
    };
    if let Some(container) = container::check(&mut checker, file, bytes)? {
        match container.kind {
            WorldKind::Terrain => sections::check(&mut checker, &container)?,
            WorldKind::Cells => cells::check(&mut checker, &container)?,
            WorldKind::Solid => {
                solid::check(&mut checker, &container)?;
                let failed = checker.report.failed().count();
                let left = checker.report.rules.iter();
                let left = left.filter(|rule| rule.outcome == Outcome::Skipped).count();
                if (failed, left) == (0, 1) {
                    near::check(&mut checker, path)?;
                }
            }
        }
    }
    Ok(checker.report)
}
