//! Masks of rasters: images with a zero for each sample that is void, in the file or beside it (`.msk`).

use std::path::Path;

use tiff::tags::Tag;

use super::chunks::Coding;
use super::directories::Image;
use super::error::IngestError;
use super::raster::{Raster, Window};
use super::raw::SampleType;
use super::sidecars::Sidecar;
use super::source::{ByteOrder, RasterFile};
use super::tiff_tags::{Tiff, chunks, open, short};

/// Makes void what the mask beside a raster leaves out.
pub(super) fn apply_beside(source: &RasterFile, raster: &mut Raster) -> Result<(), IngestError> {
    let Some(path) = Sidecar::Mask.beside(source.data) else {
        return Ok(());
    };
    let in_file = raster.window.counted(raster.order);
    let mut there = is_there(&path, 0, source, in_file).map_err(|error| error.about(&path))?;
    raster.order.turn(&mut there, raster.window.width);
    let masked = clear(&mut raster.values, &there);
    if masked > 0 {
        raster.notes.push(format!(
            "{masked} samples are void by the mask {}",
            path.display()
        ));
    }
    Ok(())
}

/// Makes void what the masks among a file's own images leave out, in the order of the file; returns how many samples.
pub(super) fn apply_own(
    images: &[Image],
    source: &RasterFile,
    in_file: Window,
    values: &mut [f64],
) -> Result<u64, IngestError> {
    let mut masked = 0;
    let masks = images
        .iter()
        .enumerate()
        .filter(|(_, image)| image.is_whole_mask());
    for (number, _) in masks {
        let there = is_there(source.path, number, source, in_file)
            .map_err(|error| error.within("the file's mask".to_owned()))?;
        masked += clear(values, &there);
    }
    Ok(masked)
}

/// Makes void what is 0 in `there`; returns how many samples were not before.
pub(super) fn clear(values: &mut [f64], there: &[f64]) -> u64 {
    let mut cleared = 0;
    for (value, _) in values
        .iter_mut()
        .zip(there)
        .filter(|(_, there)| **there == 0.0)
    {
        cleared += u64::from(!value.is_nan());
        *value = f64::NAN;
    }
    cleared
}

/// A mask, an image of a TIFF: 0 where a sample is void.
fn is_there(
    path: &Path,
    image: usize,
    source: &RasterFile,
    window: Window,
) -> Result<Vec<f64>, IngestError> {
    let length = std::fs::metadata(path).map_err(IngestError::io)?.len();
    let source = RasterFile {
        path,
        length,
        ..*source
    };
    let mut tiff = open(path, image)?;
    read(&mut tiff, &source, window)
}

/// The mask that the decoder is at.
fn read(tiff: &mut Tiff, source: &RasterFile, window: Window) -> Result<Vec<f64>, IngestError> {
    const FILL_ORDER: Tag = Tag::Unknown(266);
    let wrong = |expected: &str, found: String| {
        IngestError::bad(
            expected,
            found,
            "convert it: gdal_translate -co COMPRESS=DEFLATE INPUT OUT.tif",
        )
    };
    let bits = short(tiff, Tag::BitsPerSample, 1)?;
    let bands = short(tiff, Tag::SamplesPerPixel, 1)?;
    if bands != 1 || !matches!(bits, 1 | 8) {
        return Err(wrong(
            "one band of 1 or 8 bits",
            format!("{bands} of {bits} bits"),
        ));
    }
    let coding = Coding {
        compression: short(tiff, Tag::Compression, 1)?,
        predictor: match bits {
            8 => short(tiff, Tag::Predictor, 1)?,
            _ => 1,
        },
        sample: SampleType::U8,
        order: ByteOrder::Little,
    };
    let mut chunks = chunks(tiff, coding, 0)?;
    if [chunks.width, chunks.height] != window.whole {
        return Err(wrong(
            "the size of the raster",
            format!("{} x {}", chunks.width, chunks.height),
        ));
    }
    // Bits are packed into bytes, row by row; so many samples lie in one.
    let packed = u32::from(8 / bits);
    let lowest_first = bits == 1 && short(tiff, FILL_ORDER, 1)? == 2;
    chunks.width = chunks.width.div_ceil(packed);
    chunks.chunk_width = chunks.chunk_width.div_ceil(packed);
    let first = window.column / packed;
    let bytes_window = Window {
        column: first,
        width: (window.column + window.width).div_ceil(packed) - first,
        whole: [chunks.width, chunks.height],
        ..window
    };
    let bytes = chunks.read(tiff.inner(), source, bytes_window, 0.0)?;
    let mut there = window.allocate()?;
    for bytes in bytes.chunks_exact(bytes_window.width as usize) {
        for column in window.column..window.column + window.width {
            let byte = bytes[(column / packed - first) as usize] as u8;
            let is_there = match (bits, lowest_first) {
                (8, _) => byte != 0,
                (_, false) => byte & (0x80 >> (column % 8)) != 0,
                (_, true) => byte & (1 << (column % 8)) != 0,
            };
            there.push(f64::from(is_there));
        }
    }
    Ok(there)
}
