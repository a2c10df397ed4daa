//! In what lengths on a page are measured.

/// In what a picture is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Metres of the ground.
    Metres,
    /// Units of a level's own.
    Units,
}

impl Unit {
    /// A length in words.
    pub fn words(self, length: f64) -> String {
        match self {
            Self::Metres if length >= 1000.0 => format!("{} km", length / 1000.0),
            Self::Metres => format!("{length} m"),
            Self::Units => format!("{length} units"),
        }
    }
}
