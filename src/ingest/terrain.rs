//! Heightmaps to terrains, one file per format, which is detected from the content.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::crs::Crs;
use crate::error::IngestError;
#[cfg(feature = "gdal")]
use crate::gdal;
use crate::pam::{Pam, PamFirst};
use crate::raster::Raster;
use crate::sidecars::Sidecar;
use crate::source::{IngestOptions, Ingested, RasterFile, SPACINGS, WITHOUT_GDAL, file_length};
use crate::world::{Short, Terrain};
use crate::{ascii, envi, esri, foreign, geotiff, hgt, mask, png, raw};

/// Reads a terrain from a raster file of any known format.
///
/// The format is found by content; `.r16`, `.raw` and `.r32` files, which have none to go by, by their
/// name. For ENVI and ESRI headers either the header or the data file may be given. Memory is 8 bytes a sample
/// asked for, and one strip or tile of a GeoTIFF or the pixels of a PNG.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is damaged, is larger than the limit, or does
/// not agree with the options.
pub fn read_terrain(path: &Path, options: &IngestOptions) -> Result<Ingested, IngestError> {
    read(path, options).map_err(|error| error.about(path))
}

fn read(path: &Path, options: &IngestOptions) -> Result<Ingested, IngestError> {
    check_options(options)?;
    let length = file_length(path, "a raster file")?;
    let file = File::open(path).map_err(IngestError::io)?;
    let mut source = RasterFile {
        path,
        data: path,
        place: None,
        length,
        options,
    };
    let format = sniff(&source, &file)?;
    let data = data_file(path, format);
    source.data = &data;
    let pam = match format {
        // GDAL reads its own.
        None => None,
        Some(_) => Pam::beside(&data, options.nodata)?,
    };
    source.place = pam.as_ref().and_then(|pam| pam.place);
    let has_order = matches!(format, Some(Format::Raw16 | Format::EsriHeader));
    if format != Some(Format::Raw16) && options.size.is_some()
        || !has_order && options.byte_order.is_some()
    {
        return Err(IngestError::usage(
            "`size` with a RAW16 file only, and `byte_order` with that or one with an ESRI header",
            match format {
                Some(format) => format!("a file that looks like {}", format.name()),
                None => "a file of unknown format".to_owned(),
            },
            "leave them out, or name the file .r16, .raw or .r32",
        ));
    }
    let mut raster = match format {
        Some(Format::GeoTiff) => or_gdal(&source, geotiff::read(&source, file))?,
        Some(Format::Png) => png::read(&source, file)?,
        Some(Format::Raw16) => raw::read(&source, file)?,
        Some(Format::Hgt) => hgt::read(&source, file)?,
        Some(Format::Ascii) => ascii::read(&source, file)?,
        Some(Format::Envi) => envi::read(&source)?,
        Some(Format::EsriHeader) => esri::read(&source)?,
        None => or_gdal(&source, Err(unknown(file)))?,
    };
    let Some(format) = format else {
        return raster.into_ingested(options);
    };
    if format.sidecars().contains(&Sidecar::Projection)
        && raster.transform.is_some()
        && raster.crs.is_none()
    {
        let beside = Sidecar::Projection.text(&data)?;
        raster.crs = beside.map(|(_, text)| Crs::from_text(&text));
    }
    if let Some(pam) = pam {
        pam.apply(&mut raster, format.yields_to_pam());
    }
    if format == Format::Ascii {
        raster.nodata.get_or_insert(ascii::DEFAULT_NODATA);
    }
    mask::apply_beside(&source, &mut raster)?;
    raster.into_ingested(options)
}

/// The file with the samples, of a raster that may be named by its header.
fn data_file(path: &Path, format: Option<Format>) -> PathBuf {
    let data = match format {
        Some(Format::Envi) => envi::data_file(path),
        Some(Format::EsriHeader) => esri::data_file(path),
        _ => None,
    };
    data.unwrap_or_else(|| path.to_owned())
}

/// The files that a terrain consists of: the one named, which is the first, and those beside it that are read with it, in
/// a fixed order. A file that is no raster, or cannot be read, is alone.
///
/// They lie in one folder, and may be copied to another together.
pub fn terrain_files(path: &Path) -> Vec<PathBuf> {
    let options = IngestOptions::default();
    let format = || {
        let length = file_length(path, "a raster file").ok()?;
        let file = File::open(path).ok()?;
        let source = RasterFile {
            path,
            data: path,
            place: None,
            length,
            options: &options,
        };
        sniff(&source, &file).ok()
    };
    let Some(format) = format() else {
        return vec![path.to_owned()];
    };
    let data = data_file(path, format);
    let header = match format {
        Some(Format::Envi) => envi::header_of(&data),
        Some(Format::EsriHeader) => esri::header_of(&data),
        _ => None,
    };
    let kinds = format.map_or(Sidecar::ALL, Format::sidecars);
    let beside = kinds.iter().filter_map(|kind| kind.beside(&data));
    let all = [path.to_owned(), data.clone()];
    let mut files = Vec::new();
    for file in all.into_iter().chain(header).chain(beside) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    GeoTiff,
    Png,
    Raw16,
    Hgt,
    Ascii,
    Envi,
    EsriHeader,
}

