//! How far one may get.

/// A reach as it is counted with: what is no number reaches everywhere, which errs towards
/// visible, and less than nothing reaches as far as nothing.
pub(super) fn counted(reach: f64) -> f64 {
    if reach.is_nan() {
        f64::INFINITY
    } else {
        reach.max(0.0)
    }
}
