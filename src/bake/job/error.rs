//! Why a bake ends without a bundle.

use std::path::{Path, PathBuf};

use super::store::error::StoreError;
use super::store::file::Store;
use super::tiles::Tile;
use crate::bundle::BundleError;
pub use crate::bundle::ErrorKind as BakeErrorKind;
use crate::visibility::portals::{CheckpointError, FlowError};
use viewcell::format::GridError;
use viewcell::query::OpenError;
use viewcell_ingest::world::TerrainError;

/// Why a bake ended without a bundle.
///
/// Messages name options as fields of [`BakeOptions`](super::BakeOptions) and
/// [`IngestOptions`](viewcell_ingest::IngestOptions) are named, in backquotes; `resume` and `restart`
/// are ways to [`Keep`](super::Keep), `output` is the file to write.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// The observer said so.
    #[error("cancelled")]
    Cancelled,
    /// An option has a value that no bake can have.
    #[error("`{option}`: expected {expected}, found {found}")]
    Option {
        /// Its name: a field of the options, or `refraction`.
        option: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The grid has more samples on a side than a bundle holds.
    #[error("{input}: {error}; bake parts of it (`crop`)")]
    Grid {
        /// The name of the terrain's file.
        input: String,
        /// Its sides, and what they may be.
        #[source]
        error: GridError,
    },
    /// A level has more view cells than a bundle holds, or none.
    #[error("{input}: {error}")]
    Cells {
        /// The name of the level's file.
        input: String,
        /// How many there are.
        #[source]
        error: crate::bundle::TooManyCells,
    },
    /// Nobody can be anywhere.
    #[error(
        "{input}: {error}; players would be covered by the surface everywhere (do ground and \
         surface have the same datum? `inside` includes covered places)"
    )]
    Places {
        /// The name of the terrain's file.
        input: String,
        /// What there should be.
        #[source]
        error: TerrainError,
    },
    /// The terrain has more samples than the tables of the kernels hold.
    #[error(
        "{input}: expected a terrain of at most some 220 million samples, found {width} x {height}; bake parts of it (`crop`)"
    )]
    Large {
        /// The name of the terrain's file.
        input: String,
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The bake would take more memory than it may.
    #[error(
        "{input}: expected a bake of at most {} MB of memory, found one of about {} MB on {threads} threads; take fewer `threads` or a part of it (`crop`), or allow it more `memory`",
        limit / 1_000_000, needed.div_ceil(1_000_000)
    )]
    Memory {
        /// The name of the terrain's file.
        input: String,
        /// Bytes that it would take.
        needed: u64,
        /// Bytes that it may take.
        limit: u64,
        /// Threads that it would work with.
        threads: usize,
    },
    /// A level of which nothing says who sees whom.
    #[error(
        "expected visibility or portals in a {format}, found neither; run its compiler's visibility step, or bake the .prt file that it writes"
    )]
    NoVisibility {
        /// The level's format.
        format: String,
    },
    /// Portals that no PVS can be computed from.
    #[error(transparent)]
    Flow(FlowError),
    /// The bundle could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A checkpoint or a shard is not what it should be.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A bundle has lost something, and cannot be the source of this one.
    #[error("{}: expected a lossless bundle, found one that was made for a budget; repack the \
         bundle that it was made from, or bake again", path.display())]
    Lossy {
        /// The bundle.
        path: PathBuf,
    },
    /// A graded bundle, where one is wanted whose blocks cover the whole grid: of these alone there are patches.
    #[error("{}: expected a bundle whose view cells do not grow with distance, for a patch, found a graded one; give the new terrain and `output` for a whole bundle", path.display())]
    Graded {
        /// The bundle.
        path: PathBuf,
    },
    /// A bundle that does not hold all of the ground that decides who sees whom in it.
    #[error("{}: expected a bundle that holds the ground of all samples, on which everybody may be, found one of cells, of a part of the places, or of ground below a surface; give the new terrain, and not what changes in it", path.display())]
    NoGround {
        /// The bundle.
        path: PathBuf,
    },
    /// Places or ground other than those that a bundle was baked with.
    #[error("{}: expected a terrain {expected}, as that of the bundle, found one {found}; give or leave out the places as they were given to its bake", path.display())]
    OtherPlaces {
        /// The bundle.
        path: PathBuf,
        /// What the bundle has.
        expected: &'static str,
        /// What the terrain has.
        found: &'static str,
    },
    /// A terrain that cannot be what has become of the one in a bundle.
    #[error(
        "{input}: expected the {what} of the terrain in {}, {expected}, found {found}; give what its ground has become, or bake this one", path.display()
    )]
    OtherTerrain {
        /// The bundle.
        path: PathBuf,
        /// The name of the terrain's file.
        input: String,
        /// In what they differ.
        what: &'static str,
        /// What the bundle has.
        expected: String,
        /// What the terrain has.
        found: String,
    },
    /// A budget that nothing comes to.
    #[error(
        "`budget`: expected at least {least} bytes, the least that this terrain can come to with everything visible, found {budget}"
    )]
    Budget {
        /// Bytes asked for.
        budget: u64,
        /// Bytes it takes.
        least: u64,
    },
    /// The system does not start so many threads.
    #[error(
        "`threads`: expected {threads} threads that the system can start, found that it cannot ({error}); ask for fewer, or raise its limits (ulimit -u, ulimit -v)"
    )]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        error: String,
    },
    /// The thread that makes patches could not start, or did not come to an end.
    #[error("{}: the thread that makes patches failed: {error}; answers stay safe, but ground that \
         changes costs more from now on: open the bundle again", path.display())]
    Thread {
        /// The bundle.
        path: PathBuf,
        /// What became of it.
        #[source]
        error: std::io::Error,
    },
    /// The bake ended before its time, and what is done is kept.
    #[error("{error}; {done} of {total} tiles are kept in {}, and finished parts of others: \
         continue it (`resume`), or start again (`restart`)", checkpoint.display())]
    Kept {
        /// Why it ended.
        #[source]
        error: Box<BakeError>,
        /// The checkpoint, or the shard in the making.
        checkpoint: PathBuf,
        /// Tiles that are done.
        done: u32,
        /// Tiles that were to be done.
        total: u32,
    },
}

