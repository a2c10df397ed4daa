//! Angles out of additions, multiplications, divisions and square roots alone, which round the
//! same everywhere: the sines of one system's library may differ from another's in the last bit,
//! and with them the bytes of a result.

use std::f64::consts::FRAC_PI_4;

/// Sine and cosine of `part` / `whole` of a turn, to a few units in the last place; the eight
/// octants are mirror images of each other to the last bit. `part` < `whole` < 2^60.
pub fn sin_cos_of_turn(part: u64, whole: u64) -> (f64, f64) {
    let octant = 8 * part / whole;
    let rest = 8 * part % whole;
    // Odd octants are measured back from their end.
    let rest = if octant.is_multiple_of(2) {
        rest
    } else {
        whole - rest
    };
    let angle = rest as f64 / whole as f64 * FRAC_PI_4;
    let (s, c) = (series(angle, angle, 1.0), series(angle, 1.0, 0.0));
    match octant {
        0 => (s, c),
        1 => (c, s),
        2 => (c, -s),
        3 => (s, -c),
        4 => (-s, -c),
        5 => (-c, -s),
        6 => (-c, s),
        _ => (-s, c),
    }
}

/// East and north of an azimuth, clockwise from north, as a vector of length 1, to 10⁻⁹ degrees.
pub fn direction(degrees: f64) -> [f64; 2] {
    const PARTS: f64 = 1e9;
    let turn = (360.0 * PARTS) as u64;
    let part = (degrees.rem_euclid(360.0) * PARTS).round() as u64;
    let (east, north) = sin_cos_of_turn(part % turn, turn);
    [east, north]
}

/// Σ (-1)^i · x^(2i + odd) / (2i + odd)!, of which `first` is the first term: the sine (odd = 1)
/// or cosine (odd = 0) of 0 <= x <= π/4.
fn series(x: f64, first: f64, odd: f64) -> f64 {
    let (mut term, mut sum) = (first, first);
    for i in 1..=9 {
        let n = 2.0 * f64::from(i) + odd;
        term *= -x * x / (n * (n - 1.0));
        sum += term;
    }
    sum
}

/// Arctangent in radians, to a few units in the last place; -π/2 and π/2 at the infinities.
pub(crate) fn atan(x: f64) -> f64 {
    if x.abs() > 1.0 {
        let quarter = std::f64::consts::FRAC_PI_2.copysign(x);
        return quarter - atan(1.0 / x);
    }
    // atan(x) = 2 atan(x / (1 + √(1 + x²))), three times: below 0.1 the series is quick.
    let mut small = x;
    for _ in 0..3 {
        small /= 1.0 + (1.0 + small * small).sqrt();
    }
    let square = small * small;
    let sum = (0..9)
        .rev()
        .fold(0.0, |sum, i| 1.0 / f64::from(2 * i + 1) - square * sum);
    8.0 * small * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_the_library_says_but_for_the_last_bits() {
        for whole in [1, 2, 3, 7, 8, 36, 360, 1000, 999_983] {
            for part in (0..whole).step_by(1 + whole as usize / 1000) {
                let (s, c) = sin_cos_of_turn(part, whole);
                let angle = std::f64::consts::TAU * part as f64 / whole as f64;
                assert!((s - angle.sin()).abs() < 2e-15, "{part}/{whole}");
                assert!((c - angle.cos()).abs() < 2e-15, "{part}/{whole}");
            }
        }
        for i in -4000..=4000 {
            for x in [
                f64::from(i) * 1e-3,
                1e3 / f64::from(i),
                f64::from(i).powi(3),
            ] {
                assert!((atan(x) - x.atan()).abs() < 1e-15, "{x}");
            }
        }
        assert_eq!(atan(f64::NEG_INFINITY), -std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn the_four_winds_are_exact_and_octants_mirror_each_other() {
        assert_eq!(sin_cos_of_turn(0, 4), (0.0, 1.0));
        assert_eq!(sin_cos_of_turn(1, 4), (1.0, 0.0));
        assert_eq!(sin_cos_of_turn(2, 4), (0.0, -1.0));
        assert_eq!(sin_cos_of_turn(3, 4), (-1.0, 0.0));
        for part in 0..1000 {
            let (s, c) = sin_cos_of_turn(part, 1000);
            assert_eq!(sin_cos_of_turn((1000 - part) % 1000, 1000), (-s, c));
            let (east, north) = sin_cos_of_turn((1250 - part) % 1000, 1000);
            assert_eq!((east, north), (c, s));
        }
    }
}
