//! Everything else, through GDAL.

use std::sync::Once;

use gdal::Dataset;
use gdal::errors::GdalError;
use gdal::raster::ColorInterpretation;

use super::crs::{Crs, length_named};
use super::error::IngestError;
use super::mask;
use super::raster::{COLOURS, Order, PALETTE, Raster, Window, one_band};
use super::source::RasterFile;

static QUIET: Once = Once::new();

pub(super) fn read(source: &RasterFile) -> Result<Raster, IngestError> {
    // GDAL prints to stderr what it also returns.
    QUIET.call_once(|| gdal::config::set_error_handler(|_, _, _| {}));
    let dataset = Dataset::open(source.path).map_err(|e| error(&e).unsupported())?;
    let driver = dataset.driver().short_name();
    let bands = dataset.raster_count();
    let interpretation = |n| {
        let band = dataset.rasterband(n).map_err(|e| error(&e))?;
        Ok::<_, IngestError>(band.color_interpretation())
    };
    let mut alpha = None;
    for n in 1..=bands {
        if interpretation(n)? == ColorInterpretation::AlphaBand {
            alpha = Some(n);
        }
    }
    if bands != 1 && (bands, alpha) != (2, Some(2)) {
        if interpretation(1)? == ColorInterpretation::RedBand {
            return Err(IngestError::bad(
                "one band of heights",
                format!("colour ({driver})"),
                COLOURS,
            ));
        }
        return Err(one_band(bands, &format!(" ({driver})"), alpha));
    }
    let (width, height) = dataset.raster_size();
    let window = Window::new(source.options, width as u64, height as u64)?;
    let band = dataset.rasterband(1).map_err(|e| error(&e))?;
    let sample = band.band_type();
    if sample.name().starts_with('C') {
        return Err(IngestError::bad(
            "real samples",
            format!("complex ones ({})", sample.name()),
            "export real heights",
        ));
    }
    if band.color_table().is_some() {
        return Err(IngestError::bad(
            "samples that are heights",
            "a palette",
            PALETTE,
        ));
    }
    let given = dataset.geo_transform().ok();
    let (order, transform) = Order::of(given, [width as u64, height as u64])?;
    let mut values = window.allocate()?;
    values.resize(window.samples() as usize, 0.0);
    let size = (window.width as usize, window.height as usize);
    let in_file = window.counted(order);
    band.read_into_slice(
        (in_file.column as isize, in_file.row as isize),
        size,
        size,
        &mut values,
        None,
    )
    .map_err(|e| error(&e))?;

    // Alpha, or a mask in the file or beside it. Nodata counts later, as stored. A band of alpha is read as such whatever its
    // type: GDAL takes no mask from one of floating point.
    let flags = band.mask_flags().map_err(|e| error(&e))?;
    let mask = if bands == 2 {
        Some(dataset.rasterband(2).map_err(|e| error(&e))?)
    } else if flags.is_per_dataset() {
        Some(band.open_mask_band().map_err(|e| error(&e))?)
    } else {
        None
    };
    let mut masked = 0;
    if let Some(mask) = mask {
        let mut there = vec![0.0; values.len()];
        let place = (in_file.column as isize, in_file.row as isize);
        mask.read_into_slice(place, size, size, &mut there, None)
            .map_err(|e| error(&e))?;
        masked = mask::clear(&mut values, &there);
    }

    // One short string a call; drivers are few.
    let format = format!("GDAL/{driver}").leak();
    let mut notes = Vec::new();
    if masked > 0 {
        notes.push(format!("{masked} samples are void by the file's mask"));
    }
    order.undo(&mut values, window.width, &mut notes);
    let mut raster = Raster::new(format, window, values);
    raster.notes = notes;
    raster.float = sample.is_floating();
    raster.nodata = band.no_data_value();
    raster.transform = transform;
    raster.crs = dataset
        .spatial_ref()
        .and_then(|crs| crs.to_wkt())
        .ok()
        .map(|wkt| Crs::from_text(&wkt));
    raster.unit = length_named(&band.unit(), &mut raster.notes);
    raster.scale = band.scale().unwrap_or(1.0);
    raster.offset = band.offset().unwrap_or(0.0);
    Ok(raster)
}

fn error(error: &GdalError) -> IngestError {
    let message = match error {
        GdalError::CplError { msg, .. } | GdalError::NullPointer { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    IngestError::bad(
        "a raster that GDAL reads",
        format!("{message:?}"),
        "check it with gdalinfo",
    )
}