impl BakeError {
    /// An option that cannot be.
    pub(crate) fn option(
        option: &'static str,
        expected: &'static str,
        found: impl ToString,
    ) -> Self {
        Self::Option {
            option,
            expected,
            found: found.to_string(),
        }
    }

    /// The class of the error.
    pub fn kind(&self) -> BakeErrorKind {
        match self {
            Self::Cancelled => BakeErrorKind::Cancelled,
            Self::Option { .. } | Self::Budget { .. } => BakeErrorKind::Usage,
            Self::Flow(FlowError::Checkpoint(CheckpointError::Io { .. })) => BakeErrorKind::Io,
            Self::NoVisibility { .. } | Self::Flow(_) => BakeErrorKind::Input,
            Self::Grid { .. }
            | Self::Cells { .. }
            | Self::Large { .. }
            | Self::Memory { .. }
            | Self::Threads { .. }
            | Self::Thread { .. } => BakeErrorKind::Resource,
            Self::Bundle(error) => error.kind(),
            Self::Store(error) => error.kind(),
            Self::Lossy { .. }
            | Self::Graded { .. }
            | Self::NoGround { .. }
            | Self::OtherPlaces { .. }
            | Self::OtherTerrain { .. }
            | Self::Places { .. } => BakeErrorKind::Input,
            Self::Kept { error, .. } => error.kind(),
        }
    }

    /// Says what is kept, if anything is.
    pub(super) fn keeping(self, store: &Store, tiles: &[Tile]) -> Self {
        if store.is_empty() {
            self
        } else {
            Self::Kept {
                error: Box::new(self),
                checkpoint: store.path().to_owned(),
                done: store.tiles_done(tiles),
                total: tiles.len() as u32,
            }
        }
    }
}

/// The error of a bundle that cannot be read back: what the system says, or that it is damaged, and where.
pub fn unreadable(
    path: &Path,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> BakeError {
    let path = path.to_owned();
    let error = match error.into().downcast::<OpenError>() {
        Ok(error) => {
            return BakeError::Bundle(match *error {
                OpenError::Format { path: at, error } => BundleError::Format {
                    path: at.unwrap_or(path),
                    error,
                },
                OpenError::Io { path, error } => BundleError::Read { path, error },
            });
        }
        Err(error) => error,
    };
    BakeError::Bundle(match error.downcast::<std::io::Error>() {
        Ok(error) => BundleError::Read {
            path,
            error: *error,
        },
        Err(error) => BundleError::Damaged {
            path,
            problem: error.to_string(),
        },
    })
}
