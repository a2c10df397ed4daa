//! The report of a verification: rules, their outcomes, and their faults, which are counted while rules are checked.

use serde::{Deserialize, Serialize};
use std::io;

/// A rule of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it demands.
    pub demands: &'static str,
}

/// What `verify` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Every rule, in the order of checking.
    pub rules: Vec<RuleOutcome>,
}

/// What became of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// How far `verify` is.
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
pub(crate) struct Faults {
    count: u64,
    told: Vec<Fault>,
}

impl Faults {
    pub(crate) fn add(
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

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first of them.
    pub(crate) fn first(self) -> Option<Fault> {
        self.told.into_iter().next()
    }
}

impl RuleOutcome {
    /// What became of a rule that was checked.
    pub(crate) fn of(rule: Rule, faults: Faults) -> Self {
        Self {
            rule: rule.name.to_owned(),
            demands: rule.demands.to_owned(),
            outcome: if faults.is_empty() {
                Outcome::Passed
            } else {
                Outcome::Failed
            },
            fault_count: faults.count,
            faults: faults.told,
        }
    }
}

/// The report in the making.
pub(crate) struct Checker<'a> {
    pub(crate) report: Report,
    pub(crate) progress: &'a mut dyn FnMut(Progress),
}

impl Checker<'_> {
    /// Notes what was found on a rule; says whether it holds.
    pub(crate) fn note(&mut self, rule: Rule, faults: Faults) -> bool {
        let holds = faults.is_empty();
        let outcome = self.report.rules.iter_mut().find(|o| o.rule == rule.name);
        if let Some(outcome) = outcome {
            *outcome = RuleOutcome::of(rule, faults);
        }
        holds
    }

    /// Checks a rule; says whether it holds.
    pub(crate) fn check<D: Done>(
        &mut self,
        rule: Rule,
        function: impl FnOnce(&mut Faults) -> D,
    ) -> io::Result<bool> {
        self.tell(rule, 0, 1);
        let mut faults = Faults::default();
        function(&mut faults).done()?;
        Ok(self.note(rule, faults))
    }

    /// Checks a rule; returns what was read on the way.
    pub(crate) fn read<T>(
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

    pub(crate) fn tell(&mut self, rule: Rule, done: u64, total: u64) {
        (self.progress)(Progress { rule, done, total });
    }
}

/// What a function that checks a rule returns: an error where it has to read the file.
pub(crate) trait Done {
    fn done(self) -> io::Result<()>;
}

impl Done for () {
    fn done(self) -> io::Result<()> {
        Ok(())
    }
}

impl Done for io::Result<()> {
    fn done(self) -> io::Result<()> {
        self
    }
}
