//! Exit codes: one a class of thing that happened.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The exit codes as the help text prints them.
pub const TABLE: &str = "Exit codes:
  0    done
  1    the answer is no: verify found faults, a \
     check failed, or bundles differ
  2    invalid command line or job file
  3    bad input
  4    \
     a file could not be read or written, or exists already
  5    out of a resource: memory, \
     disk, a limit that an option raises
  130  stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP)";

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The result is on stdout or in its file.
    Done,
    /// The answer is no.
    No,
    /// The command line or a job file is invalid.
    Usage,
    /// An input file is damaged, or is not what it should be.
    BadInput,
    /// A file could not be read or written.
    InputOutput,
    /// Out of memory, of disk, or beyond a limit.
    Resource,
    /// Stopped by this signal.
    Signal(u8),
}

impl Exit {
    /// The code, as [`TABLE`] has it.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::BadInput => 3,
            Self::InputOutput => 4,
            Self::Resource => 5,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Why a verb ended early.
#[derive(Debug)]
pub enum Failure {
    /// Whoever reads stdout has read enough.
    ClosedPipe,
    /// A signal came, and a person was told so.
    Stopped(Exit),
    /// Something to tell a person.
    Failed {
        /// What happened.
        exit: Exit,
        /// What to tell.
        error: anyhow::Error,
    },
}

/// What a verb comes to.
pub type Outcome = Result<Exit, Failure>;

impl Failure {
    /// An error with its class.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self::Failed {
            exit,
            error: error.into(),
        }
    }

    /// The arguments contradict each other or the input.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, anyhow::Error::msg(message.into()))
    }

    /// An input file is damaged, or is not what it should be.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(Exit::BadInput, anyhow::Error::msg(message.into()))
    }

    /// The same, by an error about a file.
    pub fn bad_file<E: Display>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::bad_input(format!("{}: {error}", path.display()))
    }

    /// Out of memory, of disk, or beyond a limit.
    pub fn resource(error: impl Into<anyhow::Error>) -> Self {
        Self::new(Exit::Resource, error)
    }

    /// The system could not read a file.
    pub fn cannot_read(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |error| Self::io(format!("{}: cannot be read", path.display()), error)
    }

    /// The system could not read or write; `what` names the file and what was tried.
    pub fn io(what: String, error: io::Error) -> Self {
        let exit = match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::OutOfMemory => Exit::Resource,
            _ if is_out_of_files(&error) => Exit::Resource,
            _ => Exit::InputOutput,
        };
        let remedy = match error.kind() {
            _ if is_out_of_files(&error) => {
                "; raise the limit of open files (ulimit -n), or ask for fewer"
            }
            io::ErrorKind::FileTooLarge => {
                "; raise the limit on the size of files (ulimit -f), or write to a file system \
                 that allows larger files"
            }
            _ => "",
        };
        Self::new(exit, anyhow::anyhow!("{error}{remedy}").context(what))
    }
}

/// Whether the system gives this process, or any, no more open files: `ENFILE`, `EMFILE`.
fn is_out_of_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}
