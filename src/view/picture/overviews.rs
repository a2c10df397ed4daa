//! GeoTIFFs with overviews: tiled, deflated, with a predictor; a band at a time, for a GIS that shows them at any scale.
//!
//! Each overview is half as large as the one before. Its pixel has the greatest of up to four: what is seen in any of
//! them is seen in it.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::geotiff::{Pieces, RasterLayout, head};
use super::number::Number;
use viewcell_ingest::world::Georeference;

/// Side of a tile. [Unit: pixels]
const TILE: usize = 256;

/// A pixel of a band: a whole number, the greatest of which is no data.
pub trait Pixel: Number + Ord {
    /// What stands for no data.
    const NO_DATA: Self;
    /// How hard it is packed: masks are runs of zeros, which more work packs little better.
    const EFFORT: Compression;
    /// Its difference to the pixel before, modulo what fits.
    fn less(self, before: Self) -> Self;
}

impl Pixel for u8 {
    const NO_DATA: Self = Self::MAX;
    const EFFORT: Compression = Compression::fast();
    fn less(self, before: Self) -> Self {
        self.wrapping_sub(before)
    }
}

impl Pixel for u32 {
    const NO_DATA: Self = Self::MAX;
    const EFFORT: Compression = Compression::new(6);
    fn less(self, before: Self) -> Self {
        self.wrapping_sub(before)
    }
}

/// A band, deflated: for each overview, the full size first, its tiles row by row.
#[derive(Clone, Debug)]
pub struct PackedBand(Vec<Vec<Vec<u8>>>);

impl PackedBand {
    /// Packs the pixels of a band, row by row, `width` a row.
    ///
    /// # Panics
    ///
    /// If `width` is zero or does not divide the number of pixels.
    pub fn of_bytes(width: u32, pixels: &[u8]) -> Self {
        Self::new(width, pixels)
    }

    /// The same for numbers.
    ///
    /// # Panics
    ///
    /// As [`PackedBand::of_bytes`].
    pub fn of_numbers(width: u32, pixels: &[u32]) -> Self {
        Self::new(width, pixels)
    }

    fn new<P: Pixel>(width: u32, pixels: &[P]) -> Self {
        assert!(width > 0 && pixels.len().is_multiple_of(width as usize));
        let mut levels = vec![tiles(width as usize, pixels)];
        let mut side = [width as usize, pixels.len() / width as usize];
        let mut smaller = Vec::new();
        while side[0].max(side[1]) > TILE {
            let from = if smaller.is_empty() { pixels } else { &smaller };
            let next = halved(side, from);
            side = side.map(|side| side.div_ceil(2));
            levels.push(tiles(side[0], &next));
            smaller = next;
        }
        Self(levels)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let tiles = self.0.iter().flatten();
        tiles.map(|tile| tile.len() as u64).sum()
    }
}

/// Pixels that are looked at together: most of a map is runs of one value.
const RUN: usize = 32;

/// A line of a tile where nothing differs.
const ZEROS: [u8; TILE * 4] = [0; TILE * 4];

/// The value of all pixels, if it is the same. Compared with itself, one pixel further: slices are compared fast.
fn constant<P: Pixel>(pixels: &[P]) -> Option<P> {
    let (first, rest) = pixels.split_first()?;
    (*rest == pixels[..rest.len()]).then_some(*first)
}

/// The greatest pixels of squares of 2 × 2, no data aside.
fn halved<P: Pixel>([width, height]: [usize; 2], pixels: &[P]) -> Vec<P> {
    let greater = |a: P, b: P| match (a == P::NO_DATA, b == P::NO_DATA) {
        (true, _) => b,
        (_, true) => a,
        _ => a.max(b),
    };
    let mut out = Vec::with_capacity(width.div_ceil(2) * height.div_ceil(2));
    for row in (0..height).step_by(2) {
        let upper = &pixels[row * width..][..width];
        let lower = if row + 1 < height {
            &pixels[(row + 1) * width..][..width]
        } else {
            upper
        };
        for (upper, lower) in upper.chunks(RUN).zip(lower.chunks(RUN)) {
            if let Some(pixel) = constant(upper).filter(|pixel| constant(lower) == Some(*pixel)) {
                out.extend_from_slice(&[pixel; RUN / 2][..upper.len().div_ceil(2)]);
                continue;
            }
            let (pairs, rest) = upper.as_chunks();
            let (pairs_below, rest_below) = lower.as_chunks();
            out.extend(
                pairs
                    .iter()
                    .zip(pairs_below)
                    .map(|([a, b], [c, d])| greater(greater(*a, *b), greater(*c, *d))),
            );
            let last = rest.iter().zip(rest_below);
            out.extend(last.map(|(a, c)| greater(*a, *c)));
        }
    }
    out
}

