//! Why a bake ended without a bundle, and which exception says so.

use std::io;
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyFileExistsError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use viewcell_bake::bundle::BundleError;
use viewcell_bake::prepare::LayerError;
use viewcell_bake::{BakeError, BakeErrorKind};
use viewcell_ingest::world::solid::PlacesError;
use viewcell_ingest::{IngestError, IngestErrorKind};

/// Why.
pub enum Fault {
    Bake(BakeError),
    /// Of reading, and of layers on a terrain.
    Input(IngestErrorKind, String),
    Places(PathBuf, PlacesError),
    Io(PathBuf, io::Error),
    /// Of the rules of a bundle.
    Unsound(String),
    /// Of an argument.
    Argument(PyErr),
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Self::Argument(error)
    }
}

impl From<BakeError> for Fault {
    fn from(error: BakeError) -> Self {
        Self::Bake(error)
    }
}

impl From<IngestError> for Fault {
    fn from(error: IngestError) -> Self {
        Self::Input(error.kind(), error.to_string())
    }
}

impl From<LayerError> for Fault {
    fn from(error: LayerError) -> Self {
        Self::Input(error.kind(), error.to_string())
    }
}

impl Fault {
    /// The exception. Options have the library's names, but for `from`, which Python keeps for itself.
    pub fn raised(self) -> PyErr {
        let named = |words: String| words.replace("`from`", "`exporter`");
        match self {
            Self::Argument(error) => error,
            Self::Bake(error) => {
                let words = error.to_string();
                match &error {
                    BakeError::Option { .. } => return PyValueError::new_err(words),
                    BakeError::Bundle(BundleError::Exists { .. }) => {
                        return PyFileExistsError::new_err(words);
                    }
                    _ => {}
                }
                match error.kind() {
                    BakeErrorKind::Resource => PyMemoryError::new_err(words),
                    BakeErrorKind::Io => PyOSError::new_err(words),
                    _ => crate::error::BakeError::new_err(words),
                }
            }
            Self::Input(IngestErrorKind::Usage, words) => PyValueError::new_err(named(words)),
            Self::Input(IngestErrorKind::Resource, words) => PyMemoryError::new_err(words),
            Self::Input(IngestErrorKind::Read, words) => PyOSError::new_err(words),
            Self::Input(IngestErrorKind::Bad, words) => {
                crate::error::BakeError::new_err(named(words))
            }
            Self::Places(path, error) => {
                let hint = match error {
                    PlacesError::NoSpawn | PlacesError::Buried(_) => {
                        "; give positions of players with `reach`"
                    }
                    _ => "; see `cell`",
                };
                let error_words = error.to_string().replace("`size`", "`cell`");
                let words = format!("{}: {error_words}{hint}", path.display());
                if error.is_of_size() {
                    PyMemoryError::new_err(words)
                } else {
                    crate::error::BakeError::new_err(words)
                }
            }
            Self::Io(path, error) => of_file(&path, error),
            Self::Unsound(words) => crate::error::BakeError::new_err(words),
        }
    }
}

/// The kin of OSError that a failure to read is: FileNotFoundError and others.
fn of_file(path: &Path, error: io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, error.to_string(), path.display().to_string())),
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}
