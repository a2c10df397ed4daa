//! Reading terrains: every format, the real files, bad input, and GDAL as the judge.

#[cfg(feature = "gdal")]
mod against_gdal;
mod bad_input;
mod damage;
#[path = "../common/data.rs"]
mod data;
mod formats;
#[cfg(not(feature = "gdal"))]
mod gdal_files;
mod geotiff;
mod real_files;
mod remedies;
mod reports;
mod sidecars;
mod tiff_builder;

use std::path::{Path, PathBuf};

use viewcell_ingest::{IngestError, IngestErrorKind, IngestOptions, Ingested, read_terrain};

/// A real terrain, from outside the repository.
fn real_file(name: &str) -> Option<PathBuf> {
    data::data(&format!("terrain/{name}"))
}

/// A folder of small files that lasts as long as the test.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        // Some file systems write a file to disk at once when it is overwritten, but not a new one.
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn read(path: &Path, options: &IngestOptions) -> Ingested {
    read_terrain(path, options).unwrap_or_else(|error| panic!("{error}"))
}

fn read_plainly(path: &Path) -> Ingested {
    read(path, &IngestOptions::default())
}

/// Reads a file that must be refused, and checks that the error says all it should.
fn refused(path: &Path, options: &IngestOptions, kind: IngestErrorKind) -> IngestError {
    let error = match read_terrain(path, options) {
        Ok(_) => panic!("{} should have been refused", path.display()),
        Err(error) => error,
    };
    assert_eq!(error.kind(), kind, "{error}");
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    for part in [error.expected(), error.found(), error.remedy()] {
        assert!(!part.is_empty() && text.contains(part), "{text}");
    }
    assert!(error.path().starts_with(path.parent().unwrap()), "{text}");
    assert!(
        text.starts_with(&error.path().display().to_string()),
        "{text}"
    );
    error
}