/// The tiles of a band; those at its edges are filled up with no data.
fn tiles<P: Pixel>(width: usize, pixels: &[P]) -> Vec<Vec<u8>> {
    let height = pixels.len() / width;
    let mut tiles = Vec::new();
    let mut bytes = Vec::new();
    // Tiles of one value are packed once.
    let mut plain: Vec<(P, Vec<u8>)> = Vec::new();
    let filler = [P::NO_DATA; TILE];
    for row in (0..height).step_by(TILE) {
        for column in (0..width).step_by(TILE) {
            let line = |r: usize| {
                if r < height {
                    &pixels[r * width + column..r * width + width.min(column + TILE)]
                } else {
                    &filler
                }
            };
            let first = constant(line(row)).filter(|_| line(row).len() == TILE);
            let only = first.filter(|_| {
                let mut others = row + 1..row + TILE;
                others.all(|r| line(r) == line(row))
            });
            if let Some((_, tile)) = plain.iter().find(|(pixel, _)| Some(*pixel) == only) {
                tiles.push(tile.clone());
                continue;
            }
            bytes.clear();
            for r in row..row + TILE {
                append(line(r), &mut bytes);
            }
            let tile = deflated(&bytes, P::EFFORT);
            plain.extend(only.map(|pixel| (pixel, tile.clone())));
            tiles.push(tile);
        }
    }
    tiles
}

/// Appends a line of a tile: differences, filled up with no data.
fn append<P: Pixel>(line: &[P], bytes: &mut Vec<u8>) {
    let from = bytes.len();
    // Beyond the first pixel of a constant line there are only zeros.
    let told = match constant(line) {
        Some(_) => &line[..1],
        None => line,
    };
    let mut before = None;
    for pixel in told {
        before
            .map_or(*pixel, |before| pixel.less(before))
            .append(bytes);
        before = Some(*pixel);
    }
    if let Some(last) = line.last().filter(|_| line.len() < TILE) {
        let left = from + line.len() * usize::from(P::BITS / 8) - bytes.len();
        bytes.extend_from_slice(&ZEROS[..left]);
        P::NO_DATA.less(*last).append(bytes);
    }
    let left = from + TILE * usize::from(P::BITS / 8) - bytes.len();
    bytes.extend_from_slice(&ZEROS[..left]);
}

fn deflated(bytes: &[u8], effort: Compression) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), effort);
    // Memory takes all that is written to it.
    let _ = out.write_all(bytes);
    out.finish().unwrap_or_default()
}

/// Writes a map of bands of pixels `P`, packed in the order of their names.
///
/// # Panics
///
/// If there are not as many bands as names, or they are of another size.
pub fn write_map<P: Pixel>(
    out: &mut dyn Write,
    layout: &RasterLayout<'_>,
    bands: &[&PackedBand],
) -> io::Result<()> {
    assert_eq!(bands.len(), layout.bands.len());
    let mut side = [layout.width as usize, layout.height as usize];
    let tiles_of = |level: usize| {
        let of_a_band: usize = side.iter().map(|side| side.div_ceil(TILE)).product();
        assert!(bands.iter().all(|band| band.0[level].len() == of_a_band));
        side = side.map(|side| side.div_ceil(2));
        bands.iter().flat_map(|band| &band.0[level]).collect()
    };
    let levels: Vec<Vec<&Vec<u8>>> = (0..bands[0].0.len()).map(tiles_of).collect();
    let lengths = |tiles: &Vec<&Vec<u8>>| tiles.iter().map(|tile| tile.len() as u64).collect();
    let images: Vec<Vec<u64>> = levels.iter().map(lengths).collect();
    out.write_all(&head::<P>(layout, Pieces::Tiles(TILE), &images))?;
    for tile in levels.into_iter().flatten() {
        out.write_all(tile)?;
    }
    out.flush()
}

