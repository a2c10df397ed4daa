//! Ground that is above what hides it.

use super::short::Short;

/// How far the ground rises above the surface, where it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundAbove {
    /// By how many metres at most.
    pub most: f64,
    /// Where that is.
    pub column: u32,
    /// Where that is.
    pub row: u32,
    /// At how many samples it does at all.
    pub samples: u64,
}

impl std::fmt::Display for GroundAbove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            most,
            column,
            row,
            samples,
        } = self;
        write!(
            f,
            "the ground is above the surface at {samples} samples, by {} m at most, at sample ({column}, {row})",
            // To the micrometre: beyond are roundings.
            Short((most * 1e6).ceil() / 1e6)
        )
    }
}
