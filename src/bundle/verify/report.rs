//! What a rule is, and what is told of it.

use serde::{Deserialize, Serialize};

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
