//! RAW16, unsigned 16-bit samples as game engines exchange heightmaps, and RAW32, floating point ones of 32 bits (`.r32`);
//! and samples without compression in any file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::error::IngestError;
use super::plausible;
use super::raster::{Order, Raster, Window};
use super::source::{ByteOrder, IngestOptions, RasterFile};

pub(super) fn read(source: &RasterFile, file: File) -> Result<Raster, IngestError> {
    let (name, sample) = match source.extension().as_str() {
        "r32" => ("RAW32", SampleType::F32),
        _ => ("RAW16", SampleType::U16),
    };
    let bytes = sample.bytes();
    let Some([width, height]) = source.options.size else {
        return Err(IngestError::usage(
            format!("the size of a {name} file, which has no header"),
            format!(
                "{} samples in {} bytes",
                source.length / bytes,
                source.length
            ),
            format!(
                "give its width and height with `size`{}",
                guess(source.length, bytes)
            ),
        ));
    };
    let order = source.options.byte_order.unwrap_or(ByteOrder::Little);
    let declared = u128::from(width) * u128::from(height) * u128::from(bytes);
    if declared != u128::from(source.length) && width > 0 && height > 0 {
        return Err(IngestError::bad(
            format!("{declared} bytes for `size` {width}x{height}"),
            format!("{} bytes", source.length),
            if sample == SampleType::U16 && declared * 2 == u128::from(source.length) {
                "if samples are floating point of 32 bits, name the file .r32; else give the `size` that fits"
                    .to_owned()
            } else {
                format!("give the `size` that fits{}", guess(source.length, bytes))
            },
        )
        .at("file length"));
    }
    let window = Window::new(source.options, u64::from(width), u64::from(height))?;
    let layout = Layout {
        offset: 0,
        width: u64::from(width),
        row_bytes: u64::from(width) * bytes,
        sample,
        order,
    };
    let values = read_samples(file, layout, window)?;
    let mut raster = Raster::new(name, window, values);
    raster.float = sample.is_float();
    if source.options.byte_order.is_none() {
        raster.notes.push(
            "byte order is taken as little-endian (if not, give `byte_order` big)".to_owned(),
        );
        if sample == SampleType::U16 {
            let warning = plausible::other_order(&raster.values, window.width, false, order);
            raster.notes.extend(warning);
        }
    }
    raster.notes.push(heights_assumed(source));
    Ok(raster)
}

/// What a format without units leaves to the options.
pub(super) fn heights_assumed(source: &RasterFile) -> String {
    format!(
        "the file has no units: heights are sample value x {} + {} m (`vertical_scale`)",
        source.options.vertical_scale, source.options.vertical_offset
    )
}

/// The square size of a file of this many bytes, if there is one.
fn guess(bytes: u64, sample: u64) -> String {
    let samples = bytes / sample;
    let side = samples.isqrt();
    if !bytes.is_multiple_of(sample) {
        let odd = if sample == 2 {
            "an odd number of bytes"
        } else {
            "this"
        };
        format!(
            "; {odd} is no whole number of {}-bit samples, so the file may be cut short",
            8 * sample
        )
    } else if bytes > 0 && side * side == samples {
        format!("; if it is square, `size` {side}x{side}")
    } else {
        "; it is not square".to_owned()
    }
}

/// Type of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// IEEE 754 binary16.
    F16,
    /// 1 bit of sign, 7 of exponent, 16 of mantissa (Adobe Photoshop TIFF Technical Note 3).
    F24,
    F32,
    F64,
}

impl SampleType {
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::F24 => 3,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The sample that a writer makes of a number, where samples have fewer digits than single precision.
    pub(super) fn nearest(self, number: f64) -> f64 {
        let (digits, most) = match self {
            Self::F16 => (10, 65_504.0),
            Self::F24 => (16, 2_f64.powi(64) * (1.0 - 2_f64.powi(-17))),
            _ => return number,
        };
        if number == 0.0 || !number.is_finite() {
            return number;
        }
        let step = 2_f64.powi(number.abs().log2().floor() as i32 - digits);
        let rounded = (number / step).round_ties_even() * step;
        if rounded.abs() > most {
            f64::INFINITY.copysign(number)
        } else {
            rounded
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F24 | Self::F32 | Self::F64)
    }
}

/// How a raster lies in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Of the first sample, in bytes.
    pub offset: u64,
    /// Samples in a row.
    pub width: u64,
    /// From one row to the next.
    pub row_bytes: u64,
    pub sample: SampleType,
    pub order: ByteOrder,
}

/// The raster of the samples in the file `data`, as the file `header` describes them: how they lie, the number of rows, and
/// where on a planet the whole raster is, if anywhere.
pub(super) fn read_described(
    format: &'static str,
    [header, data]: [&Path; 2],
    (layout, height): (Layout, u64),
    place: Option<[f64; 6]>,
    options: &IngestOptions,
) -> Result<Raster, IngestError> {
    let of_header = |error: IngestError| error.about(header);
    let window = Window::new(options, layout.width, height).map_err(of_header)?;
    let (order, transform) = Order::of(place, [layout.width, height]).map_err(of_header)?;
    let values = read_declared(data, layout, window.counted(order), height);
    let mut values = values.map_err(|error| error.about(data))?;
    let mut notes = Vec::new();
    order.undo(&mut values, window.width, &mut notes);
    let mut raster = Raster::new(format, window, values);
    raster.float = layout.sample.is_float();
    (raster.order, raster.transform, raster.notes) = (order, transform, notes);
    Ok(raster)
}