impl Format {
    /// The kinds of files that are read beside one of this format.
    fn sidecars(self) -> &'static [Sidecar] {
        match self {
            Self::GeoTiff | Self::Png => Sidecar::ALL,
            Self::Ascii | Self::Envi | Self::EsriHeader => {
                &[Sidecar::Projection, Sidecar::Pam, Sidecar::Mask]
            }
            Self::Hgt | Self::Raw16 => &[Sidecar::Pam, Sidecar::Mask],
        }
    }

    /// What of a PAM file comes before what the raster itself says, as in GDAL's drivers. Else the raster's own does.
    fn yields_to_pam(self) -> PamFirst {
        match self {
            Self::GeoTiff => PamFirst {
                nodata: true,
                scale: false,
                crs: true,
            },
            Self::Envi => PamFirst {
                nodata: true,
                scale: true,
                crs: false,
            },
            _ => PamFirst::default(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::GeoTiff => "GeoTIFF",
            Self::Png => "PNG",
            Self::Raw16 => "RAW16",
            Self::Hgt => "SRTM HGT",
            Self::Ascii => "ESRI ASCII grid",
            Self::Envi => "ENVI",
            Self::EsriHeader => "samples with an ESRI header",
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

fn sniff(source: &RasterFile, file: &File) -> Result<Option<Format>, IngestError> {
    let head = head(file)?;
    // Samples without a header may look like anything, so here alone the name goes first.
    if matches!(source.extension().as_str(), "r16" | "raw" | "r32") {
        let described = described(source).filter(|_| source.options.size.is_none());
        return Ok(described.or(Some(Format::Raw16)));
    }
    Ok(if is_tiff(&head) {
        Some(Format::GeoTiff)
    } else if is_png(&head) {
        Some(Format::Png)
    } else if esri::header_of(source.path).is_some_and(|header| header == source.path) {
        // Before the grids of text, whose first lines look the same.
        Some(Format::EsriHeader)
    } else if ascii::matches(&head) {
        Some(Format::Ascii)
    } else if envi::matches(&head) {
        Some(Format::Envi)
    } else if source.options.size.is_some() {
        Some(Format::Raw16)
    } else if hgt::matches(source) {
        described(source).or(Some(Format::Hgt))
    } else {
        described(source)
    })
}

/// The format of samples that a header beside them describes.
fn described(source: &RasterFile) -> Option<Format> {
    let envi = envi::header_of(source.path).map(|_| Format::Envi);
    envi.or_else(|| esri::header_of(source.path).map(|_| Format::EsriHeader))
}

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
            "give `vertical_scale` in metres",
        ));
    }
    Ok(())
}

fn is_tiff(head: &[u8]) -> bool {
    [
        b"II*\0".as_slice(),
        b"MM\0*",
        b"II+\0\x08\0\0\0",
        b"MM\0+\0\x08\0\0",
    ]
    .iter()
    .any(|magic| head.starts_with(magic))
}

fn is_png(head: &[u8]) -> bool {
    head.starts_with(b"\x89PNG\r\n\x1a\n")
}

fn unknown(mut file: File) -> IngestError {
    let mut first = Vec::new();
    let length = file.metadata().map_or(0, |data| data.len());
    // What cannot be read begins with nothing.
    let _ = file.by_ref().take(4096).read_to_end(&mut first);
    let (found, remedy) = match foreign::other(&first, length) {
        Some((found, remedy)) => (found.to_owned(), remedy),
        None => {
            let bytes = first.iter().take(8).map(|byte| format!(" {byte:02x}"));
            let bytes: String = bytes.collect();
            let found = format!("a file of unknown format that begins with{bytes}");
            (found, WITHOUT_GDAL)
        }
    };
    let expected = "GeoTIFF, PNG, RAW16 (with its `size`), SRTM .hgt, ESRI ASCII grid, ENVI or a file with an ESRI header";
    IngestError::bad(expected, found, remedy)
        .at("byte 0")
        .unsupported()
}

/// GDAL reads what our own readers know they cannot.
#[cfg(feature = "gdal")]
fn or_gdal(source: &RasterFile, ours: Result<Raster, IngestError>) -> Result<Raster, IngestError> {
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
fn or_gdal(_: &RasterFile, ours: Result<Raster, IngestError>) -> Result<Raster, IngestError> {
    ours
}
