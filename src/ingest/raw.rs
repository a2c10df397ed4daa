//! RAW16: unsigned 16-bit samples and nothing else, as game engines exchange heightmaps.

use std::fs::File;

use super::flat::{self, Layout, SampleType};
use super::raster::{Raster, Window};
use super::{ByteOrder, IngestError, Source};

pub(super) fn read(source: &Source, file: File) -> Result<Raster, IngestError> {
    let samples = source.length / 2;
    let Some([width, height]) = source.options.size else {
        return Err(IngestError::usage(
            "the size of a RAW16 file, which has no header",
            format!("{samples} samples in {} bytes", source.length),
            format!(
                "give its width and height with `size`{}",
                guess(source.length)
            ),
        ));
    };
    let order = source.options.byte_order.unwrap_or(ByteOrder::Little);
    let declared = u128::from(width) * u128::from(height) * 2;
    if declared != u128::from(source.length) && width > 0 && height > 0 {
        return Err(IngestError::bad(
            format!("{declared} bytes for `size` {width}x{height}"),
            format!("{} bytes", source.length),
            format!("give the `size` that fits{}", guess(source.length)),
        )
        .at("file length"));
    }
    let window = Window::new(source.options, u64::from(width), u64::from(height))?;
    let layout = Layout {
        offset: 0,
        width: u64::from(width),
        sample: SampleType::U16,
        order,
    };
    let values = flat::read(file, layout, window)?;
    let mut raster = Raster::new("RAW16", window, values);
    if source.options.byte_order.is_none() {
        raster.notes.push(
            "byte order is taken as little-endian (if not, give `byte_order` big)".to_owned(),
        );
    }
    raster.notes.push(heights_assumed(source));
    Ok(raster)
}

/// What a format without units leaves to the options.
pub(super) fn heights_assumed(source: &Source) -> String {
    format!(
        "the file has no units: heights are sample value x {} + {} m (`vertical_scale`, `vertical_offset`)",
        source.options.vertical_scale, source.options.vertical_offset
    )
}

/// The square size of a file of this many bytes, if there is one.
fn guess(bytes: u64) -> String {
    let side = (bytes / 2).isqrt();
    if bytes > 0 && bytes.is_multiple_of(2) && side * side == bytes / 2 {
        format!("; if it is square, `size` {side}x{side}")
    } else if !bytes.is_multiple_of(2) {
        "; an odd number of bytes is no whole number of 16-bit samples, so the file may be cut short".to_owned()
    } else {
        "; it is not square".to_owned()
    }
}
