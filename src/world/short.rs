//! Numbers in errors.

use std::fmt;

/// A number as people write it; one that is very large or very small with an exponent, since what
/// stands in a damaged file may have three hundred digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            0.0 | 1e-4..1e15 => fmt::Display::fmt(&self.0, f),
            _ if !self.0.is_finite() => fmt::Display::fmt(&self.0, f),
            _ => fmt::LowerExp::fmt(&self.0, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_however_large_they_are() {
        let said = [
            0.0,
            92.4,
            -5.0,
            1e-300,
            1e300,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
        ];
        let said = said.map(|n| Short(n).to_string());
        let expected = [
            "0",
            "92.4",
            "-5",
            "1e-300",
            "1e300",
            "1.7976931348623157e308",
            "NaN",
            "inf",
        ];
        assert_eq!(said, expected);
        assert_eq!(format!("{:.1}", Short(92.44)), "92.4");
        assert_eq!(format!("{:.1}", Short(1.23e200)), "1.2e200");
    }
}
