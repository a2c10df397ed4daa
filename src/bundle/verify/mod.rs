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
mod pairs;
mod sections;
mod trees;

use std::io::{self, Seek};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::BundleError;
use super::file::{open_regular, read_up_to};
use crate::format::header::HEADER_LEN;
use crate::format::{Header, WorldKind};

/// A rule of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it demands.
    pub demands: &'static str,
}

/// The rules on a terrain bundle, in the order in which they are checked.
pub const RULES: [Rule; 26] = after_container([
    sections::PRESENT,
    sections::GRID,
    sections::CRS,
    sections::MASK,
    sections::HEIGHTS,
    sections::SOURCE_HEIGHTS,
    sections::PROVENANCE,
    trees::INDEX,
    pairs::PAIR_INDEX,
    pairs::GROUPS,
    pairs::DICTIONARY,
    trees::TREES,
    trees::VOIDS,
    trees::UNIONS,
    trees::SYMMETRY,
    trees::STATISTICS,
]);

/// The rules on a cell bundle, in the order in which they are checked.
pub const CELL_RULES: [Rule; 22] = after_container([
    cells::PRESENT,
    cells::CELLS,
    cells::TOUCHING,
    cells::BSP,
    cells::BOXES,
    cells::NAMES,
    cells::PORTALS,
    sections::PROVENANCE,
    cells::ROWS,
    cells::PVS,
    cells::DISTANCES,
    cells::STATISTICS,
]);

/// The rules on every bundle, and those on one kind of world after them.
const fn after_container<const N: usize, const ALL: usize>(rules: [Rule; N]) -> [Rule; ALL] {
    let mut all = [container::MAGIC; ALL];
    let mut i = 0;
    while i < ALL {
        all[i] = match i.checked_sub(container::RULES.len()) {
            Some(own) => rules[own],
            None => container::RULES[i],
        };
        i += 1;
    }
    all
}

/// What [`verify`] found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Report {
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Every rule, in the order of checking.
    pub rules: Vec<RuleOutcome>,
}

/// What became of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RuleOutcome {
    /// Its name.
    pub rule: String,
    /// What it demands.
    pub demands: String,
    /// Whether it holds.
    pub outcome: Outcome,
    /// Number of faults.
    pub fault_count: u64,
    /// The first faults.
    pub faults: Vec<Fault>,
}

/// Whether a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// It was not checked, since a rule that it relies on failed.
    Skipped,
}

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Fault {
    /// Where: a field, a section, a quad.
    pub place: String,
    /// Where in the file, in bytes; absent where it is no one place.
    pub offset: Option<u64>,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Report {
    /// Whether every rule holds.
    pub fn is_sound(&self) -> bool {
        self.rules
            .iter()
            .all(|rule| rule.outcome == Outcome::Passed)
    }

    /// The rules that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &RuleOutcome> {
        self.rules
            .iter()
            .filter(|rule| rule.outcome == Outcome::Failed)
    }
}

/// How far [`verify`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The rule being checked.
    pub rule: Rule,
    /// Work done of `total`.
    pub done: u64,
    /// Work of the rule, in bytes or trees.
    pub total: u64,
}

/// Greatest number of faults a rule that are told; further ones are counted.
const FAULTS_TOLD: usize = 10;

/// The faults of one rule.
#[derive(Debug, Default)]
struct Faults {
    count: u64,
    told: Vec<Fault>,
}

impl Faults {
    fn add(
        &mut self,
        place: impl ToString,
        offset: impl Into<Option<u64>>,
        expected: impl ToString,
        found: impl ToString,
    ) {
        self.count += 1;
        if self.told.len() < FAULTS_TOLD {
            self.told.push(Fault {
                place: place.to_string(),
                offset: offset.into(),
                expected: expected.to_string(),
                found: found.to_string(),
            });
        }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The report in the making.
struct Checker<'a> {
    report: Report,
    progress: &'a mut dyn FnMut(Progress),
}

impl Checker<'_> {
    /// Notes what was found on a rule; says whether it holds.
    fn note(&mut self, rule: Rule, faults: Faults) -> bool {
        let holds = faults.is_empty();
        let outcome = self.report.rules.iter_mut().find(|o| o.rule == rule.name);
        if let Some(outcome) = outcome {
            outcome.outcome = if holds {
                Outcome::Passed
            } else {
                Outcome::Failed
            };
            outcome.fault_count = faults.count;
            outcome.faults = faults.told;
        }
        holds
    }

    /// Checks a rule; says whether it holds.
    fn check(
        &mut self,
        rule: Rule,
        function: impl FnOnce(&mut Faults) -> io::Result<()>,
    ) -> io::Result<bool> {
        self.tell(rule, 0, 1);
        let mut faults = Faults::default();
        function(&mut faults)?;
        Ok(self.note(rule, faults))
    }

    /// Checks a rule; returns what was read on the way.
    fn read<T>(
        &mut self,
        rule: Rule,
        function: impl FnOnce(&mut Faults) -> io::Result<Option<T>>,
    ) -> io::Result<Option<T>> {
        let mut read = None;
        self.check(rule, |faults| {
            read = function(faults)?;
            Ok(())
        })?;
        Ok(read)
    }

    fn tell(&mut self, rule: Rule, done: u64, total: u64) {
        (self.progress)(Progress { rule, done, total });
    }
}

/// Checks every rule of the format on a file, and reports on each.
///
/// Errors only where the file cannot be read; whatever is wrong with its bytes is in the report.
/// Takes about as long as reading the file and encoding its trees once more.
pub fn verify(path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Report, BundleError> {
    check_all(path, progress).map_err(|error| BundleError::Read {
        path: path.to_owned(),
        error,
    })
}

fn check_all(path: &Path, progress: &mut dyn FnMut(Progress)) -> io::Result<Report> {
    let (mut file, bytes) = open_regular(path)?;
    // What begins like no cell bundle is held to the rules on terrain.
    let start = read_up_to(&mut file, HEADER_LEN as u64)?;
    file.rewind()?;
    let rules: &[Rule] = match Header::parse(&start) {
        Ok(header) if header.kind == WorldKind::Cells => &CELL_RULES,
        _ => &RULES,
    };
    let rules = rules.iter().map(|rule| RuleOutcome {
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
        }
    }
    Ok(checker.report)
}
