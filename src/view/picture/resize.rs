//! Pictures at another size.

use image::{Rgba, RgbaImage};

/// A picture at another size, along each axis by itself: where it grows, each pixel is one of the
/// picture's; where it shrinks, each is the mean of those that it covers, so that nothing is skipped.
///
/// O(pixels of both), and no more memory than the result and one of its rows.
///
/// # Panics
///
/// If a side of the picture or of the result is 0.
pub fn resized(picture: &RgbaImage, width: u32, height: u32) -> RgbaImage {
    let (columns, rows) = picture.dimensions();
    if (columns, rows) == (width, height) {
        return picture.clone();
    }
    let across: Vec<Span> = (0..width).map(|x| Span::of(x, columns, width)).collect();
    let mut resized = RgbaImage::new(width, height);
    let mut sums = vec![[0_u64; 4]; width as usize];
    for y in 0..height {
        let down = Span::of(y, rows, height);
        sums.fill([0; 4]);
        for (row, weight) in down.weights() {
            for (sum, span) in sums.iter_mut().zip(&across) {
                for (column, part) in span.weights() {
                    let Rgba(pixel) = picture.get_pixel(column, row);
                    for (sum, value) in sum.iter_mut().zip(pixel) {
                        *sum += u64::from(*value) * part * weight;
                    }
                }
            }
        }
        for (x, (sum, span)) in (0..width).zip(sums.iter().zip(&across)) {
            let all = span.sum() * down.sum();
            let mean = sum.map(|sum| ((sum + all / 2) / all) as u8);
            resized.put_pixel(x, y, Rgba(mean));
        }
    }
    resized
}

/// The pixels along one axis that a pixel of the result covers.
struct Span {
    first: u32,
    last: u32,
    /// How much it covers of the first pixel, of each between, and of the last.
    parts: [u64; 3],
}

impl Span {
    /// Of pixel `at`, where `from` pixels become `to`.
    fn of(at: u32, from: u32, to: u32) -> Self {
        let [at, from, to] = [at, from, to].map(u64::from);
        if to >= from {
            // The pixel that lies under the middle.
            let first = ((2 * at + 1) * from / (2 * to)) as u32;
            return Self {
                first,
                last: first,
                parts: [1; 3],
            };
        }
        // In units of which a pixel of the result has `from`, and one of the picture `to`.
        let (begin, end) = (at * from, (at + 1) * from);
        let (first, last) = (begin / to, (end - 1) / to);
        Self {
            first: first as u32,
            last: last as u32,
            parts: [(first + 1) * to - begin, to, end - last * to],
        }
    }

    /// Pixels, and how much of each is covered.
    fn weights(&self) -> impl Iterator<Item = (u32, u64)> {
        let [head, body, tail] = self.parts;
        (self.first..=self.last).map(move |at| {
            let part = match at {
                _ if at == self.first => head,
                _ if at == self.last => tail,
                _ => body,
            };
            (at, part)
        })
    }

    fn sum(&self) -> u64 {
        self.weights().map(|(_, part)| part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pixel_of_a_larger_picture_is_one_of_the_picture() {
        let picture = RgbaImage::from_fn(7, 5, |x, y| Rgba([x as u8 * 30, y as u8 * 40, 0, 255]));
        let large = resized(&picture, 70, 50);
        for (x, y, pixel) in large.enumerate_pixels() {
            assert_eq!(pixel, picture.get_pixel(x / 10, y / 10));
        }
    }

    #[test]
    fn each_pixel_of_a_smaller_picture_is_a_mean_by_area() {
        let stripes = RgbaImage::from_fn(64, 64, |x, _| Rgba([(x % 2 * 200) as u8; 4]));
        assert!(
            resized(&stripes, 8, 8)
                .pixels()
                .all(|pixel| pixel[0] == 100)
        );
        // Three columns in two: half of the middle one goes to each.
        let three = RgbaImage::from_fn(3, 1, |x, _| Rgba([[0, 90, 180][x as usize], 0, 0, 255]));
        let two = resized(&three, 2, 1);
        assert_eq!([two[(0, 0)][0], two[(1, 0)][0]], [30, 150]);
        assert_eq!(two[(0, 0)][3], 255);
    }

    #[test]
    fn one_axis_may_grow_while_the_other_shrinks() {
        let picture = RgbaImage::from_fn(2, 100, |x, y| Rgba([x as u8 * 255, y as u8, 0, 255]));
        let other = resized(&picture, 10, 4);
        for (x, y, pixel) in other.enumerate_pixels() {
            assert_eq!(pixel[0], u8::from(x >= 5) * 255);
            // The mean of 25 rows.
            assert_eq!(u32::from(pixel[1]), 25 * y + 12);
        }
    }
}
