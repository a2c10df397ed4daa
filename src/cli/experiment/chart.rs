//! Charts of an experiment as PNG, without words: the tables name what is drawn.

use image::{ImageFormat, Rgb, RgbImage};
use std::io::Cursor;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 420;
const MARGIN: u32 = 30;

/// Four colours that people with any colour vision tell apart (Okabe and Ito), one a case in the
/// order of the tables.
pub const COLOURS: [Rgb<u8>; 4] = [
    Rgb([0, 0, 0]),
    Rgb([230, 159, 0]),
    Rgb([86, 180, 233]),
    Rgb([0, 158, 115]),
];

/// A line for each case through its values; x and y on linear axes from 0, ticks at tenths of
/// the greatest. `lines` are points (x, y), neither below 0.
pub fn lines(lines: &[Vec<[f64; 2]>]) -> Result<Vec<u8>, image::ImageError> {
    let mut picture = axes();
    let greatest = |i: usize| {
        let values = lines.iter().flatten().map(|point| point[i]);
        values.fold(f64::MIN_POSITIVE, f64::max)
    };
    let (right, top) = (greatest(0), greatest(1));
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<[f64; 2]> = line.iter().map(|p| [p[0] / right, p[1] / top]).collect();
        for pair in points.windows(2) {
            stroke(&mut picture, pair[0], pair[1], *colour);
        }
        for [x, y] in points {
            dot(&mut picture, x, y, 3, *colour);
        }
    }
    encode(&picture)
}

/// How often each of 40 classes of values from 0 to the greatest of all cases comes up, a line a
/// case, each to the height of its own share.
pub fn frequencies(cases: &[Vec<f64>]) -> Result<Vec<u8>, image::ImageError> {
    const CLASSES: usize = 40;
    let greatest = cases
        .iter()
        .flatten()
        .copied()
        .fold(f64::MIN_POSITIVE, f64::max);
    let curves: Vec<Vec<[f64; 2]>> = cases
        .iter()
        .map(|values| {
            let mut counts = [0.0; CLASSES];
            for value in values {
                let class = (value / greatest * CLASSES as f64) as usize;
                counts[class.min(CLASSES - 1)] += 1.0 / values.len() as f64;
            }
            let point = |(class, share): (usize, &f64)| [(class as f64 + 0.5) * greatest, *share];
            counts.iter().enumerate().map(point).collect()
        })
        .collect();
    lines(&curves)
}

fn axes() -> RgbImage {
    let mut picture = RgbImage::from_pixel(WIDTH, HEIGHT, Rgb([255, 255, 255]));
    let grey = Rgb([120, 120, 120]);
    for x in MARGIN..WIDTH - MARGIN {
        picture.put_pixel(x, HEIGHT - MARGIN, grey);
    }
    for y in MARGIN..=HEIGHT - MARGIN {
        picture.put_pixel(MARGIN, y, grey);
    }
    for tick in 0..=10 {
        let x = MARGIN + tick * (WIDTH - 2 * MARGIN - 1) / 10;
        let y = MARGIN + tick * (HEIGHT - 2 * MARGIN) / 10;
        for i in 1..=5 {
            picture.put_pixel(x, HEIGHT - MARGIN + i, grey);
            picture.put_pixel(MARGIN - i, y, grey);
        }
    }
    picture
}

fn stroke(picture: &mut RgbImage, from: [f64; 2], to: [f64; 2], colour: Rgb<u8>) {
    let steps = f64::from(WIDTH.max(HEIGHT));
    for i in 0..=steps as u32 {
        let t = f64::from(i) / steps;
        let at = |k: usize| from[k] + t * (to[k] - from[k]);
        dot(picture, at(0), at(1), 1, colour);
    }
}

/// A square around a place, both of whose coordinates go from 0 to 1.
fn dot(picture: &mut RgbImage, x: f64, y: f64, radius: i64, colour: Rgb<u8>) {
    let x = f64::from(MARGIN) + x * f64::from(WIDTH - 2 * MARGIN - 1);
    let y = f64::from(HEIGHT - MARGIN) - y * f64::from(HEIGHT - 2 * MARGIN);
    for dy in 1 - radius..=radius {
        for dx in 1 - radius..=radius {
            let (x, y) = (x as i64 + dx, y as i64 + dy);
            if (0..i64::from(WIDTH)).contains(&x) && (0..i64::from(HEIGHT)).contains(&y) {
                picture.put_pixel(x as u32, y as u32, colour);
            }
        }
    }
}

fn encode(picture: &RgbImage) -> Result<Vec<u8>, image::ImageError> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(png: &[u8], colour: Rgb<u8>) -> Vec<(u32, u32)> {
        let picture = image::load_from_memory(png).unwrap().to_rgb8();
        let pixels = picture.enumerate_pixels();
        pixels
            .filter(|p| *p.2 == colour)
            .map(|p| (p.0, p.1))
            .collect()
    }

    #[test]
    fn a_line_goes_from_its_first_to_its_last_point() {
        let png = lines(&[vec![], vec![[0.0, 0.0], [2.0, 1.0]], vec![[1.0, 4.0]]]).unwrap();
        let line = coloured(&png, COLOURS[1]);
        let ends = |i: fn(&(u32, u32)) -> u32| (line.iter().map(i).min(), line.iter().map(i).max());
        let (left, right) = ends(|p| p.0);
        assert!(left.unwrap().abs_diff(MARGIN) < 4 && right.unwrap().abs_diff(WIDTH - MARGIN) < 5);
        let (top, _) = ends(|p| p.1);
        // A quarter of the greatest.
        let expected = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) / 4;
        assert!(top.unwrap().abs_diff(expected) < 4);
        assert!(!coloured(&png, COLOURS[2]).is_empty());
    }

    #[test]
    fn equal_values_are_one_peak() {
        let png = frequencies(&[vec![5.0; 9], vec![10.0, 0.0]]).unwrap();
        let peak = coloured(&png, COLOURS[0]);
        let top = peak.iter().min_by_key(|p| p.1).unwrap();
        assert!(
            top.1 < MARGIN + 4 && top.0.abs_diff(WIDTH / 2) < 12,
            "{top:?}"
        );
        assert!(frequencies(&[vec![]]).is_ok());
    }
}
