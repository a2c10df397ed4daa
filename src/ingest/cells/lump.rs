//! Parts of a file that know their name and place, for errors that tell both.

use crate::error::IngestError;

/// A part of a file. Every access is checked.
#[derive(Clone, Copy)]
pub(crate) struct Lump<'a> {
    /// What people call it; empty for the file as a whole.
    name: &'a str,
    /// Where in the file it begins.
    pub offset: usize,
    pub bytes: &'a [u8],
}

impl<'a> Lump<'a> {
    /// The file as a whole.
    pub(crate) fn file(bytes: &'a [u8]) -> Self {
        Self {
            name: "",
            offset: 0,
            bytes,
        }
    }

    /// Words for the place of byte `at` of the lump: its name, and the byte counted from the
    /// start of the file.
    pub(crate) fn place(&self, at: usize) -> String {
        let byte = self.offset.saturating_add(at);
        if self.name.is_empty() {
            format!("byte {byte}")
        } else {
            format!("lump {}, byte {byte}", self.name)
        }
    }

    /// An error about byte `at` of the lump.
    pub(crate) fn bad(
        &self,
        at: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> IngestError {
        IngestError::bad(
            expected,
            found,
            "the file is damaged: fetch or compile it again",
        )
        .at(self.place(at))
    }

    /// The `length` bytes at `at`.
    pub(crate) fn get(&self, at: usize, length: usize) -> Result<&'a [u8], IngestError> {
        at.checked_add(length)
            .and_then(|end| self.bytes.get(at..end))
            .ok_or_else(|| {
                self.bad(
                    at,
                    format!("{length} bytes"),
                    format!(
                        "the end after {} bytes",
                        self.bytes.len().saturating_sub(at)
                    ),
                )
            })
    }

    /// The `N` bytes at `at`.
    pub(crate) fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], IngestError> {
        let mut array = [0; N];
        array.copy_from_slice(self.get(at, N)?);
        Ok(array)
    }

    /// The `i32` at `at`.
    pub(crate) fn i32(&self, at: usize) -> Result<i32, IngestError> {
        Ok(i32::from_le_bytes(self.array(at)?))
    }

    /// The count, length or offset at `at`, stored as an `i32` that must not be negative.
    pub(crate) fn count(&self, at: usize, what: &str) -> Result<usize, IngestError> {
        let found = self.i32(at)?;
        usize::try_from(found)
            .map_err(|_| self.bad(at, format!("{what} of 0 or more"), found.to_string()))
    }

    /// The part of `length` bytes at `offset`; `at` is where the file says so.
    pub(crate) fn part(
        &self,
        at: usize,
        name: &'a str,
        offset: usize,
        length: usize,
    ) -> Result<Lump<'a>, IngestError> {
        let bytes = offset
            .checked_add(length)
            .and_then(|end| self.bytes.get(offset..end))
            .ok_or_else(|| {
                IngestError::bad(
                    format!("lump {name} within the {} bytes of the file", self.bytes.len()),
                    format!("offset {offset}, length {length}"),
                    "the file is cut short or its table of lumps is damaged: fetch or compile it again",
                )
                .at(format!("lump {name}, {}", self.place(at)))
            })?;
        Ok(Lump {
            name,
            offset,
            bytes,
        })
    }

    /// Entry `index` of a table of lumps at byte `table` of the file: offset and length, two
    /// `i32` at the beginning of entries of `entry` bytes.
    pub(crate) fn entry(
        &self,
        table: usize,
        entry: usize,
        index: usize,
        name: &'a str,
    ) -> Result<Lump<'a>, IngestError> {
        let at = table + index * entry;
        let number = |at: usize, what: &str| {
            let found = self.i32(at)?;
            usize::try_from(found).map_err(|_| {
                IngestError::bad(
                    format!("{what} of 0 or more"),
                    found.to_string(),
                    "the table of lumps is damaged: fetch or compile it again",
                )
                .at(format!("lump {name}, byte {at}"))
            })
        };
        let (offset, length) = (number(at, "an offset")?, number(at + 4, "a length")?);
        self.part(at, name, offset, length)
    }

    /// The lump as records of `size` bytes. Errors unless it is a whole number of them.
    pub(crate) fn records(&self, size: usize) -> Result<Records<'a>, IngestError> {
        if !self.bytes.len().is_multiple_of(size) {
            return Err(self.bad(
                0,
                format!("a whole number of records of {size} bytes"),
                format!("{} bytes", self.bytes.len()),
            ));
        }
        Ok(Records { lump: *self, size })
    }
}

/// A lump of records of equal size.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a> {
    pub lump: Lump<'a>,
    size: usize,
}

impl<'a> Records<'a> {
    pub(crate) fn len(&self) -> usize {
        self.lump.bytes.len() / self.size
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Record<'a>> + use<'a> {
        self.lump.bytes.chunks_exact(self.size).map(Record)
    }

    pub(crate) fn get(&self, index: usize) -> Option<Record<'a>> {
        self.lump
            .bytes
            .chunks_exact(self.size)
            .nth(index)
            .map(Record)
    }

    /// Where record `index` begins in the lump.
    pub(crate) fn at(&self, index: usize) -> usize {
        index * self.size
    }
}

/// A record, long enough for the fields that are asked of it.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a>(pub &'a [u8]);

impl Record<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&self.0[at..at + N]);
        array
    }

    pub(crate) fn i16(&self, at: usize) -> i16 {
        i16::from_le_bytes(self.array(at))
    }

    pub(crate) fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    pub(crate) fn i32(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.array(at))
    }

    pub(crate) fn f32(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.array(at))
    }
}
