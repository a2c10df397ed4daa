//! Readers: from files to *worlds*, from which bundles are baked.
//!
//! | file | reader | world |
//! |---|---|---|
//! | heightmap: GeoTIFF, PNG, RAW16, HGT, ASCII grid, ENVI, ESRI | [`read_terrain`] | [`world::Terrain`] |
//! | level of cells: BSP, WAD, portal file, JSON | [`cells::read_cells`] | [`world::CellGraph`] |
//! | level of solids: BSP, `.map`, glTF, OBJ, CityJSON | [`solid::read_solid`] | [`world::solid::SolidLevel`] |
//! | stamps, layers and meshes on a ground | [`ground`] | |
//!
//! [`export`] writes levels of cells.
//!
//! One file per format, which is detected from the content.
//!
//! [`read_terrain`] detects the format from the first bytes (or, if it has no magic, from the length or the header beside
//! the file), reads the requested samples, and makes a terrain in metres: voids are NaN, and spacing is in metres even if
//! the file is in degrees. Sizes that a header declares are checked against
//! [`IngestOptions::max_samples`] before memory is taken.

#![forbid(unsafe_code)]

mod ascii;
pub mod cells;
mod chunks;
mod crs;
mod directories;
mod envi;
mod epsg;
mod error;
mod esri;
pub mod export;
mod foreign;
#[cfg(feature = "gdal")]
mod gdal;
mod geokeys;
mod geotiff;
pub mod ground;
mod held;
mod hgt;
mod mask;
mod matrix;
mod mesh;
mod numbers;
mod observers;
mod packs;
mod pam;
mod plausible;
mod png;
mod raster;
mod raw;
mod sidecars;
pub mod solid;
mod source;
mod terrain;
mod tiff_tags;
mod wkt;
pub mod world;
mod world_file;

pub use error::{IngestError, IngestErrorKind};
pub use matrix::read_matrix;
pub use numbers::parse_number;
pub use observers::{ObserverRow, ObserverTable, PlaceUnit, read_observers};
pub use packs::level_bytes;
pub use source::{ByteOrder, IngestOptions, Ingested, file_bytes, file_length};
pub use terrain::{read_terrain, terrain_files};
