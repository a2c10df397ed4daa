//! The modes of visibility in which terrains are baked.

use super::error::BakeError;
use crate::visibility::Stance;
use viewcell::format::VisibilityMode as Coded;

/// What the PVS of one place means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VisibilityMode {
    /// From the sample, to the samples.
    Exact,
    /// From anywhere in the unit square around the sample, to anywhere in those around the others.
    #[default]
    Conservative,
}

impl VisibilityMode {
    /// Where those stand who are asked for.
    pub fn stance(self) -> Stance {
        match self {
            Self::Exact => Stance::Sample,
            Self::Conservative => Stance::Cell,
        }
    }

    /// The mode of a bundle that is to be re-baked.
    pub(crate) fn of(coded: Coded) -> Result<Self, BakeError> {
        match coded {
            Coded::Exact => Ok(Self::Exact),
            Coded::Conservative => Ok(Self::Conservative),
            Coded::Sectors(sectors) => Err(BakeError::option(
                "visibility",
                "exact or conservative in a bundle that is to be re-baked",
                format!("sectors ({sectors})"),
            )),
        }
    }
}

impl From<VisibilityMode> for Coded {
    fn from(mode: VisibilityMode) -> Self {
        match mode {
            VisibilityMode::Exact => Self::Exact,
            VisibilityMode::Conservative => Self::Conservative,
        }
    }
}
