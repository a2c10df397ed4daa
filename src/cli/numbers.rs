//! Numbers that a person may give: none of them is *not a number*.

/// A finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    check(text, "a finite number", |_| true)
}

/// A finite number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    check(text, "a finite number above 0", |number| number > 0.0)
}

/// A finite number from 0 up.
pub fn not_negative(text: &str) -> Result<f64, String> {
    check(text, "a finite number from 0 up", |number| number >= 0.0)
}

fn check(text: &str, expected: &str, may_be: fn(f64) -> bool) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number: &f64| number.is_finite() && may_be(*number));
    number.ok_or_else(|| format!("expected {expected}"))
}
