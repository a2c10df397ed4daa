//! What the caller says of objects by their names: keep, or drop.

use std::cell::Cell;

use super::unhiding::{Reason, Stays};
use crate::error::IngestError;

/// Names to keep and to drop. `*` stands for anything, and case does not count.
#[derive(Default)]
pub(crate) struct Selection {
    keep: Vec<Pattern>,
    drop: Vec<Pattern>,
}

struct Pattern {
    text: String,
    met: Cell<bool>,
}

impl Selection {
    pub(crate) fn new(keep: &[String], drop: &[String]) -> Self {
        let patterns = |names: &[String]| {
            let pattern = |name: &String| Pattern {
                text: name.to_lowercase(),
                met: Cell::new(false),
            };
            names.iter().map(pattern).collect()
        };
        Self {
            keep: patterns(keep),
            drop: patterns(drop),
        }
    }

    /// Whether something with these names is kept.
    pub(crate) fn keeps(&self, names: &[&str]) -> bool {
        has(&self.keep, names)
    }

    /// What there is against the hiding of something with these names, of itself: nothing if it is kept, and that it is
    /// dropped if it is.
    pub(crate) fn of(&self, names: &[&str], own: Option<Reason>) -> Option<Reason> {
        let keep = self.keeps(names);
        self.dropped(names).or(own.filter(|_| !keep))
    }

    /// Whether anything is dropped.
    pub(crate) fn drops(&self) -> bool {
        !self.drop.is_empty()
    }

    /// That something with these names is dropped.
    pub(crate) fn dropped(&self, names: &[&str]) -> Option<Reason> {
        has(&self.drop, names).then(|| Reason::new("dropped, as requested", Stays::Out))
    }

    /// # Errors
    ///
    /// A name that nothing has.
    pub(crate) fn check(&self) -> Result<(), IngestError> {
        for (option, patterns) in [("keep", &self.keep), ("drop", &self.drop)] {
            if let Some(pattern) = patterns.iter().find(|pattern| !pattern.met.get()) {
                return Err(IngestError::usage(
                    format!(
                        "in `{option}` a name of the file: of an object, node, mesh, group or material"
                    ),
                    format!("{:.80}, which nothing has", pattern.text),
                    "write the name as the file has it; * stands for anything",
                ));
            }
        }
        Ok(())
    }
}

/// Whether a pattern has one of the names. All are asked, so that each is known to be met.
fn has(patterns: &[Pattern], names: &[&str]) -> bool {
    let met = patterns.iter().filter(|pattern| {
        let is_met = names
            .iter()
            .any(|name| !name.is_empty() && matches(&pattern.text, &name.to_lowercase()));
        pattern.met.set(pattern.met.get() | is_met);
        is_met
    });
    met.count() > 0
}

fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, due) in [
            ("wall", "wall", true),
            ("wall", "wall2", false),
            ("wall*", "wall2", true),
            ("*wall", "my wall", true),
            ("*wa*l*", "wall", true),
            ("w*w", "w", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), due, "{pattern} {name}");
        }
    }
}
