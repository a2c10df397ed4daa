//! GeoTIFF: strips or tiles of one band, classic or BigTIFF.
//!
//! The crate `tiff` reads the directory; sizes are looked at before, because a header can declare anything, and the samples
//! are unpacked in `chunks`. A second band is read where it is alpha, which says what is void.
//!
//! Did not pay: LERC: the one crate wraps a library in C++.

use std::fs::File;
use std::io::BufReader;

use tiff::tags::Tag;

use super::chunks::{Chunks, Coding};
use super::crs::length_named;
use super::directories::images;
use super::error::IngestError;
use super::geokeys::GeoTags;
use super::mask;
use super::numbers::parse_number;
use super::raster::{COLOURS, Order, PALETTE, Raster, Window, one_band};
use super::raw::SampleType;
use super::source::{ByteOrder, RasterFile, WITHOUT_GDAL};
use super::tiff_tags::{DAMAGED, Tiff, ascii, chunks, decode_error, open, short, shorts};
use super::world_file;

const GDAL_METADATA: Tag = Tag::Unknown(42112);

pub(super) fn read(source: &RasterFile, file: File) -> Result<Raster, IngestError> {
    let images = images(&mut BufReader::new(file))?;
    // As thumbnails before it are, which some writers put first.
    let image = images.iter().position(|image| image.is_full()).unwrap_or(0);
    let [width, height] = images[image].size;
    let window = Window::new(source.options, width, height)?;
    let mut tiff = open(source.path, image)?;
    let (coding, has_alpha) = coding(&mut tiff)?;
    let heights = chunks(&mut tiff, coding, 0)?;
    if [heights.width, heights.height].map(u64::from) != [width, height] {
        return Err(IngestError::bad(
            format!("one size, {width} x {height}"),
            format!("{} x {} as well", heights.width, heights.height),
            DAMAGED,
        )
        .at("tags 256 and 257 (ImageWidth, ImageLength)"));
    }
    let mut notes = Vec::new();
    if image > 0 {
        notes.push(format!(
            "the file's first image is an overview or a mask: image {} is read",
            image + 1
        ));
    }
    let tags = geo_tags(&mut tiff)?;
    let given = match (source.place, tags.transform(&mut notes)?) {
        (None, None) => world_file::beside(source, &mut notes)?,
        (of_pam, own) => of_pam.or(own),
    };
    let (order, transform) = Order::of(given, [width, height])?;
    let nodata = match source.options.nodata {
        None => nodata(&mut tiff)?,
        given => given,
    };
    let float = coding.sample.is_float();
    let fill = nodata.filter(|n| float || !n.is_nan()).unwrap_or(0.0);
    let in_file = window.counted(order);
    let mut values = heights.read(tiff.inner(), source, in_file, fill)?;
    if has_alpha {
        void_by_alpha(&mut tiff, source, coding, in_file, &mut values, &mut notes)?;
    }
    let masked = mask::apply_own(&images, source, in_file, &mut values)?;
    if masked > 0 {
        notes.push(format!("{masked} samples are void by the file's mask"));
    }
    if images.iter().filter(|image| image.is_full()).count() > 1 {
        notes.push("the file holds more than one image: the first is read".to_owned());
    }
    order.undo(&mut values, window.width, &mut notes);

    let metadata = ascii(&mut tiff, GDAL_METADATA)?.unwrap_or_default();
    let mut raster = Raster::new("GeoTIFF", window, values);
    raster.order = order;
    raster.transform = transform;
    raster.crs = tags.crs(&mut notes);
    raster.unit =
        metadata_item(&metadata, "unittype").and_then(|name| length_named(name, &mut notes));
    raster.scale = metadata_number(&metadata, "scale")?.unwrap_or(1.0);
    raster.offset = metadata_number(&metadata, "offset")?.unwrap_or(0.0);
    raster.float = float;
    raster.nearest = match coding.sample {
        SampleType::F16 => |nodata| SampleType::F16.nearest(nodata),
        SampleType::F24 => |nodata| SampleType::F24.nearest(nodata),
        _ => raster.nearest,
    };
    raster.nodata = nodata;
    raster.notes = notes;
    Ok(raster)
}

/// Makes void where the second band, which is alpha, is 0.
fn void_by_alpha(
    tiff: &mut Tiff,
    source: &RasterFile,
    coding: Coding,
    in_file: Window,
    values: &mut [f64],
    notes: &mut Vec<String>,
) -> Result<(), IngestError> {
    let alpha: Chunks = chunks(tiff, coding, 1)?;
    let alpha = alpha.read(tiff.inner(), source, in_file, 0.0)?;
    let cleared = mask::clear(values, &alpha);
    if cleared > 0 {
        notes.push(format!(
            "{cleared} samples are void by the file's alpha band"
        ));
    }
    Ok(())
}

