//! Writing, verifying and describing bundles.
//!
//! - [`writer`]: bundles of a grid of view cells: trees in, a finished file out, or nothing;
//! - `cells`: the same for levels of cells;
//! - [`levels_writer`]: groups and unions in, a finished file out;
//! - [`output`]: files that appear under their names when they are complete;
//! - [`mod@file`]: reading sections of a file without mapping it;
//! - [`mod@verify`]: every rule of the format, one function each;
//! - `ground`: lines of sight over the heights of a bundle;
//! - [`mod@info`]: what a bundle is and how it was made;
//! - [`parts`]: what a bundle holds beside its PVSs, to make another bundle of it;
//! - [`solid`]: the sections that only bundles of solid levels have;
//! - `patch`: patches of bundles;
//! - `pages`: the checksums by page that every bundle has;
//! - `sign`: a signature of its contents;
//! - [`timings`]: how long each stage took, in a file beside the bundle.

mod cells;
pub mod error;
pub mod file;
mod ground;
pub mod info;
pub mod levels_writer;
pub mod output;
mod pages;
pub mod parts;
mod patch;
pub mod provenance;
mod sign;
pub mod solid;
pub mod timings;
pub mod verify;
pub mod writer;

pub use cells::{CellSections, write_cells};
pub use error::{BundleError, ErrorKind};
pub use file::{BundleFile, kind_of};
pub(crate) use file::{check_frame, open_regular};
pub use ground::{BundleGround, SightProfile, Verdict};
pub use info::{CellsInfo, FileInfo, Info, PatchInfo, SolidInfo, TerrainInfo, info};
pub use levels_writer::{LevelsWriter, trees_in_order};
pub use output::{Written, check_output, remove_parts, replace, save, save_with};
pub(crate) use output::{create_beside, open_beside, rename_file, scratch_beside};
pub(crate) use pages::with_sums;
pub use parts::TerrainParts;
pub use patch::{PatchParts, Replaced, patch_bytes};
pub use provenance::{
    CellStatistics, Given, InputFile, LevelStatistics, Loss, LossyLevel, Provenance, Statistics,
};
pub use sign::sign;
pub(crate) use solid::terrain_of_solid;
pub use solid::{TooManyCells, grid_of_cells};
pub use timings::{StageTime, Timings};
pub use verify::{Fault, Progress, Proofs, Report, RuleOutcome, prove, verify};
pub use writer::{GridHeader, GridKind, SolidSections};
