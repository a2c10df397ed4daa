//! Sidecars: the files beside a raster that are part of it.
//!
//! This is the one list of their names; which kinds a format has is in `terrain`. Readers find them by it, and so does all
//! that treats a terrain as files: the digest of a bake's input, and programs that send a terrain elsewhere.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::IngestError;
use super::source::plain_file;

/// Most bytes of a sidecar of text. Those of GDAL may hold histograms and tables of attributes.
const MOST: u64 = 64 << 20;

/// A kind of file beside a raster, but for headers, which are their readers' own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sidecar {
    /// A world file, six numbers: `x.tfw`, `x.tifw` or `x.wld` beside `x.tif`, in lower or in upper case.
    World,
    /// A coordinate reference system: `x.prj`.
    Projection,
    /// What GDAL's formats have no place for: `x.tif.aux.xml`.
    Pam,
    /// A TIFF with a zero for each void sample: `x.tif.msk`.
    Mask,
}

impl Sidecar {
    pub(super) const ALL: &[Self] = &[Self::World, Self::Projection, Self::Pam, Self::Mask];

    /// The file of this kind that is read beside a raster.
    pub(super) fn beside(self, raster: &Path) -> Option<PathBuf> {
        let names = match self {
            Self::World => world_names(raster),
            Self::Projection => vec![raster.with_extension("prj"), raster.with_extension("PRJ")],
            Self::Pam => vec![appended(raster, ".aux.xml")],
            Self::Mask => vec![appended(raster, ".msk"), appended(raster, ".MSK")],
        };
        // Asked first, because opening a pipe would wait.
        let is_there = |name: &PathBuf| name != raster && name.is_file();
        let exact = names.iter().find(|name| is_there(name)).cloned();
        exact.or_else(|| {
            // Of names in mixed case the first in the order of the alphabet.
            let folder = raster.parent().filter(|folder| *folder != Path::new(""));
            let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
            let mut others: Vec<OsString> =
                entries.flatten().map(|entry| entry.file_name()).collect();
            others.sort();
            let named = |name: &PathBuf| {
                let is_same = |other: &&OsString| {
                    name.file_name()
                        .is_some_and(|own| own.eq_ignore_ascii_case(other))
                };
                others
                    .iter()
                    .find(is_same)
                    .map(|other| raster.with_file_name(other))
            };
            names.iter().filter_map(named).find(is_there)
        })
    }

    /// Path and text of that file; an empty one is as none.
    pub(super) fn text(self, raster: &Path) -> Result<Option<(PathBuf, String)>, IngestError> {
        let Some(path) = self.beside(raster) else {
            return Ok(None);
        };
        let length = std::fs::metadata(&path).map_err(|e| IngestError::io(e).about(&path))?;
        if length.len() == 0 {
            return Ok(None);
        }
        let bytes = plain_file(&path, "a text", MOST).map_err(|error| error.about(&path))?;
        Ok(Some((path, String::from_utf8_lossy(&bytes).into_owned())))
    }
}

/// Names that world files of a raster go by, in lower and in upper case.
fn world_names(raster: &Path) -> Vec<PathBuf> {
    let extension = raster.extension().unwrap_or_default();
    let extension = extension.to_string_lossy().to_lowercase();
    let mut names = Vec::new();
    let mut letters = extension.chars();
    if let (Some(first), Some(last)) = (letters.next(), letters.next_back()) {
        names.push(format!("{first}{last}w"));
    }
    names.extend([format!("{extension}w"), "wld".to_owned()]);
    let cases = names
        .iter()
        .flat_map(|name| [name.clone(), name.to_uppercase()]);
    cases.map(|name| raster.with_extension(name)).collect()
}

/// A path with more behind its name.
pub(super) fn appended(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(more);
    PathBuf::from(name)
}