/// Reads a window of the file at `path`, of so many rows, which must be as long as its header says.
fn read_declared(
    path: &Path,
    layout: Layout,
    window: Window,
    height: u64,
) -> Result<Vec<f64>, IngestError> {
    let file = File::open(path).map_err(IngestError::io)?;
    let length = file.metadata().map_err(IngestError::io)?.len();
    // The sides came through the window's check, but hostile ones may still multiply beyond u64.
    let declared = u128::from(layout.row_bytes) * u128::from(height) + u128::from(layout.offset);
    if declared != u128::from(length) {
        return Err(IngestError::bad(
            format!("{declared} bytes, as the header says"),
            format!("{length}"),
            "fetch or export both files again",
        )
        .at("file length"));
    }
    read_samples(file, layout, window)
}

/// Reads a window row by row. The caller has checked the file's length against the layout.
pub(super) fn read_samples(
    mut file: File,
    layout: Layout,
    window: Window,
) -> Result<Vec<f64>, IngestError> {
    let mut values = window.allocate()?;
    let bytes = layout.sample.bytes();
    let mut row_bytes = zeros(u64::from(window.width), bytes)?;
    // Large memory is touched once.
    let mut decoded = vec![0.0; window.width as usize];
    for row in 0..window.height {
        let place = layout.offset
            + (u64::from(window.row) + u64::from(row)) * layout.row_bytes
            + u64::from(window.column) * bytes;
        file.seek(SeekFrom::Start(place))
            .and_then(|_| file.read_exact(&mut row_bytes))
            .map_err(|e| IngestError::io(e).at(format!("byte {place}")))?;
        decode(&row_bytes, layout.sample, layout.order, &mut decoded);
        values.extend_from_slice(&decoded);
    }
    Ok(values)
}

/// So many items of so many zero bytes, with an error instead of an abort where memory is short.
pub(super) fn zeros(items: u64, bytes: u64) -> Result<Vec<u8>, IngestError> {
    let mut zeros = Vec::new();
    items
        .checked_mul(bytes)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| zeros.try_reserve_exact(*n).is_ok())
        .map(|n| zeros.resize(n, 0))
        .ok_or_else(|| {
            IngestError::resource(
                format!("memory for {items} samples of {bytes} bytes"),
                "less",
                "take a part with `crop`, from a file in tiles: gdal_translate -co TILED=YES",
            )
        })?;
    Ok(zeros)
}

/// Samples from their bytes, of which there are as many as `values` need.
pub(super) fn decode(bytes: &[u8], sample: SampleType, order: ByteOrder, values: &mut [f64]) {
    macro_rules! each {
        ($type:ty) => {{
            let (samples, _) = bytes.as_chunks();
            let pairs = values.iter_mut().zip(samples);
            match order {
                ByteOrder::Little => {
                    pairs.for_each(|(value, b)| *value = <$type>::from_le_bytes(*b) as f64);
                }
                ByteOrder::Big => {
                    pairs.for_each(|(value, b)| *value = <$type>::from_be_bytes(*b) as f64);
                }
            }
        }};
    }
    match sample {
        SampleType::I8 => each!(i8),
        SampleType::U8 => each!(u8),
        SampleType::I16 => each!(i16),
        SampleType::U16 => each!(u16),
        SampleType::I32 => each!(i32),
        SampleType::U32 => each!(u32),
        SampleType::I64 => each!(i64),
        SampleType::U64 => each!(u64),
        SampleType::F16 => small_floats::<2>(bytes, order, 10, values),
        SampleType::F24 => small_floats::<3>(bytes, order, 16, values),
        SampleType::F32 => each!(f32),
        SampleType::F64 => each!(f64),
    }
}

/// Floating point samples of `N` bytes, of which so many bits are the mantissa and all but one of the others the exponent.
fn small_floats<const N: usize>(
    bytes: &[u8],
    order: ByteOrder,
    mantissa_bits: u32,
    values: &mut [f64],
) {
    let exponent_bits = 8 * N as u32 - 1 - mantissa_bits;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let (samples, _) = bytes.as_chunks::<N>();
    for (value, sample) in values.iter_mut().zip(samples) {
        let mut word = [0; 4];
        word[..N].copy_from_slice(sample);
        if order == ByteOrder::Big {
            word[..N].reverse();
        }
        let bits = u32::from_le_bytes(word);
        let mantissa = bits & ((1 << mantissa_bits) - 1);
        let exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
        let fraction = f64::from(mantissa) / f64::from(1_u32 << mantissa_bits);
        let size = if exponent == (1 << exponent_bits) - 1 {
            if mantissa == 0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        } else if exponent == 0 {
            fraction * 2_f64.powi(1 - bias)
        } else {
            (1.0 + fraction) * 2_f64.powi(exponent as i32 - bias)
        };
        let is_negative = bits >> (8 * N - 1) == 1;
        *value = if is_negative { -size } else { size };
    }
}
