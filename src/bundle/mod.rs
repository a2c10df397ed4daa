//! Writing, verifying and dumping bundles.
//!
//! - [`writer`]: trees in, a finished file out, or nothing;
//! - [`output`]: files in the making;
//! - [`mod@file`]: reading sections of a file without mapping it;
//! - [`mod@verify`]: every rule of the format, one function each;
//! - [`mod@info`]: what a bundle is and how it was made;
//! - [`timings`]: what the making took, in a file beside the bundle.

pub mod error;
pub mod file;
pub mod info;
pub mod output;
pub mod provenance;
pub mod timings;
pub mod verify;
pub mod writer;

pub use error::{BundleError, ErrorKind};
pub use file::BundleFile;
pub use info::{Info, info};
pub use output::{check_output, save};
pub use provenance::{InputFile, LevelStatistics, Provenance, Statistics};
pub use timings::{StageTime, Timings};
pub use verify::{Fault, Progress, Report, RuleOutcome, verify};
pub use writer::{TerrainHeader, TerrainWriter, Written};
