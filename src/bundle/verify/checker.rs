//! The report in the making: rules are checked one by one, and their faults counted.

use std::io;

use super::report::{Fault, Outcome, Progress, Report, Rule};

/// Greatest number of faults a rule that are told; further ones are counted.
const FAULTS_TOLD: usize = 10;

/// The faults of one rule.
#[derive(Debug, Default)]
pub(super) struct Faults {
    count: u64,
    told: Vec<Fault>,
}

impl Faults {
    pub(super) fn add(
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

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The report in the making.
pub(super) struct Checker<'a> {
    pub(super) report: Report,
    pub(super) progress: &'a mut dyn FnMut(Progress),
}

impl Checker<'_> {
    /// Notes what was found on a rule; says whether it holds.
    pub(super) fn note(&mut self, rule: Rule, faults: Faults) -> bool {
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
    pub(super) fn check(
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
    pub(super) fn read<T>(
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

    pub(super) fn tell(&mut self, rule: Rule, done: u64, total: u64) {
        (self.progress)(Progress { rule, done, total });
    }
}
