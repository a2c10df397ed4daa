//! Why a bake ended without a bundle, and which exception says so.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyFileExistsError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use viewcell_bake::bundle::BundleError;
use viewcell_bake::{BakeError, BakeErrorKind, PlanError};

/// Why.
pub enum Fault {
    Plan(PlanError),
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

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<BakeError> for Fault {
    fn from(error: BakeError) -> Self {
        Self::Plan(error.into())
    }
}

impl Fault {
    /// The exception. Options have the library's names, but for `from`, which Python keeps for itself.
    pub fn raised(self) -> PyErr {
        let error = match self {
            Self::Argument(error) => return error,
            Self::Unsound(words) => return crate::error::BakeError::new_err(words),
            Self::Plan(PlanError::Io { path, error }) => return of_file(&path, error),
            Self::Plan(error) => error,
        };
        let words = error.to_string().replace("`from`", "`exporter`");
        match (&error, error.kind()) {
            (PlanError::Bake(BakeError::Bundle(BundleError::Exists { .. })), _) => {
                PyFileExistsError::new_err(words)
            }
            (PlanError::Bake(BakeError::Budget { .. }), _) => {
                crate::error::BakeError::new_err(words)
            }
            (_, BakeErrorKind::Usage) => PyValueError::new_err(words),
            (_, BakeErrorKind::Resource) => PyMemoryError::new_err(words),
            (_, BakeErrorKind::Io) => PyOSError::new_err(words),
            _ => crate::error::BakeError::new_err(words),
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
