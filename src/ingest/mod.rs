//! Files to world, one file per format, sniffed by content.
//!
//! [`read_terrain`] looks at the first bytes (and, where a format has no magic, at the length or
//! the header beside the file), reads the samples that are asked for, and makes of them a
//! [`Terrain`] in metres: voids are NaN, spacing is in metres also where the file is in degrees.
//! Sizes that a header declares are checked against [`IngestOptions::max_samples`] before memory
//! is taken. Levels of cells are read by [`read_cells`].

mod ascii;
pub mod cells;
mod chunks;
mod crs;
mod envi;
mod error;
mod flat;
#[cfg(feature = "gdal")]
mod gdal;
mod geokeys;
mod geotiff;
mod hgt;
mod ifd;
mod matrix;
mod png;
mod raster;
mod raw;
mod wkt;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use cells::{CellsOptions, IngestedCells, read_cells, wad_maps};
pub use error::{IngestError, IngestErrorKind};
pub use flat::ByteOrder;
pub use matrix::read_matrix;

use crate::world::{Short, Terrain};
use raster::Raster;

/// What a person may say about a file.
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
    /// Byte order of a RAW16 file; little-endian (Unity's) if not given.
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
            max_samples: 16_777_216,
        }
    }
}

/// A terrain and what came up on the way.
#[derive(Clone, Debug)]
pub struct Ingested {
    /// The terrain.
    pub terrain: Terrain,
    /// What the file was: `GeoTIFF`, `PNG`, `RAW16`, `SRTM HGT`, `ESRI ASCII grid`, `ENVI` or
    /// `GDAL/` and the name of GDAL's driver.
    pub format: &'static str,
    /// What a person should know: assumptions, conversions, voids.
    pub notes: Vec<String>,
}

/// Reads a terrain from a raster file of any known format.
///
/// The format is found by content; `.r16` and `.raw` files, which have none to go by, by their
/// name. For ENVI either the header or the data file may be given. Memory is 8 bytes a sample
/// asked for, and one strip or tile of a GeoTIFF or the pixels of a PNG.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is damaged, is larger than the limit, or does
/// not agree with the options.
pub fn read_terrain(path: &Path, options: &IngestOptions) -> Result<Ingested, IngestError> {
    read(path, options).map_err(|error| error.of(path))
}

fn read(path: &Path, options: &IngestOptions) -> Result<Ingested, IngestError> {
    check_options(options)?;
    let length = file_length(path, "a raster file")?;
    let file = File::open(path).map_err(IngestError::io)?;
    let source = Source {
        path,
        length,
        options,
    };
    let format = sniff(&source, &file)?;
    if format != Some(Format::Raw16) && (options.size.is_some() || options.byte_order.is_some()) {
        return Err(IngestError::usage(
            "`size` and `byte_order` with a RAW16 file only",
            match format {
                Some(format) => format!("a file that looks like {}", format.name()),
                None => "a file of unknown format".to_owned(),
            },
            "leave them out, or name the file .r16 or .raw",
        ));
    }
    let raster = match format {
        Some(Format::GeoTiff) => or_gdal(&source, geotiff::read(&source, file))?,
        Some(Format::Png) => png::read(&source, file)?,
        Some(Format::Raw16) => raw::read(&source, file)?,
        Some(Format::Hgt) => hgt::read(&source, file)?,
        Some(Format::Ascii) => ascii::read(&source, file)?,
        Some(Format::Envi) => envi::read(&source)?,
        None => or_gdal(&source, Err(unknown(file)))?,
    };
    raster.into_ingested(options)
}

/// The length in bytes of a regular file that is not empty.
fn file_length(path: &Path, what: &str) -> Result<u64, IngestError> {
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
fn file_bytes(path: &Path, what: &str) -> Result<Vec<u8>, IngestError> {
    file_length(path, what)?;
    std::fs::read(path).map_err(IngestError::io)
}

/// A file to read, opened and known to be a regular one.
struct Source<'a> {
    path: &'a Path,
    /// In bytes.
    length: u64,
    options: &'a IngestOptions,
}

impl Source<'_> {
    /// The file's extension in lower case.
    fn extension(&self) -> String {
        self.path
            .extension()
            .map(|e| e.to_string_lossy().to_lowercase())
            .unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    GeoTiff,
    Png,
    Raw16,
    Hgt,
    Ascii,
    Envi,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::GeoTiff => "GeoTIFF",
            Self::Png => "PNG",
            Self::Raw16 => "RAW16",
            Self::Hgt => "SRTM HGT",
            Self::Ascii => "ESRI ASCII grid",
            Self::Envi => "ENVI",
        }
    }
}

