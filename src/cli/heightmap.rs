//! A heightmap as an argument, and how to read it.

use std::path::PathBuf;

use viewcell::ingest::{IngestOptions, Ingested, read_terrain};

use super::exit::Failure;
use super::job::{self, Crop, Size, Spacing};

/// A heightmap, with the options of reading that `viewcell bake terrain` has.
#[derive(clap::Args)]
pub struct Heightmap {
    /// Heightmap: GeoTIFF, PNG, RAW16, SRTM .hgt, ESRI ASCII grid, ENVI; told by its content
    #[arg(value_name = "TERRAIN")]
    pub input: PathBuf,

    /// Metres between columns and between rows; overrides the file
    #[arg(long, value_name = "DX[,DY]", help_heading = "Reading the heightmap")]
    spacing: Option<Spacing>,

    /// Metres of height in one step of the file's values
    #[arg(
        long,
        value_name = "S",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Reading the heightmap"
    )]
    vertical_scale: f64,

    /// Metres to add to every height, after the scale
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Reading the heightmap"
    )]
    vertical_offset: f64,

    /// Columns and rows of a RAW16 file, which has no header
    #[arg(long, value_name = "WxH", help_heading = "Reading the heightmap")]
    size: Option<Size>,

    /// Byte order of a RAW16 file
    #[arg(long, value_enum, help_heading = "Reading the heightmap")]
    byte_order: Option<job::ByteOrder>,

    /// Stored value that means no data; overrides the file
    #[arg(
        long,
        value_name = "VALUE",
        allow_negative_numbers = true,
        help_heading = "Reading the heightmap"
    )]
    nodata: Option<f64>,

    /// Read a part: first column, first row, columns, rows
    #[arg(long, value_name = "C,R,W,H", help_heading = "Reading the heightmap")]
    crop: Option<Crop>,

    /// Refuse larger terrains than this
    #[arg(
        long,
        value_name = "N",
        default_value_t = IngestOptions::default().max_samples,
        help_heading = "Reading the heightmap"
    )]
    max_samples: u64,
}

impl Heightmap {
    /// Reads it.
    pub fn read(&self) -> Result<Ingested, Failure> {
        let options = IngestOptions {
            spacing: self.spacing.map(Spacing::metres),
            vertical_scale: self.vertical_scale,
            vertical_offset: self.vertical_offset,
            size: self.size.map(|Size(size)| size),
            byte_order: self.byte_order.map(job::ByteOrder::into),
            crop: self.crop.map(|Crop(crop)| crop),
            nodata: self.nodata,
            max_samples: self.max_samples,
        };
        Ok(read_terrain(&self.input, &options)?)
    }
}