/// What is seen, as a map of one byte a sample: 1 where `mask` is true, 0 where it is false and 255 (NoData) where there is
/// nothing to tell.
///
/// `mask` is row by row, `width` a row. `spacing` is `[dx, dy]` in metres. With a georeference
/// the file lies where the terrain lay; without one it has no geographic tags.
///
/// # Panics
///
/// If `width` is zero or does not divide the length of `mask`.
pub fn mask_geotiff(
    width: u32,
    mask: &[Option<bool>],
    spacing: [f64; 2],
    georeference: Option<&Georeference>,
) -> Vec<u8> {
    let sample = |seen: &Option<bool>| seen.map_or(u8::NO_DATA, u8::from);
    let samples: Vec<u8> = mask.iter().map(sample).collect();
    let band = PackedBand::of_bytes(width, &samples);
    let layout = RasterLayout {
        width,
        height: mask.len() as u32 / width,
        description: "",
        bands: &["visible".to_owned()],
        nodata: "255",
        spacing,
        georeference,
    };
    let mut bytes = Vec::new();
    // Memory takes all that is written to it.
    let _ = write_map::<u8>(&mut bytes, &layout, &[&band]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiff::decoder::{Decoder, DecodingResult};
    use tiff::tags::Tag;

    fn map<P: Pixel>(width: u32, bands: &[Vec<P>]) -> Vec<u8> {
        let names: Vec<String> = (0..bands.len()).map(|i| format!("of {i}")).collect();
        let packed: Vec<PackedBand> = bands.iter().map(|b| PackedBand::new(width, b)).collect();
        let layout = RasterLayout {
            width,
            height: bands[0].len() as u32 / width,
            description: "a map",
            bands: &names,
            nodata: "4294967295",
            spacing: [30.0, 30.0],
            georeference: None,
        };
        let mut file = Vec::new();
        let packed: Vec<&PackedBand> = packed.iter().collect();
        write_map::<P>(&mut file, &layout, &packed).unwrap();
        file
    }

    #[test]
    fn another_decoder_reads_the_same_pixels_and_overviews() {
        let (width, height) = (600_usize, 300_usize);
        let at = |i: usize| [(i % width) as u32, (i / width) as u32];
        let pixels: Vec<u32> = (0..width * height)
            .map(|i| {
                if at(i)[0] < 10 {
                    u32::MAX
                } else {
                    at(i)[0] * 7 + at(i)[1] * 100_000
                }
            })
            .collect();
        let file = map(width as u32, std::slice::from_ref(&pixels));
        let mut decoder = Decoder::new(io::Cursor::new(&file)).unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (600, 300));
        let text = decoder.get_tag_ascii_string(Tag::ImageDescription).unwrap();
        assert_eq!(text, "a map");
        let nodata = decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap();
        assert_eq!(nodata, "4294967295");
        let DecodingResult::U32(found) = decoder.read_image().unwrap() else {
            panic!("not u32");
        };
        assert_eq!(found, pixels);
        decoder.next_image().unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (300, 150));
        let DecodingResult::U32(half) = decoder.read_image().unwrap() else {
            panic!("not u32");
        };
        // The greatest of the square is that in the south-east; no data stays where there is nothing else.
        assert_eq!(half[300 * 20 + 40], 81 * 7 + 41 * 100_000);
        assert_eq!((half[4], half[5]), (u32::MAX, 11 * 7 + 100_000));
        decoder.next_image().unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (150, 75));
        assert!(!decoder.more_images());
    }

    #[test]
    fn seen_in_any_pixel_is_seen_in_the_overview() {
        let mut pixels = vec![0_u8; 300 * 2];
        pixels[300 + 17] = 1;
        pixels[299] = u8::MAX;
        let next = halved([300, 2], &pixels);
        let seen: Vec<usize> = (0..150).filter(|i| next[*i] == 1).collect();
        assert_eq!((seen, next[149]), (vec![8], 0));
    }
}