/// The first bytes of a file, fewer where it is shorter.
fn head(mut file: &File) -> Result<Vec<u8>, IngestError> {
    let mut head = Vec::new();
    (&mut file)
        .take(512)
        .read_to_end(&mut head)
        .map_err(IngestError::io)?;
    std::io::Seek::rewind(&mut file).map_err(IngestError::io)?;
    Ok(head)
}

fn sniff(source: &Source, file: &File) -> Result<Option<Format>, IngestError> {
    let head = head(file)?;
    // Samples without a header may look like anything, so here alone the name goes first.
    if matches!(source.extension().as_str(), "r16" | "raw") {
        let raw = source.options.size.is_some() || envi::header_of(source.path).is_none();
        return Ok(Some(if raw { Format::Raw16 } else { Format::Envi }));
    }
    Ok(if geotiff::matches(&head) {
        Some(Format::GeoTiff)
    } else if png::matches(&head) {
        Some(Format::Png)
    } else if ascii::matches(&head) {
        Some(Format::Ascii)
    } else if envi::matches(&head) {
        Some(Format::Envi)
    } else if source.options.size.is_some() {
        Some(Format::Raw16)
    } else if envi::header_of(source.path).is_some() {
        Some(Format::Envi)
    } else if hgt::side_of(source.length).is_some() || source.extension() == "hgt" {
        Some(Format::Hgt)
    } else {
        None
    })
}

/// A text beside the raster, its first megabyte at most; nothing where there is no such file.
fn text_beside(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    // Asked first, because opening a pipe would wait.
    path.is_file()
        .then(|| File::open(path).ok())??
        .take(1 << 20)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// [`Terrain::SPACINGS`] in words.
const SPACINGS: &str = "a spacing of 1e-6 to 1e9 m";

fn check_options(options: &IngestOptions) -> Result<(), IngestError> {
    if let Some([dx, dy]) = options.spacing
        && ![dx, dy].iter().all(|s| Terrain::SPACINGS.contains(s))
    {
        return Err(IngestError::usage(
            SPACINGS,
            format!("{} x {}", Short(dx), Short(dy)),
            "give another `spacing`",
        ));
    }
    let (scale, offset) = (options.vertical_scale, options.vertical_offset);
    if !(scale.is_finite() && scale != 0.0 && offset.is_finite()) {
        return Err(IngestError::usage(
            "a finite vertical scale other than zero, and a finite offset",
            format!("{} and {}", Short(scale), Short(offset)),
            "give `vertical_scale` and `vertical_offset` in metres",
        ));
    }
    Ok(())
}

fn unknown(mut file: File) -> IngestError {
    let mut first = [0; 8];
    let n = file.read(&mut first).unwrap_or(0);
    let bytes: Vec<String> = first[..n].iter().map(|b| format!("{b:02x}")).collect();
    IngestError::bad(
        "GeoTIFF, PNG, RAW16 (with its `size`), SRTM .hgt, ESRI ASCII grid or ENVI",
        format!(
            "a file of unknown format that begins with {}",
            bytes.join(" ")
        ),
        WITHOUT_GDAL,
    )
    .at("byte 0")
    .unsupported()
}

/// What to do about a file that only GDAL reads.
const WITHOUT_GDAL: &str = if cfg!(feature = "gdal") {
    "convert it with `gdal_translate INPUT OUT.tif`"
} else {
    "convert it with `gdal_translate INPUT OUT.tif`, or build viewcell with Cargo's feature gdal (needs libgdal-dev)"
};

/// GDAL reads what our own readers know they cannot.
#[cfg(feature = "gdal")]
fn or_gdal(source: &Source, ours: Result<Raster, IngestError>) -> Result<Raster, IngestError> {
    match ours {
        Err(error) if error.is_unsupported() => gdal::read(source).map_err(|theirs| {
            // GDAL knowing no driver either says less than our own error does.
            if theirs.is_unsupported() {
                error
            } else {
                theirs
            }
        }),
        ours => ours,
    }
}

#[cfg(not(feature = "gdal"))]
fn or_gdal(_: &Source, ours: Result<Raster, IngestError>) -> Result<Raster, IngestError> {
    ours
}
