//! Everything else, through GDAL.

use std::sync::Once;

use gdal::Dataset;
use gdal::errors::GdalError;

use super::crs::{Crs, length_named};
use super::error::IngestError;
use super::raster::{Order, Raster, Window};
use super::source::RasterFile;

static QUIET: Once = Once::new();

pub(super) fn read(source: &RasterFile) -> Result<Raster, IngestError> {
    // GDAL prints to stderr what it also returns.
    QUIET.call_once(|| gdal::config::set_error_handler(|_, _, _| {}));
    let dataset = Dataset::open(source.path).map_err(|e| error(&e).unsupported())?;
    let driver = dataset.driver().short_name();
    let bands = dataset.raster_count();
    if bands != 1 {
        return Err(IngestError::bad(
            "one band of heights",
            format!("{bands} ({driver})"),
            "take one out: gdal_translate -b N INPUT OUT.tif",
        ));
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
            "save the heights as one band of numbers",
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

    // One short string a call; drivers are few.
    let format = format!("GDAL/{driver}").leak();
    let mut notes = Vec::new();
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
