//! SRTM tiles: big-endian 16-bit heights of one degree by one degree, edges included, named after
//! their south-western corner (`N34W119.hgt`).

use std::fs::File;

use super::crs::Crs;
use super::error::IngestError;
use super::raster::{Raster, Window};
use super::raw::{Layout, SampleType, read_samples};
use super::source::{ByteOrder, RasterFile};

/// Columns and rows of a tile: 3 arc seconds, 1 arc second, 2 by 1 arc seconds above 50°, and half an arc second.
const SIZES: [[u64; 2]; 4] = [[1201, 1201], [3601, 3601], [1801, 3601], [7201, 7201]];

/// Whether a file is such a tile: by its extension, or by a name that places it and its exact size. Of that size alone
/// other rasters are, too.
pub(super) fn matches(source: &RasterFile) -> bool {
    source.extension() == "hgt" || side_of(source.length).is_some() && corner(source).is_some()
}

/// Columns and rows of a tile of so many bytes.
fn side_of(bytes: u64) -> Option<[u64; 2]> {
    SIZES.into_iter().find(|[w, h]| w * h * 2 == bytes)
}

pub(super) fn read(source: &RasterFile, file: File) -> Result<Raster, IngestError> {
    let Some([width, height]) = side_of(source.length) else {
        let lengths = SIZES.map(|[w, h]| format!("{} ({w} x {h})", w * h * 2));
        return Err(IngestError::bad(
            format!("{} bytes", lengths.join(" or ")),
            format!("{} bytes", source.length),
            "fetch the tile again; it may be cut short or still packed",
        )
        .at("file length"));
    };
    let window = Window::new(source.options, width, height)?;
    let layout = Layout {
        offset: 0,
        width,
        row_bytes: width * 2,
        sample: SampleType::I16,
        order: ByteOrder::Big,
    };
    let corner = corner(source);
    if corner.is_none() && source.options.spacing.is_none() {
        return Err(IngestError::usage(
            "a name like N34W119.hgt, which gives the tile's position",
            "another",
            "name the file so, or give its `spacing` in metres",
        )
        .at("file name"));
    }
    let values = read_samples(file, layout, window)?;
    let mut raster = Raster::new("SRTM HGT", window, values);
    raster.nodata = Some(-32768.0);
    if let Some([west, south]) = corner {
        let dx = 1.0 / (width - 1) as f64;
        let dy = 1.0 / (height - 1) as f64;
        // Samples lie on the edges of the degree, so pixels reach half a step beyond.
        raster.transform = Some([west - dx / 2.0, dx, 0.0, south + 1.0 + dy / 2.0, 0.0, -dy]);
        raster.crs = Some(Crs::wgs84());
    } else {
        raster
            .notes
            .push("the file's name does not give the tile's position".to_owned());
    }
    Ok(raster)
}

/// Longitude and latitude of the south-western sample, from the name.
fn corner(source: &RasterFile) -> Option<[f64; 2]> {
    let name = source.path.file_name()?.to_str()?.to_ascii_uppercase();
    let [latitude, longitude] = [name.get(..3)?, name.get(3..7)?];
    let degrees = |text: &str, positive: u8, negative: u8| {
        let digits = text.get(1..)?;
        let n: u16 = digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())??;
        match text.as_bytes()[0] {
            sign if sign == positive => Some(f64::from(n)),
            sign if sign == negative => Some(-f64::from(n)),
            _ => None,
        }
    };
    let latitude = degrees(latitude, b'N', b'S').filter(|d| (-90.0..90.0).contains(d))?;
    let longitude = degrees(longitude, b'E', b'W').filter(|d| (-180.0..=180.0).contains(d))?;
    Some([longitude, latitude])
}
