//! Why a world cannot be baked as it is asked for.

use std::io;
use std::path::{Path, PathBuf};

use crate::job::{BakeError, BakeErrorKind};
use viewcell_ingest::world::solid::PlacesError;
use viewcell_ingest::{IngestError, IngestErrorKind};

/// Why there is no plan. Options are named in backquotes, as the fields of [`PlanOptions`](super::PlanOptions),
/// [`Layers`](super::Layers) and the rest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A file is not what it should be.
    #[error(transparent)]
    Read(#[from] IngestError),
    /// The system cannot read a file.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Options contradict each other, or say nothing.
    #[error("{0}")]
    Usage(String),
    /// A layer is wrong, or leaves no place.
    #[error("{0}")]
    Bad(String),
    /// A solid level has no view cells.
    #[error("{}: {}{}", path.display(), error.to_string().replace("`size`", "`cell`"), remedy(error))]
    Places {
        /// The level's file.
        path: PathBuf,
        /// Why not.
        error: PlacesError,
    },
    /// No bake begins so.
    #[error(transparent)]
    Bake(#[from] BakeError),
}

fn remedy(error: &PlacesError) -> &'static str {
    match error {
        PlacesError::NoSpawn | PlacesError::Buried(_) => "; give positions of players with `reach`",
        _ => "; see `cell`",
    }
}

impl PlanError {
    /// What sort of failure it is.
    pub fn kind(&self) -> BakeErrorKind {
        match self {
            Self::Read(error) => match error.kind() {
                IngestErrorKind::Usage => BakeErrorKind::Usage,
                IngestErrorKind::Bad => BakeErrorKind::Input,
                IngestErrorKind::Read => BakeErrorKind::Io,
                IngestErrorKind::Resource => BakeErrorKind::Resource,
            },
            Self::Io { .. } => BakeErrorKind::Io,
            Self::Usage(_) => BakeErrorKind::Usage,
            Self::Bad(_) => BakeErrorKind::Input,
            Self::Places { error, .. } if error.is_of_size() => BakeErrorKind::Resource,
            Self::Places { .. } => BakeErrorKind::Input,
            Self::Bake(error) => error.kind(),
        }
    }

    pub(super) fn bad(path: &Path, words: impl std::fmt::Display) -> Self {
        Self::Bad(format!("{}: {words}", path.display()))
    }

    pub(super) fn places(path: &Path) -> impl Fn(PlacesError) -> Self {
        move |error| Self::Places {
            path: path.to_owned(),
            error,
        }
    }

    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io {
            path: path.to_owned(),
            error,
        }
    }
}
