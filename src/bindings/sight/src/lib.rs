//! What plugins for game engines have in common: a bundle in memory, and who sees whom from tick to tick.

#![warn(missing_docs)]

mod watch;

use std::sync::Arc;

pub use viewcell::query::{OpenError, OwnedBundle, Place, SolidBundle, TerrainBundle, World};
pub use viewcell::session::Half;
pub use watch::{AskOptions, Being, Change, Known, Watch};

/// Opens the bundle that `bytes` are. Looks at all of them once: each section must have its checksum. Whoever read them
/// says of which file.
///
/// # Errors
///
/// Where they are no bundle that this version reads, or a damaged one.
pub fn load(bytes: impl Into<Arc<[u8]>>) -> Result<OwnedBundle, OpenError> {
    let bundle = OwnedBundle::from_bytes(bytes)?;
    bundle.bundle().check_sections()?;
    Ok(bundle)
}