/// What the samples are and how they are packed, refused where they are no heights; and whether a second band is alpha.
fn coding(tiff: &mut Tiff) -> Result<(Coding, bool), IngestError> {
    let photometric = short(tiff, Tag::PhotometricInterpretation, 1)?;
    if photometric > 1 {
        let (found, remedy) = match photometric {
            2 => ("colour (2)".to_owned(), COLOURS),
            3 => ("a palette (3)".to_owned(), PALETTE),
            other => (
                format!("{other}"),
                "save the heights as one band of numbers",
            ),
        };
        return Err(IngestError::bad("grey samples (0 or 1)", found, remedy)
            .at("tag 262 (PhotometricInterpretation)"));
    }
    let bands = short(tiff, Tag::SamplesPerPixel, 1)?;
    // 1 and 2 are alpha; 0 is another band.
    let extra = shorts(tiff, Tag::ExtraSamples)?;
    let alpha = extra.iter().rposition(|kind| matches!(kind, 1 | 2));
    let alpha = alpha.map(|i| usize::from(bands) + i + 1 - extra.len());
    let has_alpha = bands == 2 && alpha == Some(2);
    if bands != 1 && !has_alpha {
        return Err(one_band(usize::from(bands), "", alpha).at("tag 277 (SamplesPerPixel)"));
    }
    let all_bits = shorts(tiff, Tag::BitsPerSample)?;
    if all_bits.iter().any(|bits| *bits != all_bits[0]) {
        return Err(IngestError::bad(
            "bands of the same number of bits",
            format!("{all_bits:?}"),
            WITHOUT_GDAL,
        )
        .at("tag 258 (BitsPerSample)")
        .unsupported());
    }
    let format = short(tiff, Tag::SampleFormat, 1)?;
    if !matches!(format, 1..=3) {
        return Err(IngestError::bad(
            "integers or floating point numbers (1, 2 or 3)",
            match format {
                5 | 6 => format!("complex samples ({format})"),
                other => format!("{other}"),
            },
            "export real heights",
        )
        .at("tag 339 (SampleFormat)"));
    }
    let bits = short(tiff, Tag::BitsPerSample, 1)?;
    let sample = match (format, bits) {
        (1, 8) => SampleType::U8,
        (1, 16) => SampleType::U16,
        (1, 32) => SampleType::U32,
        (1, 64) => SampleType::U64,
        (2, 8) => SampleType::I8,
        (2, 16) => SampleType::I16,
        (2, 32) => SampleType::I32,
        (2, 64) => SampleType::I64,
        (3, 16) => SampleType::F16,
        (3, 24) => SampleType::F24,
        (3, 32) => SampleType::F32,
        (3, 64) => SampleType::F64,
        _ => {
            return Err(IngestError::bad(
                "integers of 8, 16, 32 or 64 bits, or floating point of 16, 24, 32 or 64",
                format!("{bits} bits"),
                WITHOUT_GDAL,
            )
            .at("tag 258 (BitsPerSample)")
            .unsupported());
        }
    };
    let coding = Coding {
        compression: short(tiff, Tag::Compression, 1)?,
        predictor: short(tiff, Tag::Predictor, 1)?,
        sample,
        order: match tiff.byte_order() {
            tiff::tags::ByteOrder::LittleEndian => ByteOrder::Little,
            tiff::tags::ByteOrder::BigEndian => ByteOrder::Big,
        },
    };
    Ok((coding, has_alpha))
}

fn nodata(tiff: &mut Tiff) -> Result<Option<f64>, IngestError> {
    let Some(text) = ascii(tiff, Tag::GdalNodata)? else {
        return Ok(None);
    };
    let text = text.split('\0').next().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    parse_number(text).map(Some).ok_or_else(|| {
        IngestError::bad(
            "a number",
            format!("{text:?}"),
            "give the value with `nodata`",
        )
        .at("tag 42113 (GDAL_NODATA)")
    })
}

fn geo_tags(tiff: &mut Tiff) -> Result<GeoTags, IngestError> {
    let mut doubles = |tag: Tag| {
        let error = |e| decode_error(e).at(format!("tag {}", tag.to_u16()));
        match tiff.find_tag(tag).map_err(error)? {
            Some(value) => value.into_f64_vec().map_err(error),
            None => Ok(Vec::new()),
        }
    };
    let pixel_scale = doubles(Tag::ModelPixelScaleTag)?;
    let tie_points = doubles(Tag::ModelTiepointTag)?;
    let transformation = doubles(Tag::ModelTransformationTag)?;
    let parameters = doubles(Tag::GeoDoubleParamsTag)?;
    let directory = tiff
        .find_tag_unsigned_vec(Tag::GeoKeyDirectoryTag)
        .map_err(|e| decode_error(e).at("tag 34735 (GeoKeyDirectory)"))?;
    Ok(GeoTags {
        pixel_scale,
        tie_points,
        transformation,
        directory: directory.unwrap_or_default(),
        doubles: parameters,
        ascii: ascii(tiff, Tag::GeoAsciiParamsTag)?.unwrap_or_default(),
    })
}

/// An item of GDAL's metadata: `<Item name="SCALE" sample="0" role="scale">0.1</Item>`.
fn metadata_item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let (_, rest) = metadata.split_once(&format!("role=\"{role}\""))?;
    let (_, rest) = rest.split_once('>')?;
    let (value, _) = rest.split_once('<')?;
    Some(value.trim())
}

fn metadata_number(metadata: &str, role: &str) -> Result<Option<f64>, IngestError> {
    let Some(text) = metadata_item(metadata, role).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let number = parse_number(text).filter(|n| n.is_finite());
    number.map(Some).ok_or_else(|| {
        let remedy =
            "write it again: gdal_translate -a_scale 1 -a_offset 0 INPUT OUT.tif, with the numbers that hold";
        let wrong = IngestError::bad(format!("a number as {role}"), format!("{text:?}"), remedy);
        wrong.at("tag 42112 (GDAL_METADATA)")
    })
}
