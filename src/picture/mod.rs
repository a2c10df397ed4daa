//! Pictures, charts, rasters of numbers, and what can be counted in a bundle.
//!
//! A picture begins with what is drawn, one pixel a sample: those of terrains are painted over a
//! [`Ground`], those of levels into [`Floors`], or [`Overhead`] where
//! somebody can cut lower. [`Page`] puts a title, a legend and a scale around it; `png` encodes it.
//! All colours are of [`palette`]: what is visible is light and yellow, what is hidden is dark and
//! blue, so that lightness alone tells them apart; voids are transparent.

mod canvas;
mod chart;
mod exposure;
mod floors;
mod frontier;
mod geotiff;
mod ground;
mod hillshade;
mod level;
mod matrix;
mod numbers;
mod overhead;
mod page;
pub mod palette;
mod png;
mod raster;
mod resize;
mod terrain;
mod text;
mod viewshed;

pub use chart::{Bars, CHART_SIZE, Chart, Curve, Series, frequencies};
pub use exposure::exposure_image;
pub use floors::{Floor, Floors, NOBODY};
pub use frontier::{Joined, Part, frontier_image, growth};
pub use geotiff::mask_geotiff;
pub use ground::{Ground, NUMBER_LIGHT, PLAIN_LIGHT, mask};
pub use hillshade::hillshade;
pub use level::LevelPages;
pub use matrix::{MatrixFormat, MatrixOf, matrix_file};
pub use numbers::grouped;
pub use overhead::Overhead;
pub use page::{Key, PAGE_WIDTHS, Page, Panel, Unit};
pub use png::{MOST_PIXELS, PictureError, check_pixels, png};
pub use raster::{MAX_BANDS, Number, RasterFormat, RasterLayout, RasterWriter};
pub use resize::resized;
pub use terrain::TerrainPages;
pub use viewshed::{Viewpoint, hillshade_image, mark, marked_png, viewshed_image};
