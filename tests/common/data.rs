//! Real data that is not part of the repository.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file or a folder of the real data: of the folder that `VIEWCELL_DATA` names, or of `../shared/data`. `None`, and said, if it is
/// not there.
pub fn data(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("VIEWCELL_DATA").map_or_else(beside_the_repository, PathBuf::from);
    let path = folder.join(name);
    if !path.exists() {
        // Straight to stderr: what a test that passes prints is not shown.
        writeln!(std::io::stderr(), "skipped: {} not found", path.display()).ok();
        return None;
    }
    Some(path)
}

/// From the root, or from a workspace within.
fn beside_the_repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut around = here.ancestors().map(|folder| folder.join("../shared/data"));
    let found = around.find(|data| data.exists());
    found.unwrap_or_else(|| here.join("../shared/data"))
}
