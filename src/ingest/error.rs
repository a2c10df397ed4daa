//! Errors that name the file, the place in it, what was expected, what was found, what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be made a terrain or a cell graph.
///
/// `Display` prints all of it on one line:
/// `PATH: PLACE: expected EXPECTED, found FOUND; REMEDY`. Options are named as the fields of
/// [`IngestOptions`](super::IngestOptions) and [`IngestCellsOptions`](super::cells::IngestCellsOptions) are, in
/// backquotes.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct IngestError(Box<Details>);

/// What sort of failure it is; a program's exit code follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IngestErrorKind {
    /// The file could not be read.
    Read,
    /// The file, or what an option says of it, is wrong.
    Bad,
    /// The raster or level is larger than a limit or than memory.
    Resource,
    /// An option is missing or contradicts the others.
    Usage,
}

#[derive(Debug)]
struct Details {
    kind: IngestErrorKind,
    path: PathBuf,
    place: Option<String>,
    expected: String,
    found: String,
    remedy: String,
    /// The file may be in order, and another reader may manage it.
    unsupported: bool,
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(
            f,
            "expected {}, found {}; {}",
            self.expected, self.found, self.remedy
        )
    }
}

impl IngestError {
    /// What sort of failure it is.
    pub fn kind(&self) -> IngestErrorKind {
        self.0.kind
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The place in the file: a byte, line, tag, key or sample.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// What was expected there.
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// What was found there.
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// What to do about it.
    pub fn remedy(&self) -> &str {
        &self.0.remedy
    }

    /// The options that the remedy speaks of, by their names; none where no option helps.
    pub fn options(&self) -> impl Iterator<Item = &str> {
        let quoted = self.0.remedy.split('`').skip(1).step_by(2);
        let is_name = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        quoted.filter(is_name)
    }

    /// The same error, about a file, unless it says which already.
    pub fn about(mut self, path: &Path) -> Self {
        if self.0.path.as_os_str().is_empty() {
            self.0.path = path.to_owned();
        }
        self
    }

    fn new(
        kind: IngestErrorKind,
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self(Box::new(Details {
            kind,
            path: PathBuf::new(),
            place: None,
            expected: expected.into(),
            found: found.into(),
            remedy: remedy.into(),
            unsupported: false,
        }))
    }

    /// What was given is wrong: a file, or a value of it.
    pub fn bad(
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(IngestErrorKind::Bad, expected, found, remedy)
    }

    /// More than a limit allows.
    pub fn resource(
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(IngestErrorKind::Resource, expected, found, remedy)
    }

    /// An option is missing or does not fit.
    pub fn usage(
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(IngestErrorKind::Usage, expected, found, remedy)
    }

    /// A file that ends too early, or is not what it says, is a bad file; anything else is the system's failure to read.
    pub fn io(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::bad(
                "more bytes",
                "the end of the file",
                "the file is cut short: fetch or export it again",
            )
        } else if matches!(
            error.kind(),
            // The latter is what systems say to a place beyond all files.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
        ) {
            let remedy = "the file is damaged: fetch or export it again";
            Self::bad("whole data", error.to_string(), remedy)
        } else {
            Self::new(
                IngestErrorKind::Read,
                "a file that can be read",
                error.to_string(),
                "check the path, the permissions and the disk",
            )
        }
    }

    /// Says where in the file, unless a place nearer to the fault is known already.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.0.place.get_or_insert_with(|| place.into());
        self
    }

    /// Says in which part of the file the place is.
    pub fn within(mut self, part: String) -> Self {
        self.0.place = Some(match self.0.place.take() {
            Some(place) => format!("{part}, {place}"),
            None => part,
        });
        self
    }

    pub(super) fn unsupported(mut self) -> Self {
        self.0.unsupported = true;
        self
    }

    #[cfg(feature = "gdal")]
    pub(super) fn is_unsupported(&self) -> bool {
        self.0.unsupported
    }
}
