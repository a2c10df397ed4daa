//! What stands for a whole file.

/// What stands for a whole file: its length, and the checksum in its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileId {
    /// Bytes.
    pub length: u64,
    /// The header's checksum.
    pub checksum: u32,
}
