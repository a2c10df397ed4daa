//! Little-endian numbers out of slices, `None` past the end.

/// The `N` bytes at `at`.
#[inline]
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// The `u16` at byte `at`.
#[inline]
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

/// The `u32` at byte `at`.
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

/// The `u64` at byte `at`.
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// The `f32` at byte `at`.
#[inline]
pub fn f32_at(bytes: &[u8], at: usize) -> Option<f32> {
    array_at(bytes, at).map(f32::from_le_bytes)
}

/// The `f64` at byte `at`.
#[inline]
pub fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    array_at(bytes, at).map(f64::from_le_bytes)
}

/// Overwrites the bytes at `at`; does nothing where they do not fit.
pub(crate) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(end) = at.checked_add(value.len())
        && let Some(place) = bytes.get_mut(at..end)
    {
        place.copy_from_slice(value);
    }
}
