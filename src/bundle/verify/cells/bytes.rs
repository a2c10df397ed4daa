//! Where sections of a level begin, and their words.

use crate::bundle::verify::container::Container;
use crate::format::Tag;

pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Where a section begins in the file.
pub(super) fn start(container: &Container, tag: Tag) -> u64 {
    container.section(tag).map_or(0, |section| section.offset)
}
