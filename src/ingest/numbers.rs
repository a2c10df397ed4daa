//! Numbers in texts, with what C libraries print for those that are not finite.

/// The number that a text is; nothing where it is none, or where something follows it.
///
/// Besides what Rust reads, these are the forms of Windows (`-1.#IND`, `1.#QNAN`, `1.#INF`, with zeros behind them), of
/// glibc (`-nan(ind)`) and whole numbers in hexadecimal (`0x1F`), all of which GDAL reads.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.to_ascii_lowercase();
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        let is_plain = hexadecimal.bytes().all(|b| b.is_ascii_hexdigit());
        let number = u64::from_str_radix(hexadecimal, 16).ok()?;
        return is_plain.then_some(sign * number as f64);
    }
    if digits.starts_with("nan(") && digits.ends_with(')') {
        return Some(f64::NAN);
    }
    let (_, kind) = digits.split_once(".#").filter(|(one, _)| *one == "1")?;
    match kind.trim_end_matches('0') {
        "inf" => Some(sign * f64::INFINITY),
        "ind" | "qnan" | "snan" | "nan" => Some(f64::NAN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_number;

    #[test]
    fn numbers_of_windows_and_of_glibc_are_read() {
        for text in [
            "nan",
            "-nan",
            "NaN",
            "-1.#IND",
            "1.#QNAN",
            "-1.#IND000",
            "1.#SNAN",
            "-nan(ind)",
            "nan(snan)",
        ] {
            assert!(parse_number(text).is_some_and(f64::is_nan), "{text}");
        }
        for (text, number) in [
            (" -9999 ", -9999.0),
            ("+7", 7.0),
            ("0x1F", 31.0),
            ("1.#INF", f64::INFINITY),
            ("-1.#INF", f64::NEG_INFINITY),
            ("-inf", f64::NEG_INFINITY),
            ("-3.4028234663852886e+38", f64::from(f32::MIN)),
        ] {
            assert_eq!(parse_number(text), Some(number), "{text}");
        }
        for text in [
            "", "5,5", "abc", "1.5 m", "0x", "0x+1", "1.#", "2.#IND", "1.#ABC", "--1",
        ] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }
}
