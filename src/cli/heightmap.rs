//! A heightmap as an argument, and how to read it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use viewcell::internals::ingest::{self, IngestOptions, Ingested, read_terrain};

use super::exit::Failure;
use super::flags::noted;

/// A heightmap, with the options of reading that `viewcell bake terrain` has.
#[derive(clap::Args)]
pub struct Heightmap {
    /// Heightmap: GeoTIFF, PNG, RAW16, SRTM .hgt, ESRI ASCII grid, ENVI; told by its content
    #[arg(value_name = "TERRAIN")]
    pub input: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

impl Heightmap {
    /// Reads it.
    pub fn read(&self) -> Result<Ingested, Failure> {
        self.reading.read(&self.input)
    }
}

/// How to read a heightmap.
#[derive(Clone, clap::Args, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Reading the heightmap")]
pub struct Reading {
    /// Metres between columns and between rows; overrides the file
    #[arg(long, value_name = "DX[,DY]", allow_hyphen_values = true)]
    pub spacing: Option<Spacing>,

    /// Metres of height in one step of the file's values
    #[arg(
        long,
        value_name = "S",
        default_value_t = one(),
        allow_negative_numbers = true
    )]
    #[serde(default = "one")]
    pub vertical_scale: f64,

    /// Metres to add to every height, after the scale
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    #[serde(default)]
    pub vertical_offset: f64,

    /// Columns and rows of a RAW16 file, which has no header
    #[arg(long, value_name = "WxH")]
    pub size: Option<Size>,

    /// Byte order of a RAW16 file
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,

    /// Stored value that means no data; overrides the file
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub nodata: Option<f64>,

    /// Take a part: first column, first row, columns, rows
    #[arg(long, value_name = "C,R,W,H", allow_hyphen_values = true)]
    pub crop: Option<Crop>,

    /// Refuse larger terrains than this
    #[arg(
        long,
        value_name = "N",
        default_value_t = max_samples()
    )]
    #[serde(default = "max_samples")]
    pub max_samples: u64,
}

fn one() -> f64 {
    1.0
}

fn max_samples() -> u64 {
    IngestOptions::default().max_samples
}

impl Reading {
    /// Reads a heightmap so.
    pub fn read(&self, input: &Path) -> Result<Ingested, Failure> {
        Ok(noted(read_terrain(input, &self.options())?))
    }

    /// For ingest.
    pub fn options(&self) -> IngestOptions {
        IngestOptions {
            spacing: self.spacing.map(Spacing::metres),
            vertical_scale: self.vertical_scale,
            vertical_offset: self.vertical_offset,
            size: self.size.map(|Size(size)| size),
            byte_order: self.byte_order.map(ByteOrder::into),
            crop: self.crop.map(|Crop(crop)| crop),
            nodata: self.nodata,
            max_samples: self.max_samples,
        }
    }
}

/// Byte order of 16-bit samples.
#[derive(Clone, Copy, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ByteOrder {
    /// Low byte first (Unity, Windows)
    Little,
    /// High byte first (Mac)
    Big,
}

impl From<ByteOrder> for ingest::ByteOrder {
    fn from(order: ByteOrder) -> Self {
        match order {
            ByteOrder::Little => Self::Little,
            ByteOrder::Big => Self::Big,
        }
    }
}

/// Metres between columns and between rows: one number for both, or two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number of metres, or two: [DX, DY]")]
pub enum Spacing {
    Both(f64),
    Each([f64; 2]),
}

impl Spacing {
    /// `[dx, dy]` in metres.
    pub fn metres(self) -> [f64; 2] {
        match self {
            Self::Both(both) => [both; 2],
            Self::Each(each) => each,
        }
    }
}

impl FromStr for Spacing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match list(text, ',').as_deref() {
            Some([both]) => Ok(Self::Both(*both)),
            Some([dx, dy]) => Ok(Self::Each([*dx, *dy])),
            _ => Err("expected DX or DX,DY in metres".into()),
        }
    }
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size(pub [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match list(text, 'x').as_deref() {
            Some([width, height]) => Ok(Self([*width, *height])),
            _ => Err("expected WxH, as in 513x513".into()),
        }
    }
}

/// First column, first row, columns, rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crop(pub [u32; 4]);

impl FromStr for Crop {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match list(text, ',').as_deref() {
            Some([column, row, width, height]) => Ok(Self([*column, *row, *width, *height])),
            _ => Err("expected C,R,W,H: first column, first row, columns, rows".into()),
        }
    }
}

fn list<T: FromStr>(text: &str, separator: char) -> Option<Vec<T>> {
    text.split(separator)
        .map(|word| word.trim().parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_are_read_whole_or_not_at_all() {
        assert_eq!("90".parse(), Ok(Spacing::Both(90.0)));
        assert_eq!("74.5, 92".parse(), Ok(Spacing::Each([74.5, 92.0])));
        assert_eq!("513x257".parse(), Ok(Size([513, 257])));
        assert_eq!("1,2,3,4".parse(), Ok(Crop([1, 2, 3, 4])));
        assert!("1,2,3".parse::<Spacing>().is_err());
        assert!("513".parse::<Size>().is_err());
        assert!("1,2,3,-4".parse::<Crop>().is_err());
        assert!("1,2,3,4,5".parse::<Crop>().is_err());
    }
}
