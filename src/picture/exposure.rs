//! How many see each sample, over a hillshade.

use image::RgbaImage;

use super::ground::{Ground, NUMBER_LIGHT};
use super::palette::{VIRIDIS, logarithmic};

/// The terrain, each sample in a colour by how many see it, from dark (nobody else) to light (the
/// most), by the logarithm of the count; one pixel a sample, voids are transparent. `counts` are
/// row by row, as `survey` counts them.
///
/// # Panics
///
/// If there are not as many counts as samples.
pub fn exposure_image(ground: &Ground, counts: &[u32]) -> RgbaImage {
    let most = u64::from(counts.iter().copied().max().unwrap_or(0));
    ground.paint(NUMBER_LIGHT, |i| {
        VIRIDIS.at(logarithmic(counts[i].into(), most))
    })
}
