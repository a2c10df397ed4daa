//! Why a bundle cannot be opened or asked.

use std::fmt;
use std::path::PathBuf;

use crate::format::FormatError;

/// Why a bundle cannot be opened: says the file, what was expected, what was found, and what to
/// do.
#[derive(Debug)]
pub enum OpenError {
    /// The bytes are no bundle that this version reads.
    Format {
        /// The file, where the bytes came from one.
        path: Option<PathBuf>,
        /// What is wrong.
        error: FormatError,
    },
    /// The file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

impl From<FormatError> for OpenError {
    fn from(error: FormatError) -> Self {
        Self::Format { path: None, error }
    }
}

impl OpenError {
    /// The same error, about a file.
    pub fn at(self, file: &std::path::Path) -> Self {
        match self {
            Self::Format { path: None, error } => Self::Format {
                path: Some(file.to_owned()),
                error,
            },
            other => other,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format { path, error } => {
                if let Some(path) = path {
                    write!(f, "{}: ", path.display())?;
                }
                write!(f, "{error}")
            }
            Self::Io { path, error } => write!(
                f,
                "{}: cannot be opened as a bundle: {error}; check the path and the permissions",
                path.display()
            ),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Format { error, .. } => Some(error),
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// The memory for a frontier is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortMemory {
    /// Words needed: [`words`](crate::frontier::cells::words).
    pub expected: usize,
    /// Words given.
    pub found: usize,
}

impl core::fmt::Display for ShortMemory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "expected memory of {} words for a frontier, found {}",
            self.expected, self.found
        )
    }
}

impl core::error::Error for ShortMemory {}
