//! What readers of heightmaps are given, and what they return: a file, options that a person gives, a terrain.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::IngestError;
use crate::world::Terrain;

/// Order of the bytes in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Options for reading a file: what it lacks, or has wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct IngestOptions {
    /// Metres between columns and between rows; overrides the file.
    pub spacing: Option<[f64; 2]>,
    /// Metres = value × scale + offset, in double precision; after the file's own scale.
    pub vertical_scale: f64,
    /// See [`IngestOptions::vertical_scale`].
    pub vertical_offset: f64,
    /// Width and height of a RAW16 file, which has no header.
    pub size: Option<[u32; 2]>,
    /// Byte order of a RAW16 file; little-endian (Unity's) if not given. Of a file with an ESRI header it overrides the
    /// header's.
    pub byte_order: Option<ByteOrder>,
    /// Column, row, width and height of the part to read; all of it if not given.
    pub crop: Option<[u32; 4]>,
    /// The value that stands for no data, as stored, before scale; overrides the file.
    pub nodata: Option<f64>,
    /// Most samples to read, of the crop or else of the whole raster.
    pub max_samples: u64,
}

impl Default for IngestOptions {
    fn default() -> Self {
        Self {
            spacing: None,
            vertical_scale: 1.0,
            vertical_offset: 0.0,
            size: None,
            byte_order: None,
            crop: None,
            nodata: None,
            // 8,193 a side.
            max_samples: 67_125_249,
        }
    }
}

/// A terrain and what came up on the way.
#[derive(Clone, Debug)]
pub struct Ingested {
    /// The terrain.
    pub terrain: Terrain,
    /// What the file was: `GeoTIFF`, `PNG`, `RAW16`, `SRTM HGT`, `ESRI ASCII grid`, `ENVI`, `ESRI header` or
    /// `GDAL/` and the name of GDAL's driver.
    pub format: &'static str,
    /// Columns and rows of the raster that the terrain is a part of, or all of.
    pub whole: [u32; 2],
    /// What a person should know: assumptions, conversions, voids.
    pub notes: Vec<String>,
}

/// A file to read, opened and known to be a regular one.
pub(super) struct RasterFile<'a> {
    pub(super) path: &'a Path,
    /// The file with the samples: the same, unless a header is named.
    pub(super) data: &'a Path,
    /// GDAL's affine transform of the whole raster, as a sidecar has it.
    pub(super) place: Option<[f64; 6]>,
    /// In bytes.
    pub(super) length: u64,
    pub(super) options: &'a IngestOptions,
}

impl RasterFile<'_> {
    /// The file's extension in lower case.
    pub(super) fn extension(&self) -> String {
        self.path
            .extension()
            .map(|e| e.to_string_lossy().to_lowercase())
            .unwrap_or_default()
    }
}

/// The length in bytes of a regular file that is not empty.
///
/// # Errors
///
/// What is no such file.
pub fn file_length(path: &Path, what: &str) -> Result<u64, IngestError> {
    // Before opening, which would wait for the other end of a pipe.
    let metadata = std::fs::metadata(path).map_err(IngestError::io)?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() {
            "a directory"
        } else {
            "something else (a device or pipe)"
        };
        return Err(IngestError::bad("a file", found, format!("name {what}")));
    }
    if metadata.len() == 0 {
        return Err(IngestError::bad(
            what,
            "an empty file",
            "fetch or export it again",
        ));
    }
    Ok(metadata.len())
}

/// All bytes of a regular file that is not empty.
///
/// # Errors
///
/// What is no such file, or cannot be read.
pub fn file_bytes(path: &Path, what: &str) -> Result<Vec<u8>, IngestError> {
    plain_file(path, what, u64::MAX)
}

/// All bytes of a regular file that is not empty, at most so many: the gate for every file that another file
/// names, with [`file_start`]. Neither a pipe nor a device is read, also not by a link.
pub(super) fn plain_file(path: &Path, what: &str, most: u64) -> Result<Vec<u8>, IngestError> {
    let length = file_length(path, what)?;
    let large = || {
        let remedy = "take out what is not needed";
        IngestError::resource(format!("at most {most} bytes"), "more", remedy)
    };
    if length > most {
        return Err(large());
    }
    // It may grow meanwhile.
    let bytes = file_start(path, what, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        Err(large())
    } else {
        Ok(bytes)
    }
}

/// The first bytes of a regular file that is not empty, at most so many.
pub(super) fn file_start(path: &Path, what: &str, most: u64) -> Result<Vec<u8>, IngestError> {
    file_length(path, what)?;
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(IngestError::io)?;
    let read = opened.take(most).read_to_end(&mut bytes);
    read.map_err(IngestError::io)?;
    Ok(bytes)
}

/// [`Terrain::SPACINGS`] in words.
pub(super) const SPACINGS: &str = "a spacing of 1e-6 to 1e9 m";

/// What to do about a file that only GDAL reads.
pub(super) const WITHOUT_GDAL: &str = if cfg!(feature = "gdal") {
    "convert it with `gdal_translate INPUT OUT.tif`"
} else {
    "convert it with `gdal_translate INPUT OUT.tif`, or build viewcell with Cargo's feature gdal (needs libgdal-dev)"
};
